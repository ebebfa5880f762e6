/** The mirrors of a team as its administrators manage them, and the owner of the storage. */
import { withTimeout } from "../../deadline.ts";
import { failure, invalid, isFailure } from "../../domain/errors.ts";
import { isBelow, toMirrorUrl, type MirrorUrl } from "../../domain/hives/mirror-url.ts";
import type { MirrorOptions, MirrorState } from "../../domain/hives/mirror.ts";
import type { TeamName } from "../../domain/names.ts";
import type { CountLimits } from "../../domain/plans/quota.ts";
import { reachedOf } from "../../domain/access/token.ts";
import type { Caller, TeamGrant } from "../access.ts";
import type { DeliveryStorage, StorageBase } from "../storage.ts";
import {
  addMirror,
  changeMirror,
  mirroredHives,
  mirrorId,
  mirrorsOf,
  pushHive,
  removeMirror,
  type MirrorSummary,
} from "./mirrors.ts";

export interface MirrorAdmin {
  readonly caller: Caller;
  readonly grant: TeamGrant;
}

/** For how long a request waits for a push; the server goes on with it later. */
const maxPushMs = 15_000;

/** The mirrors of the Hives that a caller reaches, by Hive and then in order of addition. */
export async function teamMirrors(
  storage: DeliveryStorage,
  { principal, team }: Caller,
): Promise<readonly MirrorSummary[]> {
  const reached = new Set(reachedOf(principal, team.hives));
  const slugs = (await mirroredHives(storage)).filter((slug) => reached.has(slug));
  return (await Promise.all(slugs.map((slug) => mirrorsOf(storage, slug)))).flat();
}

/** A mirror of the team by its id. @throws SkepError `not-found` when the caller reaches none. */
export async function findTeamMirror(
  storage: DeliveryStorage,
  caller: Caller,
  id: string,
): Promise<MirrorSummary> {
  const found = (await teamMirrors(storage, caller)).find((mirror) => mirror.id === id);
  if (found === undefined) throw failure("not-found", "There is no such mirror; it may have been removed.");
  return found;
}

/**
 * Adds a mirror to a Hive.
 * @param url as the caller gave it.
 * @throws SkepError `invalid` on `url` for an address that `--mirror-allow` does not allow, or on `hive`; as {@link addMirror}.
 */
export async function addTeamMirror(
  storage: DeliveryStorage,
  { caller, grant }: MirrorAdmin,
  { hive, url, ...options }: MirrorOptions & { readonly hive: string; readonly url: string },
): Promise<MirrorSummary> {
  const slug = reachedOf(caller.principal, caller.team.hives).find((other) => other === hive);
  if (slug === undefined) throw invalid("hive", "must be a Hive of the team");
  const mirror = await addMirror(storage, slug, allowedUrl(storage, grant, url), options, grant);
  return findTeamMirror(storage, caller, mirrorId(slug, mirror));
}

/**
 * Changes the address of a mirror, or what it gets.
 * @param url another address. The one that is shown, which lacks the user, is no other.
 * @throws SkepError `not-found` when the caller reaches no such mirror; as {@link addTeamMirror}.
 */
export async function changeTeamMirror(
  storage: DeliveryStorage,
  { caller, grant }: MirrorAdmin,
  id: string,
  { url, branches }: MirrorOptions & { readonly url?: string },
): Promise<MirrorSummary> {
  const before = await findTeamMirror(storage, caller, id);
  const isOther = url !== undefined && url !== before.url;
  const changes = { url: isOther ? allowedUrl(storage, grant, url) : undefined, branches };
  const mirror = await changeMirror(storage, before.slug, id, changes, grant);
  return findTeamMirror(storage, caller, mirrorId(before.slug, mirror));
}

/** Removes a mirror; the remote repository stays as it is. @throws SkepError `not-found`. */
export async function removeTeamMirror(
  storage: DeliveryStorage,
  { caller, grant }: MirrorAdmin,
  id: string,
): Promise<MirrorSummary> {
  const before = await findTeamMirror(storage, caller, id);
  await removeMirror(storage, before.slug, id, grant);
  return before;
}

/**
 * Pushes to a mirror now, also if it rejected the last push. A push that takes longer than a request waits, and one that is
 * under way, is left to the server.
 * @returns the mirror as it is then. @throws SkepError `not-found` when the caller reaches no such mirror.
 */
export async function pushTeamMirror(
  storage: DeliveryStorage,
  { caller, grant }: MirrorAdmin,
  id: string,
  signal: AbortSignal,
): Promise<MirrorSummary> {
  const { slug } = await findTeamMirror(storage, caller, id);
  const isIt = ({ mirror }: MirrorState): boolean => mirrorId(slug, mirror) === id;
  try {
    await storage.mirrors.lockPush(slug, async (lock) => {
      const state = storage.mirrors.states(slug).find(isIt);
      if (state !== undefined) await storage.mirrors.saveState(slug, { ...state, failure: undefined }, lock);
    });
    // A command waits for its push, since no server may be there to go on with it.
    const patience = grant.command === undefined ? withTimeout(signal, maxPushMs) : signal;
    await pushHive(storage, slug, { isDue: isIt, signal: patience });
  } catch (error) {
    if (!isFailure(error, "busy")) throw error;
  }
  return findTeamMirror(storage, caller, id);
}

/**
 * git pushes with the credentials of the server's user, so that callers may name only what the operator allows. The owner of
 * the storage may name any address.
 * @throws SkepError `invalid` on `url`.
 */
function allowedUrl({ limits }: StorageBase, { team, command }: TeamGrant, text: string): MirrorUrl {
  const url = toMirrorUrl(text);
  if (command !== undefined) return url;
  const folders = mirrorFolders(limits, team);
  if (folders.some((folder) => isBelow(url, folder))) return url;
  const none = "is refused: the operator of this server allows no addresses (--mirror-allow)";
  throw invalid("url", folders.length === 0 ? none : `must be below ${folders.join(" or ")}`);
}

/** Where the mirrors of a team may be that are added over HTTP. */
export function mirrorFolders(
  { mirrorAllow }: Pick<CountLimits, "mirrorAllow">,
  team: TeamName,
): readonly string[] {
  return mirrorAllow.map((folder) => folder.replaceAll("{team}", team));
}
