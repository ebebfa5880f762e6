/** Storages for one request: what it writes keeps to what its caller wants. */
import type { Guards } from "../../store/hives/guards.ts";
import type { HeldLock } from "../../disk/locks/lock-file.ts";
import type { Storage } from "../storage.ts";

/** The same storage, in which changes of Hives keep to some guards. */
export function guarded(storage: Storage, guards: Guards): Storage {
  return { ...storage, hives: storage.hives.guarded(guards) };
}

const noLock: HeldLock = { assertHeld: () => Promise.resolve() };

/** The same storage, in which changes of Hives are only planned, at HEAD as it is: that takes no locks. */
export function previewed(storage: Storage): Storage {
  return { ...guarded(storage, { isPreview: true }), lockTeam: (_, run) => run(noLock) };
}
