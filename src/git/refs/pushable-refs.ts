/** What a Hive shows to its mirrors: main and its tags, whoever moved or made them. */
import { createHash } from "node:crypto";
import { join } from "node:path";
import type { PushableRefs } from "../../domain/hives/mirror.ts";
import type { DurableFs } from "../../disk/durable-fs.ts";
import { isTemporary } from "../../disk/temporary-name.ts";
import { MainRef } from "./main-ref.ts";

/**
 * Reads main and hashes it with all tags.
 * @throws SkepError `not-found` when there is no repository, `content-invalid` when it has no main.
 */
export async function readPushableRefs(fs: DurableFs, gitdir: string): Promise<PushableRefs> {
  const main = new MainRef(fs, gitdir).read();
  const hash = createHash("sha256").update(main);
  const packed = (await readText(fs, join(gitdir, "packed-refs"))) ?? "";
  const tags = new Map<string, string>();
  for (const line of packed.split("\n")) {
    const [oid = "", name] = line.split(" ");
    if (name?.startsWith("refs/tags/") === true) tags.set(name, oid);
  }
  await readLoose(fs, gitdir, "refs/tags", tags);
  for (const name of [...tags.keys()].toSorted()) hash.update(`\n${tags.get(name)} ${name}`);
  return { main, digest: hash.digest("hex") };
}

/** Loose tags stand over packed ones. */
async function readLoose(
  fs: DurableFs,
  gitdir: string,
  folder: string,
  tags: Map<string, string>,
): Promise<void> {
  for (const name of await fs.list(join(gitdir, folder))) {
    const path = `${folder}/${name}`;
    if (name.endsWith(".lock") || isTemporary(name)) continue;
    if (await fs.isFolder(join(gitdir, path))) await readLoose(fs, gitdir, path, tags);
    else tags.set(path, (await readText(fs, join(gitdir, path)))?.trim() ?? "");
  }
}

async function readText(fs: DurableFs, path: string): Promise<string | undefined> {
  const bytes = await fs.read(path);
  return bytes && Buffer.from(bytes).toString("utf8");
}
