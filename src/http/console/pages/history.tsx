/** The commits of a Hive, with filters. */
import { Choice, Filters, localeOption, TextField } from "../parts/filters.tsx";
import { localesOf, type HiveSettings } from "../../../domain/hives/hive-settings.ts";
import { listHistory } from "../../../service/content/history.ts";
import { lastSettings } from "../../../service/content/overviews.ts";
import { historyQuery } from "../../schemas/history-schemas.ts";
import { toMeta, toOffsetLimit } from "../../schemas/page.ts";
import { check } from "../../schemas/schemas.ts";
import { CommitList } from "../parts/commit-list.tsx";
import { countOf } from "../parts/facts.tsx";
import { hiveSteps } from "../parts/hive-steps.ts";
import { languagesOf } from "../parts/languages.ts";
import { Pager } from "../parts/pager.tsx";
import type { HiveRequest, PageRoute, View } from "../requests/page.ts";

const perPage = 50;
/** The operations that the filter offers, and how it names them; the address takes any. */
const operations: readonly (readonly [string, string])[] = [
  ["import", "import of source strings"],
  ["sync", "sync of source strings"],
  ["move", "move of strings"],
  ["import-translations", "import of translations"],
  ["remove-translations", "removal of translations"],
  ["confirm-stale", "confirmation of translations"],
  ["push", "git push"],
  ["merge", "merge of a branch"],
  ["update", "update of a branch"],
  ["undo", "undo"],
  ["remove-file", "removal of a file"],
  ["add-locale", "new locale"],
  ["remove-locale", "removal of a locale"],
  ["update-hive", "settings"],
];

async function show(request: HiveRequest): Promise<View> {
  const { storage, hive, branch, hiveLink, query, signal } = request;
  const { page, per_page: _, ...filter } = check(historyQuery, query, "query");
  const asked = { page, per_page: perPage };
  const { read } = await listHistory(storage, branch, { ...filter, ...toOffsetLimit(asked), signal });
  const { entries, total } = await read();
  const settings = await lastSettings(storage, hive.slug);
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  return {
    title: "History",
    above: hiveSteps(request),
    tab: { name: "History", hiveLink },
    body: (
      <>
        <FilterForm request={request} settings={settings} filter={filter} />
        <p class="count">
          {total === 0 ? "No commit" : countOf(total, "commit")}
          {isFiltered && " found"}
        </p>
        <CommitList entries={entries} hiveLink={hiveLink} lang={languagesOf(settings)} />
        <Pager
          meta={toMeta(asked, total)}
          to={(other) => hiveLink(["history"], { ...filter, page: other })}
        />
      </>
    ),
  };
}

type Filter = Partial<
  Record<"locale" | "file" | "key" | "operation" | "since" | "until", string | undefined>
>;

function FilterForm({
  request,
  settings,
  filter,
}: {
  readonly request: HiveRequest;
  readonly settings: HiveSettings | undefined;
  readonly filter: Filter;
}) {
  const locales = settings === undefined ? [] : localesOf(settings);
  return (
    <Filters request={request} page="history">
      <Choice
        label="Locale"
        name="locale"
        all="All"
        options={locales.map(localeOption)}
        chosen={filter.locale}
      />
      <Choice label="Kind" name="operation" all="All" options={operations} chosen={filter.operation} />
      <TextField label="File" name="file" value={filter.file} />
      <TextField label="Key" name="key" value={filter.key} />
      <TextField label="From" name="since" type="date" value={filter.since} />
      <TextField label="Until" name="until" type="date" value={filter.until} />
      <button>Show</button>
    </Filters>
  );
}

export const historyPages: readonly PageRoute[] = [
  { kind: "hive", method: "GET", path: "/hives/:slug/history", isSlow: true, handler: show },
];
