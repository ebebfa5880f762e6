/** The history of one Hive: its commits, optionally those that changed a locale, a file or a key, and their changes. */
import { boundedCache, cachedPromise } from "../../bounded-cache.ts";
import { filtered } from "../../domain/filtered.ts";
import { diffTexts } from "../../domain/strings/text-diff.ts";
import type { LocaleCode } from "../../domain/hives/locale.ts";
import type { Move } from "../../domain/move.ts";
import { renameHistoryOf, type MovesAt } from "../../domain/moves/rename-history.ts";
import type { Oid } from "../../domain/names.ts";
import { noTexts, type Texts } from "../../domain/strings/string-file.ts";
import { compareBytes } from "../../domain/text.ts";
import { unlessUnreadable, type BareRepo } from "../../git/bare-repo.ts";
import type { CommitGraph } from "./commit-graph.ts";
import type { HistorySource } from "./commit-reader.ts";
import type { FirstParents, GraphCommit } from "./commit-walk.ts";
import {
  changedPlaces,
  changesOf,
  type ChangedPlaces,
  type FileChange,
  type PathFilter,
} from "./file-changes.ts";
import { FirstParentSearches, type Found, type SearchedCommits } from "./first-parent-searches.ts";
import { KeyChanges, sourceFirst, type StoredChange, type FileVersions } from "./key-changes.ts";
import type { RecordedMoves } from "./recorded-moves.ts";
import type { FullCommit } from "../../git/objects/git-object.ts";
import { parseLocaleFile } from "../content/locale-files.ts";
import type { Evictable } from "../../disk/memory-budget.ts";

export interface HistoryFilter extends PathFilter {
  /** A flattened key: only commits that changed its text. */
  readonly key?: string;
  /** The source locale: empty texts only count as texts in it. */
  readonly sourceLocale?: LocaleCode;
}

export interface HistoryCommit extends GraphCommit {
  /** Its changes of the key in the filter: the source locale's first, then by locale and file. */
  readonly changes?: readonly StoredChange[];
  readonly moves?: readonly Move[];
}

/** How many counts of changes are cached: one for each branch that was listed. */
const maxCounts = 1_000;

export class History {
  readonly #source: HistorySource;
  readonly #repo: BareRepo;
  readonly #graph: CommitGraph;
  readonly #moves: RecordedMoves;
  /** The changes of the last commit that was shown, as clients ask for its pages one after the other. */
  readonly #shown = boundedCache<string, Promise<readonly StoredChange[]>>(1);
  readonly #counts = boundedCache<string, ReadonlyMap<LocaleCode, number>>(maxCounts);
  readonly #touched: FirstParentSearches<FileChange>;
  readonly #changed: FirstParentSearches<StoredChange>;
  readonly #keyChanges: KeyChanges;

  constructor(source: HistorySource, graph: CommitGraph, moves: RecordedMoves, versions: FileVersions) {
    this.#source = source;
    this.#repo = source.repo;
    this.#graph = graph;
    this.#moves = moves;
    this.#touched = new FirstParentSearches(graph);
    this.#changed = new FirstParentSearches(graph);
    this.#keyChanges = new KeyChanges(versions);
  }

  /** The results of searches. */
  get caches(): readonly Evictable[] {
    return [this.#touched.searches, this.#changed.searches, this.#keyChanges.differing];
  }

  /**
   * A tip and its first parents, as far as they match the filter, newest first. A merge is compared with its first parent.
   * @param signal stops the search.
   * @throws the signal's reason.
   */
  async commits(tip: Oid, filter: HistoryFilter, signal?: AbortSignal): Promise<readonly HistoryCommit[]> {
    const firstParents = await this.#graph.firstParents(tip, signal);
    const { locale, file, key } = filter;
    if (locale === undefined && file === undefined && key === undefined) return firstParents.toReversed();
    if (key !== undefined && firstParents.some(({ moved = 0 }) => moved > 0))
      return this.#throughMoves(tip, firstParents, { ...filter, key }, signal);
    const at = { tip, firstParents };
    const found = key === undefined ? undefined : await this.#ofKey(at, { ...filter, key }, signal);
    const touched = found ?? (await this.#touching(at, { locale, file, hasFiles: false }, signal));
    return firstParents
      .flatMap((commit) => (touched.has(commit.oid) ? [{ ...commit, changes: found?.get(commit.oid) }] : []))
      .toReversed();
  }

  /** Where two commits differ; see {@link changedPlaces}. */
  placesBetween(from: Oid | undefined, to: Oid): Promise<ChangedPlaces> {
    return changedPlaces(this.#source, from, to);
  }

  /** The commits that changed a key under the names that it had before and after moves, newest first. */
  async #throughMoves(
    tip: Oid,
    firstParents: FirstParents,
    filter: HistoryFilter & { readonly key: string },
    signal: AbortSignal | undefined,
  ): Promise<readonly HistoryCommit[]> {
    const history: MovesAt[] = [];
    for (const commit of firstParents) {
      signal?.throwIfAborted();
      if ((commit.moved ?? 0) === 0) continue;
      history.push({ position: commit.position, record: await this.#moves.recordOf(commit) });
    }
    const { file, key, sourceLocale } = filter;
    const { ranges, moves } = renameHistoryOf({ file, key }, history);
    const found = new Map<Oid, Map<string, StoredChange>>();
    for (const one of ranges) {
      const named = { ...filter, file: one.file, key: one.key };
      const changed = await this.#ofKey({ tip, firstParents }, named, signal);
      for (const { oid } of firstParents.slice(one.first, one.last + 1)) {
        const changes = found.get(oid) ?? new Map<string, StoredChange>();
        for (const change of changed.get(oid) ?? []) {
          changes.set(JSON.stringify([change.locale, change.file, change.key]), change);
        }
        if (changes.size > 0) found.set(oid, changes);
      }
    }
    const commits = firstParents.flatMap((commit): HistoryCommit[] => {
      const byKey = [...(found.get(commit.oid)?.values() ?? [])].toSorted((a, b) =>
        compareBytes(a.key, b.key),
      );
      const changes = sourceFirst(byKey, sourceLocale);
      return changes.length === 0 ? [] : [{ ...commit, changes, moves: moves.get(commit.position) }];
    });
    return commits.toReversed();
  }

  readCommit(oid: Oid): Promise<FullCommit> {
    return this.#repo.readFullCommit(oid);
  }

  /**
   * The texts that a commit changed, a merge against its first parent: the source locale's first, then by locale and file.
   * @param signal stops the comparison.
   * @throws the signal's reason.
   */
  changes(
    oid: Oid,
    sourceLocale: LocaleCode | undefined,
    signal?: AbortSignal,
  ): Promise<readonly StoredChange[]> {
    const name = JSON.stringify([oid, sourceLocale]);
    const known = this.#shown.get(name);
    // The caller that began the comparison may have stopped it.
    if (known !== undefined) return known.catch(() => this.changes(oid, sourceLocale, signal));
    return cachedPromise(this.#shown, name, async () =>
      this.#compare(await this.#repo.readCommit(oid), sourceLocale, signal),
    );
  }

  /**
   * How many texts of each locale differ between two commits.
   * @param from undefined stands for a commit without texts.
   * @param signal stops the comparison.
   * @throws the signal's reason.
   */
  async countChanges(
    { from, to }: { readonly from: Oid | undefined; readonly to: Oid },
    sourceLocale: LocaleCode,
    signal?: AbortSignal,
  ): Promise<ReadonlyMap<LocaleCode, number>> {
    const name = JSON.stringify([from, to, sourceLocale]);
    const known = this.#counts.get(name);
    if (known !== undefined) return known;
    const commit = { oid: to, parents: from === undefined ? [] : [from] };
    const counts = new Map<LocaleCode, number>();
    for (const { locale } of await this.#compare(commit, sourceLocale, signal)) {
      counts.set(locale, (counts.get(locale) ?? 0) + 1);
    }
    this.#counts.set(name, counts);
    return counts;
  }

  async #compare(
    commit: Pick<GraphCommit, "oid" | "parents">,
    sourceLocale: LocaleCode | undefined,
    signal: AbortSignal | undefined,
  ): Promise<readonly StoredChange[]> {
    const changed: FileChange[] = [];
    for await (const { files } of changesOf(this.#source, [commit], {}, signal)) changed.push(...files);
    const changes: StoredChange[] = [];
    for (const { locale, file, before, after } of sourceFirst(changed, sourceLocale)) {
      signal?.throwIfAborted();
      const read = (blob: Oid | undefined): Promise<Texts> => this.#texts(blob, locale === sourceLocale);
      const diffs = diffTexts(await read(before), await read(after));
      for (const diff of diffs) changes.push({ locale, file, ...diff });
    }
    return changes;
  }

  /** As with trees, an unreadable file counts as empty. */
  async #texts(oid: Oid | undefined, isSource: boolean): Promise<Texts> {
    if (oid === undefined) return noTexts;
    const read = async (): Promise<Texts> => {
      const { texts } = await parseLocaleFile(await this.#repo.readBlob(oid, "a file"), "a file");
      return isSource ? texts : filtered(texts, (_, text) => text !== "");
    };
    return unlessUnreadable(read(), noTexts);
  }

  /** The changes of a key, in the files that a search for their paths found. */
  #ofKey(
    at: SearchedCommits,
    { locale, file, key, sourceLocale }: HistoryFilter & { readonly key: string },
    signal: AbortSignal | undefined,
  ): Promise<Found<StoredChange>> {
    const name = JSON.stringify([locale, file, key, sourceLocale]);
    return this.#changed.find(name, at, async (commits) => {
      const touched = await this.#touching(at, { locale, file, hasFiles: true }, signal);
      const some = commits.flatMap(({ oid }) => {
        const files = touched.get(oid);
        return files === undefined ? [] : [[oid, files] as const];
      });
      return this.#keyChanges.of(new Map(some), { key, sourceLocale }, signal);
    });
  }

  /** The commits that change files that match a filter, with these files if they are asked for. */
  #touching(
    at: SearchedCommits,
    { hasFiles, ...filter }: PathFilter & { readonly hasFiles: boolean },
    signal: AbortSignal | undefined,
  ): Promise<Found<FileChange>> {
    const name = JSON.stringify([filter.locale, filter.file, hasFiles]);
    return this.#touched.find(name, at, async (commits) => {
      const found = new Map<Oid, readonly FileChange[]>();
      for await (const { oid, files } of changesOf(this.#source, commits, filter, signal))
        found.set(oid, hasFiles ? files : []);
      return found;
    });
  }
}
