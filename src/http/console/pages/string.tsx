/** One string: all its translations with their states and histories, and the forms that change them. */
import type { Child } from "hono/jsx";
import { z } from "zod";
import { isFailure } from "../../../domain/errors.ts";
import { codeOf, type LocaleCode } from "../../../domain/hives/locale.ts";
import type { ShownChange } from "../../../domain/strings/text-diff.ts";
import { changeAcceptance } from "../../../service/content/checks.ts";
import { listHistory, type HistoryEntry } from "../../../service/content/history.ts";
import { picturesOf } from "../../../service/context/pictures.ts";
import { showString, type StringInAllLocales } from "../../../service/content/string-search.ts";
import {
  editToken,
  editTranslation,
  type EditResult,
  type TranslationEdit,
} from "../../../service/content/translation-edit.ts";
import { repeatTranslation, sameTexts, type SameText } from "../../../service/memory/same-text.ts";
import { acceptanceBody } from "../../schemas/check-schemas.ts";
import { check, once, pageQuery } from "../../schemas/schemas.ts";
import { toOffsetLimit } from "../../schemas/page.ts";
import { CommitDays } from "../parts/commit-list.tsx";
import { hiveSteps, hiveTabs } from "../parts/navigation.ts";
import { languageName, languagesOf } from "../parts/languages.ts";
import { Beside, Pager } from "../parts/pager.tsx";
import { HiddenFields, PostForm } from "../parts/post-form.tsx";
import { lostKey, stringLink } from "../parts/string-link.ts";
import { StringPictures } from "../pictures/pictures.tsx";
import { RepeatForm } from "../memory/same-text.tsx";
import { NoteDetails, NoteForm } from "../notes/notes.tsx";
import { FormName, Sources } from "../glossary/sources.tsx";
import { TermsInto, TermsOf } from "../glossary/terms.tsx";
import { maxOnOwnPage, maxShown, Text } from "../parts/text.tsx";
import {
  Editing,
  OriginMark,
  StateMark,
  StoredFindings,
  type RefusedEdit,
  type ShownTranslation,
  Waiting,
} from "../parts/translation.tsx";
import { WordDiff } from "../parts/word-diff.tsx";
import { saveNote, type RefusedNote } from "../notes/note-form.ts";
import type { Form } from "../requests/form.ts";
import type { LinkQuery } from "../requests/links.ts";
import type { HiveFormRequest, HiveRequest, PageResult, PageRoute, View } from "../requests/page.ts";
import { besideIn, listOf } from "./list-filters.ts";

const perPage = 20;
/** `locale` is open for editing; `back` is the list to return to; `key` names a key that a path cannot contain. */
const stringQuery = pageQuery.pick({ page: true }).extend({ locale: once, key: once, back: once });

async function show(request: HiveRequest, refused?: Refused): Promise<View> {
  const { storage, branch, hiveLink, query, signal } = request;
  const { page, locale, back } = check(stringQuery, refused === undefined ? query : {}, "query");
  const { file, key } = named(request);
  const open = refused?.edit?.locale ?? locale;
  const string = await showString(storage, branch, { file, key, open });
  const forms = await Promise.all(
    string.forms.map(async (form) =>
      form.key === key ? string : showString(storage, branch, { file, key: form.key, open }),
    ),
  );
  const shown = forms.length === 0 ? [string] : forms;
  const paging = { page, per_page: perPage };
  const result = await listHistory(storage, branch, { file, key, ...toOffsetLimit(paging), signal });
  const { entries, total } = await result.read();
  const list = refused?.back ?? listOf(back);
  const beside = await besideIn(request, back, string);
  return {
    title: key === "" ? "(empty key)" : key,
    above: hiveSteps(
      request,
      { label: "Strings", href: hiveLink(["strings"], list) },
      { label: file, href: hiveLink(["strings"], { file }) },
    ),
    tabs: hiveTabs(request, "Strings"),
    status: refused?.status,
    body: (
      <>
        <Beside request={request} strings={beside ?? string} query={{ locale, back: beside && back }} />
        <Sources strings={shown} shown={key} isWhole={locale !== undefined} />
        <TermsOf
          found={shown.flatMap(({ terms }) => terms)}
          lang={string.settings.sourceLocale.code}
          locales={string.settings.targetLocales}
        />
        {string.notes !== undefined && <NoteDetails hiveLink={hiveLink} notes={string.notes} />}
        <StringPictures
          pictures={await picturesOf(storage, branch, { file, key })}
          strings={shown}
          hiveLink={hiveLink}
        />
        {request.canWrite && string.settings.targetLocales.every(request.canTranslate) && (
          <NoteForm
            session={request.session}
            to={stringLink(hiveLink, file, key)}
            team={string.notes?.team}
            refused={refused?.note}
          />
        )}
        <h2>Translations</h2>
        <Translations
          request={request}
          strings={shown}
          shown={key}
          open={open}
          same={await sameTexts(storage, branch, { file, key })}
          back={list}
          refused={refused?.edit}
        />
        <h2>History</h2>
        <CommitDays
          heading="h3"
          entries={entries}
          hiveLink={hiveLink}
          lang={languagesOf(string.settings)}
          isOfKey
          action={(entry, change) => (
            <Restore request={request} string={string} entry={entry} change={change} />
          )}
        />
        <Pager
          paging={paging}
          total={total}
          to={(other) => stringLink(hiveLink, file, key, { page: other })}
        />
      </>
    ),
  };
}

/** A change that was refused. */
interface Refused {
  readonly edit?: RefusedEdit;
  readonly note?: RefusedNote;
  readonly status: number;
  /** The list that the user came from. */
  readonly back: LinkQuery | undefined;
}

/** The string that the address names. */
function named({ param, query }: HiveRequest): { readonly file: string; readonly key: string } {
  const lost = typeof query.key === "string" ? lostKey(query.key) : undefined;
  return { file: param("file"), key: param("key") === "" ? (lost ?? "") : param("key") };
}

function Translations({
  request,
  strings,
  shown,
  open,
  same,
  back,
  refused,
}: {
  readonly request: HiveRequest;
  /** The forms of a plural string, or the one string. */
  readonly strings: readonly StringInAllLocales[];
  readonly shown: string;
  /** The code of the locale whose form is open. */
  readonly open: string | undefined;
  readonly same: ReadonlyMap<LocaleCode, SameText>;
  readonly back: LinkQuery | undefined;
  readonly refused: RefusedEdit | undefined;
}) {
  const targetLocales = strings[0]?.settings.targetLocales ?? [];
  if (targetLocales.length === 0) return <p>There is no target locale yet.</p>;
  return (
    <ul class="strings by-locale">
      {targetLocales.flatMap((locale) =>
        strings.map((string) => {
          const translation = string.translations.find((one) => one.locale === locale)?.translation;
          if (translation === undefined) return null;
          const isOpen = open === codeOf(locale) && string.key === shown;
          return (
            <TranslationRow
              request={request}
              shown={{ string, locale, translation }}
              name={<FormName string={string} shown={shown} />}
              lang={string.settings.sourceLocale.code}
              back={isOpen ? back : undefined}
              isOpen={isOpen}
              same={string.key === shown ? same.get(locale.code) : undefined}
              refused={isOpen ? refused : undefined}
            />
          );
        }),
      )}
    </ul>
  );
}

function TranslationRow({
  request,
  shown,
  name,
  lang,
  same,
  ...editing
}: {
  readonly request: HiveRequest;
  readonly shown: ShownTranslation & { readonly string: StringInAllLocales };
  /** Of the plural form. */
  readonly name: Child;
  /** The language of the source. */
  readonly lang: string;
  readonly same: SameText | undefined;
  readonly back?: LinkQuery;
  readonly isOpen: boolean;
  readonly refused?: RefusedEdit;
}) {
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
          <Text text={text} lang={locale.code} limit={editing.isOpen ? maxOnOwnPage : undefined} />
        )}
        {!editing.isOpen && (text?.length ?? 0) > maxShown && (
          <a class="more" href={stringLink(request.hiveLink, string.file, string.key, { locale: code })}>
            Show all
          </a>
        )}
        <TermsInto
          found={string.terms}
          locale={locale}
          lang={lang}
          style={editing.isOpen ? string.style : ""}
        />
        <StoredFindings request={request} shown={shown} />
        <Waiting request={request} shown={shown} />
        <Editing request={request} shown={shown} {...editing} />
        <RepeatForm request={request} string={string} locale={locale} same={same} />
        {request.canTranslate(locale) && (
          <a
            class="translate"
            href={request.hiveLink(["translate", code], { at: `${string.file}:${string.key}` })}
          >
            Full editor<span class="visually-hidden"> for {languageName(locale)} </span>
            <span class="visually-hidden">{name}</span>
          </a>
        )}
        {translatedFrom !== undefined && (
          <p class="aside-text">
            The source text has changed since:{" "}
            <WordDiff before={translatedFrom} after={string.source} lang={lang} />
          </p>
        )}
      </div>
    </li>
  );
}

/** Restores the text that a translation had after a commit. */
function Restore({
  request: { session, hiveLink, canTranslate },
  string: { file, key, source, translations },
  entry: { commit },
  change,
}: {
  readonly request: HiveRequest;
  readonly string: StringInAllLocales;
  readonly entry: HistoryEntry;
  readonly change: ShownChange;
}) {
  const present = translations.find(({ locale }) => codeOf(locale) === change.locale);
  if (change.after === undefined || present === undefined || !canTranslate(present.locale)) return null;
  const { text } = present.translation;
  if (change.after === text) return null;
  const fields = {
    locale: change.locale,
    seen: editToken(source, text),
    commit,
    file: change.file,
    key: change.key,
  };
  return (
    <PostForm session={session} to={stringLink(hiveLink, file, key)} class="inline">
      <HiddenFields fields={fields} />
      <button class="quiet" name="change" value="restore">
        Use this text
      </button>
    </PostForm>
  );
}

const changeKinds = z.enum(
  ["write", "restore", "confirm", "remove", "repeat"],
  "must be write, restore, confirm, remove or repeat",
);

const doneNotices = {
  write: "written",
  restore: "written",
  confirm: "confirmed",
  remove: "removed",
  repeat: "repeated",
} as const;

type Change = TranslationEdit["change"] | { readonly kind: "repeat" };

function toChange(form: Form): Change {
  const kind = check(changeKinds, form.text("change"), "change");
  if (kind === "write") return { kind, text: form.text("text") };
  if (kind !== "restore") return { kind };
  return { kind, commit: form.text("commit"), file: form.text("file"), key: form.text("key") };
}

async function edit(request: HiveFormRequest): Promise<PageResult> {
  const { storage, branch, hiveLink, form, context } = request;
  const { file, key } = named(request);
  const locale = form.text("locale");
  const back = listOf(form.text("back"));
  const to = back === undefined ? stringLink(hiveLink, file, key) : hiveLink(["strings"], back);
  if (form.text("change") === "accept") {
    const alarm = check(acceptanceBody, { locale, file, key, check: form.text("check") }, "form");
    const { result } = await changeAcceptance(storage, branch, alarm, "accept", context);
    return { to, notice: result.changed === 0 ? "unchanged" : "accepted" };
  }
  if (form.text("change") === "note") {
    const saved = await saveNote(request, { file, key });
    return "notice" in saved ? { to, notice: saved.notice } : show(request, { ...saved, back });
  }
  const change = toChange(form);
  let result: EditResult = { isChanged: true, wasStale: false };
  try {
    const wanted = { locale, file, key, seen: form.text("seen") };
    if (change.kind === "repeat") await repeatTranslation(storage, branch, wanted, context);
    else result = await editTranslation(storage, branch, { ...wanted, change }, context);
  } catch (error) {
    const isConflict = isFailure(error, "text-conflict");
    const isFailing = isFailure(error, "check-failed");
    const isRefused = isFailure(error, "invalid") && error.data.issues.some(({ field }) => field === "text");
    if (!isConflict && !isFailing && !isRefused) throw error;
    const reason = isConflict
      ? "The text or its translation has been changed since you saw it, so nothing was saved."
      : `Nothing was saved: ${isFailing ? "the text would break the app." : error.message}`;
    const text = change.kind === "write" ? change.text : undefined;
    const findings = isFailing ? error.data.findings : [];
    return show(request, {
      edit: { locale, text, reason, isConflict, findings },
      status: isConflict ? 409 : 422,
      back,
    });
  }
  const notice = result.isChanged
    ? doneNotices[change.kind]
    : change.kind === "write" && result.wasStale
      ? "unchanged-stale"
      : "unchanged";
  return { to, notice };
}

const path = "/hives/:slug/strings/:file/:key";
const pathOfLost = "/hives/:slug/strings/:file";

export const stringPages: readonly PageRoute[] = [path, pathOfLost].flatMap((address): PageRoute[] => [
  { kind: "hive", path: address, isSlow: true, handler: (request) => show(request) },
  { kind: "hive-form", path: address, ability: "write", handler: edit },
]);
