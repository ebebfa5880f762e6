/** Tells when requests wait for a lock that a test holds, for tests of what happens meanwhile. */
import { expect, onTestFinished, vi } from "vitest";
import { Locks } from "../../src/disk/locks/lock.ts";

/**
 * Counts who asks for locks from now on to the end of the test.
 * @returns a function that waits until locks were asked for that many times in all, by those who hold them, too.
 */
export function watchLocks(): (count: number) => Promise<void> {
  const hold = vi.spyOn(Locks.prototype, "hold");
  onTestFinished(() => hold.mockRestore());
  return (count) =>
    vi.waitFor(() => expect(hold).toHaveBeenCalledTimes(count), { timeout: 30_000, interval: 1 });
}
