/**
 * The settings that a lock's holder reads, besides those that every holder reads: their paths in the storage. A change of
 * others does not concern it.
 */
export type LockScope = readonly string[];

/** A lock that is held while a function runs. */
export interface HeldLock {
  /** Undefined where its holder may read all settings. */
  readonly scope?: LockScope | undefined;
  /** @throws SkepError `lock-lost` when another process may have the lock by now. */
  assertHeld(): Promise<void>;
  /**
   * Runs what changes the lock's version (see `LockOptions`) because its holder itself has changed what that stands for: a lock
   * that belonged to the version before belongs to the one after it.
   */
  advance(change: () => void): void;
  /** Marks the lock as lost: what its holder has read is out of date, as the holder was told elsewhere. */
  lose(): void;
}

/** Combines several locks, the outermost first, into one that is held while all of them are. */
export function combineLocks(...locks: readonly HeldLock[]): HeldLock {
  const scopes = locks.map(({ scope }) => scope);
  return {
    scope: scopes.every((scope) => scope !== undefined) ? scopes.flat() : undefined,
    assertHeld: async () => {
      for (const lock of locks) await lock.assertHeld();
    },
    advance: (change) => {
      let all = change;
      for (const lock of locks) {
        const inner = all;
        all = () => lock.advance(inner);
      }
      all();
    },
    // What was read under the outermost lock is read again with it.
    lose: () => locks[0]?.lose(),
  };
}
