/**
 * Translation memory. It is made from the texts of Hives at HEAD and in their recent histories, so that nobody has to fill
 * or clean it. It reads the Hives that the caller may read at that moment.
 */
import { allows, reachedOf } from "../../domain/access/token.ts";
import { slugOf, type HiveBranch } from "../../domain/commits/branch-name.ts";
import { groupBy } from "../../domain/group-by.ts";
import { unlessFailed } from "../../domain/errors.ts";
import { targetLocale } from "../../domain/hives/hive-settings.ts";
import type { LocaleCode } from "../../domain/hives/locale.ts";
import {
  bestHits,
  formerCandidates,
  similarTexts,
  translationsInto,
  type FormerCandidate,
  type IndexedFile,
  type IndexedHistory,
  type MemoryHit,
} from "../../domain/memory/memory.ts";
import { toTextQuery } from "../../domain/memory/text-index.ts";
import type { HiveSlug } from "../../domain/names.ts";
import type { ContentWithMarkers } from "../../domain/strings/stale.ts";
import { noTexts, translatableTexts } from "../../domain/strings/string-file.ts";
import type { Snapshot } from "../../store/content/snapshot.ts";
import { currentPrincipal, type HiveGrant } from "../access.ts";
import { readableHead } from "../heads.ts";
import { atHead, type Versioned } from "../content/queries.ts";
import type { ContentStorage, StorageBase } from "../storage.ts";
import { versionOf } from "../content/branches.ts";

export type { MemoryHit };

/** In how many other Hives' histories the memory looks. */
const maxHistories = 20;
/** For how many former texts of a lookup translations are read. */
const maxFormer = 20;

export interface MemoryScope {
  readonly hive: HiveGrant;
  /** The branch at which the Hive is read; other Hives are read at main. */
  readonly branch: HiveBranch;
  /** The code of a target locale, as the caller gave it. */
  readonly locale: string;
  readonly signal?: AbortSignal;
}

/** The memory of one locale, for any number of lookups at one moment. */
export interface Memory extends Pick<Versioned<unknown>, "version" | "commit" | "heads"> {
  /** The translations of texts that are equal or similar to a text, best first: see {@link bestHits}. */
  readonly find: (text: string, limit: number) => Promise<readonly MemoryHit[]>;
}

/**
 * Opens the memory of a locale: of the Hive, and of each other Hive that the caller may read and that has the same
 * source and target locale. Another Hive that cannot be read is left out.
 * @throws SkepError `invalid` on `locale`; `content-invalid` when the Hive itself cannot be read.
 */
export async function openMemory(
  storage: ContentStorage,
  { hive, branch, locale: text, signal }: MemoryScope,
): Promise<Memory> {
  const own = await storage.hives.at(branch).snapshot();
  const { code } = targetLocale(own.settings, text, slugOf(branch));
  const snapshots = new Map([[hive.slug, own]]);
  const { commit, heads = [] } = atHead(branch, own);
  const read = [...heads];
  for (const slug of await readableHives(storage, hive)) {
    if (slug === hive.slug) continue;
    signal?.throwIfAborted();
    const head = readableHead(storage, slug);
    if (head === undefined) continue;
    read.push({ branch: slug, head });
    const other = await snapshotWith(storage, slug, own, code);
    if (other !== undefined) snapshots.set(slug, other);
  }
  const find = async (wanted: string, limit: number): Promise<readonly MemoryHit[]> => {
    const files = await indexed(storage, { own: hive.slug, snapshots, code, signal });
    const similar = await similarTexts(files, toTextQuery(wanted), signal);
    let best: readonly MemoryHit[] = [];
    let former = 0;
    // Best ranks first, and no more than are needed: reading translations from all over a locale takes longest.
    for (const equal of similar) {
      if (best.length === limit) break;
      const hits = [...best];
      for (const [slug, candidates] of groupBy(equal, (candidate) => candidate.hive)) {
        const snapshot = snapshots.get(slug);
        if (snapshot === undefined) continue;
        const marked = await readAs(slug === hive.slug, markedContent(snapshot, code));
        if (marked === undefined) continue;
        hits.push(...(await translationsInto(code, marked, candidates, signal)));
      }
      const earlier = formerCandidates(equal).slice(0, maxFormer - former);
      former += earlier.length;
      for (const candidate of earlier) {
        const hit = await formerHit(storage, candidate, code);
        if (hit !== undefined) hits.push(hit);
      }
      best = bestHits(hits, hive.slug, limit);
    }
    return best;
  };
  const basis = [code, ...read.map(({ branch: at, head }) => [at, head])];
  return { version: versionOf(basis), commit, heads: read, find };
}

/** @returns what is read; undefined where another Hive than the caller's cannot be read: it must not hold up this one. */
function readAs<T>(isOwn: boolean, read: Promise<T>): Promise<T | undefined> {
  return isOwn ? read : unlessFailed(read, "any", () => undefined);
}

async function markedContent(snapshot: Snapshot, code: LocaleCode): Promise<ContentWithMarkers> {
  const [content, markers, reviews] = await Promise.all([
    snapshot.content([code]),
    snapshot.values.stale.read([code]),
    snapshot.values.review.read([code]),
  ]);
  return { content, markers, reviews };
}

/** The Hives that a caller may read now, which may be fewer than when they were authorised. */
async function readableHives(storage: StorageBase, grant: HiveGrant): Promise<readonly HiveSlug[]> {
  const principal = await currentPrincipal(storage, grant);
  const team = await storage.registry.team(grant.team);
  return team === undefined || !allows(principal, "read") ? [] : reachedOf(principal, team.hives);
}

/** A Hive at HEAD, if it has the locale, and the same source locale as another Hive. */
async function snapshotWith(
  { hives }: StorageBase,
  slug: HiveSlug,
  { settings: { sourceLocale } }: Snapshot,
  code: LocaleCode,
): Promise<Snapshot | undefined> {
  const read = async (): Promise<Snapshot | undefined> => {
    const { settings } = await hives.at(slug).settings();
    const isAlike =
      settings.sourceLocale.code === sourceLocale.code &&
      settings.targetLocales.some((one) => one.code === code);
    return isAlike ? hives.at(slug).snapshot() : undefined;
  };
  return unlessFailed(read(), "any", () => undefined);
}

async function formerHit(
  { hives }: StorageBase,
  { hive, score, entry }: FormerCandidate,
  code: LocaleCode,
): Promise<MemoryHit | undefined> {
  const translation = await hives.at(hive).revisions.formerTexts.translation(entry, code);
  const { file, key, text: source } = entry;
  return translation && { hive, file, key, source, score, ...translation, former: true };
}

interface IndexedHives {
  /** The caller's Hive. */
  readonly own: HiveSlug;
  readonly snapshots: ReadonlyMap<HiveSlug, Snapshot>;
  readonly code: LocaleCode;
  readonly signal: AbortSignal | undefined;
}

/** The indexes of the source texts of some Hives, present and former ones. */
async function indexed(
  { hives, textIndexes }: ContentStorage,
  { own, snapshots, code, signal }: IndexedHives,
): Promise<readonly (IndexedFile | IndexedHistory)[]> {
  const files: (IndexedFile | IndexedHistory)[] = [];
  let histories = 0;
  for (const [hive, snapshot] of snapshots) {
    const { index, values } = snapshot;
    const markers = await readAs(hive === own, values.stale.read([code]));
    if (markers === undefined) continue;
    const stale = markers.get(code) ?? new Map();
    for (const [file, strings] of index.source) {
      signal?.throwIfAborted();
      const made = textIndexes.of(translatableTexts(strings));
      // Nearly all are cached, and an `await` for each of them would take longer than the lookup.
      files.push({ hive, file, former: false, index: made instanceof Promise ? await made : made });
    }
    for (const [file, texts] of stale) {
      const made = textIndexes.of(texts);
      files.push({ hive, file, former: true, index: made instanceof Promise ? await made : made });
    }
    if (histories++ > maxHistories) continue;
    const { formerTexts } = hives.at(hive).revisions;
    const reading = formerTexts.at(snapshot.commit.oid, snapshot.settings.sourceLocale.code);
    // Of a Hive whose history cannot be read there are none.
    const { entries, texts } = await unlessFailed(reading, "any", () => ({ entries: [], texts: noTexts }));
    if (entries.length > 0) files.push({ hive, entries, former: true, index: await textIndexes.of(texts) });
  }
  return files;
}
