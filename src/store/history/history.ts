/** The history of one Hive: its commits, optionally those that changed a locale, a file or a key, and their changes. */
import { boundedCache, cachedPromise } from "../../disk/bounded-cache.ts";
import { filtered } from "../../domain/filtered.ts";
import { textFinder } from "../../domain/strings/stored-text.ts";
import { diffTexts, type KeyDiff } from "../../domain/strings/text-diff.ts";
import type { LocaleCode } from "../../domain/hives/locale.ts";
import type { Move } from "../../domain/move.ts";
import { renameHistoryOf, type MovesAt } from "../../domain/moves/rename-history.ts";
import type { FileName, Oid } from "../../domain/names.ts";
import type { Steps } from "../../domain/steps.ts";
import { noTexts, type Texts } from "../../domain/strings/string-file.ts";
import { compareBytes } from "../../domain/text.ts";
import { unlessUnreadable, type BareRepo } from "../../git/bare-repo.ts";
import type { CommitGraph } from "./commit-graph.ts";
import type { HistorySource } from "./commit-reader.ts";
import type { FirstParents, GraphCommit } from "./commit-walk.ts";
import { changesOf, type CommitChanges, type FileChange, type PathFilter } from "./file-changes.ts";
import type { RecordedMoves } from "./recorded-moves.ts";
import type { FullCommit } from "../../git/objects/git-object.ts";
import { inSlices } from "../../slices.ts";
import { parseLocaleFile } from "../content/locale-files.ts";

/** Selects commits of a history. */
export interface HistoryFilter extends PathFilter {
  /** A flattened key: only commits that changed its text. */
  readonly key?: string;
  /** The source locale: empty texts only count as texts in it. */
  readonly sourceLocale?: LocaleCode;
}

/** A change of one text by a commit. */
export interface StoredChange extends KeyDiff {
  readonly locale: LocaleCode;
  readonly file: FileName;
}

/** A commit that matches the filter. */
export interface HistoryCommit extends GraphCommit {
  /** Its changes of the key in the filter: the source locale's first, then by locale and file. */
  readonly changes?: readonly StoredChange[];
  /** Its moves of that key. */
  readonly moves?: readonly Move[];
}

/** The result of earlier searches, so that the next one only has to check new commits. */
interface Search {
  /** The tips whose first parents were searched, the last one first. */
  readonly tips: readonly Oid[];
  readonly found: ReadonlyMap<Oid, readonly StoredChange[] | undefined>;
}

/** How many searches are cached, and of each how many tips. */
const maxSearches = 16;
const maxTips = 8;
/** How many counts of changes are cached: one for each branch that was listed. */
const maxCounts = 1_000;
/** How many blobs a search reads at once. */
const blobsAtOnce = 16;

export class History {
  readonly #source: HistorySource;
  readonly #repo: BareRepo;
  readonly #graph: CommitGraph;
  readonly #moves: RecordedMoves;
  /** The changes of the last commit that was shown, as clients ask for its pages one after the other. */
  readonly #shown = boundedCache<string, Promise<readonly StoredChange[]>>(1);
  readonly #counts = boundedCache<string, ReadonlyMap<LocaleCode, number>>(maxCounts);
  readonly #searches = boundedCache<string, Promise<Search>>(maxSearches);

  constructor(source: HistorySource, graph: CommitGraph, moves: RecordedMoves) {
    this.#source = source;
    this.#repo = source.repo;
    this.#graph = graph;
    this.#moves = moves;
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
    const { found } = await this.#search(tip, firstParents, filter, signal);
    const commits: HistoryCommit[] = [];
    for (const commit of firstParents)
      if (found.has(commit.oid)) commits.push({ ...commit, changes: found.get(commit.oid) });
    return commits.toReversed();
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
      const search = await this.#search(tip, firstParents, named, signal);
      for (const { oid } of firstParents.slice(one.first, one.last + 1)) {
        const changes = found.get(oid) ?? new Map<string, StoredChange>();
        for (const change of search.found.get(oid) ?? []) {
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

  /** A commit with its author, committer and message. */
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

  #search(
    tip: Oid,
    firstParents: FirstParents,
    filter: HistoryFilter,
    signal: AbortSignal | undefined,
  ): Promise<Search> {
    const { locale, file, key, sourceLocale } = filter;
    const name = JSON.stringify([locale, file, key, sourceLocale]);
    const before = this.#searches.get(name);
    const search = this.#continue({ tip, firstParents }, filter, before, signal);
    this.#searches.set(name, search);
    // A failure is not cached.
    search.catch(() => this.#searches.peek(name) === search && this.#searches.delete(name));
    return search;
  }

  async #continue(
    { tip, firstParents }: { readonly tip: Oid; readonly firstParents: FirstParents },
    filter: HistoryFilter,
    before: Promise<Search> | undefined,
    signal: AbortSignal | undefined,
  ): Promise<Search> {
    const known = await before?.catch(() => undefined);
    const tips = known?.tips ?? [];
    const start = Math.max(0, ...tips.map((searched) => this.#graph.shared(firstParents, searched)));
    if (known !== undefined && start === firstParents.length) return known;
    const found = new Map(known?.found);
    const touched: CommitChanges[] = [];
    for await (const one of changesOf(this.#source, firstParents.slice(start), filter, signal)) {
      if (filter.key === undefined) found.set(one.oid, undefined);
      else touched.push(one);
    }
    if (filter.key !== undefined) {
      for (const [oid, changes] of await this.#ofKey(touched, filter.key, filter.sourceLocale, signal))
        found.set(oid, changes);
    }
    return { tips: [tip, ...tips.filter((other) => other !== tip)].slice(0, maxTips), found };
  }

  async #ofKey(
    touched: readonly CommitChanges[],
    key: string,
    sourceLocale: LocaleCode | undefined,
    signal: AbortSignal | undefined,
  ): Promise<ReadonlyMap<Oid, readonly StoredChange[]>> {
    const blobs = touched.flatMap(({ files }) => files.flatMap(({ before, after }) => [before, after]));
    const texts = await this.#textsAt(new Set(blobs.filter((oid) => oid !== undefined)), key, signal);
    const toContent = (locale: LocaleCode, oid: Oid | undefined): Texts => {
      const text = oid === undefined ? undefined : texts.get(oid);
      return new Map(text === undefined || (text === "" && locale !== sourceLocale) ? [] : [[key, text]]);
    };
    const found = new Map<Oid, readonly StoredChange[]>();
    for (const { oid, files } of touched) {
      const changes: StoredChange[] = [];
      for (const { locale, file, ...change } of sourceFirst(files, sourceLocale)) {
        const before = toContent(locale, change.before);
        for (const diff of diffTexts(before, toContent(locale, change.after)))
          changes.push({ locale, file, ...diff });
      }
      if (changes.length > 0) found.set(oid, changes);
    }
    return found;
  }

  /** The text of one key in each of many blobs, yielding to the event loop between them. */
  async #textsAt(
    oids: ReadonlySet<Oid>,
    key: string,
    signal: AbortSignal | undefined,
  ): Promise<ReadonlyMap<string, string>> {
    const texts = new Map<string, string>();
    const find = textFinder(key);
    const waiting = [...oids];
    while (waiting.length > 0) {
      signal?.throwIfAborted();
      const reading = waiting.splice(-blobsAtOnce).map(async (oid) => ({
        oid,
        blob: await unlessUnreadable(this.#repo.readBlob(oid, "a file"), new Uint8Array()),
      }));
      const blobs = await Promise.all(reading);
      function* search(): Steps<void> {
        for (const { oid, blob } of blobs) {
          const text = find(blob);
          if (text !== undefined) texts.set(oid, text);
          yield;
        }
      }
      await inSlices(search(), signal);
    }
    return texts;
  }
}

/** Sorts by locale, the source locale first, then by file: git and the comparison of trees have different orders. */
function sourceFirst<T extends Pick<FileChange, "locale" | "file">>(
  files: readonly T[],
  sourceLocale: LocaleCode | undefined,
): readonly T[] {
  const rank = ({ locale }: T): string => (locale === sourceLocale ? "" : locale);
  return files.toSorted((a, b) => compareBytes(rank(a), rank(b)) || compareBytes(a.file, b.file));
}
