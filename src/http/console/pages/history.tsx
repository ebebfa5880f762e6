/** The commits of a Hive, with filters. */
import type { Person } from "../../../domain/access/person.ts";
import { originKinds } from "../../../domain/commits/origin.ts";
import { localesOf, type HiveSettings } from "../../../domain/hives/hive-settings.ts";
import { listHistory, type HistoryPage } from "../../../service/content/history.ts";
import { lastSettings } from "../../../service/content/overviews.ts";
import { historyQuery } from "../../schemas/history-schemas.ts";
import { toOffsetLimit, type PageQuery } from "../../schemas/page.ts";
import { CommitDays, operationNames, withSingleChanges } from "../parts/commit-list.tsx";
import { countOf } from "../parts/facts.tsx";
import { Choice, FilterForm, localeOption, OtherProblems, TextField } from "../parts/fields.tsx";
import { hivePage } from "../parts/navigation.ts";
import { languagesOf } from "../parts/languages.ts";
import { Pager } from "../parts/pager.tsx";
import { readFiltered, type Filtered } from "../requests/form-state.ts";
import type { LinkQuery } from "../requests/links.ts";
import type { HiveRequest, PageRoute, View } from "../requests/page.ts";

const perPage = 50;
/** The query parameters of the API, except the length of a page. */
const listQuery = historyQuery.omit({ per_page: true });
const fields = ["locale", "operation", "origin", "person", "file", "key", "since", "until"];

async function show(request: HiveRequest): Promise<View> {
  const { storage, hive, branch, query, signal } = request;
  const settings = await lastSettings(storage, hive.slug);
  const people = (await storage.registry.people()).filter(({ team }) => team === hive.team);
  const filtered = await readFiltered(listQuery, query, async ({ page, ...filter }) => {
    const paging = { page, per_page: perPage };
    const { read } = await listHistory(storage, branch, { ...filter, ...toOffsetLimit(paging), signal });
    const { entries, total } = await read();
    return { entries: await withSingleChanges(request, entries), total, paging, filter };
  });
  const page = hivePage(
    request,
    "History",
    <>
      <Filters request={request} settings={settings} filtered={filtered} people={people} />
      <OtherProblems state={filtered} fields={fields} />
      {filtered.result !== undefined && (
        <Found request={request} settings={settings} result={filtered.result} />
      )}
    </>,
  );
  return { ...page, status: filtered.result === undefined ? 422 : undefined };
}

interface FoundCommits extends HistoryPage {
  readonly paging: PageQuery;
  readonly filter: LinkQuery;
}

function Found({
  request: { hiveLink },
  settings,
  result: { entries, total, paging, filter },
}: {
  readonly request: HiveRequest;
  readonly settings: HiveSettings | undefined;
  readonly result: FoundCommits;
}) {
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  return (
    <>
      <p class="count">
        {total === 0 ? "No commit" : countOf(total, "commit")}
        {isFiltered && " found"}
      </p>
      <CommitDays
        heading="h2"
        entries={entries}
        hiveLink={hiveLink}
        lang={languagesOf(settings)}
        isOfKey={filter.key !== undefined}
      />
      <Pager
        paging={paging}
        total={total}
        to={(other) => hiveLink(["history"], { ...filter, page: other })}
      />
    </>
  );
}

function Filters({
  request,
  settings,
  filtered: filters,
  people,
}: {
  readonly request: HiveRequest;
  readonly settings: HiveSettings | undefined;
  readonly filtered: Filtered<unknown>;
  readonly people: readonly Person[];
}) {
  const locales = settings === undefined ? [] : localesOf(settings);
  return (
    <FilterForm request={request} page="history">
      <Choice label="Locale" name="locale" all="All" state={filters} options={locales.map(localeOption)} />
      <Choice
        label="Kind"
        name="operation"
        all="All"
        state={filters}
        options={Object.entries(operationNames)}
      />
      <Choice
        label="Made by"
        name="origin"
        all="All"
        state={filters}
        options={originKinds.map((kind) => [kind, kind])}
      />
      {people.length > 0 && (
        <Choice
          label="Person"
          name="person"
          all="All"
          state={filters}
          options={people.map(({ id, name }) => [id, name])}
        />
      )}
      <TextField label="File" name="file" state={filters} />
      <TextField label="Key" name="key" state={filters} />
      <TextField label="From" name="since" type="date" state={filters} />
      <TextField label="Until" name="until" type="date" state={filters} />
      <button>Show</button>
    </FilterForm>
  );
}

export const historyPages: readonly PageRoute[] = [
  { kind: "hive", path: "/hives/:slug/history", isSlow: true, handler: show },
];
