/** A lock that is held while a function runs. */
export interface HeldLock {
  /** @throws SkepError `lock-lost` when another process may have the lock by now. */
  assertHeld(): Promise<void>;
  /**
   * Tells the lock that its holder itself has changed what the lock's version stands for (see `LockOptions`): the lock
   * belongs to version `to` if it belonged to `from`, and is lost otherwise.
   */
  advance(from: string, to: string): void;
}

/** Combines several locks, the outermost first, into one that is held while all of them are. */
export function combineLocks(...locks: readonly HeldLock[]): HeldLock {
  return {
    assertHeld: async () => {
      for (const lock of locks) await lock.assertHeld();
    },
    advance: (from, to) => {
      for (const lock of locks) lock.advance(from, to);
    },
  };
}
