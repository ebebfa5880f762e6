/** What differs between two states of a Hive: tags, branches, commits or dates. */
import { Filters, TextField } from "../parts/filters.tsx";
import { invalid } from "../../../domain/errors.ts";
import { branchNames } from "../../../service/content/branches.ts";
import { compareStates, type Comparison } from "../../../service/content/comparison.ts";
import { lastSettings } from "../../../service/content/overviews.ts";
import { toMeta, toOffsetLimit } from "../../schemas/page.ts";
import { asRevision, check, once, pageQuery } from "../../schemas/schemas.ts";
import { Changes } from "../parts/changes.tsx";
import { countOf } from "../parts/facts.tsx";
import { hiveSteps } from "../parts/hive-steps.ts";
import { languagesOf } from "../parts/languages.ts";
import { lastTags } from "../parts/last-tags.ts";
import { Pager } from "../parts/pager.tsx";
import { figure } from "../parts/progress.tsx";
import type { HiveRequest, PageRoute, View } from "../requests/page.ts";

const perPage = 100;
/** How many tags and branches are suggested. */
const maxSuggested = 50;
const compareQuery = pageQuery
  .pick({ page: true })
  .extend({ from: once.meta(asRevision), to: once.meta(asRevision), locale: once });

interface Range {
  readonly from: string;
  readonly to: string;
}

async function show(request: HiveRequest): Promise<View> {
  const { storage, hive, branch, query, signal } = request;
  const { page, locale, from, to = "main" } = check(compareQuery, query, "query");
  const range = rangeIn(request) ?? (from === undefined ? undefined : { from, to });
  const asked = { page, per_page: perPage };
  const found =
    range && (await compareStates(storage, branch, { ...range, locale, ...toOffsetLimit(asked), signal }));
  const lang = languagesOf(await lastSettings(storage, hive.slug));
  const suggested = await suggestedStates(request);
  const { hiveLink } = request;
  const address = (other: { readonly page?: number; readonly locale?: string }): string =>
    hiveLink(["compare", `${range?.from}...${range?.to}`], other);
  return {
    title: "Compare",
    above: hiveSteps(request),
    tab: { name: "Compare", hiveLink },
    body: (
      <>
        <RangeForm request={request} range={range} suggested={suggested} />
        {found === undefined ? (
          <p>Choose two tags, branches, commits or dates to see what differs between them.</p>
        ) : (
          <>
            <h2>
              {found.total === 0
                ? "No text differs"
                : `${countOf(found.total, "text")} ${found.total === 1 ? "differs" : "differ"}`}
            </h2>
            <ByLocale found={found} to={(code) => address({ locale: code })} shown={locale} />
            <Changes changes={found.changes} lang={lang} />
            <Pager meta={toMeta(asked, found.total)} to={(other) => address({ page: other, locale })} />
          </>
        )}
      </>
    ),
  };
}

/** The states that the path names; undefined where it names none. */
function rangeIn({ param }: HiveRequest): Range | undefined {
  const text = param("range");
  if (text === "") return undefined;
  const [from = "", to = "", ...rest] = text.split("...");
  if (from === "" || to === "" || rest.length > 0)
    throw invalid("range", "must name two states with three dots between them, such as v1.0...main");
  return { from, to };
}

/** What may be compared, of which a browser suggests what fits. */
async function suggestedStates(request: HiveRequest): Promise<readonly string[]> {
  const tags = await lastTags(request);
  const branches = await branchNames(request.storage, request.hive.slug);
  return ["main", ...tags.map(({ name }) => name), ...branches].slice(0, maxSuggested);
}

function RangeForm({
  request,
  range,
  suggested,
}: {
  readonly request: HiveRequest;
  readonly range: Range | undefined;
  readonly suggested: readonly string[];
}) {
  return (
    <Filters request={request} page="compare">
      <TextField label="From" name="from" value={range?.from} list="states" required placeholder="v1.0" />
      <TextField label="To" name="to" value={range?.to ?? "main"} list="states" placeholder="main" />
      <datalist id="states">
        {suggested.map((name) => (
          <option value={name} />
        ))}
      </datalist>
      <button>Compare</button>
    </Filters>
  );
}

/** How many texts differ in each locale, as a way to see them alone. */
function ByLocale({
  found,
  shown,
  to,
}: {
  readonly found: Comparison;
  readonly shown: string | undefined;
  readonly to: (locale: string | undefined) => string;
}) {
  if (found.byLocale.size < 2) return null;
  return (
    <ul class="facts choices">
      <li>
        <a href={to(undefined)} aria-current={shown === undefined ? "page" : undefined}>
          All locales
        </a>
      </li>
      {Array.from(found.byLocale, ([code, count]) => (
        <li>
          <a href={to(code)} aria-current={shown === code ? "page" : undefined}>
            <code>{code}</code> {figure(count)}
          </a>
        </li>
      ))}
    </ul>
  );
}

export const comparePages: readonly PageRoute[] = ["/hives/:slug/compare", "/hives/:slug/compare/:range"].map(
  (path): PageRoute => ({ kind: "hive", method: "GET", path, isSlow: true, handler: show }),
);
