/** The way to work without a language in the address: to the language that was worked on last, or to a choice. */
import { codeOf, type Locale } from "../../../domain/hives/locale.ts";
import type { LocaleStats } from "../../../domain/queries/locale-stats.ts";
import { isOwnLanguage, ownFirst } from "../parts/languages.ts";
import { hiveProgress, type LocaleProgress } from "../parts/hive-states.ts";
import { Empty, hivePage, NoLanguage } from "../parts/navigation.tsx";
import { percentOf, ProgressBar } from "../parts/progress.tsx";
import { Name } from "../parts/text.tsx";
import { useHive } from "../requests/context.tsx";
import { lastPlace } from "../requests/cookies.ts";
import type { HiveRequest, PageResult } from "../requests/page.ts";
import { languageName, t } from "../texts/texts.ts";

export const kindsOfWork = ["translate", "review"] as const;
export type KindOfWork = (typeof kindsOfWork)[number];

/** How many texts of a locale wait for a kind of work. */
export function workLeft({ toTranslate, waiting }: LocaleStats, kind: KindOfWork): number {
  return kind === "review" ? waiting : toTranslate;
}

/** The query of the page of work for a kind of it. */
export function workQuery(kind: KindOfWork): { readonly want?: "review" } {
  return kind === "review" ? { want: "review" } : {};
}

/**
 * Leads to the language that was worked on last, if this Hive has it and the caller may do this kind of work in it; else to
 * the only one, or to the first with work of those that somebody is limited to or has chosen; else shows the languages.
 */
export async function choose(request: HiveRequest, kind: KindOfWork): Promise<PageResult> {
  const { branch, hive, hiveLink, canTranslate, canApprove } = request;
  const { hive: stats, locales } = await hiveProgress(request, branch);
  const isAllowed = kind === "review" ? canApprove : canTranslate;
  const mine = locales.filter(({ locale }) => isAllowed(locale));
  const own = ownFirst(request, mine, ({ locale }) => locale);
  const last = lastPlace(request)?.locale;
  const used = own.find(({ locale }) => codeOf(locale) === last);
  const chosenOnes = own.filter(({ locale }) => isOwnLanguage(request, locale));
  const first =
    chosenOnes.length > 0
      ? withWork(chosenOnes, kind)
      : hive.locales !== undefined || own.length === 1
        ? (withWork(own, kind) ?? own[0])
        : undefined;
  const chosen = used ?? first;
  if (chosen !== undefined) return { to: hiveLink(["translate", codeOf(chosen.locale)], workQuery(kind)) };
  const tab = kind === "review" ? "Review" : "Translate";
  return hivePage(
    request,
    tab,
    own.length > 0 ? (
      <Languages locales={own} kind={kind} />
    ) : stats.settings.targetLocales.length === 0 ? (
      <NoLanguage />
    ) : (
      <Empty text={t("choose.none_is_yours")} to={hiveLink(["strings"])} action="translate.all_strings" />
    ),
  );
}

function withWork(locales: readonly LocaleProgress[], kind: KindOfWork): LocaleProgress | undefined {
  return locales.find(({ stats }) => workLeft(stats, kind) > 0);
}

function Languages({ locales, kind }: { locales: readonly LocaleProgress[]; kind: KindOfWork }) {
  return (
    <>
      <p>{t(`choose.${kind}`)}</p>
      <ul class="cards">
        {locales.map(({ locale, stats }) => (
          <Language locale={locale} stats={stats} kind={kind} />
        ))}
      </ul>
    </>
  );
}

function Language({ locale, stats, kind }: { locale: Locale; stats: LocaleStats; kind: KindOfWork }) {
  const { hiveLink } = useHive();
  const left = workLeft(stats, kind);
  return (
    <li class="card">
      <h2>
        <Name name={languageName(locale)} href={hiveLink(["translate", codeOf(locale)], workQuery(kind))} />
      </h2>
      <div class="percent">
        <ProgressBar stats={stats} />
        {percentOf(stats)}
      </div>
      <p class="soft small">
        {t(kind === "review" ? "choose.to_review" : "choose.to_translate", { count: left })}
      </p>
    </li>
  );
}
