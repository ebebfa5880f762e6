/** The limit on how many source strings one request may delete, so that a broken build does not empty a Hive. */
import { invalid } from "../errors.ts";
import { counted } from "../text.ts";

/** The source strings that a change creates and deletes. */
export interface StringCounts {
  readonly created: number;
  readonly deleted: number;
  /** How a caller who means the deletions says so; by `max_deletions` if undefined. */
  readonly ifMeant?: string;
}

/**
 * Refuses a change that would delete more source strings than it may.
 * @param max undefined is unlimited.
 * @throws SkepError `invalid` on `max_deletions`, with their number.
 */
export function checkDeletions({ deleted, ifMeant }: StringCounts, max: number | undefined): void {
  if (max === undefined || deleted <= max) return;
  throw invalid(
    "max_deletions",
    `this would delete ${counted(deleted, "source string")} and may delete ${max}; ` +
      `nothing was written. If it is meant, ${ifMeant ?? `send max_deletions=${deleted}`}`,
    { publicCode: "too_many_deletions" },
  );
}
