/** The limit on how many source strings one request may delete, so that a broken build does not empty a Hive. */
import { invalid } from "../errors.ts";
import { counted } from "../text.ts";

/**
 * Refuses a change that would delete more source strings than it may.
 * @param max undefined is unlimited.
 * @throws SkepError `invalid` on `max_deletions`, with their number.
 */
export function checkDeletions(deletions: number, max: number | undefined): void {
  if (max === undefined || deletions <= max) return;
  throw invalid(
    "max_deletions",
    `this would delete ${counted(deletions, "source string")} and may delete ${max}; ` +
      `nothing was written. If it is meant, send max_deletions=${deletions}`,
    { publicCode: "too_many_deletions" },
  );
}
