/** A team's quota on source strings, over all its Hives. */
import { failure, SkepError } from "../errors.ts";
import { counted } from "../text.ts";

/** Limits on the number of things. */
export interface CountLimits {
  /** Per team. */
  readonly maxTokens: number;
  readonly maxHives: number;
  /** Deleted Hives per team that can be restored. */
  readonly maxTrash: number;
  /** Per Hive. */
  readonly maxTags: number;
  /** Besides main; as many deleted ones are kept. */
  readonly maxBranches: number;
  readonly maxChannels: number;
  /** Per source file. */
  readonly fileStrings: number;
}

export const noLimits: CountLimits = {
  maxTokens: Infinity,
  maxHives: Infinity,
  maxTrash: Infinity,
  maxTags: Infinity,
  maxBranches: Infinity,
  maxChannels: Infinity,
  fileStrings: Infinity,
};

/** @throws SkepError `quota` when there is no room for one more. */
export function checkRoom(owner: string, thing: string, count: number, most: number): void {
  if (count < most) return;
  throw failure("quota", `${owner} has ${counted(count, thing)}, and may have no more than ${most}.`, {
    publicCode: "limit_reached",
  });
}

/** The effect of a change of one Hive on its team's number of source strings. */
export interface QuotaEffect {
  /** The team's limit; undefined is unlimited. */
  readonly maxStrings: number | undefined;
  /** Source strings in the team's other Hives. */
  readonly elsewhere: number;
  /** Source strings of this Hive before and after the change. */
  readonly before: number;
  readonly after: number;
}

/**
 * Refuses a change that would leave the team above its limit and with more strings than before: updates, deletions
 * and a shrinking sync always pass.
 * @throws SkepError `quota` with the message that clients of the interface match, and how far beyond the limit the
 * change would go. The numbers include Hives that the caller cannot access; dry runs would reveal them anyway.
 */
export function checkQuota({ maxStrings, elsewhere, before, after }: QuotaEffect): void {
  if (maxStrings === undefined || after <= before || elsewhere + after <= maxStrings) return;
  const details =
    `This change would bring the Hive from ${counted(before, "source string")} to ${after}, and all Hives of its team ` +
    `together may have ${maxStrings}; nothing was written. The limit is changed with: skep team update`;
  throw new SkepError("quota", "String limit reached for your plan.", {
    details,
    limit: maxStrings,
    used: elsewhere + before,
    requested: elsewhere + after,
  });
}
