/** Times as people say them. */
import { counted } from "../../domain/text.ts";

const units = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["day", 86_400],
  ["h", 3600],
  ["min", 60],
] as const;

const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;

/**
 * A time as the time that has passed since, or will until then: `3 min ago`, `in 2 days`.
 * @param text in ISO 8601 with its zone; any other text is returned as it is.
 * @param now milliseconds since 1970.
 */
export function relativeTime(text: string, now: number): string {
  const difference = isoTime.test(text) ? Date.parse(text) - now : NaN;
  if (Number.isNaN(difference)) return text;
  const seconds = Math.abs(difference) / 1000;
  const [unit, length] = units.find(([, each]) => seconds >= each) ?? [];
  if (unit === undefined) return "just now";
  const n = Math.trunc(seconds / length);
  const amount = unit === "h" || unit === "min" ? `${n} ${unit}` : counted(n, unit);
  return difference < 0 ? `${amount} ago` : `in ${amount}`;
}
