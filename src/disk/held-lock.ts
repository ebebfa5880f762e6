/** A lock that is held while a function runs. */
export interface HeldLock {
  /** @throws SkepError `lock-lost` when another process may have the lock by now. */
  assertHeld(): Promise<void>;
}

/** Combines several locks into one that is held while all of them are. */
export function combineLocks(...locks: readonly HeldLock[]): HeldLock {
  return {
    assertHeld: async () => {
      for (const lock of locks) await lock.assertHeld();
    },
  };
}
