/**
 * Finds the commits that wrote texts, as `git blame` does for lines: from a commit backwards, each text until it is known
 * who wrote it. Consecutive commits of one origin are compared as if they were one, files that are equal on both sides
 * are not read, a text that a merge brought in is followed into the branch that was merged, and one that an undo brought
 * back to whoever wrote it.
 */
import { groupBy } from "../../domain/group-by.ts";
import type { OriginKind } from "../../domain/commits/origin.ts";
import type { LocaleCode } from "../../domain/hives/locale.ts";
import { AddressMap, type Move, type StringAddress } from "../../domain/move.ts";
import type { FileName, Oid } from "../../domain/names.ts";
import type { Steps } from "../../domain/steps.ts";
import { noTexts, type Texts } from "../../domain/strings/string-file.ts";
import { boundedCache } from "../../disk/bounded-cache.ts";
import { unlessUnreadable } from "../../git/bare-repo.ts";
import { emptyTree, fileAt, type Tree } from "../../git/objects/tree.ts";
import { inSlices } from "../../slices.ts";
import { blobPath, parseLocaleFile } from "../content/locale-files.ts";
import type { CommitGraph, ReachableCommits } from "./commit-graph.ts";
import type { HistorySource } from "./commit-reader.ts";
import { parentsOf, type Commits, type GraphCommit } from "./commit-walk.ts";
import { treeOf } from "./file-changes.ts";
import type { RecordedMoves } from "./recorded-moves.ts";

/** How many of the files that were read last stay in memory. */
const maxParsed = 16;

/** A text that is followed, as it is at the commit that was reached. */
export interface BlamedText {
  at: StringAddress;
  text: string | undefined;
  /** The commit that has it; undefined before the first one. */
  from: Oid | undefined;
  /** The text that an undo brought back, until it is found who wrote it before. */
  restored?: Pick<BlamedText, "text">;
  /** The innermost merge whose other parent it was followed into. */
  side?: MergeSide;
}

/** The text that a merge replaced. */
interface MergeSide {
  readonly at: StringAddress;
  readonly text: string | undefined;
  /** The first parent of the merge. */
  readonly from: Oid;
  /** The commits that it reaches. */
  readonly reached: ReachableCommits;
  /** Where the text was written that the merge took, as far as it is known. */
  readonly taken: Oid | undefined;
  readonly outer: MergeSide | undefined;
}

/** The texts of one file of a locale that are followed; made when the file differs for the first time. */
export interface BlamedFile<T extends BlamedText> {
  readonly locale: LocaleCode;
  readonly file: FileName;
  texts: readonly T[] | (() => readonly T[]);
}

export interface BlameRange {
  readonly tip: Oid;
  /** Commits that it reaches are not followed. */
  readonly since?: Oid;
  /** Whether commits of an origin are looked for. Following ends where no such commit is left. */
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
 * @returns whether the text before the change is followed, too.
 */
type Visit<T extends BlamedText> = (text: T, commit: GraphCommit) => boolean;

/**
 * Follows texts back.
 * @param files of the tip.
 * @returns the files that were left, by the commits where they were: those that `since` reaches, and those below which no
 * origin is sought.
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

/** Where a string was before moves; undefined for one at the place of another that was moved away. */
type Former = (at: StringAddress) => StringAddress | undefined;

class Blaming<T extends BlamedText> {
  readonly #source: BlameSource;
  readonly #range: BlameRange;
  readonly #commits: Commits;
  readonly #visit: Visit<T>;
  /** The commits above some of a sought origin. */
  readonly #sought: ReadonlySet<Oid>;
  /** Those from which several lines go on. */
  readonly #forks: ReadonlySet<Oid>;
  /** The files that are followed, by the commits that were reached. */
  readonly #waiting = new Map<Oid, Map<string, BlamedFile<T>>>();
  readonly #parsed = boundedCache<Oid, Texts>(maxParsed);
  #tree: Tree | undefined;

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
        const bySide =
          typeof texts === "function"
            ? new Map([[false, texts]])
            : groupBy(texts, ({ side }) => side !== undefined);
        for (const [hasSide, some] of bySide) {
          // In a branch, one has to know who wrote a text to know what the merge replaced.
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

  /** The commit that was reached and that none of the others reaches; one beyond the range is the last. */
  #newest(): Oid | undefined {
    const generationOf = (oid: Oid): number => this.#commits.get(oid)?.generation ?? -1;
    let found: Oid | undefined;
    for (const oid of this.#waiting.keys())
      if (found === undefined || generationOf(oid) > generationOf(found)) found = oid;
    return found;
  }

  #put(oid: Oid, file: BlamedFile<T>): void {
    if (typeof file.texts !== "function" && file.texts.length === 0) return;
    const there = this.#waiting.get(oid) ?? new Map<string, BlamedFile<T>>();
    this.#waiting.set(oid, there);
    const name = JSON.stringify([file.locale, file.file]);
    const other = there.get(name);
    there.set(name, other === undefined ? file : { ...file, texts: [...textsOf(other), ...textsOf(file)] });
  }

  /**
   * Where both parents of a merge had a commit already, what the branch has changed is over: a text that was followed
   * beyond a change of the branch goes on with what the merge replaced, and another one as it is.
   */
  #leaveSides(file: BlamedFile<T>, oid: Oid): void {
    if (typeof file.texts === "function" || !file.texts.some(({ side }) => side?.reached.has(oid) === true))
      return;
    file.texts = file.texts.filter((text) => {
      while (text.side?.reached.has(oid) === true) {
        const { at, text: replaced, from, taken, outer } = text.side;
        text.side = outer;
        if (text.from === taken || text.restored?.text === text.text) continue;
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
      const changed = await this.#pass(file, textsOf(file), before, former);
      for (const { text, at, before: was } of await this.#intoBranch(commit, file, changed)) {
        // An undo takes back what came between: that text is its earlier writer's.
        const { restored } = text;
        if (restored === undefined && last.operation === "undo") text.restored = { text: text.text };
        else if (restored === undefined || restored.text === text.text) {
          text.restored = undefined;
          if (!this.#visit(text, last)) continue;
        }
        Object.assign(text, { at: at ?? text.at, text: was, from: at && before });
        if (text.from !== undefined) this.#put(text.from, { ...file, file: text.at.file, texts: [text] });
      }
    }
  }

  /** Follows texts of a merge into the branch that it merged. @returns those that are others there, too. */
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
   * Takes the texts of a file to a commit, where they may have stood elsewhere, as far as they are the same there.
   * @param passed is told of each of these.
   * @returns the others.
   */
  async #pass(
    { locale }: BlamedFile<T>,
    texts: readonly T[],
    to: Oid | undefined,
    former: Former,
    passed: (text: T) => void = () => {},
  ): Promise<readonly Changed<T>[]> {
    const { sourceLocale, signal } = this.#range;
    const tree = to === undefined ? emptyTree : await this.#treeAt(to);
    const stood = texts.map((text) => ({ text, at: former(text.at) }));
    const changed: Changed<T>[] = [];
    for (const [file, some] of groupBy(stood, ({ at }) => at?.file)) {
      const there = file === undefined ? noTexts : await this.#textsAt(tree, locale, file);
      const same: T[] = [];
      function* compare(): Steps<void> {
        for (const { text, at } of some) {
          const found = at && there.get(at.key);
          const before = found === "" && locale !== sourceLocale ? undefined : found;
          if (before !== text.text) changed.push({ text, at, before });
          else if (at !== undefined) {
            passed(text);
            text.at = at;
            same.push(text);
          }
        }
        yield;
      }
      await inSlices(compare(), signal);
      if (to !== undefined && file !== undefined) this.#put(to, { locale, file, texts: same });
    }
    return changed;
  }

  /**
   * The oldest of some commits, each the only parent of the one before it, that have one origin, and neither move nor undo anything.
   * @param isBranch then the run ends where the branch began.
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
    return (this.#tree = await treeOf(this.#source.source, oid, this.#tree));
  }

  async #textsAt(tree: Tree, locale: LocaleCode, file: FileName): Promise<Texts> {
    const { repo } = this.#source.source;
    const blob = fileAt(tree, blobPath(locale, file));
    if (blob === undefined) return noTexts;
    const read = async (): Promise<Texts> =>
      (await parseLocaleFile(await repo.readBlob(blob, "a file"), "a file")).texts;
    const texts = this.#parsed.get(blob) ?? (await unlessUnreadable(read(), noTexts));
    this.#parsed.set(blob, texts);
    return texts;
  }
}

/** Whether a commit can be compared as one with others. */
function isPlain(commit: GraphCommit): boolean {
  return (commit.moved ?? 0) === 0 && commit.operation !== "undo" && parentsOf.trusted(commit).length < 2;
}

function textsOf<T extends BlamedText>(file: BlamedFile<T>): readonly T[] {
  if (typeof file.texts === "function") file.texts = file.texts();
  return file.texts;
}

/** The commits above some of a sought origin, and those from which several lines go on. */
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

function backwards(moves: readonly Move[]): Former {
  const [came, gone] = [new AddressMap<StringAddress>(), new AddressMap<true>()];
  for (const { from, to } of moves) {
    came.set(to, from);
    gone.set(from, true);
  }
  return (at) => came.get(at) ?? (gone.has(at) ? undefined : at);
}
