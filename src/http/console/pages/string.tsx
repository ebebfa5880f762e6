/** One string: all its translations with their states and histories, and the forms that change them. */
import { useHive } from "../requests/context.tsx";
import type { Child } from "hono/jsx";
import { z } from "zod";
import { isFailure } from "../../../domain/errors.ts";
import { lostKey, stringPage } from "../../../domain/strings/string-page.ts";
import { codeOf, type LocaleCode } from "../../../domain/hives/locale.ts";
import { changeAcceptance } from "../../../service/content/checks.ts";
import { listHistory } from "../../../service/content/history.ts";
import { picturesOf } from "../../../service/context/pictures.ts";
import { keyMeant } from "../../../service/content/shown-keys.ts";
import type { EditableTranslation } from "../../../service/content/string-marks.ts";
import { showStringToEdit, type StringInAllLocales } from "../../../service/content/string-search.ts";
import { restoreTranslation } from "../../../service/content/translation-edit.ts";
import { repeatTranslation, sameTexts, type SameText } from "../../../service/memory/same-text.ts";
import { acceptance } from "../../../api/content/checks.ts";
import { once } from "../../../api/objects.ts";
import { check } from "../../schemas/schemas.ts";
import type { StringNotes } from "../../../domain/notes/note.ts";
import { pageQuery, toOffsetLimit } from "../../../api/page.ts";
import { ownLocalesFirst } from "../parts/languages.ts";
import { CommitDays } from "../parts/commit-list.tsx";
import { Restore } from "../parts/restore.tsx";
import { threadOf } from "../../../service/content/comment-lists.ts";
import { Thread, type RefusedComment } from "../notes/comments.tsx";
import { NoLanguage, mayWriteAll, hivePage, Beside, Pager } from "../parts/navigation.tsx";
import { stringLink, type LinkQuery } from "../requests/links.ts";
import { StringPictures } from "../pictures/pictures.tsx";
import { RepeatForm } from "../memory/same-text.tsx";
import { NoteDetails, NoteForm, saveNote, type RefusedNote } from "../notes/notes.tsx";
import { FormName, BranchedText, Sources, TermsInto, TermsOf } from "../glossary/terms.tsx";
import { toSeen } from "../editor/answer-form.ts";
import { sentForm, type Refused } from "../editor/editor.tsx";
import { maxOnOwnPage, maxShown, WordDiff } from "../parts/text.tsx";
import {
  Editing,
  OriginMark,
  StateMark,
  StoredFindings,
  type ShownTranslation,
  Waiting,
} from "../editor/translation.tsx";
import { writtenState, type Form } from "../requests/form.ts";
import type { HiveFormRequest, HiveRequest, PageResult, PageRoute, View } from "../requests/page.ts";
import { undoOf } from "../requests/undoable.ts";
import { SourceActions } from "../source/source.tsx";
import { absentString } from "./error.tsx";
import { besideIn, listOf } from "./strings.tsx";
import { languageName, t } from "../texts/texts.ts";

const perPage = 20;
/** `locale` is open for editing; `back` is the list to return to; `key` names a key that a path cannot contain. */
const stringQuery = pageQuery.pick({ page: true }).extend({ locale: once, key: once, back: once });

async function show(request: HiveRequest, refused?: Submitted): Promise<View> {
  const { storage, branch, hiveLink, query, signal } = request;
  const { page, locale, back } = check(stringQuery, refused === undefined ? query : {}, "query");
  const { file, key } = await named(request);
  const open = refused?.answer?.locale ?? locale;
  const string = await showStringToEdit(storage, branch, { file, key, open }).catch((error: unknown) => {
    if (!isFailure(error, "not-found")) throw error;
  });
  if (string === undefined) return absentString(request, { file, key });
  const forms = await Promise.all(
    string.forms.map(async (form) =>
      form.key === key ? string : showStringToEdit(storage, branch, { file, key: form.key, open }),
    ),
  );
  const shown = forms.length === 0 ? [string] : forms;
  const paging = { page, per_page: perPage };
  const result = await listHistory(storage, branch, { file, key, ...toOffsetLimit(paging), signal });
  const { entries, total } = await result.read();
  const list = refused?.back ?? listOf(back);
  const beside = await besideIn(request, back, string);
  const between = [
    { label: t("common.strings"), href: hiveLink(["strings"], list) },
    { label: file, href: hiveLink(["strings"], { file }) },
  ];
  return hivePage(
    request,
    "Strings",
    <>
      <Beside strings={beside ?? string} query={{ locale, back: beside && back }} />
      <div class="one-string">
        <div>
          <div class="panel">
            <Sources strings={shown} shown={key} />
            <TermsOf
              found={shown.flatMap(({ terms }) => terms)}
              lang={string.settings.sourceLocale.code}
              locales={string.settings.targetLocales}
            />
            {notesOf(shown).map((notes) => (
              <NoteDetails notes={notes} />
            ))}
            {mayWriteAll(request) && (
              <NoteForm
                to={stringLink(hiveLink, file, key)}
                team={string.notes?.team}
                refused={refused?.note}
              />
            )}
            {mayWriteAll(request) && <SourceActions string={string} />}
          </div>
          <StringPictures
            pictures={await picturesOf(storage, branch, { file, key })}
            strings={shown}
            shown={{ file, key }}
          />
        </div>
        <div>
          <Thread
            thread={await threadOf(storage, branch, { file, key })}
            at={{ file, key }}
            locales={string.settings.targetLocales}
            place={{ in: "string" }}
            refused={refused?.comment}
          />
        </div>
      </div>
      <h2>{t("string.translations")}</h2>
      <Translations
        strings={shown}
        shown={key}
        open={open}
        same={await sameTexts(storage, branch, { file, key })}
        back={list}
        refused={refused}
      />
      <h2>{t("common.history")}</h2>
      <CommitDays
        heading="h3"
        entries={entries}
        isOfKey
        action={(entry, change) => <Restore string={string} entry={entry} change={change} />}
      />
      <Pager paging={paging} total={total} {...stringPage(file, key)} />
    </>,
    { title: key === "" ? t("string.empty_key") : key, between, status: refused?.status },
  );
}

interface RefusedAnswer {
  /** The code of its locale. */
  readonly locale: string;
  readonly refused: Refused;
  /** Whether it is a decision about a text that waits for a review, made outside its editor. */
  readonly isDecision: boolean;
}

interface Submitted {
  readonly answer?: RefusedAnswer;
  readonly note?: RefusedNote;
  readonly comment?: RefusedComment;
  readonly status: number;
  /** The list that the user came from. */
  readonly back: LinkQuery | undefined;
}

type Place = Readonly<Partial<Record<string, string>>>;

/** The page of a string with one of its forms that was refused. @param at the string, if the address does not name it. */
function showAgain(request: HiveFormRequest, of: Submitted, at: Place = {}): Promise<View> {
  const param = (name: string): string => at[name] ?? request.param(name);
  return request.runSlowRead((signal) => show({ ...request, param, signal }, of));
}

/** The page of a string with an answer to it that was refused. */
export async function showRefused(
  request: HiveFormRequest,
  at: Place,
  {
    refused,
    back,
    ...answer
  }: Omit<RefusedAnswer, "refused"> & {
    readonly refused: Refused & { readonly status: number };
    readonly back: LinkQuery | undefined;
  },
): Promise<View> {
  const { status, problem } = refused;
  const view = await showAgain(request, { answer: { ...answer, refused }, status, back }, at);
  // The text may wait no more, so that nothing has a place for it.
  return answer.isDecision ? { ...view, notice: problem } : view;
}

/** The page of a string with a form of its comments that was refused. */
export function showRefusedComment(
  request: HiveFormRequest,
  at: Place,
  comment: RefusedComment,
): Promise<View> {
  return showAgain(request, { comment, status: comment.status, back: undefined }, at);
}

/** The notes of a string, or of all forms of a plural, each once. */
function notesOf(strings: readonly StringInAllLocales[]): readonly StringNotes[] {
  const all = strings.flatMap(({ notes }) => notes ?? []);
  return [...new Map(all.map((notes) => [JSON.stringify(notes), notes])).values()];
}

/** The string that the address names, also by its key as it is shown. */
async function named({
  param,
  query,
  storage,
  branch,
}: HiveRequest): Promise<{ readonly file: string; readonly key: string }> {
  const [file, key] = [param("file"), param("key")];
  const lost = typeof query.key === "string" ? lostKey(query.key) : undefined;
  return { file, key: key === "" ? (lost ?? "") : await keyMeant(storage, branch, { file, key }) };
}

function Translations(props: {
  /** The forms of a plural string, or the one string. */
  strings: readonly StringInAllLocales<EditableTranslation>[];
  shown: string;
  /** The code of the locale whose form is open. */
  open: string | undefined;
  same: ReadonlyMap<LocaleCode, SameText>;
  back: LinkQuery | undefined;
  refused: Submitted | undefined;
}) {
  const { strings, shown, open, same, back, refused } = props;
  const targetLocales = ownLocalesFirst(useHive(), strings[0]?.settings.targetLocales ?? []);
  if (targetLocales.length === 0) return <NoLanguage />;
  return (
    <ul class="strings by-locale">
      {targetLocales.flatMap((locale) => {
        const rows = strings.flatMap((string) => {
          const translation = string.translations.find((one) => one.locale === locale)?.translation;
          return translation === undefined ? [] : [{ string, translation }];
        });
        const answer = refused?.answer?.locale === codeOf(locale) ? refused.answer : undefined;
        // All forms are edited in the row of one of them.
        const edited = rows.find(({ string }) => string.key === shown) ?? rows[0];
        return rows.map((row) => {
          const isEdited = row === edited;
          const isOpen = open === codeOf(locale) && isEdited && answer?.isDecision !== true;
          return (
            <TranslationRow
              shown={{ ...row, locale }}
              name={<FormName string={row.string} shown={shown} />}
              lang={row.string.settings.sourceLocale.code}
              back={isOpen ? back : undefined}
              isOpen={isOpen}
              isElsewhere={!isEdited}
              same={row.string.key === shown ? same.get(locale.code) : undefined}
              refused={isOpen ? answer?.refused : undefined}
              decision={answer?.isDecision === true && isEdited ? answer.refused : undefined}
            />
          );
        });
      })}
    </ul>
  );
}

function TranslationRow(props: {
  shown: ShownTranslation & { readonly string: StringInAllLocales };
  /** Of the plural form. */
  name: Child;
  lang: string;
  same: SameText | undefined;
  back?: LinkQuery;
  isOpen: boolean;
  /** Whether it is edited in another row. */
  isElsewhere: boolean;
  refused?: Refused;
  /** A decision that was refused. */
  decision?: Refused;
}) {
  const { shown, name, lang, same, decision, isElsewhere, ...editing } = props;
  const request = useHive();
  const { string, locale, translation } = shown;
  const { text, translatedFrom, state, origin } = translation;
  const code = codeOf(locale);
  return (
    <li class="string">
      <p class="where">
        <a href={request.hiveLink(["strings"], { locale: code })}>{languageName(locale)}</a>{" "}
        <code>{code}</code> {name} <StateMark state={state} />{" "}
        <OriginMark origin={origin} href={request.hiveLink(["strings"], { locale: code, origin })} />
      </p>
      <div class="target">
        {text !== undefined && (
          <BranchedText
            text={text}
            syntax={string.syntax}
            lang={locale.code}
            limit={editing.isOpen ? maxOnOwnPage : undefined}
          />
        )}
        {!editing.isOpen && (text?.length ?? 0) > maxShown && (
          <a class="more" href={stringLink(request.hiveLink, string.file, string.key, { locale: code })}>
            {t("common.show_all")}
          </a>
        )}
        <TermsInto
          found={string.terms}
          locale={locale}
          lang={lang}
          style={editing.isOpen ? string.style : ""}
        />
        <StoredFindings shown={shown} />
        <Waiting shown={shown} refused={decision} />
        {!isElsewhere && <Editing shown={shown} lang={lang} {...editing} />}
        <RepeatForm string={string} locale={locale} same={same} />
        {!isElsewhere && request.canTranslate(locale) && (
          <a
            class="translate"
            href={request.hiveLink(["translate", code], { at: `${string.file}:${string.key}` })}
          >
            {t("string.full_editor")}
            <span class="visually-hidden"> {t("string.for", { locale: languageName(locale) })} </span>
            <span class="visually-hidden">{name}</span>
          </a>
        )}
        {translatedFrom !== undefined && (
          <p class="aside-text">
            {t("string.the_source_text_has_changed")}{" "}
            <WordDiff before={translatedFrom} after={string.source} lang={lang} />
          </p>
        )}
      </div>
    </li>
  );
}

const changeKinds = z.enum(["restore", "repeat"], "must be restore or repeat");

const doneNotices = { restore: "written", repeat: "repeated" } as const;

/** What is done to a translation outside its editor. */
async function edit(request: HiveFormRequest): Promise<PageResult> {
  const { storage, branch, hiveLink, form, context } = request;
  const { file, key } = await named(request);
  const locale = form.text("locale");
  const back = listOf(form.text("back"));
  const to = back === undefined ? stringLink(hiveLink, file, key) : hiveLink(["strings"], back);
  if (form.text("change") === "accept") {
    const alarm = check(acceptance, { locale, file, key, check: form.text("check") }, "form");
    const done = await changeAcceptance(storage, branch, alarm, "accept", context);
    const { changed, unknown } = done.result;
    const notice = unknown > 0 ? "done-none" : changed === 0 ? "already-so" : "accepted";
    return { to, notice, undo: undoOf(done) };
  }
  if (form.text("change") === "note") {
    const saved = await saveNote(request, { file, key });
    return "notice" in saved ? { to, ...saved } : showAgain(request, { ...saved, back });
  }
  const change = check(changeKinds, form.text("change"), "change");
  const wanted = { locale, file, key };
  const seen = form.text("seen");
  const earlier = { commit: form.text("commit"), file: form.text("file"), key: form.text("key") };
  try {
    const done =
      change === "repeat"
        ? await repeatTranslation(storage, branch, { ...wanted, seen }, context)
        : await restoreTranslation(storage, branch, { ...wanted, seen: toSeen(seen), earlier }, context);
    return done.isUnchanged === true
      ? { to, notice: "already-so" }
      : {
          to,
          notice: doneNotices[change],
          undo: done.commit,
          waits: change === "restore" && (done.waiting ?? 0) > 0 ? "it" : done.waiting,
        };
  } catch (error) {
    return showAgain(request, { ...refusalOf(error, form, locale), back });
  }
}

/** Why a text was not brought back. @throws the error, if it is not about the text. */
function refusalOf(error: unknown, form: Form, locale: string): Pick<Submitted, "answer" | "status"> {
  const isConflict = isFailure(error, "text-conflict");
  if (!isConflict && !isFailure(error, "check-failed")) throw error;
  const problem = isConflict
    ? t("string.the_text_or_its_translation")
    : t("common.nothing_was_saved_because", { reason: t("common.the_text_would_break") });
  const refused: Refused = {
    texts: new Map(),
    question: "",
    reason: "",
    expected: undefined,
    problem,
    state: writtenState(sentForm, form),
    findings: isConflict ? [] : error.data.findings,
    isFailing: false,
  };
  return { answer: { locale, refused, isDecision: false }, status: isConflict ? 409 : 422 };
}

const path = "/hives/:slug/strings/:file/:key";
const pathOfLost = "/hives/:slug/strings/:file";

export const stringPages = [path, pathOfLost].flatMap((address): PageRoute[] => [
  { kind: "hive", path: address, isSlow: true, handler: (request) => show(request) },
  { kind: "hive-form", path: address, ability: "write", handler: edit },
]);
