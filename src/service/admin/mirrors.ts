/** Manages mirrors, the remote repositories that a Hive is pushed to, and pushes to them. */
import { hash } from "node:crypto";
import type { AuditFacts } from "../../domain/access/audit.ts";
import { failure, invalid, isSkepError } from "../../domain/errors.ts";
import {
  afterPush,
  goneBranches,
  statusOf,
  type Mirror,
  type MirrorOptions,
  type MirrorState,
  type MirrorStatus,
  type PushableRefs,
  type PushOutcome,
} from "../../domain/hives/mirror.ts";
import { localPathOf, showMirrorUrl, type MirrorUrl } from "../../domain/hives/mirror-url.ts";
import type { HiveSlug, TeamName } from "../../domain/names.ts";
import { checkRoom } from "../../domain/plans/quota.ts";
import { leadsInto } from "../../store/settings/mirror-path.ts";
import { auditedBy, authorizeHive, reauthoriseTeam, type TeamGrant, requireTeamOfHive } from "../access.ts";
import type { DeliveryStorage, StorageBase } from "../storage.ts";
import { changeList, type ListChange } from "./managed-list.ts";

/** Who manages mirrors: a caller, or a command on the server's machine. */
export type MirrorManager = TeamGrant | { readonly command: string };

export interface MirrorSummary {
  readonly slug: HiveSlug;
  /** See {@link mirrorId}; undefined when the Hive's mirrors cannot be read. */
  readonly id?: string;
  /** Its address without the user; undefined when the Hive's mirrors cannot be read. */
  readonly url?: string;
  readonly status: MirrorStatus | "unreadable";
  readonly state?: MirrorState;
  /** Why the Hive or its mirrors cannot be read. */
  readonly problem?: string;
}

export interface MirrorReport {
  readonly slug: HiveSlug;
  /** The address without the user. */
  readonly url: string;
  readonly status: MirrorStatus;
  readonly state: MirrorState;
}

export interface PushOptions {
  /** Called with the push lock held, when no other process can push. */
  readonly isDue: (state: MirrorState, refs: PushableRefs) => boolean;
  /** Stops a running push, whose result is then not saved. */
  readonly signal: AbortSignal;
  /** A random number from 0 to 1, which spreads the retries. */
  readonly random?: () => number;
}

/** How many mirrors callers may add to a Hive. */
const maxMirrors = 20;
const insideStorage = "must not lead into the storage itself";

function isOwner(by: MirrorManager): boolean {
  return by.command !== undefined;
}

/** Names a mirror of any Hive, without its address. */
export function mirrorId(slug: HiveSlug, { url, added }: Mirror): string {
  return hash("sha256", [slug, url, added].join("\0")).slice(0, 12);
}

/**
 * Adds a mirror to a Hive; a running server soon pushes to it.
 * @throws SkepError `not-found` when no team has the Hive, `conflict` when it has the mirror already, `invalid` when the
 * mirror would be in the storage, `quota` when a caller adds too many; what reauthorising the caller throws.
 */
export async function addMirror(
  storage: DeliveryStorage,
  slug: HiveSlug,
  url: MirrorUrl,
  { branches = false }: MirrorOptions = {},
  by: MirrorManager = { command: "mirror add" },
): Promise<Mirror> {
  if (await isInside(storage, url)) throw invalid("url", insideStorage);
  const added = new Date(storage.now()).toISOString();
  const mirror: Mirror = { url, added, branches: branches || undefined };
  return change(storage, slug, by, (mirrors) => {
    checkIsNew(slug, mirrors, url);
    if (!isOwner(by)) checkRoom(`The Hive ${slug}`, "mirror", mirrors.length, maxMirrors);
    const entry = { event: "mirror_added", after: factsOf(slug, mirror) } as const;
    return { after: [...mirrors, mirror], result: mirror, entry };
  });
}

function checkIsNew(slug: HiveSlug, mirrors: readonly Mirror[], url: MirrorUrl): void {
  if (mirrors.some((mirror) => mirror.url === url))
    throw failure("conflict", `The Hive ${slug} has that mirror already.`);
}

/**
 * Changes a mirror. With another address it is another mirror, to which everything is pushed.
 * @param url another address; the same when undefined.
 * @throws SkepError as {@link addMirror}; `not-found` when it is gone.
 */
export async function changeMirror(
  storage: DeliveryStorage,
  slug: HiveSlug,
  id: string,
  { url, branches }: MirrorOptions & { readonly url?: MirrorUrl },
  by: MirrorManager,
): Promise<Mirror> {
  if (url !== undefined && (await isInside(storage, url))) throw invalid("url", insideStorage);
  return change(storage, slug, by, (mirrors) => {
    const before = mirrors.find((mirror) => mirrorId(slug, mirror) === id);
    if (before === undefined) throw noMirror(slug);
    const others = mirrors.filter((mirror) => mirror !== before);
    const gets = (branches ?? before.branches === true) ? true : undefined;
    const added = new Date(storage.now()).toISOString();
    const result: Mirror =
      url === undefined || url === before.url
        ? { ...before, branches: gets }
        : { url, added, branches: gets };
    checkIsNew(slug, others, result.url);
    const after = mirrors.map((mirror) => (mirror === before ? result : mirror));
    const [from, to] = [factsOf(slug, before), factsOf(slug, result)];
    return { after, result, entry: { event: "mirror_changed", before: from, after: to } };
  });
}

function noMirror(slug: HiveSlug): Error {
  return failure("not-found", `The Hive ${slug} has no such mirror.`);
}

function factsOf(hive: HiveSlug, { url, branches }: Mirror): AuditFacts {
  return { hive, url: showMirrorUrl(url), branches: branches ?? false };
}

/**
 * Removes one or all mirrors of a Hive; the remote repositories stay as they are.
 * @param shown the id, or the address with or without its user; all mirrors if undefined.
 * @returns how many were removed.
 * @throws SkepError `not-found` when no team has the Hive, or the Hive has no such mirror; `conflict` when the address
 * without a user matches several.
 */
export async function removeMirror(
  storage: DeliveryStorage,
  slug: HiveSlug,
  shown: string | undefined,
  by: MirrorManager = { command: "mirror remove" },
): Promise<number> {
  return change(storage, slug, by, (mirrors) => {
    const chosen = shown === undefined ? mirrors : choose(slug, mirrors, shown);
    if (chosen.length === 0) throw noMirror(slug);
    const after = mirrors.filter((mirror) => !chosen.includes(mirror));
    const url = chosen.map((mirror) => showMirrorUrl(mirror.url)).join(" ");
    const entry = { event: "mirror_removed", before: { hive: slug, url } } as const;
    return { after, result: chosen.length, entry };
  });
}

function choose(slug: HiveSlug, mirrors: readonly Mirror[], shown: string): readonly Mirror[] {
  const exact = mirrors.filter((mirror) => mirror.url === shown || mirrorId(slug, mirror) === shown);
  if (exact.length > 0) return exact;
  const alike = mirrors.filter(({ url }) => showMirrorUrl(url) === shown);
  if (alike.length > 1) {
    throw failure("conflict", "That fits several mirrors; give the address with its user, as it was added.");
  }
  return alike;
}

/** Changes the mirrors of a Hive under its lock, where {@link changeList} records that. */
async function change<Result>(
  storage: DeliveryStorage,
  slug: HiveSlug,
  by: MirrorManager,
  to: (mirrors: readonly Mirror[]) => ListChange<Mirror, Result>,
): Promise<Result> {
  const { mirrors, audit } = storage;
  const { name: team } = await storage.registry.teamOfHive(slug);
  return storage.hives.lock(slug, async (lock) => {
    await requireTeamOfHive(storage, team, slug);
    if ("ability" in by) authorizeHive(await reauthoriseTeam(storage, by), slug, "admin");
    const who = "ability" in by ? auditedBy(by) : { team, by };
    const save = (after: readonly Mirror[]): Promise<void> => mirrors.save(slug, after, lock);
    return changeList(audit, { before: mirrors.lists.read(slug), save, who }, to);
  });
}

/** The Hives of all teams that have mirrors; mirrors of deleted Hives are ignored. */
export async function mirroredHives({ registry, mirrors }: DeliveryStorage): Promise<readonly HiveSlug[]> {
  const slugs = await mirrors.lists.names();
  if (slugs.length === 0) return [];
  const { teams } = await registry.readable();
  const listed = new Set(teams.flatMap(({ hives }) => hives));
  return slugs.filter((slug) => listed.has(slug));
}

/** All mirrors, by Hive and then in order of addition. Unreadable ones are listed with their problem. */
export async function listMirrors(storage: DeliveryStorage): Promise<readonly MirrorSummary[]> {
  const slugs = await mirroredHives(storage);
  return (await Promise.all(slugs.map((slug) => mirrorsOf(storage, slug)))).flat();
}

/** The team whose Hive has a mirror. @throws SkepError `not-found` when none has one of that id. */
export async function teamOfMirror(storage: DeliveryStorage, id: string): Promise<TeamName> {
  for (const slug of await mirroredHives(storage)) {
    const isThere = (await mirrorsOf(storage, slug)).some((mirror) => mirror.id === id);
    if (isThere) return (await storage.registry.teamOfHive(slug)).name;
  }
  throw failure("not-found", "There is no such mirror; it may have been removed.");
}

/** The mirrors of one Hive, in order of addition. */
export async function mirrorsOf(
  { hives, mirrors }: DeliveryStorage,
  slug: HiveSlug,
): Promise<readonly MirrorSummary[]> {
  try {
    const refs = await hives.pushableRefs(slug);
    return mirrors.states(slug).map((state) => ({
      slug,
      id: mirrorId(slug, state.mirror),
      url: showMirrorUrl(state.mirror.url),
      status: statusOf(state, refs),
      state,
    }));
  } catch (error) {
    if (!isSkepError(error)) throw error;
    return [{ slug, status: "unreadable", problem: error.message }];
  }
}

/**
 * Pushes a Hive to its mirrors that are due, one after the other; each result is saved before the next push.
 * @throws SkepError `busy` when another process pushes the Hive, `not-found` or `content-invalid` when the Hive or its
 * mirrors cannot be read.
 */
export async function pushHive(
  storage: DeliveryStorage,
  slug: HiveSlug,
  { isDue, signal, random = Math.random }: PushOptions,
): Promise<readonly MirrorReport[]> {
  const { hives, mirrors, now } = storage;
  return mirrors.lockPush(slug, async (lock) => {
    const reports: MirrorReport[] = [];
    for (const before of mirrors.states(slug)) {
      const refs = await hives.pushableRefs(slug);
      if (!isDue(before, refs)) continue;
      const outcome = await push(storage, slug, before, refs, signal);
      if (outcome.kind === "stopped") break;
      const state = afterPush(before, refs, outcome, { now: now(), random: random() });
      await mirrors.saveState(slug, state, lock);
      reports.push({ slug, url: showMirrorUrl(before.mirror.url), status: statusOf(state, refs), state });
    }
    return reports;
  });
}

async function push(
  storage: StorageBase,
  slug: HiveSlug,
  before: MirrorState,
  refs: PushableRefs,
  signal: AbortSignal,
): Promise<PushOutcome> {
  const { url, branches = false } = before.mirror;
  // The path may contain a new link since the mirror was added.
  if (await isInside(storage, url)) return { kind: "rejected", error: `the address ${insideStorage}` };
  const gitdir = storage.hives.folderOf(slug);
  const gone = goneBranches(before, refs);
  return storage.git.push({ gitdir, url, commit: refs.main, branches, gone, signal });
}

async function isInside(storage: StorageBase, url: MirrorUrl): Promise<boolean> {
  const path = localPathOf(url);
  return path !== undefined && leadsInto(path, storage.folder);
}

/**
 * Pushes a Hive to all its mirrors now, also to those that rejected the last push.
 * @throws SkepError `not-found` when no team has the Hive or it has no mirrors; `busy` when a push is under way.
 */
export async function pushNow(
  storage: DeliveryStorage,
  slug: HiveSlug,
  signal: AbortSignal,
): Promise<readonly MirrorReport[]> {
  await storage.registry.teamOfHive(slug);
  if (storage.mirrors.lists.read(slug).length === 0) {
    throw failure(
      "not-found",
      `The Hive ${slug} has no mirrors; add one with: skep mirror create ${slug} <url>`,
    );
  }
  return pushHive(storage, slug, { isDue: () => true, signal });
}
