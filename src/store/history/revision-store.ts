/** Earlier states of one Hive: resolves revisions, reads snapshots at commits, tags and the history. */
import { LRUCache } from "lru-cache";
import type { HeldLock } from "../../disk/held-lock.ts";
import type { Evictable } from "../../disk/memory-budget.ts";
import {
  formatCommitMessage,
  type ChangeMetadata,
  type CommitMetadata,
} from "../../domain/commits/commit-message.ts";
import type { Revision } from "../../domain/commits/revision.ts";
import type { TagName } from "../../domain/commits/ref-name.ts";
import { invalid, isFailure, type SkepError, unlessFailed } from "../../domain/errors.ts";
import type { HiveSettings } from "../../domain/hives/hive-settings.ts";
import type { Oid } from "../../domain/names.ts";
import type { SourceFiles } from "../../domain/strings/hive-content.ts";
import { compareBytes, excerpt } from "../../domain/text.ts";
import {
  toContentInvalid,
  UnreadablePath,
  unlessUnreadable,
  type BareRepo,
  peelTag,
} from "../../git/bare-repo.ts";
import type { AnnotatedTag } from "../../git/objects/commit-text.ts";
import { toTag, type CommitInfo } from "../../git/objects/git-object.ts";
import type { TagTarget } from "../../git/refs/ref-folder.ts";
import { readSettingsAt, Snapshot, type StoredSettings } from "../content/snapshot.ts";
import type { BlameSource } from "./blame.ts";
import { CommitGraph } from "./commit-graph.ts";
import type { HistorySource } from "./commit-reader.ts";
import { FileVersions } from "./key-changes.ts";
import { FormerTexts } from "./former-texts.ts";
import { History } from "./history.ts";
import { RecentChanges } from "./recent-changes.ts";
import { RecordedMoves } from "./recorded-moves.ts";
import { TextOrigins } from "./text-origins.ts";

/** How many snapshots are cached besides the one of HEAD. They share unchanged parts. */
const maxSnapshots = 4;

/** After so many commits that were read one by one, the whole history is read. */
const maxSteps = 32;

export interface Resolved {
  readonly commit: Oid;
  /**
   * The tip of the branch, if the result holds as long as that branch stays; undefined if a tag or another branch could
   * change it.
   */
  readonly head: Oid | undefined;
  /** The tag that the result depends on besides `head`. */
  readonly tag?: TagTarget;
}

/** Where a revision is looked up. */
export interface Lookup {
  /** The commit that the branch refers to. */
  readonly tip: Oid;
  /** Ends the reading of a history. */
  readonly signal?: AbortSignal;
}

export interface TagInfo {
  readonly name: TagName;
  readonly commit: Oid;
  readonly written: AnnotatedTag | undefined;
}

export interface TagPlan<Metadata = ChangeMetadata> {
  readonly name: TagName;
  readonly commit: Oid;
  readonly limit: number;
  readonly metadata: Metadata;
}

interface CachedSnapshot {
  readonly reading: Promise<Snapshot>;
  snapshot: Snapshot | undefined;
}

interface Peeled {
  readonly commit: Oid;
  readonly written: AnnotatedTag | undefined;
}

export class RevisionStore {
  readonly history: History;
  readonly moves: RecordedMoves;
  readonly formerTexts: FormerTexts;
  readonly recent: RecentChanges;
  readonly #versions: FileVersions;
  readonly #repo: BareRepo;
  readonly graph: CommitGraph;
  /** The sources that {@link blame} reads. */
  readonly blamed: BlameSource;
  readonly origins: TextOrigins;
  /** By their commits, and by the settings if these are not the commit's own. */
  readonly #snapshots = new LRUCache<string, CachedSnapshot>({ max: maxSnapshots });
  /** The commits that tag objects lead to. */
  readonly #peeled = new Map<Oid, Peeled>();

  constructor(source: HistorySource) {
    this.#repo = source.repo;
    this.graph = new CommitGraph(source);
    const sourceAt = async (oid: Oid): Promise<SourceFiles> => {
      const reading = this.snapshotAt(oid, "commit", undefined).then((snapshot) => snapshot.content([]));
      return (await unlessFailed(reading, ["invalid"], () => undefined))?.source ?? new Map();
    };
    this.moves = new RecordedMoves(source.repo, this.graph, sourceAt);
    this.#versions = new FileVersions(source.repo);
    this.history = new History(source, this.graph, this.moves, this.#versions);
    this.formerTexts = new FormerTexts(source, this.graph, this.#versions);
    this.blamed = { source, graph: this.graph, moves: this.moves };
    this.recent = new RecentChanges(this.blamed, this.#versions);
    this.origins = new TextOrigins(this.blamed);
  }

  /**
   * The commits of a branch after one of them, oldest first.
   * @param since the commit, in full or by its beginning; if several commits of the branch match, the newest.
   * @returns undefined when the branch was never at it.
   * @throws as {@link CommitGraph.firstParents}.
   */
  async firstParentsSince(since: string, { tip, signal }: Lookup): Promise<readonly Oid[] | undefined> {
    const newestFirst: Oid[] = [];
    // Most often there are a few new commits, for which the whole history need not be read.
    for (let next: Oid | undefined = tip; next !== undefined && newestFirst.length < maxSteps;) {
      if (next.startsWith(since)) return newestFirst.toReversed();
      newestFirst.push(next);
      [next] = (await this.#readCommit(next)).parents;
      if (next === undefined) return undefined;
    }
    const firstParents = await this.graph.firstParents(tip, signal);
    const at = firstParents.findLastIndex(({ oid }) => oid.startsWith(since));
    return at === -1 ? undefined : firstParents.slice(at + 1).map(({ oid }) => oid);
  }

  /**
   * Whether a commit that names Skep as its maker can be trusted; see {@link parentsOf}.
   * @throws SkepError `content-invalid` when a commit is missing; the signal's reason.
   */
  async isTrusted(commit: Oid, { tip, signal }: Lookup): Promise<boolean> {
    if ((await this.graph.reachable([tip], "trusted", signal)).has(commit)) return true;
    return (await this.graph.reachable(await this.#branchTips(tip), "trusted", signal)).has(commit);
  }

  /**
   * The commit that a revision names. A commit is found, in full or by its beginning, if a branch or a tag reaches it; the
   * name of an annotated tag's object stands for the commit that it marks. The forms are tried in the order of
   * {@link Revision}; a date or time is the last of the tip and its first parents that is not later.
   * @throws SkepError `invalid` on the field when there is none, or more than one; the signal's reason.
   */
  async resolve(revision: Revision, field: string, lookup: Lookup): Promise<Resolved> {
    const found = await this.#find(revision, field, lookup);
    if (found !== undefined) return found;
    throw invalid(field, `"${excerpt(revision.text)}" is before the first commit`);
  }

  /**
   * The commit that `since` names: the range begins after it.
   * @returns undefined for a date or time before the first commit.
   * @throws as {@link resolve}.
   */
  async resolveStart(revision: Revision, field: string, lookup: Lookup): Promise<Oid | undefined> {
    return (await this.#find(revision, field, lookup))?.commit;
  }

  async #find(revision: Revision, field: string, { tip, signal }: Lookup): Promise<Resolved | undefined> {
    const { oid, prefix, tag, isMain, until } = revision;
    if (oid !== undefined) {
      if (oid === tip || (await this.graph.reachable([tip], "all", signal)).has(oid))
        return { commit: oid, head: tip };
      const tagged = await this.#tagged();
      const tips = [...(await this.#branchTips(tip)), ...tagged.values()];
      if ((await this.graph.reachable(tips, "all", signal)).has(oid)) return { commit: oid, head: undefined };
      const marked = tagged.get(oid);
      if (marked !== undefined) return { commit: marked, head: undefined };
      throw unknown(field, revision);
    }
    const beginning =
      prefix === undefined ? undefined : await this.#beginning(prefix, field, { tip, signal });
    if (beginning !== undefined) return { commit: beginning, head: undefined };
    const target = tag === undefined ? undefined : this.#repo.tags.ref(tag).find();
    const peeled = target && (await this.#peel(target));
    if (tag !== undefined && target !== undefined && peeled !== undefined) {
      // A later commit's name may begin with the name of this tag.
      if (prefix !== undefined) return { commit: peeled.commit, head: undefined };
      return { commit: peeled.commit, head: tip, tag: { name: tag, target } };
    }
    if (isMain) return { commit: this.#repo.main.read(), head: undefined };
    if (until === undefined) throw unknown(field, revision);
    const firstParents = await this.graph.firstParents(tip, signal);
    const last = firstParents.findLast(({ time }) => time <= until);
    return last && { commit: last.oid, head: undefined };
  }

  /**
   * The Hive at a commit that {@link resolve} gave. Translations are read when they are asked for.
   * @param head the snapshot at HEAD if it is in memory; unchanged parts are shared with it.
   * @throws SkepError `invalid` on the field when the commit holds no Hive.
   */
  async snapshotAt(oid: Oid, field: string, head: Snapshot | undefined): Promise<Snapshot> {
    return orInvalid(field, () => this.read(oid, head));
  }

  /**
   * As {@link snapshotAt}, with given settings instead of the commit's own.
   * @throws UnreadablePath when the commit holds no Hive.
   */
  async read(oid: Oid, head: Snapshot | undefined, given?: StoredSettings): Promise<Snapshot> {
    const isOwn = head?.storedSettings.commit === oid;
    if (head?.commit.oid === oid && (given === undefined ? isOwn : head.settings === given.settings))
      return head;
    const codes = given?.settings.targetLocales.map(({ code }) => code);
    const name = given === undefined ? oid : JSON.stringify([oid, given.oid, codes]);
    const kept = this.#snapshots.get(name) ?? this.#read(oid, head, given);
    this.#snapshots.set(name, kept);
    try {
      return (kept.snapshot = await kept.reading);
    } catch (error) {
      if (this.#snapshots.peek(name) === kept) this.#snapshots.delete(name);
      throw error;
    }
  }

  /**
   * The approximate memory use of the snapshots and of what was found about them, in bytes; shared parts are counted
   * more than once.
   */
  get bytes(): number {
    let bytes = 0;
    for (const cache of this.#caches()) bytes += cache.bytes;
    for (const { snapshot } of this.#snapshots.values()) bytes += snapshot?.bytes ?? 0;
    return bytes;
  }

  /** Drops the snapshots from memory; they are read again on demand. */
  evict(): void {
    this.#snapshots.clear();
    for (const cache of this.#caches()) cache.evict();
  }

  #caches(): readonly Evictable[] {
    return [this.origins, this.formerTexts, this.recent, this.#versions.cache, ...this.history.caches];
  }

  /** Reads only the settings at a commit; undefined when they cannot be read. */
  async settings(oid: Oid): Promise<HiveSettings | undefined> {
    return (await unlessUnreadable(readSettingsAt(this.#repo, oid), undefined))?.settings;
  }

  /**
   * Creates an annotated tag of a commit, durably. The caller holds the Hive's lock.
   * @param now in seconds since 1970.
   * @param lock checked just before the tag is created; if it was lost, there is no tag.
   * @throws as {@link Tags.create}.
   */
  async tag(
    { name, commit, limit, metadata }: TagPlan<CommitMetadata>,
    now: number,
    lock: HeldLock,
  ): Promise<TagInfo> {
    const message = formatCommitMessage(metadata);
    const object = toTag({ commit, name, tagger: metadata.author, time: now, message });
    const prepare = (): Promise<void> => this.#repo.writeObjects([object]);
    await this.#repo.tags.create(name, { next: object.oid, prepare, lock }, limit);
    const written = { object: commit, tagger: metadata.author, time: now, message };
    return { name, commit, written };
  }

  /** All tags and the objects they refer to, by name in byte order. */
  async listTags(): Promise<ReadonlyMap<TagName, Oid>> {
    return new Map([...(await this.#repo.tags.list())].toSorted(([a], [b]) => compareBytes(a, b)));
  }

  /** Reads a tag. @param target the object that it refers to. @returns undefined when it does not lead to a commit. */
  async readTag(name: TagName, target: Oid): Promise<TagInfo | undefined> {
    const peeled = await this.#peel(target);
    return peeled && { name, ...peeled };
  }

  async #readCommit(oid: Oid): Promise<CommitInfo> {
    try {
      return await this.#repo.readCommit(oid);
    } catch (error) {
      throw toContentInvalid(oid, error);
    }
  }

  #read(oid: Oid, head: Snapshot | undefined, settings: StoredSettings | undefined): CachedSnapshot {
    const reading = this.#repo
      .readCommit(oid)
      .then((commit) => Snapshot.read(this.#repo, commit, { previous: head, settings, lazy: true }));
    return { reading, snapshot: undefined };
  }

  async #beginning(prefix: string, field: string, { tip, signal }: Lookup): Promise<Oid | undefined> {
    const tagged = await this.#tagged();
    const tips = [...(await this.#branchTips(tip)), ...tagged.values()];
    const reached = await this.graph.reachable(tips, "all", signal);
    const names = new Set(reached.startingWith(prefix).map(({ oid }) => oid));
    for (const target of tagged.keys()) if (target.startsWith(prefix)) names.add(target);
    const [found, another] = names;
    if (another === undefined) return found && (tagged.get(found) ?? found);
    throw invalid(field, `"${prefix}" is the beginning of more than one commit`);
  }

  /** The commits that the branches refer to, a given one first. */
  async #branchTips(first: Oid): Promise<readonly Oid[]> {
    return [...new Set([first, ...(await this.#repo.branches.list()).values()])];
  }

  /** The commits that tags lead to, by the objects that the tags refer to: tag objects, or the commits themselves. */
  async #tagged(): Promise<ReadonlyMap<Oid, Oid>> {
    const targets = [...(await this.#repo.tags.list()).values()];
    const peeled = targets.map(async (target) => [target, (await this.#peel(target))?.commit] as const);
    return new Map(
      (await Promise.all(peeled)).flatMap(([target, commit]) => (commit ? [[target, commit]] : [])),
    );
  }

  async #peel(target: Oid): Promise<Peeled | undefined> {
    const known = this.#peeled.get(target);
    if (known !== undefined) return known;
    const { commit, written } = await peelTag(this.#repo, target);
    if (commit === undefined) return undefined;
    const peeled = { commit, written };
    this.#peeled.set(target, peeled);
    return peeled;
  }
}

function unknown(field: string, { text }: Revision): SkepError {
  return invalid(
    field,
    `there is no commit "${excerpt(text)}" that a branch or a tag reaches, and no tag of that name`,
    { publicCode: "unknown_revision" },
  );
}

/**
 * Turns invalid content of an earlier commit into an error of the request, which can name another commit.
 * @param problem the beginning of the message, which says what the request cannot do therefore.
 */
function asInvalid(error: unknown, field: string, problem = ""): unknown {
  if (error instanceof UnreadablePath) {
    return invalid(field, `${problem}the content at that commit is invalid: ${error.path}`, { cause: error });
  }
  return isFailure(error, "content-invalid")
    ? invalid(field, `${problem}${error.message}`, { cause: error })
    : error;
}

/** Reads content of an earlier commit; see {@link asInvalid}. */
export async function orInvalid<T>(field: string, read: () => Promise<T>, problem = ""): Promise<T> {
  try {
    return await read();
  } catch (error) {
    throw asInvalid(error, field, problem);
  }
}
