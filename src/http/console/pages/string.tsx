/** One string: all its translations with their states, how each came about, and the forms that change them. */
import { z } from "zod";
import { isFailure } from "../../../domain/errors.ts";
import { codeOf, type Locale } from "../../../domain/hives/locale.ts";
import { isPlural } from "../../../domain/strings/plural.ts";
import type { ShownChange } from "../../../domain/strings/text-diff.ts";
import { listHistory, type HistoryEntry } from "../../../service/content/history.ts";
import { showString, type StringInAllLocales } from "../../../service/content/string-search.ts";
import {
  editToken,
  editTranslation,
  type EditResult,
  type TranslationEdit,
} from "../../../service/content/translation-edit.ts";
import { check, once, pageQuery } from "../../schemas/schemas.ts";
import { toOffsetLimit } from "../../schemas/page.ts";
import { CommitList } from "../parts/commit-list.tsx";
import { hiveSteps } from "../parts/hive-steps.ts";
import { languageName, languagesOf } from "../parts/languages.ts";
import { Pager } from "../parts/pager.tsx";
import { PostForm } from "../parts/post-form.tsx";
import { lostKey, stringLink } from "../parts/string-link.ts";
import { maxOnOwnPage, maxShown, Text } from "../parts/text.tsx";
import { Editing, StateBadge, type RefusedEdit } from "../parts/translation.tsx";
import { WordDiff } from "../parts/word-diff.tsx";
import type { Form } from "../requests/form.ts";
import type { LinkQuery } from "../requests/links.ts";
import type { HiveFormRequest, HiveRequest, PageResult, PageRoute, View } from "../requests/page.ts";
import { stringsQuery } from "./strings.tsx";

const perPage = 20;
/** `locale` is open for editing; `back` is the list to go back to; `key` is the name of one that no path can have. */
const stringQuery = pageQuery.pick({ page: true }).extend({ locale: once, key: once, back: once });

async function show(request: HiveRequest, refused?: Refused): Promise<View> {
  const { storage, branch, hiveLink, query, signal } = request;
  const { page, locale: open, back } = check(stringQuery, refused === undefined ? query : {}, "query");
  const { file, key } = named(request);
  const string = await showString(storage, branch, { file, key });
  const paging = { page, per_page: perPage };
  const found = await listHistory(storage, branch, { file, key, ...toOffsetLimit(paging), signal });
  const { entries, total } = await found.read();
  const list = refused?.back ?? listOf(back);
  return {
    title: key === "" ? "(empty key)" : key,
    above: hiveSteps(
      request,
      { label: "Strings", href: hiveLink(["strings"], list) },
      { label: file, href: hiveLink(["strings"], { file }) },
    ),
    status: refused?.status,
    body: (
      <>
        <Source string={string} isWhole={open !== undefined || refused !== undefined} />
        <PluralForms request={request} string={string} />
        <h2>Translations</h2>
        <Translations
          request={request}
          string={string}
          open={refused?.edit.locale ?? open}
          back={list}
          refused={refused?.edit}
        />
        <h2>History</h2>
        <CommitList
          entries={entries}
          hiveLink={hiveLink}
          lang={languagesOf(string.settings)}
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

/** A change that was not taken. */
interface Refused {
  readonly edit: RefusedEdit;
  readonly status: number;
  /** The list that the person was on. */
  readonly back: LinkQuery | undefined;
}

/** The source text; one that holds all its plural forms, form by form. */
function Source({
  string: { source, settings },
  isWhole,
}: {
  readonly string: StringInAllLocales;
  readonly isWhole: boolean;
}) {
  return (isPlural(source) ? source.split("|") : [source]).map((form) => (
    <p class="source lead">
      <Text text={form} lang={settings.sourceLocale.code} limit={isWhole ? maxOnOwnPage : undefined} />
    </p>
  ));
}

/** Leads to the other forms of the same plural string. */
function PluralForms({
  request: { hiveLink },
  string: { file, key: shown, forms },
}: {
  readonly request: HiveRequest;
  readonly string: StringInAllLocales;
}) {
  if (forms.length === 0) return null;
  return (
    <nav aria-label="Plural forms">
      <ul class="facts choices">
        <li>Plural forms:</li>
        {forms.map(({ category, key }) => (
          <li>
            <a href={stringLink(hiveLink, file, key)} aria-current={key === shown ? "page" : undefined}>
              {category}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** The string that the address names. */
function named({ param, query }: HiveRequest): { readonly file: string; readonly key: string } {
  const lost = typeof query.key === "string" ? lostKey(query.key) : undefined;
  return { file: param("file"), key: param("key") === "" ? (lost ?? "") : param("key") };
}

function Translations({
  request,
  string,
  open,
  back,
  refused,
}: {
  readonly request: HiveRequest;
  readonly string: StringInAllLocales;
  /** The code of the locale whose form is open. */
  readonly open: string | undefined;
  readonly back: LinkQuery | undefined;
  readonly refused: RefusedEdit | undefined;
}) {
  const { settings, translations, file, key, source } = string;
  if (translations.length === 0) return <p>There is no target locale yet.</p>;
  return (
    <ul class="strings">
      {translations.map(({ locale, translation }) => {
        const isOpen = open === codeOf(locale);
        const limit = isOpen ? maxOnOwnPage : undefined;
        return (
          <li class="string">
            <p class="where">
              <LocaleName locale={locale} /> <StateBadge state={translation.state} />
            </p>
            {translation.text !== undefined && (
              <Text text={translation.text} lang={locale.code} limit={limit} />
            )}
            {!isOpen && (translation.text?.length ?? 0) > maxShown && (
              <a class="more" href={stringLink(request.hiveLink, file, key, { locale: codeOf(locale) })}>
                Show all
              </a>
            )}
            {translation.translatedFrom !== undefined && (
              <p class="aside-text">
                The source text has changed since:{" "}
                <WordDiff
                  before={translation.translatedFrom}
                  after={source}
                  lang={settings.sourceLocale.code}
                />
              </p>
            )}
            <Editing
              request={request}
              shown={{ string, locale, translation }}
              back={isOpen ? back : undefined}
              isOpen={isOpen}
              refused={isOpen ? refused : undefined}
            />
          </li>
        );
      })}
    </ul>
  );
}

/** Puts the text back that a translation had after a commit. */
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
      {Object.entries(fields).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      <button class="quiet" name="change" value="restore">
        Use this text
      </button>
    </PostForm>
  );
}

function LocaleName({ locale }: { readonly locale: Locale }) {
  return (
    <span class="locale-name">
      {languageName(locale)} <code>{codeOf(locale)}</code>
    </span>
  );
}

const changeKinds = z.enum(
  ["write", "restore", "confirm", "remove"],
  "must be write, restore, confirm or remove",
);

const doneNotices = {
  write: "written",
  restore: "written",
  confirm: "confirmed",
  remove: "removed",
} as const;

function toChange(form: Form): TranslationEdit["change"] {
  const kind = check(changeKinds, form.text("change"), "change");
  if (kind === "write") return { kind, text: form.text("text") };
  if (kind !== "restore") return { kind };
  return { kind, commit: form.text("commit"), file: form.text("file"), key: form.text("key") };
}

async function edit(request: HiveFormRequest): Promise<PageResult> {
  const { storage, branch, hiveLink, form, context } = request;
  const { file, key } = named(request);
  const change = toChange(form);
  const locale = form.text("locale");
  const back = listOf(form.text("back"));
  let result: EditResult;
  try {
    const wanted = { locale, file, key, change, seen: form.text("seen") };
    result = await editTranslation(storage, branch, wanted, context);
  } catch (error) {
    const isConflict = isFailure(error, "text-conflict");
    const isRefused = isFailure(error, "invalid") && error.data.issues.some(({ field }) => field === "text");
    if (!isConflict && !isRefused) throw error;
    const reason = isConflict
      ? "The text or its translation has been changed since you saw it, so nothing was saved."
      : `Nothing was saved: ${error.message}`;
    const text = change.kind === "write" ? change.text : undefined;
    return show(request, {
      edit: { locale, text, reason, isConflict },
      status: isConflict ? 409 : 422,
      back,
    });
  }
  const notice = result.isChanged
    ? doneNotices[change.kind]
    : change.kind === "write" && result.wasStale
      ? "unchanged-stale"
      : "unchanged";
  return {
    to: back === undefined ? stringLink(hiveLink, file, key) : hiveLink(["strings"], back),
    notice,
  };
}

/** The query of the list that a form was on; undefined where it was on none. */
function listOf(back: string | undefined): LinkQuery | undefined {
  if (back === undefined || back === "") return undefined;
  try {
    const { success, data } = stringsQuery.partial().safeParse(JSON.parse(back));
    return success ? { ...data, page: data.page === 1 ? undefined : data.page } : {};
  } catch {
    return {};
  }
}

const path = "/hives/:slug/strings/:file/:key";
const pathOfLost = "/hives/:slug/strings/:file";

export const stringPages: readonly PageRoute[] = [path, pathOfLost].flatMap((address): PageRoute[] => [
  { kind: "hive", path: address, isSlow: true, handler: (request) => show(request) },
  { kind: "hive-form", path: address, ability: "write", handler: edit },
]);
