/** The page of work: translates the strings of a locale one after the other. */
import { failure } from "../../../domain/errors.ts";
import { localeNamed } from "../../../domain/hives/hive-settings.ts";
import { codeOf, type Locale } from "../../../domain/hives/locale.ts";
import { defaultWant, type AnsweredItem, type WorkResult } from "../../../domain/work/work.ts";
import { listHistory, type HistoryEntry } from "../../../service/content/history.ts";
import { hiveOutline } from "../../../service/content/string-search.ts";
import { openMemory, type MemoryHit } from "../../../service/memory/memory.ts";
import { completeWork } from "../../../service/work/complete-work.ts";
import { showWork, type PageItem, type PageWork } from "../../../service/work/work-page.ts";
import { check } from "../../schemas/schemas.ts";
import { languageName } from "../parts/languages.ts";
import { hiveSteps, hiveTabs } from "../parts/navigation.ts";
import { readFiltered } from "../requests/form-state.ts";
import type { LinkQuery } from "../requests/links.ts";
import type { NoticeName } from "../requests/notices.ts";
import type { HiveFormRequest, HiveRequest, PageResult, PageRoute, View } from "../requests/page.ts";
import { figure } from "../requests/reader.ts";
import {
  actions,
  answerIn,
  listedItems,
  refusalOf,
  withTaken,
  writtenIn,
  type Submitted,
} from "./answer-form.ts";
import { Beside } from "./beside.tsx";
import { filtersOf, nameOf, toPageRequest, translateQuery } from "./filters.ts";
import { Keys } from "./keys.tsx";
import { Filters, Next } from "./queue.tsx";
import { WorkForm } from "./work-form.tsx";

/** How many translations of similar texts, and how many changes of the string are shown. */
const maxMemory = 9;
const maxPast = 5;

async function show(request: HiveRequest, submitted?: Submitted): Promise<View> {
  const { storage, branch, session, query, canTranslate, canApprove, hiveLink } = request;
  const { locale, others } = await localeOf(request);
  const canWrite = canTranslate(locale);
  const { after } = translateQuery.partial().catch({}).parse(query);
  const filtered = await readFiltered(translateQuery, query, async (given) => {
    const wanted = toPageRequest(codeOf(locale), { ...given, at: submitted?.at ?? given.at }, canWrite);
    const work = await showWork(storage, session, branch, wanted);
    return { work, filters: filtersOf(given), wanted: wanted.want, ...(await besideOf(request, work)) };
  });
  const { result } = filtered;
  const title = `Translate into ${languageName(locale)}`;
  return {
    title,
    above: hiveSteps(request, {
      label: codeOf(locale),
      href: hiveLink(["strings"], { locale: codeOf(locale) }),
    }),
    tabs: hiveTabs(request, "Strings"),
    isNamedByTab: true,
    status: submitted?.status ?? (result === undefined ? 422 : 200),
    body: (
      <div class="desk">
        {result !== undefined && (
          <>
            <div class="desk-work" id="desk-work">
              <Head work={result.work} title={title} />
              {result.work.item === undefined ? (
                <NothingLeft request={request} locale={locale} filters={result.filters} />
              ) : (
                <WorkForm
                  request={request}
                  work={result.work}
                  item={result.work.item}
                  filters={result.filters}
                  previous={
                    after === undefined || after === nameOf(result.work.item)
                      ? undefined
                      : hiveLink(["translate", codeOf(locale)], { ...result.filters, at: after })
                  }
                  refused={submitted}
                />
              )}
            </div>
            {result.work.item !== undefined && (
              <aside class="desk-beside" aria-label="Help">
                <Beside request={request} item={result.work.item} {...result} />
                <Keys />
              </aside>
            )}
          </>
        )}
        <nav class="desk-queue" aria-label="Queue">
          <Filters
            request={request}
            locale={locale}
            state={filtered}
            files={result?.work.files ?? []}
            others={others}
            wanted={canWrite ? defaultWant : ["review"]}
          />
          {result !== undefined && (
            <Next
              request={request}
              locale={locale}
              work={result.work}
              filters={result.filters}
              canApprove={canApprove(locale) && result.wanted.every((state) => state === "review")}
            />
          )}
        </nav>
      </div>
    ),
  };
}

function Head({ work: { left, item }, title }: { readonly work: PageWork; readonly title: string }) {
  return (
    <p class="desk-head">
      <strong aria-hidden="true">{title}</strong>{" "}
      {item !== undefined && <span class="soft">{figure(left)} left</span>}
    </p>
  );
}

function NothingLeft({
  request: { hiveLink },
  locale,
  filters,
}: {
  readonly request: HiveRequest;
  readonly locale: Locale;
  readonly filters: LinkQuery;
}) {
  const isFiltered = Object.entries(filters).some(
    ([name, value]) => name !== "beside" && value !== undefined,
  );
  return (
    <>
      <p>Nothing is left{isFiltered && " of what these filters select"}.</p>
      <p class="actions">
        {isFiltered && (
          <a class="button" href={hiveLink(["translate", codeOf(locale)])}>
            Clear the filters
          </a>
        )}
        <a class="button" href={hiveLink(["strings"], { locale: codeOf(locale) })}>
          All strings
        </a>
      </p>
    </>
  );
}

/** The target locale of the address, and the others. @throws SkepError `not-found`. */
async function localeOf({
  storage,
  branch,
  param,
}: HiveRequest): Promise<{ readonly locale: Locale; readonly others: readonly Locale[] }> {
  const { settings } = await hiveOutline(storage, branch);
  const locale = localeNamed(settings, param("locale"));
  if (locale === undefined || locale === settings.sourceLocale)
    throw failure("not-found", "This Hive is not translated into a locale with this code.");
  return { locale, others: settings.targetLocales.filter((other) => other !== locale) };
}

/** What stands beside a string; nothing where there is none. */
async function besideOf(
  { storage, branch, hive, signal }: HiveRequest,
  { item, locale }: PageWork,
): Promise<{ readonly memory: readonly MemoryHit[]; readonly history: readonly HistoryEntry[] }> {
  if (item === undefined) return { memory: [], history: [] };
  const [memory, history] = await Promise.all([
    memoryOf({ storage, branch, hive, signal }, item, locale),
    pastOf({ storage, branch, signal }, item, locale),
  ]);
  return { memory, history };
}

async function memoryOf(
  { storage, ...scope }: Pick<HiveRequest, "storage" | "branch" | "hive" | "signal">,
  { file, key, forms }: PageItem,
  locale: Locale,
): Promise<readonly MemoryHit[]> {
  const memory = await openMemory(storage, { ...scope, locale: codeOf(locale) });
  const source = forms.at(-1)?.source ?? "";
  const own = new Set(forms.map((form) => form.key));
  // Its own text stands in the field.
  const hits = source === "" ? [] : await memory.find(source, maxMemory + own.size);
  const isOwn = (hit: MemoryHit): boolean =>
    hit.hive === scope.hive.slug && hit.file === file && (own.has(hit.key) || hit.key === key);
  return hits.filter((hit) => !isOwn(hit)).slice(0, maxMemory);
}

async function pastOf(
  { storage, branch, signal }: Pick<HiveRequest, "storage" | "branch" | "signal">,
  { file, key }: PageItem,
  locale: Locale,
): Promise<readonly HistoryEntry[]> {
  const query = { file, key, locale: codeOf(locale), offset: 0, limit: maxPast, signal };
  const { entries } = await (await listHistory(storage, branch, query)).read();
  return entries;
}

const notices: Readonly<Partial<Record<WorkResult["status"], NoticeName>>> = {
  saved: "written",
  approved: "approved",
  rejected: "rejected",
  asked: "asked",
};

async function answer(request: HiveFormRequest): Promise<PageResult> {
  const { storage, branch, session, hiveLink, form, query } = request;
  const { locale } = await localeOf(request);
  const given = check(translateQuery, query, "query");
  const to = (own: LinkQuery): string =>
    hiveLink(["translate", codeOf(locale)], { ...filtersOf(given), ...own });
  const context = { ...request.context, allowFindings: form.text("checks") === "warn" };
  const complete = async (items: readonly AnsweredItem[]): Promise<readonly WorkResult[]> =>
    (await completeWork(storage, session.caller, branch, { locale: codeOf(locale), items }, context)).result;
  const written = writtenIn(form);
  const at = { file: form.text("file"), key: form.text("key") };
  if (form.text("take") !== "") {
    const texts = withTaken(written.texts, form.text("take"));
    return show(request, { ...written, texts, at: nameOf(at), problem: undefined, status: 200 });
  }
  const action = check(actions, form.text("change"), "change");
  if (action === "approve-listed") {
    const items = listedItems(form);
    if (items.length === 0) return { to: to({}), notice: "nothing-selected" };
    const results = await complete(items);
    return {
      to: to({}),
      notice: results.every(({ status }) => status === "approved") ? "approved" : "approved-some",
    };
  }
  const item = answerIn(form, action, written);
  if ("problem" in item) return show(request, { ...written, ...item, at: nameOf(at), status: 422 });
  const [result] = await complete([{ ...at, ...item }]);
  if (result === undefined) throw new Error("there is no result");
  const refused = refusalOf(result, written);
  if (refused !== undefined) return show(request, { ...refused, at: nameOf(at) });
  const notice = notices[result.status];
  return {
    to: to(action === "save" ? { at: nameOf(at), after: given.after } : { after: nameOf(at) }),
    notice,
  };
}

const path = "/hives/:slug/translate/:locale";

export const translatePages: readonly PageRoute[] = [
  { kind: "hive", path, isSlow: true, handler: (request) => show(request) },
  { kind: "hive-form", path, ability: "read", handler: answer },
];
