/** How far something is translated: a bar, and the same in figures. */
import type { PropsWithChildren } from "hono/jsx";
import { figure } from "../requests/reader.ts";
import { countOf, Facts } from "./facts.tsx";
import { toPercent, type LocaleStats } from "../../../domain/strings/locale-stats.ts";

/** How many strings there are, and how many of them have no text that could be translated. */
export function stringTotal(translatable: number, empty: number): string {
  const total = countOf(translatable + empty, "string");
  return empty === 0
    ? total
    : `${total}, of which ${figure(empty)} ${empty === 1 ? "needs" : "need"} no translation`;
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
 * A bar. Its widths are attributes of a drawing, because the policy of the pages allows no style in the markup.
 * @param props.label for those who do not see it.
 * @param props.children rectangles on the empty bar, which is 1000 by 10.
 */
function Bar({ label, children }: PropsWithChildren<{ readonly label: string }>) {
  return (
    <svg class="bar" viewBox="0 0 1000 10" preserveAspectRatio="none" role="img" aria-label={label}>
      <rect class="missing" width="1000" height="10" />
      {children}
    </svg>
  );
}

/** How far something is translated: translated, stale and missing, in this order. */
export function ProgressBar({ stats }: { readonly stats: LocaleStats }) {
  const { translated, stale, total } = stats;
  const share = (count: number): number => (total === 0 ? 0 : (count / total) * 1000);
  // A share that is there is seen, however small it is.
  const staleWidth = stale === 0 ? 0 : Math.max(8, share(stale));
  const translatedWidth = Math.min(total === 0 ? 1000 : share(translated), 1000 - staleWidth);
  return (
    <Bar label={progressLabel(stats)}>
      <rect class="translated" width={translatedWidth.toFixed(1)} height="10" />
      <rect class="stale" x={translatedWidth.toFixed(1)} width={staleWidth.toFixed(1)} height="10" />
    </Bar>
  );
}

/** How much of a quota is used. */
export function UsageBar({ used, limit }: { readonly used: number; readonly limit: number }) {
  const share = limit === 0 ? 1 : Math.min(1, used / limit);
  return (
    <Bar label={`${figure(used)} of ${figure(limit)} are used`}>
      <rect class={share < nearlyAll ? "used" : "nearly"} width={(share * 1000).toFixed(1)} height="10" />
    </Bar>
  );
}

/** From this share on a quota is nearly used up. */
export const nearlyAll = 0.9;

/** The figures of a bar; those that are zero are left out, but for what is translated. */
export function ProgressFigures({ stats }: { readonly stats: LocaleStats }) {
  const { translated, stale, empty, failing, total } = stats;
  if (total === 0) return <Facts items={["nothing to translate"]} />;
  return (
    <Facts
      items={[
        <span class="mark translated">{figure(translated)} translated</span>,
        stale > 0 && <span class="mark stale">{figure(stale)} stale</span>,
        empty > 0 && <span class="mark missing">{figure(empty)} missing</span>,
        failing > 0 && <span class="mark failing">{figure(failing)} failing</span>,
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
