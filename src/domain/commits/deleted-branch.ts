/** How long deleted branches are kept. */

const keptMs = 30 * 86_400_000;

/** Until when a branch that was deleted at a time can be restored, both in milliseconds since 1970. */
export function branchExpiry(deleted: number): number {
  return deleted + keptMs;
}
