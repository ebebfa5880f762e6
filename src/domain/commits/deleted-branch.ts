/** How long deleted branches are kept. */

const keptDays = 30;

/** Until when a branch that was deleted at some time can be restored, both in milliseconds since 1970. */
export function branchExpiry(deleted: number): number {
  return deleted + keptDays * 86_400_000;
}
