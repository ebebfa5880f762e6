/** The page of work: translates the strings of a locale one after the other. */
import { useHive } from "../requests/context.tsx";
import { failure, invalid } from "../../../domain/errors.ts";
import { localeNamed, type HiveSettings } from "../../../domain/hives/hive-settings.ts";
import { codeOf, type Locale } from "../../../domain/hives/locale.ts";
import { defaultWant } from "../../../domain/work/work.ts";
import { threadOf, type PlacedComment } from "../../../service/content/comment-lists.ts";
import { listHistory, type HistoryEntry } from "../../../service/content/history.ts";
import { hiveOutline } from "../../../service/content/string-search.ts";
import { enginesFor } from "../../../service/engines/suggestions.ts";
import { openMemory, type MemoryHit } from "../../../service/memory/memory.ts";
import { releaseClaim } from "../../../service/work/claims.ts";
import { showWork, type PageItem, type PageWork } from "../../../service/work/work-page.ts";
import { check } from "../../schemas/schemas.ts";
import { ownLocalesFirst } from "../parts/languages.ts";
import { stringTags } from "../parts/hive-states.ts";
import { Empty, ButtonLink, hivePage } from "../parts/navigation.tsx";
import { readFiltered } from "../requests/form.ts";
import type { LinkQuery } from "../requests/links.ts";
import type { HiveFormRequest, HiveRequest, PageResult, PageRoute, View } from "../requests/page.ts";
import type { Submitted } from "../editor/answer-form.ts";
import { Beside, Keys } from "./beside.tsx";
import { filtersOf, toPageRequest, translateQuery, Filters, Next } from "./queue.tsx";
import { nameOf } from "../editor/editor.tsx";
import { WorkForm } from "./work-form.tsx";
import { choose } from "./choose.tsx";
import { keyMeant } from "../../../service/content/shown-keys.ts";
import { comma, languageName, t } from "../texts/texts.ts";

/** How many translations of similar texts, and how many changes of the string are shown. */
const maxMemory = 9;
const maxPast = 5;

/** @param submitted a form that was refused. */
export async function showQueue(request: HiveRequest, submitted?: Submitted): Promise<View> {
  const { storage, branch, session, query, canTranslate, canApprove, hiveLink } = request;
  const { locale, others } = await localeOf(request);
  const title = t("translate.translate_into", { locale: languageName(locale) });
  const isReview = query["want"] === "review" || !canTranslate(locale);
  const tab = isReview ? "Review" : "Translate";
  const between = [{ label: t(`tab.${tab}`), href: hiveLink([isReview ? "review" : "translate"]) }];
  const frame = { title, between, isNamedByTab: true };
  const canWrite = canTranslate(locale);
  if (!canWrite && !canApprove(locale))
    return hivePage(request, tab, <NotYours locale={locale} own={others.filter(canTranslate)} />, {
      ...frame,
      status: 403,
    });
  const { after } = translateQuery.partial().catch({}).parse(query);
  const filtered = await readFiltered(translateQuery, query, async (given) => {
    requireKnown(given.beside, request.settings);
    const asked = toPageRequest(codeOf(locale), { ...given, at: submitted?.at ?? given.at }, canWrite);
    const { at } = asked;
    const wanted = { ...asked, at: at && { ...at, key: await keyMeant(storage, branch, at) } };
    const work = await showWork(storage, session, branch, wanted);
    return { work, filters: filtersOf(given), wanted: wanted.want, ...(await besideOf(request, work)) };
  });
  const { result } = filtered;
  const tags = await stringTags(request);
  const status = submitted?.status ?? (result === undefined ? 422 : 200);
  return hivePage(
    request,
    tab,
    <div class="desk">
      {result !== undefined && (
        <>
          <div class="desk-work" id="desk-work">
            <Head work={result.work} title={title} />
            {result.work.item === undefined ? (
              <NothingLeft locale={locale} filters={result.filters} />
            ) : (
              <WorkForm
                work={result.work}
                item={result.work.item}
                filters={result.filters}
                previous={
                  after === undefined || after === nameOf(result.work.item)
                    ? undefined
                    : hiveLink(["translate", codeOf(locale)], { ...result.filters, at: after })
                }
                latest={result.history[0]}
                thread={result.thread}
                engines={enginesFor(storage, session.caller, result.work)}
                refused={submitted}
              />
            )}
          </div>
          {result.work.item !== undefined && (
            <aside class="desk-beside" aria-label={t("translate.help")}>
              <Beside item={result.work.item} {...result} />
              <Keys />
            </aside>
          )}
        </>
      )}
      <nav class="desk-queue" aria-label={t("translate.queue")}>
        <Filters
          locale={locale}
          state={filtered}
          files={result?.work.files ?? []}
          tags={tags}
          others={others}
          wanted={canWrite ? defaultWant : ["review"]}
        />
        {/* A script keeps the last answer here, which can be undone. */}
        <p id="last-answer" class="small soft" />
        {result !== undefined && (
          <Next
            locale={locale}
            work={result.work}
            filters={result.filters}
            canApprove={canApprove(locale) && result.wanted.every((state) => state === "review")}
          />
        )}
      </nav>
    </div>,
    { ...frame, status },
  );
}

/** @throws SkepError `invalid` on `beside` for another language to show that the Hive does not have. */
function requireKnown(beside: string | undefined, settings: HiveSettings | undefined): void {
  if (beside !== undefined && settings !== undefined && localeNamed(settings, beside) === undefined)
    throw invalid("beside", "this Hive has no such locale");
}

/** For users who may neither translate into the locale nor approve its texts. @param props.own what they may translate into. */
function NotYours({ locale, own }: { locale: Locale; own: readonly Locale[] }) {
  const { hiveLink } = useHive();
  const links = own.flatMap((other, index) => [
    index > 0 && comma(),
    <a href={hiveLink(["translate", codeOf(other)])}>{languageName(other)}</a>,
  ]);
  return (
    <>
      <p class="notice wrong">{t("translate.you_may_not", { locale: languageName(locale) })}</p>
      {own.length > 0 && <p>{t("translate.you_may", { locales: <>{links}</> })}</p>}
      <p class="actions">
        <ButtonLink to={hiveLink(["strings"], { locale: codeOf(locale) })} text="translate.all_strings" />
      </p>
    </>
  );
}

function Head({ work: { left, item }, title }: { work: PageWork; title: string }) {
  return (
    <p class="desk-head">
      <strong aria-hidden="true">{title}</strong>{" "}
      {item !== undefined && <span class="soft">{t("translate.left", { left })}</span>}
    </p>
  );
}

function NothingLeft({ locale, filters }: { locale: Locale; filters: LinkQuery }) {
  const { hiveLink } = useHive();
  const isFiltered = Object.entries(filters).some(
    ([name, value]) => name !== "beside" && value !== undefined,
  );
  const all = hiveLink(["strings"], { locale: codeOf(locale) });
  return (
    <Empty
      text={t(isFiltered ? "translate.nothing_of_the_filters_left" : "translate.nothing_is_left")}
      to={isFiltered ? hiveLink(["translate", codeOf(locale)]) : all}
      action={isFiltered ? "common.clear_the_filters" : "translate.all_strings"}
    >
      {isFiltered && <ButtonLink to={all} text="translate.all_strings" />}
    </Empty>
  );
}

/** The target locale of the address, and the others. @throws SkepError `not-found`. */
export async function localeOf(
  request: HiveRequest,
): Promise<{ readonly locale: Locale; readonly others: readonly Locale[] }> {
  const { storage, branch, param } = request;
  const { settings } = await hiveOutline(storage, branch);
  const locale = localeNamed(settings, param("locale"));
  if (locale === undefined || locale === settings.sourceLocale)
    throw failure("not-found", "This Hive is not translated into a locale with this code.");
  return {
    locale,
    others: ownLocalesFirst(request, settings.targetLocales).filter((other) => other !== locale),
  };
}

/** What stands beside a string; nothing where there is none. */
async function besideOf(
  { storage, branch, hive, signal }: HiveRequest,
  { item, locale }: PageWork,
): Promise<{
  readonly memory: readonly MemoryHit[];
  readonly history: readonly HistoryEntry[];
  readonly thread: readonly PlacedComment[];
}> {
  if (item === undefined) return { memory: [], history: [], thread: [] };
  const [memory, history, thread] = await Promise.all([
    memoryOf({ storage, branch, hive, signal }, item, locale),
    pastOf({ storage, branch, signal }, item, locale),
    threadOf(storage, branch, item),
  ]);
  return { memory, history, thread };
}

async function memoryOf(
  { storage, ...scope }: Pick<HiveRequest, "storage" | "branch" | "hive" | "signal">,
  { file, key, forms }: PageItem,
  locale: Locale,
): Promise<readonly MemoryHit[]> {
  const memory = await openMemory(storage, { ...scope, locale: codeOf(locale) });
  const source = forms.at(-1)?.source ?? "";
  const own = new Map(forms.map((form) => [form.key, form.translation]));
  // Its own text stands in the field.
  const hits = source === "" ? [] : await memory.find(source, maxMemory + own.size);
  const isOwn = (hit: MemoryHit): boolean =>
    hit.hive === scope.hive.slug &&
    hit.file === file &&
    (own.has(hit.key) || hit.key === key) &&
    (!hit.former || own.get(hit.key) === hit.text);
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

const path = "/hives/:slug/translate/:locale";

/** Ends a claim of one's own, or as an admin any, so that its strings are free again. */
async function endClaim(request: HiveFormRequest): Promise<PageResult> {
  const { storage, branch, session, form, query, param, hiveLink } = request;
  await releaseClaim(storage, session.caller, branch, form.text("claim"));
  const filters = filtersOf(check(translateQuery, query, "query"));
  return { to: hiveLink(["translate", param("locale")], filters), notice: "claim-ended" };
}

export const translatePages: readonly PageRoute[] = [
  {
    kind: "hive-form",
    path: "/hives/:slug/translate/:locale/claims",
    ability: "read",
    handler: endClaim,
  },
  {
    kind: "hive",
    path: "/hives/:slug/translate",
    isSlow: true,
    handler: (request) => choose(request, "translate"),
  },
  {
    kind: "hive",
    path: "/hives/:slug/review",
    isSlow: true,
    handler: (request) => choose(request, "review"),
  },
  { kind: "hive", path, isSlow: true, handler: (request) => showQueue(request) },
];
