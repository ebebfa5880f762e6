/**
 * The floors of writing: what must be done for a durable commit in git's format, by hand in one process, with nothing
 * around it: no server, no lock, no check of anything.
 */
import { createHash, randomBytes } from "node:crypto";
import { mkdirSync } from "node:fs";
import { open, rename } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { deflate } from "node:zlib";

const deflateAsync = promisify(deflate);

interface GitObject {
  readonly oid: Buffer;
  readonly bytes: Buffer;
}

function toObject(type: string, content: Buffer): GitObject {
  const bytes = Buffer.concat([Buffer.from(`${type} ${content.length}\0`), content]);
  return { oid: createHash("sha1").update(bytes).digest(), bytes };
}

function toTree(entries: readonly (readonly [mode: string, name: string, oid: Buffer])[]): GitObject {
  return toObject(
    "tree",
    Buffer.concat(entries.flatMap(([mode, name, oid]) => [Buffer.from(`${mode} ${name}\0`), oid])),
  );
}

/** A file under a temporary name, fsynced, renamed, and its folder fsynced. */
async function writeDurably(path: string, data: Buffer): Promise<void> {
  const temporary = `${path}.${randomBytes(4).toString("hex")}`;
  const file = await open(temporary, "wx");
  await file.writeFile(data);
  await file.sync();
  await file.close();
  await rename(temporary, path);
  const folder = await open(dirname(path), "r");
  await folder.sync();
  await folder.close();
}

export class HandmadeRepo {
  readonly #folder: string;
  #parent: string | undefined;

  constructor(folder: string) {
    this.#folder = folder;
    mkdirSync(join(folder, "refs/heads"), { recursive: true });
    for (let i = 0; i < 256; i++) {
      mkdirSync(join(folder, "objects", i.toString(16).padStart(2, "0")), { recursive: true });
    }
  }

  /** One commit that changes one file among its locale's others: blob, three trees, commit, all fsynced; then the ref. */
  async commit(
    path: readonly [folder: string, locale: string, file: string],
    content: string,
  ): Promise<void> {
    const [folder, locale, file] = path;
    const blob = toObject("blob", Buffer.from(content));
    const inner = toTree([["100644", file, blob.oid]]);
    const middle = toTree([["40000", locale, inner.oid]]);
    const root = toTree([["40000", folder, middle.oid]]);
    const parent = this.#parent === undefined ? "" : `parent ${this.#parent}\n`;
    const who = `Skep <skep@skep.invalid> ${Math.floor(Date.now() / 1000)} +0000`;
    const text = `tree ${root.oid.toString("hex")}\n${parent}author ${who}\ncommitter ${who}\n\nChange ${randomBytes(4).toString("hex")}\n`;
    const commit = toObject("commit", Buffer.from(text));
    await Promise.all([blob, inner, middle, root, commit].map((object) => this.#writeObject(object)));
    this.#parent = commit.oid.toString("hex");
    await writeDurably(join(this.#folder, "refs/heads/main"), Buffer.from(`${this.#parent}\n`));
  }

  /** A branch at the last commit, fsynced. */
  branch(name: string): Promise<void> {
    return writeDurably(join(this.#folder, "refs/heads", name), Buffer.from(`${this.#parent}\n`));
  }

  async #writeObject({ oid, bytes }: GitObject): Promise<void> {
    const name = oid.toString("hex");
    await writeDurably(
      join(this.#folder, "objects", name.slice(0, 2), name.slice(2)),
      await deflateAsync(bytes, { level: 1 }),
    );
  }
}
