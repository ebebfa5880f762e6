/** Who asks for a change: a command, or a caller with a token. */
import type { Origin } from "../domain/commits/commit-message.ts";
import type { TeamName } from "../domain/names.ts";
import { reauthoriseHive, reauthoriseTeam, type HiveGrant, type TeamGrant } from "./access.ts";
import type { Storage } from "./storage.ts";

/** What a caller says about the commit that their request makes. */
export interface CallerWords {
  readonly message?: string;
  readonly ref?: string;
}

/** Who asks for a change. */
export interface Requester extends Origin {
  /** Of a command there is nothing to check. */
  readonly caller?: {
    readonly team: TeamName;
    /** Asked under the locks: whether the caller may still do what they were let in for. */
    readonly confirm: () => Promise<unknown>;
  };
}

/** A caller who asks for a change of a Hive. */
export function hiveRequester(storage: Storage, hive: HiveGrant, words: CallerWords): Requester {
  const { author, token, team } = hive;
  return { author, token, ...words, caller: { team, confirm: () => reauthoriseHive(storage, hive) } };
}

/** A caller who asks for a change of their team. */
export function teamRequester(storage: Storage, reached: TeamGrant, words: CallerWords): Requester {
  const { author, token, team } = reached;
  return { author, token, ...words, caller: { team, confirm: () => reauthoriseTeam(storage, reached) } };
}
