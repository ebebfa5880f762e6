/** A team's quota on source strings, over all its Hives. */
import { failure, SkepError, Issues, invalid } from "../errors.ts";
import { counted } from "../text.ts";
import type { HiveSettings } from "../hives/hive-settings.ts";
import type { FileWrite, SourceFiles } from "../strings/hive-content.ts";

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
  /** The folders of which mirrors that are added over HTTP must be; `{team}` stands for the team's name. */
  readonly mirrorAllow: readonly string[];
}

export const noLimits: CountLimits = {
  maxTokens: Infinity,
  maxHives: Infinity,
  maxTrash: Infinity,
  maxTags: Infinity,
  maxBranches: Infinity,
  maxChannels: Infinity,
  fileStrings: Infinity,
  mirrorAllow: [],
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
    `together may have ${maxStrings}; nothing was written. The limit is changed with: skep team edit`;
  throw new SkepError("quota", "String limit reached for your plan.", {
    details,
    limit: maxStrings,
    used: elsewhere + before,
    requested: elsewhere + after,
  });
}

/**
 * Refuses a change that makes a source file larger than it may be. What is stored stays valid: a file that has more
 * strings already may be changed, but not grow.
 * @param writes the files that change; translations follow their source files and have no limit of their own.
 * @throws SkepError `invalid` naming each file, and the limit.
 */
export function checkFileStrings(
  { source, settings }: { readonly source: SourceFiles; readonly settings: HiveSettings },
  writes: readonly FileWrite[],
  limit: number,
): void {
  const issues = new Issues();
  for (const { locale, file, content } of writes) {
    const size = content?.texts.size ?? 0;
    if (locale !== settings.sourceLocale.code || size <= Math.max(limit, source.get(file)?.texts.size ?? 0))
      continue;
    issues.add(
      `files.${file}`,
      `would have ${counted(size, "string")}; a file may have ${limit} (--file-strings of skep serve): split it`,
    );
  }
  issues.throwIfAny();
}

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
