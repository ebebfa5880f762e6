/** Adds, lists, removes and authenticates followers: servers that copy this storage. */
import { timingSafeEqual } from "node:crypto";
import { nameInSecret, toSecret, type FollowerEntry } from "../../domain/replication/follower.ts";
import { failure } from "../../domain/errors.ts";
import type { FollowerName } from "../../domain/names.ts";
import { hashToken } from "../access.ts";
import { randomSecret } from "../admin/tokens.ts";
import type { Storage } from "../storage.ts";

/**
 * Lets a server copy the storage.
 * @param mayTakeOver whether it may also say that another server took over from this one.
 * @returns its secret, of which only a hash is stored.
 * @throws SkepError `conflict` when the name is taken; `busy` (`read_only`) when this is itself a copy.
 */
export async function addFollower(
  storage: Storage,
  name: FollowerName,
  mayTakeOver = false,
): Promise<string> {
  const { followers, replication, now } = storage;
  replication.assertWritable();
  await replication.readOrCreate();
  if ((await followers.read(name)) !== undefined) {
    throw failure("conflict", `There is a follower "${name}" already; for a new secret, remove it first.`);
  }
  const secret = toSecret(name, randomSecret());
  const created = new Date(now()).toISOString();
  await followers.save({ name, hash: hashToken(secret), created, mayTakeOver });
  return secret;
}

/** The servers that may copy the storage, by name. */
export function listFollowers({ followers }: Storage): Promise<readonly FollowerEntry[]> {
  return followers.list();
}

/** Refuses a follower from its next request on. @throws SkepError `not-found` when there is none of that name. */
export async function removeFollower({ followers }: Storage, name: FollowerName): Promise<void> {
  if ((await followers.read(name)) === undefined) {
    throw failure("not-found", `There is no follower "${name}".`);
  }
  await followers.remove(name);
}

/**
 * Finds out which follower sent a request.
 * @param authorization the header: the secret as a bearer token.
 * @throws SkepError `unauthenticated` without the secret of a follower.
 */
export async function authenticateFollower(
  { followers }: Storage,
  authorization: string | null,
): Promise<FollowerEntry> {
  const [, secret = ""] = /^Bearer +([^ ]+) *$/i.exec(authorization ?? "") ?? [];
  const name = nameInSecret(secret);
  const entry = name === undefined ? undefined : await followers.read(name);
  if (entry === undefined || !timingSafeEqual(Buffer.from(hashToken(secret)), Buffer.from(entry.hash))) {
    throw failure("unauthenticated", "Unauthenticated.");
  }
  return entry;
}
