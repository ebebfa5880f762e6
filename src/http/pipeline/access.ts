/**
 * The one way from a request to a Hive or a team: the token, its ability and its reach, the age of a copy, the branch.
 * The REST interface, git and the console come in here, and each only says how it answers.
 */
import type { H3Event } from "h3";
import type { Ability } from "../../domain/access/token.ts";
import {
  isBranchName,
  isMain,
  mainBranch,
  unknownBranch,
  type HiveBranch,
} from "../../domain/commits/branch-name.ts";
import { invalid, isFailure } from "../../domain/errors.ts";
import { isOid, type HiveSlug, type Oid } from "../../domain/names.ts";
import {
  authenticate,
  authorizeHive,
  authorizeTeam,
  requireAbility,
  type Caller,
  type HiveGrant,
  type TeamGrant,
} from "../../service/access.ts";
import { clientOf } from "../requests/client-address.ts";
import { addToTrace } from "../requests/trace.ts";
import type { Shared } from "./shared.ts";

type AccessShared = Pick<Shared, "options" | "commitWaits">;

/** The token that a request presents, or the caller it was authenticated as already. */
export type Credential = string | undefined | Caller;

/** The caller of a request, and the version of the settings before their token was read. */
export interface CallerAccess {
  readonly caller: Caller;
  readonly settings: string | undefined;
}

export interface HiveAccess extends CallerAccess {
  readonly hive: HiveGrant;
  /** The Hive at the branch that the request is about. */
  readonly branch: HiveBranch;
}

/** The part of a Hive that a request is about, as it names it. */
interface RequestedHive {
  readonly slug: string;
  readonly ability: Ability;
  /** The branch as given; undefined means main. */
  readonly branch?: unknown;
  /** The commit as given that a read must have at least. */
  readonly minCommit?: unknown;
  /** Whether the branch may have been deleted, as that of a request which was done before. */
  readonly mayBeDeleted?: boolean;
}

/** The token in a Bearer `Authorization` header. */
export function bearerToken(authorization: string | null): string | undefined {
  return /^Bearer +([^ ]+) *$/i.exec(authorization ?? "")?.[1];
}

/**
 * The token of a git client, which only supports Basic: the token is the password, and the user name is ignored. As on
 * other git hosts, the token may also be the user name, if the password is empty or `x-oauth-basic`. Bearer works, too.
 */
export function gitToken(authorization: string | null): string | undefined {
  const [, basic] = /^Basic +([A-Za-z0-9+/]+=*) *$/i.exec(authorization ?? "") ?? [];
  if (basic === undefined) return bearerToken(authorization);
  const [, user, password] = /^([^:]*):(.*)$/s.exec(Buffer.from(basic, "base64").toString("latin1")) ?? [];
  return password === "" || password === "x-oauth-basic" ? user : password;
}

/**
 * Gives a request access to a Hive.
 * @throws SkepError in this order: `unauthenticated` without a valid token; `forbidden` when it lacks the ability;
 * `not-found` for reading, and `forbidden` for anything else, when the Hive is out of its reach; `busy` when the commit
 * that it must have does not come; `invalid` or `not-found` for the branch.
 */
export async function accessHive(
  { req }: H3Event,
  { options: { storage }, commitWaits }: AccessShared,
  credential: Credential,
  { slug, ability, branch: named, minCommit, mayBeDeleted = false }: RequestedHive,
): Promise<HiveAccess> {
  const access = await authorize(req, storage, credential, ability);
  const hive = authorizeHive(access.caller, slug, ability);
  addToTrace(req, { hive: hive.slug });
  const branch = toHiveBranch(hive.slug, named);
  if (minCommit !== undefined) await commitWaits.wait(hive.team, branch, toMinCommit(minCommit), req.signal);
  if (!isMain(branch)) {
    // Checked before anything is read of the body.
    if (!mayBeDeleted) storage.hives.at(branch).head();
    addToTrace(req, { branch: branch.branch });
  }
  return { ...access, hive, branch };
}

/**
 * Gives a request access to the caller's team.
 * @param requiresAllHives whether the token must reach all Hives of the team.
 * @throws SkepError `unauthenticated`; `forbidden`.
 */
export async function accessTeam(
  { req, runtime }: H3Event,
  { options: { storage, trustProxy } }: Pick<Shared, "options">,
  credential: Credential,
  ability: Ability,
  requiresAllHives = false,
): Promise<CallerAccess & { readonly grant: TeamGrant }> {
  const { settings, caller } = await authorize(req, storage, credential, ability);
  const client = clientOf(runtime?.node?.req, trustProxy);
  const grant = authorizeTeam({ ...caller, client }, ability, requiresAllHives);
  return { settings, caller, grant };
}

async function authorize(
  req: H3Event["req"],
  storage: Shared["options"]["storage"],
  credential: Credential,
  ability: Ability,
): Promise<CallerAccess> {
  // Read before the token: a cached response may be kept under an older version than it was made from, never a newer.
  const settings = storage.registry.version.recent();
  const caller = typeof credential === "object" ? credential : await authenticate(storage, credential);
  const { token, person } = caller.principal;
  addToTrace(req, { token, person });
  requireAbility(caller, ability);
  return { caller, settings };
}

/** @throws SkepError `invalid` on `branch` when it is not one text; `not-found` when no branch can have that name. */
function toHiveBranch(slug: HiveSlug, branch: unknown): HiveBranch {
  if (branch === undefined || branch === mainBranch) return slug;
  if (typeof branch !== "string" || branch === "") {
    throw invalid("branch", "must be the name of a branch, and given once");
  }
  if (!isBranchName(branch)) throw unknownBranch(branch);
  return { slug, branch };
}

function toMinCommit(given: unknown): Oid {
  if (typeof given === "string" && isOid(given)) return given;
  throw invalid("min_commit", "must be the full name of a commit, and given once");
}

/**
 * Runs a write that names a branch. That the branch is unknown is a fault of its input: the Hive is there, and a client
 * must not take it for missing.
 */
export async function refusingUnknownBranch<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (cause) {
    if (!isFailure(cause, "not-found") || cause.publicCode !== "unknown_branch") throw cause;
    throw invalid("branch", cause.message, { cause, publicCode: "unknown_branch" });
  }
}
