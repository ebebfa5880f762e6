/** Finds problems among the objects and refs of a Hive's repository: every object that a ref reaches is read once. */
import { isSkepError } from "../../domain/errors.ts";
import type { StorageFault } from "./storage-fault.ts";
import type { Oid } from "../../domain/names.ts";
import {
  maxTreeDepth,
  UnreadablePath,
  type BareRepo,
  peelTag,
  unlessUnreadable,
} from "../../git/bare-repo.ts";
import type { RawTreeEntry } from "../../git/objects/git-object.ts";
import { emptyTree } from "../../git/objects/tree.ts";

/** An object, as the first commit has it that leads there. */
interface WalkedObject {
  readonly commit: Oid;
  /** Of names with slashes; empty for the root. */
  readonly path: string;
  readonly depth: number;
  readonly kind: "commit" | "folder" | "file";
  readonly oid: Oid;
}

/**
 * Finds damaged loose objects, which can be removed if no branch, also a deleted one, and no tag reaches them, and refs
 * without a commit.
 */
export async function checkObjects(repo: BareRepo): Promise<readonly StorageFault[]> {
  const walk = new ObjectWalk(repo);
  const tips = [...(await walkTags(repo, walk)), ...(await listTips(repo, walk.findings))];
  await walk.readAll(tips);
  repo.releasePacks();
  const damaged = await repo.damagedObjects();
  const torn = damaged.map((oid): StorageFault => {
    if (walk.reached.has(oid)) return { problem: `object ${oid} is damaged, and the history needs it` };
    const repair = async (): Promise<string> => {
      await repo.removeLoose(oid);
      return `removed the damaged object ${oid}`;
    };
    return { problem: `object ${oid} is damaged; no commit needs it`, repair };
  });
  return [...walk.findings, ...torn];
}

/** The commits of all branches, also deleted ones. */
async function listTips(repo: BareRepo, findings: StorageFault[]): Promise<readonly Oid[]> {
  try {
    repo.main.read();
  } catch (error) {
    if (!isSkepError(error)) throw error;
    findings.push({ problem: error.message });
  }
  for (const ref of await repo.branches.broken()) {
    findings.push({ problem: `${ref} is not the name of an object` });
  }
  const deleted = (await repo.branches.deleted()).map(({ commit }) => commit);
  return [...(await repo.branches.list()).values(), ...deleted];
}

/** Notes the tag objects as reached. @returns the commits that the tags lead to. */
async function walkTags(repo: BareRepo, walk: ObjectWalk): Promise<readonly Oid[]> {
  for (const ref of await repo.tags.broken()) {
    walk.findings.push({ problem: `${ref} is not the name of an object` });
  }
  const commits: Oid[] = [];
  for (const [name, target] of await repo.tags.list()) {
    const { commit, objects } = await peelTag(repo, target);
    for (const object of objects) walk.reached.add(object);
    if (commit === undefined)
      walk.findings.push({ problem: `the tag ${name} leads to no commit that can be read` });
    else commits.push(commit);
  }
  return commits;
}

/** Reads objects of commits. What it takes is proportional to the number of different objects. */
class ObjectWalk {
  readonly reached = new Set<Oid>();
  readonly findings: StorageFault[] = [];
  readonly #repo: BareRepo;

  constructor(repo: BareRepo) {
    this.#repo = repo;
  }

  /**
   * Reads objects with all that they lead to, level by level: so the findings do not depend on timing. A commit's trees are
   * read together with the commits before it.
   */
  async readAll(tips: readonly Oid[]): Promise<void> {
    const commits = tips.map(toCommit);
    for (let level = commits.filter(({ oid }) => this.#claim(oid)); level.length > 0;) {
      const found = await Promise.all(level.map((object) => this.#tryRead(object)));
      const inner: WalkedObject[] = [];
      for (const [i, object] of level.entries())
        for (const each of found[i] ?? (await this.#readAlone(object))) inner.push(each);
      level = inner.filter(({ oid }) => this.#claim(oid));
    }
  }

  /** Whether an object is reached for the first time. */
  #claim(oid: Oid): boolean {
    if (this.reached.has(oid)) return false;
    this.reached.add(oid);
    return oid !== emptyTree.oid;
  }

  /** As {@link #read}. @returns undefined when it fails, of which another object may be the cause. */
  #tryRead(object: WalkedObject): Promise<readonly WalkedObject[] | undefined> {
    return unlessUnreadable(this.#read(object), undefined);
  }

  /** As {@link #read}, after other reads, and notes it if it fails. */
  async #readAlone(object: WalkedObject): Promise<readonly WalkedObject[]> {
    try {
      return await this.#read(object);
    } catch (error) {
      this.#note(error, object.commit);
      return [];
    }
  }

  /** Reads one object. @returns what it leads to. @throws UnreadablePath */
  async #read(object: WalkedObject): Promise<readonly WalkedObject[]> {
    const { commit, path, depth, kind, oid } = object;
    if (depth > maxTreeDepth) throw new UnreadablePath(path);
    if (kind === "commit") {
      const { parents, tree } = await this.#repo.readCommit(commit);
      return [...parents.map(toCommit), { ...object, kind: "folder", oid: tree }];
    }
    if (kind === "folder") {
      return (await this.#repo.readFolder(oid, path)).flatMap((entry) => this.#enter(object, entry));
    }
    await this.#repo.readBlob(oid, path);
    return [];
  }

  #enter({ commit, path, depth }: WalkedObject, { mode, name, oid }: RawTreeEntry): readonly WalkedObject[] {
    const inner = { commit, path: path === "" ? name : `${path}/${name}`, depth: depth + 1, oid };
    if (mode === "40000") return [{ ...inner, kind: "folder" }];
    if (mode.startsWith("100")) return [{ ...inner, kind: "file" }];
    this.#note(new UnreadablePath(inner.path), commit);
    return [];
  }

  #note(error: unknown, commit: Oid): void {
    if (!(error instanceof UnreadablePath)) throw error;
    this.findings.push({ problem: `at commit ${commit}: cannot read ${error.path}` });
  }
}

function toCommit(oid: Oid): WalkedObject {
  return { commit: oid, path: "", depth: 0, kind: "commit", oid };
}
