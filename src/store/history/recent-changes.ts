/**
 * The translations of persons that others have replaced in the last commits of a branch. Only these commits are searched;
 * each is compared once, and as much of them at a time as is read quickly, so that the next search goes on further back.
 */
import { LRUCache } from "lru-cache";
import { boundedCache, cachedPromise } from "../../bounded-cache.ts";
import type { Evictable } from "../../disk/memory-budget.ts";
import type { LocaleCode } from "../../domain/hives/locale.ts";
import {
  replacedTexts,
  type ChangeStep,
  type ReplacedText,
  type TextChange,
} from "../../domain/inbox/replaced-texts.ts";
import type { Oid } from "../../domain/names.ts";
import { differingKeys } from "../../domain/strings/stored-text.ts";
import { isStepDone, pause } from "../../slices.ts";
import type { BlameSource } from "./blame.ts";
import type { CommitGraph } from "./commit-graph.ts";
import { ChangesOfCommits, type FileChange } from "./file-changes.ts";
import type { FileVersions } from "./key-changes.ts";
import type { RecordedMoves } from "./recorded-moves.ts";

/**
 * How many commits are looked through; how many bytes of files are read at a time; how many files and texts of one commit
 * count, and how many texts in all.
 */
const defaultLimits = { commits: 1_000, read: 33_554_432, files: 200, ofCommit: 1_000, texts: 20_000 };
/** For how many tips the results are kept. */
const maxTips = 4;
/** How much of a text is kept, in characters. */
const maxLength = 1_000;
/** About how many bytes a change takes. */
const bytesPerChange = 600;

export interface RecentlyReplaced {
  /** The newest first. */
  readonly texts: readonly ReplacedText[];
  /** Whether all commits were compared that are to be: if not, the next search finds more. */
  readonly isAll: boolean;
}

export class RecentChanges implements Evictable {
  readonly #graph: CommitGraph;
  readonly #moves: RecordedMoves;
  readonly #versions: FileVersions;
  readonly #limits: typeof defaultLimits;
  readonly #found = boundedCache<string, Promise<RecentlyReplaced>>(maxTips);
  readonly #files: ChangesOfCommits;
  readonly #changes: LRUCache<string, readonly TextChange[]>;

  constructor({ source, graph, moves }: BlameSource, versions: FileVersions, limits = defaultLimits) {
    this.#graph = graph;
    this.#moves = moves;
    this.#versions = versions;
    this.#limits = limits;
    this.#files = new ChangesOfCommits(source, 2 * limits.commits);
    this.#changes = new LRUCache({ maxSize: 2 * (limits.texts + limits.commits) });
  }

  get bytes(): number {
    return bytesPerChange * this.#changes.calculatedSize;
  }

  evict(): void {
    for (const cache of [this.#found, this.#files, this.#changes]) cache.clear();
  }

  /**
   * The replaced translations at a commit, as far as they were found yet.
   * @throws SkepError `content-invalid` when a commit is missing.
   */
  replaced(tip: Oid, source: LocaleCode): Promise<RecentlyReplaced> {
    const name = `${source} ${tip}`;
    return cachedPromise(this.#found, name, async () => {
      const { steps, isAll } = await this.#steps(tip, source);
      if (!isAll) this.#found.delete(name);
      return { texts: replacedTexts(steps), isAll };
    });
  }

  /** The last commits that changed translations, the oldest first. */
  async #steps(
    tip: Oid,
    source: LocaleCode,
  ): Promise<{ readonly steps: readonly ChangeStep[]; readonly isAll: boolean }> {
    const commits = (await this.#graph.firstParents(tip)).slice(-this.#limits.commits).toReversed();
    const pick = (files: readonly FileChange[]) =>
      files.some(({ locale }) => locale !== source) ? files.slice(0, this.#limits.files) : [];
    const changed = await this.#files.of(commits, { name: source, filter: {}, pick });
    const steps: ChangeStep[] = [];
    let [read, texts, isAll] = [0, 0, true];
    for (const commit of commits) {
      if (texts >= this.#limits.texts) break;
      const files = changed.get(commit.oid) ?? [];
      const name = `${source} ${commit.oid}`;
      let changes = files.length === 0 ? [] : this.#changes.get(name);
      if (changes === undefined) {
        if (read >= this.#limits.read) {
          isAll = false;
          break;
        }
        const compared = await this.#compare(files, source);
        read += compared.read;
        changes = compared.changes;
        this.#changes.set(name, changes, { size: 1 + changes.length });
      }
      const hasMoves = (commit.moved ?? 0) > 0;
      if (changes.length === 0 && !hasMoves) continue;
      texts += changes.length;
      const { oid, time, person, operation } = commit;
      const moves = hasMoves ? await this.#moves.of(commit) : [];
      steps.push({ commit: oid, time, person, operation, moves, changes });
    }
    return { steps: steps.toReversed(), isAll };
  }

  async #compare(
    files: readonly FileChange[],
    source: LocaleCode,
  ): Promise<{ readonly changes: readonly TextChange[]; readonly read: number }> {
    const changes: TextChange[] = [];
    const { ofCommit, read: maxRead } = this.#limits;
    let read = 0;
    for (const change of files) {
      const { locale, file } = change;
      if (locale === source) continue;
      if (changes.length >= ofCommit || read >= maxRead) break;
      const [before, after] = [
        await this.#versions.readParsed(change.before),
        await this.#versions.readParsed(change.after),
      ];
      read += (before?.bytes.byteLength ?? 0) + (after?.bytes.byteLength ?? 0);
      await pause();
      const ofSource = files.find((one) => one.locale === source && one.file === file);
      for (const key of (await differingKeys(before, after)) ?? []) {
        if (isStepDone()) await pause();
        // An empty text is none.
        const [was, is] = [before, after].map((one) => one?.textAt(key)?.slice(0, maxLength) || undefined);
        if (was === is) continue;
        // A text that went with its string was replaced by nobody.
        if (is === undefined && ofSource !== undefined && !(await this.#hasKey(ofSource.after, key)))
          continue;
        changes.push({ locale, file, key, before: was, after: is });
      }
    }
    return { changes: changes.slice(0, ofCommit), read };
  }

  async #hasKey(blob: Oid | undefined, key: string): Promise<boolean> {
    return (await this.#versions.readParsed(blob))?.textAt(key) !== undefined;
  }
}
