/**
 * Finds the commits that wrote texts, as `git blame` does for lines: it follows each text from a commit backwards until its
 * writer is known. Consecutive commits of one origin are compared as if they were one, and files that are equal on both
 * sides are not read. A text that came with a merge is followed into the merged branch, and a text that an undo brought back
 * to its earlier writer.
 */
import { groupBy } from "../../domain/group-by.ts";
import type { OriginKind } from "../../domain/commits/origin.ts";
import type { LocaleCode } from "../../domain/hives/locale.ts";
import { AddressMap, type Move, type StringAddress } from "../../domain/move.ts";
import type { FileName, Oid } from "../../domain/names.ts";
import { noTexts, type Texts } from "../../domain/strings/string-file.ts";
import { boundedCache } from "../../bounded-cache.ts";
import { unlessUnreadable } from "../../git/bare-repo.ts";
import { emptyTree, fileAt, type Tree } from "../../git/objects/tree.ts";
import { blobPath, parseLocaleFile } from "../content/locale-files.ts";
import { isWhole, textsOf, type BlamedFile, type BlamedText, type WholeFile } from "./blamed-file.ts";
import type { CommitGraph } from "./commit-graph.ts";
import type { HistorySource } from "./commit-reader.ts";
import { parentsOf, type Commits, type GraphCommit } from "./commit-walk.ts";
import { treeOf } from "./file-changes.ts";
import type { RecordedMoves } from "./recorded-moves.ts";
import { pause } from "../../slices.ts";

/** How many parsed files stay in memory, the last ones that were read. */
const maxParsed = 16;

export interface BlameRange {
  readonly tip: Oid;
  /** Commits that it reaches are not followed. */
  readonly since?: Oid;
  /** Whether commits of an origin are looked for. The search ends where no such commit is left. */
  readonly isSought: (origin: OriginKind | undefined) => boolean;
  /** The only locale in which an empty text counts as a text. */
  readonly sourceLocale: LocaleCode;
  readonly signal?: AbortSignal;
}

export interface BlameSource {
  readonly source: HistorySource;
  readonly graph: CommitGraph;
  readonly moves: RecordedMoves;
}

/**
 * Called for each change, with the text after it and the oldest commit that may have made it. Newer commits that may have
 * made it have the same origin.
 * @returns whether to follow the text before the change, too.
 */
type Visit<T extends BlamedText> = (text: T, commit: GraphCommit) => boolean;

/**
 * Follows texts back.
 * @param files the files of the tip.
 * @returns the files that are still followed at the end, by the commits that were reached: commits that `since` reaches, and
 * commits that reach no commit of a sought origin.
 * @throws the signal's reason; SkepError `content-invalid` when a commit is missing.
 */
export async function blame<T extends BlamedText>(
  source: BlameSource,
  range: BlameRange,
  files: Iterable<BlamedFile<T>>,
  visit: Visit<T>,
): Promise<ReadonlyMap<Oid, readonly BlamedFile<T>[]>> {
  const commits = await source.graph.between(range.since, range.tip, range.signal);
  return new Blaming(source, range, commits, visit).run(files);
}

interface Changed<T> {
  readonly text: T;
  /** Undefined for a string that came with the commit, though another one had its place before. */
  readonly at: StringAddress | undefined;
  readonly before: string | undefined;
}

/** Gives the address of a string before moves; undefined for a string at whose address another one was before. */
type Former = (at: StringAddress) => StringAddress | undefined;

class Blaming<T extends BlamedText> {
  readonly #source: BlameSource;
  readonly #range: BlameRange;
  readonly #commits: Commits;
  readonly #visit: Visit<T>;
  /** The commits that reach some commit of a sought origin. */
  readonly #sought: ReadonlySet<Oid>;
  /** The commits that are parents of several commits. */
  readonly #forks: ReadonlySet<Oid>;
  /** The files that are followed, by the commits that were reached. */
  readonly #waiting = new Map<Oid, Map<string, BlamedFile<T>>>();
  readonly #parsed = boundedCache<Oid, Texts>(maxParsed);
  #last: { readonly oid: Oid; readonly tree: Tree } | undefined;

  constructor(source: BlameSource, range: BlameRange, commits: Commits, visit: Visit<T>) {
    this.#source = source;
    this.#range = range;
    this.#commits = commits;
    this.#visit = visit;
    ({ sought: this.#sought, forks: this.#forks } = survey(commits, range.isSought));
  }

  async run(files: Iterable<BlamedFile<T>>): Promise<ReadonlyMap<Oid, readonly BlamedFile<T>[]>> {
    const left = new Map<Oid, BlamedFile<T>[]>();
    for (const file of files) this.#put(this.#range.tip, file);
    for (let oid = this.#newest(); oid !== undefined; oid = this.#newest()) {
      this.#range.signal?.throwIfAborted();
      const here = [...(this.#waiting.get(oid)?.values() ?? [])];
      this.#waiting.delete(oid);
      const commit = this.#commits.get(oid);
      const inMain: BlamedFile<T>[] = [];
      const inBranch: BlamedFile<T>[] = [];
      const ended = left.get(oid) ?? [];
      for (const file of here) {
        this.#leaveSides(file, oid);
        const { texts } = file;
        const bySide: Iterable<readonly [boolean, typeof texts]> = isWhole(texts)
          ? [[false, texts]]
          : groupBy(texts, ({ side }) => side !== undefined);
        for (const [hasSide, some] of bySide) {
          // In a merged branch, the writer has to be known to find the text that the merge replaced.
          const isOpen = commit !== undefined && (hasSide || this.#sought.has(oid));
          (isOpen ? (hasSide ? inBranch : inMain) : ended).push({ ...file, texts: some });
        }
      }
      left.set(oid, ended);
      if (commit === undefined) continue;
      await this.#follow(commit, inMain, false);
      await this.#follow(commit, inBranch, true);
    }
    return left;
  }

  /** Of the commits that were reached, the one that no other one reaches; commits beyond the range come last. */
  #newest(): Oid | undefined {
    const generationOf = (oid: Oid): number => this.#commits.get(oid)?.generation ?? -1;
    let found: Oid | undefined;
    for (const oid of this.#waiting.keys())
      if (found === undefined || generationOf(oid) > generationOf(found)) found = oid;
    return found;
  }

  #put(oid: Oid, file: BlamedFile<T>): void {
    if (!isWhole(file.texts) && file.texts.length === 0) return;
    const there = this.#waiting.get(oid) ?? new Map<string, BlamedFile<T>>();
    this.#waiting.set(oid, there);
    const name = JSON.stringify([file.locale, file.file]);
    const other = there.get(name);
    there.set(name, other === undefined ? file : { ...file, texts: [...textsOf(other), ...textsOf(file)] });
  }

  /**
   * Leaves a merged branch at a commit that both parents of the merge reach. A text that was followed beyond a change of the
   * branch goes on as the text that the merge replaced; every other text goes on as it is.
   */
  #leaveSides(file: BlamedFile<T>, oid: Oid): void {
    if (isWhole(file.texts) || !file.texts.some(({ side }) => side?.reached.has(oid) === true)) return;
    file.texts = file.texts.filter((text) => {
      while (text.side?.reached.has(oid) === true) {
        const { at, text: replaced, from, taken, outer } = text.side;
        text.side = outer;
        const isRestored = text.restored !== undefined && text.restored.text === text.text;
        if (text.from === taken || isRestored) continue;
        Object.assign(text, { at, text: replaced, from });
        this.#put(from, { ...file, file: at.file, texts: [text] });
        return false;
      }
      return true;
    });
  }

  /** Goes from a commit to the parents of the commits of its run. */
  async #follow(commit: GraphCommit, files: readonly BlamedFile<T>[], isBranch: boolean): Promise<void> {
    if (files.length === 0) return;
    const { moves } = this.#source;
    const last = this.#lastOfRun(commit, isBranch);
    const [before] = parentsOf.trusted(last);
    const moved = await moves.of(commit);
    const former = backwards(moved);
    const isMoved = new Set(moved.flatMap(({ from, to }) => [from.file, to.file]));
    const after = await this.#treeAt(commit.oid);
    const earlier = before === undefined ? emptyTree : await this.#treeAt(before);
    for (const file of files) {
      const path = blobPath(file.locale, file.file);
      if (before !== undefined && fileAt(after, path) === fileAt(earlier, path) && !isMoved.has(file.file)) {
        this.#put(before, file);
        continue;
      }
      const take = ({ text, at, before: was }: Changed<T>): void => {
        // An undo takes back the changes in between, so the text counts for its earlier writer.
        const { restored } = text;
        if (restored === undefined && last.operation === "undo") text.restored = { text: text.text };
        else if (restored === undefined || restored.text === text.text) {
          text.restored = undefined;
          if (!this.#visit(text, last)) return;
        }
        Object.assign(text, { at: at ?? text.at, text: was, from: at && before });
        if (text.from !== undefined) this.#put(text.from, { ...file, file: text.at.file, texts: [text] });
      };
      const { texts } = file;
      if (isWhole(texts) && !isMoved.has(file.file) && parentsOf.trusted(commit).length < 2) {
        await this.#passWhole(file, texts, before, take);
        continue;
      }
      const changed = await this.#pass(file, textsOf(file), before, former);
      for (const one of await this.#intoBranch(commit, file, changed)) take(one);
    }
  }

  /** As {@link #pass}, for a whole file without moves. @param take gets each text that differs. */
  async #passWhole(
    file: BlamedFile<T>,
    { entries, toText, apart }: WholeFile<T>,
    to: Oid | undefined,
    take: (changed: Changed<T>) => void,
  ): Promise<void> {
    const before = await this.#textsAt(to, file.locale, file.file);
    let goesOn = false;
    await pause(this.#range.signal);
    for (const [key, text] of entries()) {
      if (apart.has(key)) continue;
      const was = before(key);
      if (was === text) goesOn = true;
      else {
        apart.add(key);
        const one = toText(key);
        take({ text: one, at: one.at, before: was });
      }
    }
    if (to !== undefined && goesOn) this.#put(to, file);
  }

  /**
   * Follows texts of a merge into the merged branch.
   * @returns the texts that differ there, too: the merge itself wrote them.
   */
  async #intoBranch(
    commit: GraphCommit,
    file: BlamedFile<T>,
    changed: readonly Changed<T>[],
  ): Promise<readonly Changed<T>[]> {
    const { graph, moves } = this.#source;
    const [from, other] = parentsOf.trusted(commit);
    if (from === undefined || other === undefined || changed.length === 0) return changed;
    const replaced = new Map(changed.map((one) => [one.text, one]));
    const reached = await graph.reachable([from], "trusted", this.#range.signal);
    const former = backwards(await moves.between(other, commit.oid));
    const beyond = await this.#pass(file, [...replaced.keys()], other, former, (text) => {
      const { at = text.at, before } = replaced.get(text) ?? { before: undefined };
      text.side = { at, text: before, from, reached, taken: text.from, outer: text.side };
    });
    return beyond.flatMap(({ text }) => replaced.get(text) ?? []);
  }

  /**
   * Follows the texts of a file to a commit, where they may have had other addresses, if they are the same there.
   * @param passed is called for each text that is the same.
   * @returns the texts that differ.
   */
  async #pass(
    { locale }: BlamedFile<T>,
    texts: readonly T[],
    to: Oid | undefined,
    former: Former,
    passed: (text: T) => void = () => {},
  ): Promise<readonly Changed<T>[]> {
    const stood = texts.map((text) => ({ text, at: former(text.at) }));
    const changed: Changed<T>[] = [];
    for (const [file, some] of groupBy(stood, ({ at }) => at?.file)) {
      const textAt = await this.#textsAt(to, locale, file);
      const same: T[] = [];
      await pause(this.#range.signal);
      for (const { text, at } of some) {
        const before = at && textAt(at.key);
        if (before !== text.text) changed.push({ text, at, before });
        else if (at !== undefined) {
          passed(text);
          text.at = at;
          same.push(text);
        }
      }
      if (to !== undefined && file !== undefined) this.#put(to, { locale, file, texts: same });
    }
    return changed;
  }

  /**
   * The oldest commit of a run of commits, each the only parent of the one after it, that have one origin, and neither move
   * nor undo anything.
   * @param isBranch whether the run ends where the branch began.
   */
  #lastOfRun(commit: GraphCommit, isBranch: boolean): GraphCommit {
    for (let last = commit; ;) {
      const [parent] = isPlain(last) ? parentsOf.trusted(last) : [];
      const next = parent === undefined ? undefined : this.#commits.get(parent);
      if (next === undefined || next.origin !== commit.origin || !isPlain(next)) return last;
      if (isBranch ? this.#forks.has(next.oid) : !this.#sought.has(next.oid)) return last;
      last = next;
    }
  }

  async #treeAt(oid: Oid): Promise<Tree> {
    // A commit is often asked for twice: as the one before another, and as the next one.
    if (this.#last?.oid !== oid)
      this.#last = { oid, tree: await treeOf(this.#source.source, oid, this.#last?.tree) };
    return this.#last.tree;
  }

  /** Makes a function that reads a file's text of a key. Empty texts only count as texts in the source locale. */
  async #textsAt(
    to: Oid | undefined,
    locale: LocaleCode,
    file: FileName | undefined,
  ): Promise<(key: string) => string | undefined> {
    const path = file && blobPath(locale, file);
    const blob = to && path && fileAt(await this.#treeAt(to), path);
    const there = blob ? await this.#readTexts(blob) : noTexts;
    const isSource = locale === this.#range.sourceLocale;
    return (key) => (isSource ? there.get(key) : there.get(key) || undefined);
  }

  async #readTexts(blob: Oid): Promise<Texts> {
    const { repo } = this.#source.source;
    const read = async (): Promise<Texts> =>
      (await parseLocaleFile(await repo.readBlob(blob, "a file"), "a file")).texts;
    const texts = this.#parsed.get(blob) ?? (await unlessUnreadable(read(), noTexts));
    this.#parsed.set(blob, texts);
    return texts;
  }
}

/** Whether a commit can be a part of a run. */
function isPlain(commit: GraphCommit): boolean {
  return (commit.moved ?? 0) === 0 && commit.operation !== "undo" && parentsOf.trusted(commit).length < 2;
}

/** Finds the commits that reach some commit of a sought origin, and the commits that are parents of several commits. */
function survey(
  commits: Commits,
  isSought: BlameRange["isSought"],
): { readonly sought: ReadonlySet<Oid>; readonly forks: ReadonlySet<Oid> } {
  const sought = new Set<Oid>();
  const forks = new Set<Oid>();
  const children = new Set<Oid>();
  const oldestFirst = [...commits.values()].toSorted((a, b) => a.generation - b.generation);
  for (const commit of oldestFirst) {
    const parents = parentsOf.trusted(commit);
    if (isSought(commit.origin) || parents.some((parent) => sought.has(parent))) sought.add(commit.oid);
    for (const parent of parents) (children.has(parent) ? forks : children).add(parent);
  }
  return { sought, forks };
}

/** The addresses of strings before some moves. */
function backwards(moves: readonly Move[]): Former {
  const [came, gone] = [new AddressMap<StringAddress>(), new AddressMap<true>()];
  for (const { from, to } of moves) {
    came.set(to, from);
    gone.set(from, true);
  }
  return (at) => came.get(at) ?? (gone.has(at) ? undefined : at);
}
