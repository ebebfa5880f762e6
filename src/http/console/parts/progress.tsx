/** How far something is translated: a bar, and the same in figures. */
import { countOf, Facts } from "./facts.tsx";
import { toPercent, type LocaleStats } from "../../../domain/strings/locale-stats.ts";

/** A number as people read it. */
export function figure(n: number): string {
  return n.toLocaleString("en");
}

/** What share is translated for the current source texts, rounded down: 100 means all. */
export function percentOf({ translated, total }: LocaleStats): string {
  const percent = toPercent(translated, total);
  return `${percent > 0 && percent < 10 ? percent : Math.floor(percent)}%`;
}

/** A sentence with all figures, for those who do not see the bar. */
function progressLabel({ translated, stale, empty, total }: LocaleStats): string {
  return `${figure(translated)} of ${countOf(total, "string")} translated, ${figure(stale)} stale, ${figure(empty)} missing`;
}

/**
 * The bar: translated, stale and missing, in this order.
 * Its widths are attributes of a drawing, because the policy of the pages allows no style in the markup.
 */
export function ProgressBar({ stats }: { readonly stats: LocaleStats }) {
  const { translated, stale, total } = stats;
  const share = (count: number): number => (total === 0 ? 0 : (count / total) * 1000);
  // A share that is there is seen, however small it is.
  const staleWidth = stale === 0 ? 0 : Math.max(8, share(stale));
  const translatedWidth = Math.min(total === 0 ? 1000 : share(translated), 1000 - staleWidth);
  return (
    <svg
      class="bar"
      viewBox="0 0 1000 10"
      preserveAspectRatio="none"
      role="img"
      aria-label={progressLabel(stats)}
    >
      <rect class="missing" width="1000" height="10" />
      <rect class="translated" width={translatedWidth.toFixed(1)} height="10" />
      <rect class="stale" x={translatedWidth.toFixed(1)} width={staleWidth.toFixed(1)} height="10" />
    </svg>
  );
}

/** The figures of a bar; those that are zero are left out, but for what is translated. */
export function ProgressFigures({ stats }: { readonly stats: LocaleStats }) {
  const { translated, stale, empty, total } = stats;
  if (total === 0) return <Facts items={["nothing to translate"]} />;
  return (
    <Facts
      items={[
        <span class="mark translated">{figure(translated)} translated</span>,
        stale > 0 && <span class="mark stale">{figure(stale)} stale</span>,
        empty > 0 && <span class="mark missing">{figure(empty)} missing</span>,
      ]}
    />
  );
}

/** Several bars as one. */
export function sumOf(all: readonly LocaleStats[]): LocaleStats {
  return all.reduce(
    (sum, stats) => ({
      translated: sum.translated + stats.translated,
      stale: sum.stale + stats.stale,
      empty: sum.empty + stats.empty,
      failing: sum.failing + stats.failing,
      total: sum.total + stats.total,
    }),
    { translated: 0, stale: 0, empty: 0, failing: 0, total: 0 },
  );
}
