/** Names of files that are not finished. */
import { randomBytes } from "node:crypto";
import { dirname, join } from "node:path";

/** How they begin: git takes a file of any other name among refs for a ref, and among objects or packs for damage. */
const prefixes = { anywhere: ".tmp_skep_", object: "tmp_obj_skep_", pack: "tmp_pack_skep_" } as const;

/** Of this process alone: a random name for each file would take longer than writing some. */
const ownNames = randomBytes(8).toString("hex");
let given = 0;

/** A name for what is to become a file, in the same folder; no other has it. */
export function temporaryPath(path: string): string {
  const folder = dirname(path);
  const isObject = /\/objects\/[0-9a-f]{2}$/.test(folder);
  const prefix = prefixes[isObject ? "object" : folder.endsWith("/objects/pack") ? "pack" : "anywhere"];
  return join(folder, `${prefix}${ownNames}_${(given++).toString(36)}`);
}

/** Whether a file name is one of an unfinished write, packs aside. */
export function isTemporary(name: string): boolean {
  return name.startsWith(prefixes.anywhere) || name.startsWith(prefixes.object);
}
