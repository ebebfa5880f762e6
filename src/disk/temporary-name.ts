/** Names of files that are being written. */
import { randomBytes } from "node:crypto";
import { dirname, join } from "node:path";

/** Prefixes that git ignores: it would take other files among refs for refs, and among objects or packs for damage. */
const prefixes = { anywhere: ".tmp_skep_", object: "tmp_obj_skep_", pack: "tmp_pack_skep_" } as const;

/** Unique to this process; a random name for each file would take longer than writing a small file. */
const ownNames = randomBytes(8).toString("hex");
let counter = 0;

/** A unique temporary name for a file, in the same folder. */
export function temporaryPath(path: string): string {
  const folder = dirname(path);
  const isObject = /\/objects\/[0-9a-f]{2}$/.test(folder);
  const prefix = prefixes[isObject ? "object" : folder.endsWith("/objects/pack") ? "pack" : "anywhere"];
  return join(folder, `${prefix}${ownNames}_${(counter++).toString(36)}`);
}

/** Whether an unfinished file other than a pack has this name. */
export function isTemporary(name: string): boolean {
  return name.startsWith(prefixes.anywhere) || name.startsWith(prefixes.object);
}
