/**
 * The commits of a Hive, with filters; the differences between two of its states: tags, branches, commits or dates; and
 * its tags.
 */
import { asRevision, once } from "../../../api/objects.ts";
import { useHive } from "../requests/context.tsx";
import type { Page } from "../../../domain/pagination.ts";
import type { Person } from "../../../domain/access/person.ts";
import { writerOf } from "../../../domain/access/principal.ts";
import { originKinds } from "../../../domain/commits/origin.ts";
import { localesOf } from "../../../domain/hives/hive-settings.ts";
import { isOid } from "../../../domain/names.ts";
import { listHistory, recentCommits, type HistoryEntry } from "../../../service/content/history.ts";
import { historyFilters } from "../../../api/content/history.ts";
import { pageQuery, toOffsetLimit, type PageQuery } from "../../../api/page.ts";
import { CommitDays, withSingleChanges, TagList } from "../parts/commit-list.tsx";
import { localeOptions, type FormField } from "../parts/fields.tsx";
import { FilterForm, hiveForm, PageForm, type HiveForm } from "../parts/page-form.tsx";
import { ButtonLink, hivePage, mayWriteAll, mayWriteTo, Pager, linkAt } from "../parts/navigation.tsx";
import { readFiltered, type Filtered, type FormState } from "../requests/form.ts";
import type { LinkQuery, Link } from "../requests/links.ts";
import type { HiveRequest, PageRoute, View } from "../requests/page.ts";
import { t, textsIn, figure } from "../texts/texts.ts";
import { z } from "zod";
import { invalid } from "../../../domain/errors.ts";
import { branchNames } from "../../../service/content/branches.ts";
import { compareStates, writtenLocales, type Comparison } from "../../../service/content/comparison.ts";
import { check } from "../../schemas/schemas.ts";
import { Changes } from "../parts/changes.tsx";
import { namedStates } from "../parts/hive-states.ts";
import { createTag, listTags } from "../../../service/content/tags.ts";

const perPage = 50;
/** The query parameters of the API, except the length of a page. */
const listQuery = pageQuery.extend(historyFilters).omit({ per_page: true });

async function show(request: HiveRequest): Promise<View> {
  const { storage, hive, branch, query, signal } = request;
  const people = (await storage.registry.people()).filter(({ team }) => team === hive.team);
  const filtered = await readFiltered(listQuery, query, async ({ page, ...given }) => {
    const paging = { page, per_page: perPage };
    const { read } = await listHistory(storage, branch, { ...given, ...toOffsetLimit(paging), signal });
    const { entries, total } = await read();
    const canUndo = total > 0 && isOfOrigin(given) && (await mayUndo(request, entries, total));
    return { entries: await withSingleChanges(request, entries), total, paging, filter: given, canUndo };
  });
  const page = hivePage(
    request,
    "History",
    <>
      <Filters filtered={filtered} people={people} />
      {filtered.result !== undefined && <Found {...filtered.result} />}
    </>,
  );
  return { ...page, status: filtered.result === undefined ? 422 : undefined };
}

interface FoundCommits extends Page<HistoryEntry> {
  readonly paging: PageQuery;
  readonly filter: LinkQuery;
  /** Whether the caller may undo all of the origin that the list is filtered by. */
  readonly canUndo: boolean;
}

/** An origin is undone as a whole, whatever else the list is filtered by. */
function isOfOrigin(filter: LinkQuery): boolean {
  const others = Object.entries(filter).filter(([name]) => name !== "origin" && name !== "since");
  return filter.origin !== undefined && others.every(([, value]) => value === undefined);
}

/**
 * Whether the caller may undo all that an origin has written, as far as these commits show it: what came with a merged branch
 * is known where it is undone.
 */
async function mayUndo(
  request: HiveRequest,
  entries: readonly HistoryEntry[],
  total: number,
): Promise<boolean> {
  const { storage, branch, hive, canWrite, settings } = request;
  // What a longer list has on its other pages is known where it is undone.
  if (!canWrite || hive.locales === undefined || entries.length < total) return canWrite;
  const commits = entries.map(({ commit }) => commit);
  const written = await writtenLocales(storage, branch, commits);
  const codes = settings?.targetLocales.map(({ code }) => code).filter((code) => written.has(code));
  // Of what wrote source texts alone, there is nothing for them to take back.
  return codes?.length !== 0 && mayWriteTo(request, codes);
}

function Found({ entries, total, paging, filter, canUndo }: FoundCommits) {
  const { hiveLink } = useHive();
  const { origin, since } = filter;
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  return (
    <>
      <p class="count">
        {total === 0
          ? t(isFiltered ? "history.no_commit_found" : "history.no_commit")
          : t(isFiltered ? "history.commits_found" : "count.commits", { count: total })}
      </p>
      {canUndo && (
        <p class="actions">
          <ButtonLink to={hiveLink(["undo"], { origin, since })} text="history.undo_all_of_this_origin" />
        </p>
      )}
      <CommitDays heading="h2" entries={entries} isOfKey={filter.key !== undefined} />
      <Pager paging={paging} total={total} path={["history"]} query={filter} />
    </>
  );
}

function Filters({ filtered, people }: { filtered: Filtered<unknown>; people: readonly Person[] }) {
  const request = useHive();
  const { settings } = request;
  const locales = localeOptions(request, settings === undefined ? [] : localesOf(settings));
  const all = t("common.all");
  const origins = originKinds.map((kind) => [kind, t(`origin.${kind}`)] as const);
  const named = people.map(({ id, name }) => [id, name] as const);
  const person: FormField = { kind: "one", name: "person", all, options: named };
  return (
    <FilterForm
      page={["history"]}
      state={filtered}
      fields={[{ name: "key" }, { kind: "one", name: "locale", all, options: locales }]}
      further={[
        { kind: "one", name: "operation", all, options: textsIn("operation") },
        { kind: "one", name: "origin", label: t("common.made_by"), all, options: origins },
        ...(people.length === 0 ? [] : [person]),
        { name: "file" },
        { name: "since", label: t("common.from"), type: "date" },
        { name: "until", type: "date" },
      ]}
    />
  );
}

const textsPerPage = 100;
const compareQuery = pageQuery
  .pick({ page: true })
  .extend({ from: once.meta(asRevision), to: once.meta(asRevision), locale: once });

interface Range {
  readonly from: string;
  readonly to: string;
}

interface Compared extends Comparison {
  readonly range: Range;
  readonly page: number;
  readonly locale: string | undefined;
}

async function showComparison(request: HiveRequest): Promise<View> {
  const { storage, hive, query } = request;
  const named = rangeIn(request);
  const filtered = await readFiltered(compareQuery, { ...query, ...named }, (filters) =>
    compare(request, filters),
  );
  const { problems, result } = filtered;
  const states = await namedStates(request);
  const branches = new Set<string>(await branchNames(storage, hive.slug));
  const to = result?.range.to ?? "";
  const page = hivePage(
    request,
    "Compare",
    <>
      <FilterForm
        page={["compare"]}
        state={filtered}
        fields={[
          { name: "from", options: states, required: true, placeholder: "v1.0" },
          { name: "to", list: "options-filter-from", placeholder: "main" },
        ]}
        button={t("compare.compare")}
      />
      {problems.size === 0 && result === undefined && <p>{t("compare.choose_two_tags_branches_commits")}</p>}
      {result !== undefined && (
        <Differences compared={result} linkTo={branches.has(to) ? linkAt(request, to) : request.hiveLink} />
      )}
    </>,
  );
  return { ...page, status: problems.size === 0 ? undefined : 422 };
}

async function compare(
  { storage, branch, cache, signal }: HiveRequest,
  { page, locale, from, to = "main" }: z.output<typeof compareQuery>,
): Promise<Compared | undefined> {
  if (from === undefined) return undefined;
  const range = { from, to };
  const paging = { ...range, locale, ...toOffsetLimit({ page, per_page: textsPerPage }), cache, signal };
  return { ...(await compareStates(storage, branch, paging)), range, page, locale };
}

/** @param props.linkTo makes the links of strings. */
function Differences({ compared, linkTo }: { compared: Compared; linkTo: Link }) {
  const { hiveLink } = useHive();
  const { range, total, entries, page, locale } = compared;
  const path = ["compare", `${range.from}...${range.to}`];
  return (
    <>
      <h2>{total === 0 ? t("compare.no_text_differs") : t("compare.texts_differ", { count: total })}</h2>
      <ByLocale comparison={compared} to={(code) => hiveLink(path, { locale: code })} shown={locale} />
      <Changes changes={entries} link={linkTo} />
      <Pager paging={{ page, per_page: textsPerPage }} total={total} path={path} query={{ locale }} />
    </>
  );
}

/** The two states that the path names; undefined if it names none. */
function rangeIn({ param }: HiveRequest): Range | undefined {
  const text = param("range");
  if (text === "") return undefined;
  const [from = "", to = "", ...rest] = text.split("...");
  if (from === "" || to === "" || rest.length > 0)
    throw invalid("range", "must name two states with three dots between them, such as v1.0...main");
  return { from, to };
}

/** The number of differing texts in each locale, with links that filter by locale. */
function ByLocale(props: {
  comparison: Comparison;
  shown: string | undefined;
  to: (locale: string | undefined) => string;
}) {
  const { comparison, shown, to } = props;
  if (comparison.byLocale.size < 2) return null;
  return (
    <ul class="facts choices">
      <li>
        <a href={to(undefined)} aria-current={shown === undefined ? "page" : undefined}>
          {t("common.all_locales")}
        </a>
      </li>
      {Array.from(comparison.byLocale, ([code, count]) => (
        <li>
          <a href={to(code)} aria-current={shown === code ? "page" : undefined}>
            <code>{code}</code> {figure(count)}
          </a>
        </li>
      ))}
    </ul>
  );
}

const tagsPerPage = 100;
/** `at` fills in the form; pages of commits link here with it. */
const tagsQuery = pageQuery.pick({ page: true }).extend({ at: z.string().optional() });

const newTag: HiveForm = {
  path: "tags",
  isSlow: true,
  title: "tags.new_tag",
  button: "common.tag",
  ability: "write",
  take: async ({ storage, hive, hiveLink, form, context }) => {
    const wanted = { name: form.word("name") ?? "", at: form.word("at") };
    await createTag(storage, hive.slug, wanted, context);
    return { to: hiveLink(["tags"]), notice: "tagged" };
  },
};

function tagFields(at: string | undefined): readonly FormField[] {
  return [
    { name: "name", required: true, placeholder: "v1.2" },
    { name: "at", value: at, placeholder: "main" },
    { name: "message" },
  ];
}

async function showTags(request: HiveRequest, submitted?: FormState): Promise<View> {
  const { storage, hive, query } = request;
  const { page, at } = check(tagsQuery, submitted === undefined ? query : {}, "query");
  const paging = { page, per_page: tagsPerPage };
  const { entries: tags, total } = await (await listTags(storage, hive.slug, toOffsetLimit(paging))).read();
  return hivePage(
    request,
    "Tags",
    <>
      {total === 0 && <p>{t("tags.there_is_none_yet")}</p>}
      <TagList tags={tags} />
      <Pager paging={paging} total={total} path={["tags"]} />
      {mayWriteAll(request) && <PageForm of={newTag} submitted={submitted} fields={tagFields(at)} />}
    </>,
  );
}

/** How many new commits are counted. */
const maxCounted = 30;

const newsQuery = z.strictObject({
  since: z.string("must be given once").refine(isOid, "must be the full name of a commit"),
});

/** What others have changed since a commit: scripts ask for it while a page is looked at, and take the part that says so. */
async function showNews(request: HiveRequest): Promise<View> {
  const { storage, branch, query, session, hiveLink } = request;
  const { since } = check(newsQuery, query, "query");
  const commits = await recentCommits(storage, branch, maxCounted);
  const seen = commits.findIndex(({ commit }) => commit === since);
  const later = seen === -1 ? commits : commits.slice(0, seen);
  const own = writerOf(session.caller.principal);
  const count = later.filter(({ person, token }) => (person ?? token) !== own).length;
  return hivePage(
    request,
    "History",
    count > 0 && (
      <p class="notice" id="news" role="status">
        {t("news.new_changes", { count })} <a href={hiveLink(["history"])}>{t("common.show")}</a>
      </p>
    ),
  );
}

export const historyPages: readonly PageRoute[] = [
  { kind: "hive", path: "/hives/:slug/history", isSlow: true, tellsNews: true, handler: show },
  { kind: "hive", path: "/hives/:slug/news", handler: showNews },
  { kind: "hive", path: "/hives/:slug/compare", isSlow: true, handler: showComparison },
  { kind: "hive", path: "/hives/:slug/compare/:range+", isSlow: true, handler: showComparison },
  { kind: "hive", path: "/hives/:slug/tags", isSlow: true, handler: (request) => showTags(request) },
  hiveForm(newTag, showTags),
];
