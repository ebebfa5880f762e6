/** Changes lists that callers manage: authorised again under a lock, and recorded in the audit log. */
import type { AuditEvent, AuditFacts } from "../../domain/access/audit.ts";
import type { TeamName } from "../../domain/names.ts";
import type { HeldLock } from "../../disk/held-lock.ts";
import type { TeamGrant } from "../access.ts";
import { auditedBy } from "../access.ts";
import type { Storage } from "../storage.ts";

/** Who manages something of a team. */
export interface TeamOwner {
  readonly team: TeamName;
  /** Authorises the caller again under the team's lock. */
  readonly reauthorise: () => Promise<unknown>;
  /** The caller, for the audit log. */
  readonly by: Pick<AuditEvent, "by" | "client">;
}

/** @param reauthorise see {@link TeamOwner.reauthorise}. */
export function teamOwner(grant: TeamGrant, reauthorise: TeamOwner["reauthorise"]): TeamOwner {
  return { team: grant.team, reauthorise, by: auditedBy(grant) };
}

/** A list after a change. */
export interface ListChange<T, Result> {
  readonly after: readonly T[];
  readonly result: Result;
  /** The entry of the audit log; none if undefined. */
  readonly entry?: Pick<AuditEvent, "event"> & { readonly before?: AuditFacts; readonly after?: AuditFacts };
}

/** A list of each team. */
interface TeamLists<T> {
  read(team: TeamName): readonly T[];
  save(team: TeamName, items: readonly T[], lock: HeldLock): Promise<void>;
}

/** @throws SkepError as `reauthorise` and `change` do; `busy`; `too-many-attempts` for one that changes too much. */
export function changeTeamList<T, Result>(
  { audit, lockTeam }: Pick<Storage, "audit" | "lockTeam">,
  lists: TeamLists<T>,
  { team, reauthorise, by }: TeamOwner,
  change: (before: readonly T[]) => Promise<ListChange<T, Result>>,
): Promise<Result> {
  return lockTeam(team, async (lock: HeldLock) => {
    await reauthorise();
    const save = (after: readonly T[]): Promise<void> => lists.save(team, after, lock);
    return changeList(audit, { before: lists.read(team), save, who: { team, ...by } }, change);
  });
}

/** A list whose lock is held, and whose caller may change it. */
interface LockedList<T> {
  readonly before: readonly T[];
  readonly save: (after: readonly T[]) => Promise<void>;
  /** For the audit log. */
  readonly who: Pick<AuditEvent, "team" | "by" | "client">;
}

/** Changes a list, and records that. @throws SkepError as `change` does; `too-many-attempts` for one that changes too much. */
export async function changeList<T, Result>(
  audit: Storage["audit"],
  { before, save, who }: LockedList<T>,
  change: (before: readonly T[]) => ListChange<T, Result> | Promise<ListChange<T, Result>>,
): Promise<Result> {
  const { after, result, entry } = await change(before);
  if (entry === undefined) await save(after);
  else await audit.recordChange({ ...who, ...entry }, () => save(after));
  return result;
}
