/** The file with a repository's id. A Hive that is created again under the same name gets a repository with another id. */
import { join } from "node:path";
import type { DurableFs } from "../../disk/durable-fs.ts";

const file = "skep-id";

/** The id of a repository, as a UUID; undefined when it has none yet. */
export async function readRepositoryId(fs: DurableFs, gitdir: string): Promise<string | undefined> {
  const found = /^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})\s*$/.exec(
    (await fs.readText(join(gitdir, file))) ?? "",
  );
  return found?.slice(1).join("-");
}

/** Gives a repository an id. The caller holds the lock of its Hive, or is the only one who knows it. */
export function writeRepositoryId(fs: DurableFs, gitdir: string, id: string): Promise<void> {
  return fs.write(join(gitdir, file), `${id.replaceAll("-", "")}\n`);
}
