/** Finds text in translations, shows what would become of them, and replaces it in those that are selected. */
import { z } from "zod";
import { jsonOrUndefined } from "../../../domain/json.ts";
import { codeOf } from "../../../domain/hives/locale.ts";
import { hiveWriteContext } from "../../../service/access.ts";
import { allLocales, hiveOutline } from "../../../service/content/string-search.ts";
import {
  replaceTexts,
  type ReplacedText,
  type ReplaceRequest,
  type ReplaceResult,
} from "../../../service/work/replace.ts";
import { seenIn, seenToken } from "../../../service/work/seen.ts";
import { selectionIn } from "../../../service/work/selection.ts";
import { maxReplacedTexts } from "../../../domain/glossary/replacement.ts";
import { replacementFields } from "../../../api/content/replace.ts";
import { once } from "../../../api/objects.ts";
import { isOid } from "../../../domain/names.ts";
import { showCommit, type ChangesPage } from "../../../service/content/history.ts";
import { Changes } from "../parts/changes.tsx";
import { check } from "../../schemas/schemas.ts";
import { namedStates, stringTags } from "../parts/hive-states.ts";
import { localeOptions } from "../parts/fields.tsx";
import { Findings } from "../parts/findings.tsx";
import { hivePage } from "../parts/navigation.tsx";
import { FilterForm } from "../parts/page-form.tsx";
import { PostForm } from "../parts/post-form.tsx";
import { stringFields, stringsQuery, toSearch } from "../parts/string-filters.ts";
import { attributeText, Clamped, Key, Name, WordDiff } from "../parts/text.tsx";
import { useHive } from "../requests/context.tsx";
import { readFiltered } from "../requests/form.ts";
import { stringLink, type LinkQuery } from "../requests/links.ts";
import type { HiveFormRequest, HiveRequest, PageResult, PageRoute, View } from "../requests/page.ts";
import { messageNow } from "../texts/reasons.ts";
import { figure, languageName, t, textIn } from "../texts/texts.ts";

const on = z.enum(["true"], "must be true").optional();

const replaceQuery = stringsQuery.omit({ page: true }).extend({
  find: once.pipe(replacementFields.find.optional()),
  replace: once.pipe(replacementFields.replace.optional()),
  whole_words: on,
  match_case: on,
  done: once
    .refine((text) => text === undefined || isOid(text), "is not what the page had")
    .meta({ description: "The commit that has just replaced." }),
  among: once
    .refine((text) => text === undefined || selectionIn(text) !== undefined, "is not what the page had")
    .meta({ description: "The strings that were selected in a list." }),
});
type ReplaceQuery = z.output<typeof replaceQuery>;

/** What a query asks for; undefined where nothing is looked for. */
function toRequest(query: ReplaceQuery): ReplaceRequest | undefined {
  const { find, replace = "", whole_words: words, match_case: cases, locale, among, ...filters } = query;
  if (find === undefined) return undefined;
  return {
    find,
    replace,
    isWholeWord: words !== undefined,
    isCaseSensitive: cases !== undefined,
    locale: locale === allLocales ? undefined : locale,
    selection: among === undefined ? undefined : selectionIn(among),
    ...toSearch(filters),
  };
}

async function show(request: HiveRequest): Promise<View> {
  const { storage, branch, query, session, hive, signal, canTranslate } = request;
  const { settings, files } = await hiveOutline(storage, branch);
  const filtered = await readFiltered(replaceQuery, query, async (given) => {
    const wanted = toRequest(given);
    if (wanted === undefined) return {};
    const context = { ...hiveWriteContext(storage, hive), dryRun: true };
    const planned = await replaceTexts(storage, session.caller, branch, { ...wanted, signal }, context);
    return { found: planned.result, query: given, done: await doneBy(request, given.done) };
  });
  const [states, tags] = [await namedStates(request), await stringTags(request)];
  const own = settings.targetLocales.filter(canTranslate);
  const { result, values } = filtered;
  const among = values["among"] ?? "";
  const selected = selectionIn(among)?.size;
  const page = hivePage(
    request,
    "Strings",
    <>
      <p class="soft">{t("replace.about")}</p>
      <FilterForm
        page={["replace"]}
        state={filtered}
        button={t("replace.preview")}
        kept={
          selected === undefined
            ? undefined
            : { name: "among", value: among, label: t("replace.selected_strings", { count: selected }) }
        }
        fields={[
          { name: "find", class: "wide", required: true, isFocused: result?.found === undefined },
          { name: "replace", class: "wide" },
          { kind: "switch", name: "whole_words" },
          { kind: "switch", name: "match_case" },
          { kind: "one", name: "locale", all: t("common.all_locales"), options: localeOptions(request, own) },
        ]}
        further={[
          { name: "q", type: "search", class: "wide" },
          ...stringFields({ files, states, tags }, filtered),
        ]}
      />
      {result?.done !== undefined && <Done of={result.done} />}
      {result?.found !== undefined && (result.done === undefined || result.found.texts.length > 0) && (
        <Found found={result.found} query={result.query} />
      )}
    </>,
    { title: t("replace.find_and_replace") },
  );
  return { ...page, status: result === undefined ? 422 : undefined };
}

/** How many replaced texts are shown; the page of their commit has all. */
const maxDone = 100;

/** What a commit has replaced, to be shown in place of a search that finds nothing any more. */
async function doneBy(
  { storage, branch, signal }: HiveRequest,
  commit: string | undefined,
): Promise<ChangesPage | undefined> {
  if (commit === undefined) return undefined;
  return (await showCommit(storage, branch, commit, { offset: 0, limit: maxDone }, signal)).read();
}

function Done({ of: { entry, entries, total } }: { of: ChangesPage }) {
  const { hiveLink } = useHive();
  return (
    <section>
      <h2>
        <a href={hiveLink(["history", entry.commit])}>{t("replace.texts_replaced", { count: total })}</a>
      </h2>
      <Changes changes={entries} />
      {total > entries.length && <p>{t("changes.and_more", { changes: total - entries.length })}</p>}
    </section>
  );
}

/** Whether a text stays as it is unless somebody selects it, who may then let its error pass. */
function canPass({ refused }: ReplacedText, { checks }: HiveRequest["hive"]): boolean {
  return refused?.code === "check_failed" && checks !== "strict";
}

function Found({ found: { texts, hasMore }, query }: { found: ReplaceResult; query: LinkQuery }) {
  const { hiveLink } = useHive();
  const selected = texts.filter(({ refused }) => refused === undefined).length;
  const left = texts.length - selected;
  return (
    <>
      <p class="count" role="status">
        {texts.length === 0 ? t("replace.nothing_found") : t("replace.texts_found", { count: texts.length })}
        {left > 0 && <> {t("replace.some_stay", { count: left })}</>}
        {hasMore && <> {t("replace.there_are_more")}</>}
      </p>
      {texts.length > 0 && (
        <PostForm to={hiveLink(["replace"], { ...query, done: undefined })}>
          <ol class="strings replaced">
            {texts.map((text) => (
              <Row text={text} />
            ))}
          </ol>
          <div class="bulk">
            <button class="primary">
              {t("replace.replace", { count: <span data-selected>{figure(selected)}</span> })}
            </button>
          </div>
        </PostForm>
      )}
    </>
  );
}

function Row({ text }: { text: ReplacedText }) {
  const { locale, file, key, before, after, findings, expected, refused } = text;
  const { hiveLink, hive } = useHive();
  const isFailing = canPass(text, hive);
  const href = stringLink(hiveLink, file, key, { locale: codeOf(locale) });
  const seen = JSON.stringify([codeOf(locale), file, key, seenToken(expected)]);
  return (
    <li class="string">
      <input
        type="checkbox"
        name={isFailing ? "failing" : "selected"}
        value={seen}
        checked={refused === undefined}
        disabled={refused !== undefined && !isFailing}
        aria-label={attributeText(t("bulk.select", { key }))}
      />
      <p class="where">
        <Key name={key} href={href} /> <span class="file">{<Name name={file} />}</span>{" "}
        <span class="soft small">{languageName(locale)}</span>
      </p>
      <div class="target">
        <Clamped texts={[before, after]} all={href}>
          <WordDiff before={before} after={after} lang={locale.code} />
        </Clamped>
        {refused !== undefined && (
          <p class="problem">
            {textIn("replace-refusal", refused.code) ?? <Name name={messageNow(refused)} />}
          </p>
        )}
        <Findings findings={findings} />
      </div>
    </li>
  );
}

const seenText = z
  .tuple([z.string(), z.string(), z.string(), z.string()])
  .transform(([locale, file, key, token], context) => {
    const expected = seenIn(token);
    if (expected !== undefined) return { locale, file, key, expected };
    context.addIssue("is not what the page had");
    return z.NEVER;
  });
const seenTexts = z.array(seenText, "is not what the page had").max(maxReplacedTexts);

async function send(request: HiveFormRequest): Promise<PageResult> {
  const { storage, hive, branch, query, session, form, context, hiveLink } = request;
  const given = check(replaceQuery, query, "query");
  const wanted = toRequest(given);
  const to = hiveLink(["replace"], { ...given, done: undefined });
  const failing = form.all("failing");
  const sent = [...form.all("selected"), ...failing].map(jsonOrUndefined);
  const items = check(seenTexts, sent, "selected");
  if (wanted === undefined || items.length === 0) return { to, notice: "nothing-selected" };
  // Whoever selects a text beside its error lets it pass. Those who may not are left that text alone.
  const allowed = { ...context, allowFindings: failing.length > 0 && hive.checks !== "strict" };
  const { result, commit, isUnchanged, waiting } = await replaceTexts(
    storage,
    session.caller,
    branch,
    { ...wanted, items },
    allowed,
  );
  if (isUnchanged === true) return { to, notice: "done-none" };
  const left = result.changed + result.texts.filter(({ refused }) => refused !== undefined).length;
  return {
    to: hiveLink(["replace"], { ...given, done: commit }),
    undo: commit,
    waits: waiting,
    ...(left === 0 ? { notice: "replaced" } : { notice: "done-some", count: left }),
  };
}

const path = "/hives/:slug/replace";

export const replacePages: readonly PageRoute[] = [
  { kind: "hive", path, ability: "write", isSlow: true, handler: show },
  { kind: "hive-form", path, ability: "write", handler: send },
];
