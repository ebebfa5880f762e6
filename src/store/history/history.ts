/** The history of one Hive: its commits, those that changed a locale, a file or a key, and what each changed. */
import { LRUCache } from "lru-cache";
import { diffFromAll, textAt, type KeyDiff } from "../../domain/strings/text-diff.ts";
import type { LocaleCode } from "../../domain/hives/locale.ts";
import type { FileName, Oid } from "../../domain/names.ts";
import { finish, type Steps } from "../../domain/steps.ts";
import type { Texts } from "../../domain/strings/string-file.ts";
import { compareBytes } from "../../domain/text.ts";
import { UnreadablePath, type BareRepo } from "../../git/bare-repo.ts";
import type { CommitGraph } from "./commit-graph.ts";
import type { GraphCommit } from "./commit-order.ts";
import { FileChanges, type CommitChanges, type FileChange, type PathFilter } from "./file-changes.ts";
import type { StreamGit } from "../../git/process/git-stream.ts";
import { parseFullCommit, type FullCommit } from "../../git/objects/commit-text.ts";
import { inSlices } from "../../slices.ts";
import { parseLocaleFile } from "../content/locale-files.ts";

/** Which commits are asked for. */
export interface HistoryFilter extends PathFilter {
  /** A flattened key; commits that changed its text. */
  readonly key?: string | undefined;
  /** The source locale, in which alone an empty text is a text. */
  readonly sourceLocale?: LocaleCode | undefined;
}

/** One text that a commit changed. */
export interface TextChange extends KeyDiff {
  readonly locale: LocaleCode;
  readonly file: FileName;
}

/** A commit that the filter lets through. */
export interface HistoryCommit extends GraphCommit {
  /** What it did to the key that was asked for: the source locale's first, then by locale and file. */
  readonly changes?: readonly TextChange[];
}

/** What was found before, so that the next question looks at new commits only. */
interface Search {
  readonly tip: Oid | undefined;
  readonly seen: number;
  readonly found: ReadonlyMap<Oid, readonly TextChange[] | undefined>;
}

/** Searches whose results are kept. */
const keptSearches = 16;
/** Blobs that a search reads at once. */
const blobsAtOnce = 16;

export class History {
  readonly #repo: BareRepo;
  readonly #graph: CommitGraph;
  readonly #files: FileChanges;
  /** The last commit that was shown: its pages are asked for one after the other. */
  #shown: { readonly name: string; readonly changes: Promise<readonly TextChange[]> } | undefined;
  readonly #searches = new LRUCache<string, Promise<Search>>({ max: keptSearches });

  constructor(repo: BareRepo, gitdir: string, graph: CommitGraph, stream: StreamGit) {
    this.#repo = repo;
    this.#graph = graph;
    this.#files = new FileChanges(repo, gitdir, stream);
  }

  /**
   * The commits that main reaches and the filter lets through, newest first.
   * @param signal ends the search.
   * @throws the signal's reason.
   */
  async commits(tip: Oid, filter: HistoryFilter, signal?: AbortSignal): Promise<readonly HistoryCommit[]> {
    const line = await this.#graph.line(tip, signal);
    const { locale, file, key } = filter;
    if (locale === undefined && file === undefined && key === undefined) return line.toReversed();
    const { found } = await this.#search(line, filter, signal);
    const commits: HistoryCommit[] = [];
    for (const { oid, parents, time, operation } of line) {
      const changes = found.get(oid);
      if (changes !== undefined) commits.push({ oid, parents, time, operation, changes });
      else if (found.has(oid)) commits.push({ oid, parents, time, operation });
    }
    return commits.toReversed();
  }

  /** A commit with all that it says. */
  written(oid: Oid): Promise<FullCommit> {
    return this.#repo.readAs(oid, "commit", parseFullCommit);
  }

  /**
   * The texts that a commit changed: the source locale's first, then by locale and file.
   * @param signal ends the comparison.
   * @throws the signal's reason.
   */
  changes(
    oid: Oid,
    sourceLocale: LocaleCode | undefined,
    signal?: AbortSignal,
  ): Promise<readonly TextChange[]> {
    const name = JSON.stringify([oid, sourceLocale]);
    // Who began it may have left before it was done.
    if (this.#shown?.name === name) {
      return this.#shown.changes.catch(() => this.changes(oid, sourceLocale, signal));
    }
    this.#shown = { name, changes: this.#compare(oid, sourceLocale, signal) };
    const { changes } = this.#shown;
    // What failed is not kept.
    changes.catch(() => this.#shown?.changes === changes && (this.#shown = undefined));
    return changes;
  }

  async #compare(
    oid: Oid,
    sourceLocale: LocaleCode | undefined,
    signal: AbortSignal | undefined,
  ): Promise<readonly TextChange[]> {
    const { parents, time } = await this.#repo.readCommit(oid);
    const changed: FileChange[] = [];
    const commit = { oid, parents, time, operation: undefined };
    for await (const { files } of this.#files.of([commit], {}, signal))
      for (const file of files) changed.push(file);
    const changes: TextChange[] = [];
    for (const { locale, file, before, after } of sourceFirst(changed, sourceLocale)) {
      signal?.throwIfAborted();
      const read = (blob: Oid | undefined): Promise<Texts> => this.#texts(blob, locale === sourceLocale);
      const befores = await Promise.all(before.map(read));
      const diffs = await inSlices(diffFromAll(befores, await read(after)), signal);
      for (const diff of diffs) changes.push({ locale, file, ...diff });
    }
    return changes;
  }

  async #texts(oid: Oid | undefined, isSource: boolean): Promise<Texts> {
    if (oid === undefined) return new Map();
    try {
      const { texts } = await parseLocaleFile(await this.#repo.readBlob(oid, "a file"), "a file");
      return isSource ? texts : new Map([...texts].filter(([, text]) => text !== ""));
    } catch (error) {
      // As with trees: what cannot be read holds no texts.
      if (error instanceof UnreadablePath) return new Map();
      throw error;
    }
  }

  #search(
    line: readonly GraphCommit[],
    filter: HistoryFilter,
    signal: AbortSignal | undefined,
  ): Promise<Search> {
    const { locale, file, key, sourceLocale } = filter;
    const name = JSON.stringify([locale, file, key, sourceLocale]);
    const before = this.#searches.get(name);
    const search = this.#continue(line, filter, before, signal);
    this.#searches.set(name, search);
    // What failed is not kept.
    search.catch(() => this.#searches.peek(name) === search && this.#searches.delete(name));
    return search;
  }

  async #continue(
    line: readonly GraphCommit[],
    filter: HistoryFilter,
    before: Promise<Search> | undefined,
    signal: AbortSignal | undefined,
  ): Promise<Search> {
    const tip = line.at(-1)?.oid;
    const known = await before?.catch(() => undefined);
    if (known?.tip === tip && known !== undefined) return known;
    // The place of a commit is the number of those that it reaches: where it is the same, so are all before it.
    const grows = known !== undefined && line[known.seen - 1]?.oid === known.tip;
    const start = grows ? known.seen : 0;
    const found = new Map(grows ? known.found : []);
    const touched: CommitChanges[] = [];
    for await (const one of this.#files.of(line.slice(start), filter, signal)) {
      if (filter.key === undefined) found.set(one.oid, undefined);
      else touched.push(one);
    }
    if (filter.key !== undefined) {
      for (const [oid, changes] of await this.#ofKey(touched, filter.key, filter.sourceLocale, signal))
        found.set(oid, changes);
    }
    return { tip, seen: line.length, found };
  }

  async #ofKey(
    touched: readonly CommitChanges[],
    key: string,
    sourceLocale: LocaleCode | undefined,
    signal: AbortSignal | undefined,
  ): Promise<ReadonlyMap<Oid, readonly TextChange[]>> {
    const blobs = touched.flatMap(({ files }) => files.flatMap(({ before, after }) => [...before, after]));
    const texts = await this.#textsAt(new Set(blobs.filter((oid) => oid !== undefined)), key, signal);
    const toContent = ({ locale }: FileChange, oid: Oid | undefined): Texts => {
      const text = oid === undefined ? undefined : texts.get(oid);
      return new Map(text === undefined || (text === "" && locale !== sourceLocale) ? [] : [[key, text]]);
    };
    const found = new Map<Oid, readonly TextChange[]>();
    for (const { oid, files } of touched) {
      const changes = sourceFirst(files, sourceLocale).flatMap((file) => {
        const befores = file.before.map((blob) => toContent(file, blob));
        const diffs = finish(diffFromAll(befores, toContent(file, file.after)));
        return diffs.map(({ before, after }) => ({
          locale: file.locale,
          file: file.file,
          key,
          before,
          after,
        }));
      });
      if (changes.length > 0) found.set(oid, changes);
    }
    return found;
  }

  /** The text of one key in each of many blobs, giving way to others between them. */
  async #textsAt(
    oids: ReadonlySet<Oid>,
    key: string,
    signal: AbortSignal | undefined,
  ): Promise<ReadonlyMap<string, string>> {
    const texts = new Map<string, string>();
    const mayHold = looksFor(key);
    const waiting = [...oids];
    while (waiting.length > 0) {
      signal?.throwIfAborted();
      const reading = waiting.splice(-blobsAtOnce).map(async (oid) => ({
        oid,
        blob: await this.#repo.readBlob(oid, "a file").catch(ignoreUnreadable),
      }));
      const blobs = await Promise.all(reading);
      function* look(): Steps<void> {
        for (const { oid, blob } of blobs) {
          const text = mayHold(blob) ? textAt(parsed(blob), key) : undefined;
          if (text !== undefined) texts.set(oid, text);
          yield;
        }
      }
      await inSlices(look(), signal);
    }
    return texts;
  }
}

/** By locale, the source locale first, then by file; as they are found, their order depends on who looked for them. */
function sourceFirst(
  files: readonly FileChange[],
  sourceLocale: LocaleCode | undefined,
): readonly FileChange[] {
  const rank = ({ locale }: FileChange): string => (locale === sourceLocale ? "" : locale);
  return files.toSorted((a, b) => compareBytes(rank(a), rank(b)) || compareBytes(a.file, b.file));
}

/** Whether a blob may hold a key, found out without parsing it, which costs a hundred times as much. */
function looksFor(key: string): (blob: Uint8Array) => boolean {
  const name = key.slice(key.lastIndexOf(".") + 1);
  // The elements of a list have no name.
  if (/^\d+$/.test(name)) return () => true;
  const written = Buffer.from(JSON.stringify(name).slice(1));
  return (blob) => {
    const bytes = Buffer.from(blob.buffer, blob.byteOffset, blob.byteLength);
    // Others may write what need not be escaped as \u or \/.
    return bytes.includes(written) || bytes.includes("\\u") || bytes.includes("\\/");
  };
}

function ignoreUnreadable(error: unknown): Uint8Array {
  if (error instanceof UnreadablePath) return new Uint8Array();
  throw error;
}

function parsed(content: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(content.buffer, content.byteOffset, content.byteLength).toString("utf8"));
  } catch {
    return undefined;
  }
}
