/** One string: all its translations with their states, how each came about, and the forms that change them. */
import { z } from "zod";
import { isFailure } from "../../../domain/errors.ts";
import { codeOf, type Locale } from "../../../domain/hives/locale.ts";
import { listHistory } from "../../../service/content/history.ts";
import { isPlural } from "../../../domain/strings/plural.ts";
import { showString, type StringInAllLocales } from "../../../service/content/string-search.ts";
import { editTranslation, type TranslationEdit } from "../../../service/content/translation-edit.ts";
import type { WriteContext } from "../../../service/write-context.ts";
import { check, once, pageQuery } from "../../schemas/schemas.ts";
import { toMeta, toOffsetLimit } from "../../schemas/page.ts";
import { CommitList } from "../parts/commit-list.tsx";
import { hiveSteps } from "../parts/hive-steps.ts";
import { languageName, languagesOf } from "../parts/languages.ts";
import { Pager } from "../parts/pager.tsx";
import { lostKey, stringLink } from "../parts/string-link.ts";
import { Text } from "../parts/text.tsx";
import { doneNotice, EditForm, StateBadge, Translation } from "../parts/translation.tsx";
import { WordDiff } from "../parts/word-diff.tsx";
import type { Form } from "../requests/form.ts";
import type { HiveRequest, PageResult, PageRoute, View } from "../requests/page.ts";
import { stringsQuery } from "./strings.tsx";

const perPage = 20;
/** `locale` is open for editing; `key` is the name of one that no path can have. */
const stringQuery = pageQuery.pick({ page: true }).extend({ locale: once, key: once, done: once });

/** What a person wrote, and why it was not taken. */
interface Refused {
  readonly locale: string;
  readonly text: string | undefined;
  readonly reason: string;
  readonly status: number;
}

function show(request: HiveRequest): Promise<View> {
  return view(request, undefined);
}

async function view(request: HiveRequest, refused: Refused | undefined): Promise<View> {
  const { storage, branch, hiveLink, query, signal } = request;
  const { page, locale: open, done } = check(stringQuery, refused === undefined ? query : {}, "query");
  const { file, key } = named(request);
  const string = await showString(storage, branch, { file, key });
  const asked = { page, per_page: perPage };
  const found = await listHistory(storage, branch, { file, key, ...toOffsetLimit(asked), signal });
  const { entries, total } = await found.read();
  const notice = doneNotice(done);
  return {
    title: key === "" ? "(empty key)" : key,
    above: hiveSteps(
      request,
      { label: "Strings", href: hiveLink(["strings"]) },
      { label: file, href: hiveLink(["strings"], { file }) },
    ),
    status: refused?.status,
    notice,
    body: (
      <>
        {refused !== undefined && (
          <p class="notice warn" role="alert">
            {refused.reason}
          </p>
        )}
        <Source string={string} />
        <PluralForms request={request} string={string} />
        <h2>Translations</h2>
        <Translations request={request} string={string} open={refused?.locale ?? open} refused={refused} />
        <h2>History</h2>
        <CommitList entries={entries} hiveLink={hiveLink} lang={languagesOf(string.settings)} />
        <Pager meta={toMeta(asked, total)} to={(other) => stringLink(hiveLink, file, key, { page: other })} />
      </>
    ),
  };
}

/** The source text; one that holds all its plural forms, form by form. */
function Source({ string: { source, settings } }: { readonly string: StringInAllLocales }) {
  return (isPlural(source) ? source.split("|") : [source]).map((form) => (
    <p class="source lead">
      <Text text={form} lang={settings.sourceLocale.code} />
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
  string: { settings, translations },
  open,
  refused,
}: {
  readonly request: HiveRequest;
  readonly string: StringInAllLocales;
  readonly open: string | undefined;
  readonly refused: Refused | undefined;
}) {
  if (translations.length === 0) return <p>There is no target locale yet.</p>;
  return (
    <ul class="strings">
      {translations.map(({ locale, found }) => (
        <li class="string">
          <p class="where">
            <LocaleName locale={locale} /> <StateBadge state={found.state} />
          </p>
          <Translation found={found} locale={locale} />
          {found.translatedFrom !== undefined && (
            <p class="aside-text">
              The source text has changed since:{" "}
              <WordDiff
                before={found.translatedFrom}
                after={found.source}
                lang={settings.sourceLocale.code}
              />
            </p>
          )}
          {request.canTranslate(locale) && (
            <details class="editing" open={open === codeOf(locale)}>
              <summary>
                {found.translation === undefined ? "Translate" : "Edit"}
                <span class="visually-hidden"> {languageName(locale)}</span>
              </summary>
              <EditForm
                request={request}
                locale={locale}
                found={found}
                draft={refused?.locale === codeOf(locale) ? refused.text : undefined}
              />
            </details>
          )}
        </li>
      ))}
    </ul>
  );
}

function LocaleName({ locale }: { readonly locale: Locale }) {
  return (
    <span class="locale-name">
      {languageName(locale)} <code>{codeOf(locale)}</code>
    </span>
  );
}

const changeKinds = z.enum(["write", "confirm", "remove"], "must be write, confirm or remove");

async function edit(
  request: HiveRequest & { readonly form: Form; readonly context: WriteContext },
): Promise<PageResult> {
  const { storage, branch, hiveLink, form, context } = request;
  const { file, key } = named(request);
  const kind = check(changeKinds, form.text("change"), "change");
  const text = form.text("text");
  const locale = form.text("locale");
  const change: TranslationEdit["change"] = kind === "write" ? { kind, text } : { kind };
  try {
    await editTranslation(storage, branch, { locale, file, key, change, seen: form.text("seen") }, context);
  } catch (error) {
    const draft = kind === "write" ? text : undefined;
    if (isFailure(error, "text-conflict")) {
      const reason =
        "The text or its translation has been changed since you saw it, so nothing was saved. What you wrote is below, beside what is there now.";
      return view(request, { locale, text: draft, reason, status: 409 });
    }
    if (
      kind === "write" &&
      isFailure(error, "invalid") &&
      error.data.issues.some(({ field }) => field === "text")
    ) {
      return view(request, {
        locale,
        text: draft,
        reason: `Nothing was saved: ${error.message}`,
        status: 422,
      });
    }
    throw error;
  }
  const list = listOf(form.text("back"));
  return list === undefined
    ? { to: stringLink(hiveLink, file, key, { done: kind }) }
    : { to: hiveLink(["strings"], { ...list, done: kind }) };
}

/** The query of the list that a form was on; undefined where it was on none. */
function listOf(back: string): Readonly<Record<string, string | number | undefined>> | undefined {
  if (back === "") return undefined;
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
  { kind: "hive", method: "GET", path: address, isSlow: true, handler: show },
  { kind: "hive-form", method: "POST", path: address, ability: "write", handler: edit },
]);
