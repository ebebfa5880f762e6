/** Manages mirrors, the remote repositories that a Hive is pushed to, and pushes to them. */
import { failure, invalid, isSkepError } from "../../domain/errors.ts";
import {
  afterPush,
  goneBranches,
  statusOf,
  type Mirror,
  type MirrorState,
  type MirrorStatus,
  type PushableRefs,
  type PushOutcome,
} from "../../domain/hives/mirror.ts";
import { localPathOf, showMirrorUrl, type MirrorUrl } from "../../domain/hives/mirror-url.ts";
import type { HiveSlug } from "../../domain/names.ts";
import { leadsInto } from "../../store/settings/mirror-path.ts";
import { ownerOf, requireOwner } from "../owners.ts";
import type { Storage } from "../storage.ts";

/** A mirror as lists show it. */
export interface MirrorSummary {
  readonly slug: HiveSlug;
  /** Its address without the user; undefined when the Hive's mirrors cannot be read. */
  readonly url?: string;
  readonly status: MirrorStatus | "unreadable";
  readonly state?: MirrorState;
  /** Why the Hive or its mirrors cannot be read. */
  readonly problem?: string;
}

/** The result of a push. */
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

const insideStorage = "must not lead into the storage itself";

/**
 * Adds a mirror to a Hive; a running server soon pushes to it.
 * @param options `branches`: whether it gets all branches, and not main alone.
 * @throws SkepError `not-found` when no team has the Hive, `conflict` when it has the mirror already, `invalid` when the
 * mirror would be in the storage.
 */
export async function addMirror(
  storage: Storage,
  slug: HiveSlug,
  url: MirrorUrl,
  { branches = false }: { readonly branches?: boolean } = {},
): Promise<void> {
  if (await isInside(storage, url)) throw invalid("url", insideStorage);
  await change(storage, slug, (mirrors) => {
    if (mirrors.some((mirror) => mirror.url === url)) {
      throw failure("conflict", `The Hive ${slug} has that mirror already.`);
    }
    const added = new Date(storage.now()).toISOString();
    return [...mirrors, { url, added, branches: branches || undefined }];
  });
}

/**
 * Removes one or all mirrors of a Hive; the remote repositories stay as they are.
 * @param shown the address, with or without its user; all mirrors if undefined.
 * @returns how many were removed.
 * @throws SkepError `not-found` when no team has the Hive, or the Hive has no such mirror; `conflict` when the address
 * without a user matches several.
 */
export async function removeMirror(
  storage: Storage,
  slug: HiveSlug,
  shown: string | undefined,
): Promise<number> {
  let removed = 0;
  await change(storage, slug, (mirrors) => {
    const chosen = shown === undefined ? mirrors : choose(mirrors, shown);
    if (chosen.length === 0) throw failure("not-found", `The Hive ${slug} has no such mirror.`);
    removed = chosen.length;
    return mirrors.filter((mirror) => !chosen.includes(mirror));
  });
  return removed;
}

function choose(mirrors: readonly Mirror[], shown: string): readonly Mirror[] {
  const exact = mirrors.filter(({ url }) => url === shown);
  if (exact.length > 0) return exact;
  const alike = mirrors.filter(({ url }) => showMirrorUrl(url) === shown);
  if (alike.length > 1) {
    throw failure("conflict", "That fits several mirrors; give the address with its user, as it was added.");
  }
  return alike;
}

async function change(
  storage: Storage,
  slug: HiveSlug,
  to: (mirrors: readonly Mirror[]) => readonly Mirror[],
): Promise<void> {
  const { name } = await ownerOf(storage, slug);
  await storage.hives.lock(slug, async (lock) => {
    await requireOwner(storage, name, slug);
    await storage.mirrors.save(slug, to(storage.mirrors.list(slug)), lock);
  });
}

/** The Hives of all teams that have mirrors; mirrors of deleted Hives are ignored. */
export async function mirroredHives({ registry, mirrors }: Storage): Promise<readonly HiveSlug[]> {
  const slugs = await mirrors.slugs();
  if (slugs.length === 0) return [];
  const { teams } = await registry.readable();
  const listed = new Set(teams.flatMap(({ hives }) => hives));
  return slugs.filter((slug) => listed.has(slug));
}

/** All mirrors, by Hive and then in order of addition. Unreadable ones are listed with their problem. */
export async function listMirrors(storage: Storage): Promise<readonly MirrorSummary[]> {
  const slugs = await mirroredHives(storage);
  return (await Promise.all(slugs.map((slug) => summarise(storage, slug)))).flat();
}

async function summarise({ hives, mirrors }: Storage, slug: HiveSlug): Promise<readonly MirrorSummary[]> {
  try {
    const refs = await hives.pushableRefs(slug);
    return mirrors.states(slug).map((state) => ({
      slug,
      url: showMirrorUrl(state.mirror.url),
      status: statusOf(state, refs),
      state,
    }));
  } catch (error) {
    if (!isSkepError(error)) throw error;
    return [{ slug, status: "unreadable", problem: error.message }];
  }
}

/** The mirrors of one Hive, in order of addition. */
export function mirrorsOf(storage: Storage, slug: HiveSlug): Promise<readonly MirrorSummary[]> {
  return summarise(storage, slug);
}

/**
 * Pushes a Hive to its mirrors that are due, one after the other; each result is saved before the next push.
 * @throws SkepError `busy` when another process pushes the Hive, `not-found` or `content-invalid` when the Hive or its
 * mirrors cannot be read.
 */
export async function pushHive(
  storage: Storage,
  slug: HiveSlug,
  { isDue, signal, random = Math.random }: PushOptions,
): Promise<readonly MirrorReport[]> {
  const { hives, mirrors, now } = storage;
  return mirrors.lockPush(slug, async (lock) => {
    const reports: MirrorReport[] = [];
    for (const before of mirrors.states(slug)) {
      const refs = await hives.pushableRefs(slug);
      if (!isDue(before, refs)) continue;
      const outcome = await push(storage, slug, { before, refs, signal });
      if (outcome.kind === "stopped") break;
      const state = afterPush(before, refs, outcome, { now: now(), random: random() });
      await mirrors.saveState(slug, state, lock);
      reports.push({ slug, url: showMirrorUrl(before.mirror.url), status: statusOf(state, refs), state });
    }
    return reports;
  });
}

async function push(
  storage: Storage,
  slug: HiveSlug,
  {
    before,
    refs,
    signal,
  }: { readonly before: MirrorState; readonly refs: PushableRefs; readonly signal: AbortSignal },
): Promise<PushOutcome> {
  const { url, branches = false } = before.mirror;
  // The path may contain a new link since the mirror was added.
  if (await isInside(storage, url)) return { kind: "rejected", error: `the address ${insideStorage}` };
  const gitdir = storage.hives.folderOf(slug);
  const gone = goneBranches(before, refs);
  return storage.git.push({ gitdir, url, commit: refs.main, branches, gone, signal });
}

async function isInside(storage: Storage, url: MirrorUrl): Promise<boolean> {
  const path = localPathOf(url);
  return path !== undefined && leadsInto(path, storage.folder);
}

/**
 * Pushes a Hive to all its mirrors now, also to those that rejected the last push.
 * @throws SkepError `not-found` when no team has the Hive or it has no mirrors; `busy` when a push is under way.
 */
export async function pushNow(
  storage: Storage,
  slug: HiveSlug,
  signal: AbortSignal,
): Promise<readonly MirrorReport[]> {
  await ownerOf(storage, slug);
  if (storage.mirrors.list(slug).length === 0) {
    throw failure(
      "not-found",
      `The Hive ${slug} has no mirrors; add one with: skep mirror add ${slug} <url>`,
    );
  }
  return pushHive(storage, slug, { isDue: () => true, signal });
}
