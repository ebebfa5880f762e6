/** When something was deleted, and until when it can be restored. All times are in milliseconds since 1970. */

/** For how many days a deleted Hive or branch is kept. */
export const keptDays = 30;
const keptMs = keptDays * 86_400_000;
/** Skep is younger: a clock that says so has not been set. */
const earliest = Date.UTC(2025, 0);

/**
 * The time under which a deletion is recorded. It is 0 where the clock must be wrong: then the time is not known, and is
 * set when expired deletions are removed for the next time, as soon as the clock has been set.
 * @param lastCommit the time of the last commit of what is deleted.
 */
export function deletionTime(now: number, lastCommit = 0): number {
  return now < lastCommit || isUndated(now) ? 0 : now;
}

/** Whether the time of a deletion is not known. */
export function isUndated(deleted: number): boolean {
  return deleted < earliest;
}

/** Until when something that was deleted at a time can be restored. */
export function keptUntil(deleted: number): number {
  return deleted + keptMs;
}

/** Whether something that was deleted at a time can no longer be restored. */
export function hasExpired(deleted: number, now: number): boolean {
  return !isUndated(deleted) && keptUntil(deleted) <= now;
}

/** When the last of what can no longer be restored was deleted. */
export function deletedUntil(now: number): number {
  return now - keptMs;
}
