/** What followers copy, as it lies in a storage: the files of settings, and what identifies a repository's state. */
import { createHash, randomBytes } from "node:crypto";
import { basename, dirname, join } from "node:path";
import { fileIdentity } from "../../disk/disk.ts";
import type { DurableFs } from "../../disk/durable-fs.ts";
import { isTemporary } from "../../disk/temporary-name.ts";
import { isHiveSlug, type HiveSlug } from "../../domain/names.ts";
import { BareRepo } from "../../git/bare-repo.ts";
import { readRefs, type Refs } from "../../git/refs/refs.ts";

/** The folders of settings that followers copy. Each change in them is announced, see `settings-version`. */
export const versionedFolders = ["teams", "tokens", "people", "channels"] as const;
/** And the others. What was pushed to a mirror is found out anew by whoever pushes; what was sent to a webhook cannot be. */
export const unversionedFolders = ["mirrors", "webhooks"] as const;
const folders = [...versionedFolders, ...unversionedFolders];
type Folder = (typeof folders)[number];
const settingsPath =
  /^(?:(?:teams|tokens|people|mirrors)\/[A-Za-z0-9][A-Za-z0-9-]*|webhooks\/[a-z0-9][a-z0-9-]*(?:\.state)?|channels\/[a-z0-9-]+\.[0-9a-f]{24})\.yaml$/;

/** Whether a file of settings is changed without an announcement. */
export function isUnversioned(path: string): boolean {
  return unversionedFolders.some((folder) => path.startsWith(`${folder}/`));
}

/** Whether followers copy the file of settings with a path. */
export function isReplicatedPath(path: string): boolean {
  return settingsPath.test(path);
}

/** The folders of refs that followers copy: branches, tags, and deleted branches. */
export const replicatedRefs = ["refs/heads", "refs/tags", "refs/skep/deleted"] as const;

const idFile = "skep-id";
const idPattern = /^[0-9a-f]{32}$/;
/** In a follower's repository that the primary would take commits from. */
const lossFile = "skep-loss";

/** Whether a text has the form of a repository's id. */
export function isRepositoryId(text: string): boolean {
  return idPattern.test(text);
}

export class Replicated {
  readonly #fs: DurableFs;
  readonly #root: string;

  constructor(fs: DurableFs, root: string) {
    this.#fs = fs;
    this.#root = root;
  }

  /** The texts of all files of settings that followers copy, or of those in some folders, by their paths in the storage. */
  async settings(inFolders: readonly Folder[] = folders): Promise<ReadonlyMap<string, string>> {
    const found = new Map<string, string>();
    for (const folder of inFolders) {
      const paths = (await this.#fs.list(join(this.#root, folder)))
        .filter((name) => !isTemporary(name))
        .map((name) => `${folder}/${name}`)
        .filter(isReplicatedPath);
      const texts = await Promise.all(paths.map((path) => this.#fs.readText(join(this.#root, path))));
      for (const [i, path] of paths.entries()) if (texts[i] !== undefined) found.set(path, texts[i]);
    }
    return found;
  }

  /** Tells one repository from a later one in its place, at once; undefined when there is none. */
  identity(gitdir: string): string | undefined {
    return fileIdentity(this.#fs.disk, join(gitdir, "objects"));
  }

  /** The slugs of all repositories that are in the place of a Hive. */
  async slugs(): Promise<readonly HiveSlug[]> {
    const names = await this.#fs.list(join(this.#root, "hives"));
    return names
      .filter((name) => name.endsWith(".git"))
      .map((name) => name.slice(0, -".git".length))
      .filter(isHiveSlug);
  }

  /**
   * Makes a repository beside the place that it is to be in, lets a function fill it, and moves it there. Nobody sees it
   * before.
   */
  async make(gitdir: string, id: string, fill: (aside: string) => Promise<void>): Promise<void> {
    const aside = join(this.#root, "hives", `.new-${basename(gitdir, ".git")}`);
    await this.#fs.removeFolder(aside);
    try {
      await BareRepo.init(this.#fs, aside);
      await this.identify(aside, id);
      await fill(aside);
      await this.#fs.makeFolder(dirname(gitdir));
      await this.#fs.moveFolder(aside, gitdir);
    } catch (error) {
      await this.#fs.removeFolder(aside).catch(() => undefined);
      throw error;
    }
  }

  /** Whether there is a repository. */
  has(gitdir: string): Promise<boolean> {
    return this.#fs.isFolder(gitdir);
  }

  /** The id of a repository, which a later one in its place does not have; undefined when it has none yet. */
  async id(gitdir: string): Promise<string | undefined> {
    const id = (await this.#fs.readText(join(gitdir, idFile)))?.trim();
    return id !== undefined && isRepositoryId(id) ? id : undefined;
  }

  /**
   * Gives a repository an id. The caller holds the lock of its Hive, or is the only one who knows it.
   * @param id random if not given.
   */
  async identify(gitdir: string, id = randomBytes(16).toString("hex")): Promise<void> {
    await this.#fs.write(join(gitdir, idFile), `${id}\n`);
  }

  /** The refs that followers copy. */
  async refs(gitdir: string): Promise<Refs> {
    const refs = [...(await readRefs(this.#fs, gitdir))];
    return new Map(refs.filter(([name]) => replicatedRefs.some((folder) => name.startsWith(`${folder}/`))));
  }

  /** A digest of these. */
  async digest(gitdir: string): Promise<string> {
    const lines = Array.from(await this.refs(gitdir), ([name, oid]) => `${oid} ${name}`);
    return createHash("sha256").update(lines.toSorted().join("\n")).digest("hex");
  }

  /** Whether a loss in a repository was refused, or accepted after that; undefined for neither. */
  async lossIn(gitdir: string): Promise<"refused" | "accepted" | undefined> {
    const text = await this.#fs.readText(join(gitdir, lossFile));
    return text === undefined ? undefined : text.trim() === "accepted" ? "accepted" : "refused";
  }

  /** Notes that a loss in a repository is refused, or accepted; undefined for neither. */
  async noteLoss(gitdir: string, loss: "refused" | "accepted" | undefined): Promise<void> {
    if (loss === undefined) await this.#fs.removeFile(join(gitdir, lossFile));
    else await this.#fs.write(join(gitdir, lossFile), `${loss}\n`);
  }
}
