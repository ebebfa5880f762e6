/** Progress as a bar and as figures. */
import type { PropsWithChildren } from "hono/jsx";
import { Facts } from "./text.tsx";
import { toPercent, type LocaleStats } from "../../../domain/queries/locale-stats.ts";
import { comma, t } from "../texts/texts.ts";

/** The number of strings, and how many of them need no translation. */
export function stringTotal(count: number, unneeded: number): string {
  const total = t("count.strings", { count });
  return unneeded === 0 ? total : t("progress.of_which_need_none", { total, count: unneeded });
}

/**
 * The percentage of texts that are done, as `approved_percent` of the API in whole numbers: with a current translation that
 * waits for no review. It is rounded down, so that 100 means all. Of nothing there is none.
 */
export function percentOf({ approved, total }: Pick<LocaleStats, "approved" | "total">): string {
  return total === 0 ? "–" : `${Math.floor(toPercent(approved, total))}%`;
}

/** A sentence with all figures, for screen readers. */
function progressLabel({ translated, inherited, stale, empty, total }: LocaleStats): string {
  return [
    t("progress.of_translated", { count: translated, total: t("count.strings", { count: total }) }),
    ...(inherited > 0 ? [t("progress.inherited", { count: inherited })] : []),
    t("progress.stale", { count: stale }),
    t("progress.missing", { count: empty }),
  ].join(comma());
}

/**
 * A bar. Its widths are attributes of an SVG drawing, because the pages' policy allows no `style` attributes.
 * @param props.label the text for screen readers.
 * @param props.children rectangles on the empty bar, which is 1000 by 10.
 */
function Bar({ label, children }: PropsWithChildren<{ label: string }>) {
  return (
    <svg class="bar" viewBox="0 0 1000 10" preserveAspectRatio="none" role="img" aria-label={label}>
      <rect class="missing" width="1000" height="10" />
      {children}
    </svg>
  );
}

/** The progress as a bar: translated, inherited, stale and missing, in this order. */
export function ProgressBar({ stats }: { stats: LocaleStats }) {
  const { translated, inherited, stale, total } = stats;
  const share = (count: number): number => (total === 0 ? 0 : (count / total) * 1000);
  // A share above zero is always visible.
  const staleWidth = stale === 0 ? 0 : Math.max(8, share(stale));
  const translatedWidth = Math.min(share(translated), 1000 - staleWidth);
  const staleStart = Math.min(share(translated + inherited), 1000 - staleWidth);
  return (
    <Bar label={progressLabel(stats)}>
      {inherited > 0 && <rect class="inherited" width={staleStart.toFixed(1)} height="10" />}
      <rect class="translated" width={translatedWidth.toFixed(1)} height="10" />
      <rect class="stale" x={staleStart.toFixed(1)} width={staleWidth.toFixed(1)} height="10" />
    </Bar>
  );
}

/** The used part of a quota as a bar. */
export function UsageBar({ used, limit }: { used: number; limit: number }) {
  const share = limit === 0 ? 1 : Math.min(1, used / limit);
  return (
    <Bar label={t("progress.of_are_used", { used, limit })}>
      <rect class={share < nearlyAll ? "used" : "nearly"} width={(share * 1000).toFixed(1)} height="10" />
    </Bar>
  );
}

export const nearlyAll = 0.9;

/** The figures of a bar. Zeros are left out, except the number of translated texts. */
export function ProgressFigures({ stats }: { stats: LocaleStats }) {
  const { translated, inherited, stale, empty, failing, total } = stats;
  if (total === 0) return <Facts items={[t("progress.nothing_to_translate")]} />;
  return (
    <Facts
      items={[
        <span class="mark translated">{t("progress.translated", { count: translated })}</span>,
        inherited > 0 && <span class="mark none">{t("progress.inherited", { count: inherited })}</span>,
        stale > 0 && <span class="mark stale">{t("progress.stale", { count: stale })}</span>,
        empty > 0 && <span class="mark missing">{t("progress.missing", { count: empty })}</span>,
        failing > 0 && <span class="mark failing">{t("progress.failing", { count: failing })}</span>,
      ]}
    />
  );
}

/** Adds up the progress of several locales. */
export function sumOf(all: readonly LocaleStats[]): LocaleStats {
  return all.reduce(
    (sum, stats) => ({
      translated: sum.translated + stats.translated,
      approved: sum.approved + stats.approved,
      waiting: sum.waiting + stats.waiting,
      withheld: sum.withheld + stats.withheld,
      stale: sum.stale + stats.stale,
      empty: sum.empty + stats.empty,
      inherited: sum.inherited + stats.inherited,
      failing: sum.failing + stats.failing,
      toTranslate: sum.toTranslate + stats.toTranslate,
      total: sum.total + stats.total,
    }),
    {
      translated: 0,
      approved: 0,
      waiting: 0,
      withheld: 0,
      stale: 0,
      empty: 0,
      inherited: 0,
      failing: 0,
      toTranslate: 0,
      total: 0,
    },
  );
}
