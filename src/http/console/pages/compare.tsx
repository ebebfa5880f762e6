/** The differences between two states of a Hive: tags, branches, commits or dates. */
import type { z } from "zod";
import { invalid } from "../../../domain/errors.ts";
import { compareStates, type Comparison } from "../../../service/content/comparison.ts";
import { lastSettings } from "../../../service/content/overviews.ts";
import { toOffsetLimit } from "../../schemas/page.ts";
import { asRevision, once, pageQuery } from "../../schemas/schemas.ts";
import { Changes } from "../parts/changes.tsx";
import { countOf } from "../parts/facts.tsx";
import { FilterForm, OtherProblems, TextField } from "../parts/fields.tsx";
import { namedStates } from "../parts/hive-states.ts";
import { hivePage } from "../parts/navigation.ts";
import { languagesOf } from "../parts/languages.ts";
import { Pager } from "../parts/pager.tsx";
import { figure } from "../requests/reader.ts";
import { readFiltered } from "../requests/form-state.ts";
import type { HiveRequest, PageRoute, View } from "../requests/page.ts";

const perPage = 100;
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

async function show(request: HiveRequest): Promise<View> {
  const { storage, hive, query } = request;
  const named = rangeIn(request);
  const filtered = await readFiltered(compareQuery, { ...query, ...named }, (filters) =>
    compare(request, filters),
  );
  const { problems, result } = filtered;
  const lang = languagesOf(await lastSettings(storage, hive.slug));
  const states = await namedStates(request);
  const page = hivePage(
    request,
    "Compare",
    <>
      <FilterForm request={request} page="compare">
        <TextField label="From" name="from" state={filtered} options={states} required placeholder="v1.0" />
        <TextField label="To" name="to" state={filtered} list="options-filter-from" placeholder="main" />
        <button>Compare</button>
      </FilterForm>
      <OtherProblems state={filtered} fields={["from", "to"]} />
      {problems.size === 0 && result === undefined && (
        <p>Choose two tags, branches, commits or dates to see what differs between them.</p>
      )}
      {result !== undefined && <Differences request={request} lang={lang} compared={result} />}
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
  const paging = { ...range, locale, ...toOffsetLimit({ page, per_page: perPage }), cache, signal };
  return { ...(await compareStates(storage, branch, paging)), range, page, locale };
}

function Differences({
  request: { hiveLink },
  lang,
  compared,
}: {
  readonly request: HiveRequest;
  readonly lang: (code: string) => string | undefined;
  readonly compared: Compared;
}) {
  const { range, total, changes, page, locale } = compared;
  const address = (other: { readonly page?: number; readonly locale?: string }): string =>
    hiveLink(["compare", `${range.from}...${range.to}`], other);
  return (
    <>
      <h2>
        {total === 0 ? "No text differs" : `${countOf(total, "text")} ${total === 1 ? "differs" : "differ"}`}
      </h2>
      <ByLocale comparison={compared} to={(code) => address({ locale: code })} shown={locale} />
      <Changes changes={changes} lang={lang} hiveLink={hiveLink} />
      <Pager
        paging={{ page, per_page: perPage }}
        total={total}
        to={(other) => address({ page: other, locale })}
      />
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
function ByLocale({
  comparison,
  shown,
  to,
}: {
  readonly comparison: Comparison;
  readonly shown: string | undefined;
  readonly to: (locale: string | undefined) => string;
}) {
  if (comparison.byLocale.size < 2) return null;
  return (
    <ul class="facts choices">
      <li>
        <a href={to(undefined)} aria-current={shown === undefined ? "page" : undefined}>
          All locales
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

export const comparePages: readonly PageRoute[] = [
  "/hives/:slug/compare",
  "/hives/:slug/compare/:range+",
].map((path): PageRoute => ({ kind: "hive", path, isSlow: true, handler: show }));
