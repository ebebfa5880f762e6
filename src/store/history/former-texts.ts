/**
 * The source texts that strings of a branch had earlier, for translation memory. Only the last commits are searched, and only
 * the versions of source files that they replaced are read. Translations are read when they are asked for.
 */
import { LRUCache } from "lru-cache";
import { boundedCache, cachedPromise } from "../../bounded-cache.ts";
import type { LocaleCode } from "../../domain/hives/locale.ts";
import type { FormerText, FormerTranslation } from "../../domain/memory/memory.ts";
import type { Oid } from "../../domain/names.ts";
import { waitingIn } from "../../domain/review/review.ts";
import { differingKeys, type StoredFile } from "../../domain/strings/stored-text.ts";
import type { Texts } from "../../domain/strings/string-file.ts";
import { fileAt, type Tree } from "../../git/objects/tree.ts";
import { blobPath } from "../content/locale-files.ts";
import type { CommitGraph } from "./commit-graph.ts";
import type { HistorySource } from "./commit-reader.ts";
import type { GraphCommit } from "./commit-walk.ts";
import { ChangesOfCommits, treeOf, type FileChange } from "./file-changes.ts";
import type { FileVersions } from "./key-changes.ts";
import { isStepDone, pause } from "../../slices.ts";
import { formerSource, staleKind } from "../../domain/sidecars/stale.ts";
import { reviewKind } from "../../domain/sidecars/review.ts";
import { valuesPath } from "../../domain/sidecars/sidecar.ts";

/** How many commits are looked through, how many bytes of source files are read, and how many texts are kept. */
const defaultLimits = { commits: 1_000, read: 33_554_432, texts: 5_000 };
/** For how many tips the texts are kept, and the translations of how many files at a commit. */
const maxTips = 4;
const maxTranslated = 1_000;
/** Of how many earlier times of a text the translations are looked for. */
const maxEarlier = 4;
/** About how many bytes a text takes. */
const bytesPerText = 400;

/** Former source texts, the newest first. */
export interface FormerSource {
  readonly entries: readonly FormerText[];
  /** The texts by their positions. */
  readonly texts: Texts;
}

interface Replaced {
  readonly commit: Oid;
  /** How many bytes were read for it. */
  readonly read: number;
  readonly entries: readonly FormerText[];
}

export class FormerTexts {
  readonly #source: HistorySource;
  readonly #graph: CommitGraph;
  readonly #versions: FileVersions;
  /** By the tip and the locale. */
  readonly #sources = boundedCache<string, Promise<FormerSource>>(maxTips);
  /** The same, by the commits that replaced the texts: most new commits replace none, and the result stays. */
  readonly #bySame = boundedCache<string, FormerSource>(maxTips);
  readonly #changes: ChangesOfCommits;
  readonly #replaced: LRUCache<string, Replaced>;
  readonly #translations = boundedCache<string, Promise<ReadonlyMap<string, FormerTranslation>>>(
    maxTranslated,
  );
  /** How many translations were read since the last eviction. */
  #translated = 0;
  readonly #limits: typeof defaultLimits;
  #tree: Tree | undefined;

  constructor(source: HistorySource, graph: CommitGraph, versions: FileVersions, limits = defaultLimits) {
    this.#limits = limits;
    this.#changes = new ChangesOfCommits(source, maxTips * limits.commits);
    this.#replaced = new LRUCache({ maxSize: maxTips * (limits.texts + limits.commits) });
    this.#source = source;
    this.#graph = graph;
    this.#versions = versions;
  }

  get bytes(): number {
    return bytesPerText * (this.#translated + this.#replaced.calculatedSize);
  }

  evict(): void {
    for (const cache of [this.#sources, this.#bySame, this.#changes, this.#replaced, this.#translations])
      cache.clear();
    this.#translated = 0;
    this.#tree = undefined;
  }

  /**
   * The former source texts of a branch at a commit, as far as its last commits replaced or removed them. The same object
   * is given as long as they are the same.
   * @throws SkepError `content-invalid` when a commit is missing.
   */
  at(tip: Oid, locale: LocaleCode): Promise<FormerSource> {
    return cachedPromise(this.#sources, `${locale} ${tip}`, () => this.#read(tip, locale));
  }

  /**
   * The translation of a former source text at the last time when this was replaced and had one that was not stale;
   * undefined where it had none at the last few times.
   */
  async translation(former: FormerText, locale: LocaleCode): Promise<FormerTranslation | undefined> {
    for (const one of [former, ...(former.earlier ?? [])]) {
      const found = await this.#translationThen(one, locale);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  async #translationThen(former: FormerText, locale: LocaleCode): Promise<FormerTranslation | undefined> {
    const name = JSON.stringify([locale, former.replacedBy, former.file]);
    const read = (): Promise<ReadonlyMap<string, FormerTranslation>> => this.#translationsOf(former, locale);
    return (await cachedPromise(this.#translations, name, read)).get(former.key);
  }

  /** The translations of all texts that were replaced together, as reading the file takes longest. */
  async #translationsOf(
    { commit, file, together }: FormerText,
    locale: LocaleCode,
  ): Promise<ReadonlyMap<string, FormerTranslation>> {
    const tree = (this.#tree = await treeOf(this.#source, commit, this.#tree));
    const read = (path: string): Promise<StoredFile | undefined> =>
      this.#versions.readParsed(fileAt(tree, path));
    const translated = await read(blobPath(locale, file));
    const stale = await read(valuesPath(staleKind, locale, file));
    const isWaiting = await waitingIn((await read(valuesPath(reviewKind, locale, file)))?.parse());
    const found = new Map<string, FormerTranslation>();
    await pause();
    for (const [key, source] of together) {
      const text = translated?.textAt(key);
      if (text === undefined || text === "" || formerSource(stale?.textAt(key), source) !== undefined)
        continue;
      found.set(key, { text, approved: !isWaiting(key, text) });
    }
    this.#translated += found.size;
    return found;
  }

  async #read(tip: Oid, locale: LocaleCode): Promise<FormerSource> {
    const commits = (await this.#graph.firstParents(tip)).slice(-this.#limits.commits).toReversed();
    const replaced: Replaced[] = [];
    const search = { name: locale, filter: { locale }, pick: replacing };
    const changed = await this.#changes.of(commits, search);
    let [read, texts] = [0, 0];
    for (const commit of commits) {
      const changes = changed.get(commit.oid) ?? [];
      if (changes.length === 0) continue;
      if (read >= this.#limits.read || texts >= this.#limits.texts) break;
      const name = `${locale} ${commit.oid}`;
      const one = this.#replaced.get(name) ?? (await this.#compare(commit, changes));
      this.#replaced.set(name, one, { size: 1 + one.entries.length });
      if (one.entries.length > 0) replaced.push(one);
      read += one.read;
      texts += one.entries.length;
    }
    const name = [locale, ...replaced.map(({ commit }) => commit)].join(" ");
    const source = this.#bySame.get(name) ?? toSource(replaced, this.#limits.texts);
    this.#bySame.set(name, source);
    return source;
  }

  async #compare(commit: GraphCommit, changes: readonly FileChange[]): Promise<Replaced> {
    const entries: FormerText[] = [];
    const [parent = commit.oid] = commit.parents;
    let read = 0;
    for (const change of changes) {
      if (read >= this.#limits.read || entries.length >= this.#limits.texts) break;
      const [before, after] = [
        await this.#versions.readParsed(change.before),
        await this.#versions.readParsed(change.after),
      ];
      const together = new Map<string, string>();
      await pause();
      for (const key of (await differingKeys(before, after)) ?? []) {
        if (isStepDone()) await pause();
        const text = before?.textAt(key);
        if (text === undefined || text === "" || text === after?.textAt(key)) continue;
        together.set(key, text);
        entries.push({ commit: parent, replacedBy: commit.oid, file: change.file, key, text, together });
      }
      read += (before?.bytes.byteLength ?? 0) + (after?.bytes.byteLength ?? 0);
    }
    return { commit: commit.oid, read, entries: entries.slice(0, this.#limits.texts) };
  }
}

/** The changes that replace texts: a file that is new has replaced none. */
function replacing(files: readonly FileChange[]): readonly FileChange[] {
  return files.filter(({ before }) => before !== undefined);
}

/** The texts that were replaced. A text that a string had several times is listed once, for its last time. */
function toSource(replaced: readonly Replaced[], most: number): FormerSource {
  const entries = new Map<string, FormerText[]>();
  for (const one of replaced) {
    for (const former of one.entries) {
      const name = JSON.stringify([former.file, former.key, former.text]);
      const times = entries.get(name);
      if (times === undefined) entries.set(name, [former]);
      else if (times.length <= maxEarlier) times.push(former);
    }
  }
  const newest = [...entries.values()].slice(0, most).flatMap(([last, ...earlier]): readonly FormerText[] => {
    if (last === undefined) return [];
    return [earlier.length === 0 ? last : { ...last, earlier }];
  });
  return { entries: newest, texts: new Map(newest.map(({ text }, i) => [String(i), text])) };
}
