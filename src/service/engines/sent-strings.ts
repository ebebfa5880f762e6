/** What of a string's surroundings may be sent to engines: nothing that a note or another Hive keeps to itself. */
import { slugOf, type HiveBranch } from "../../domain/commits/branch-name.ts";
import type { StringAddress } from "../../domain/move.ts";
import type { FileName, HiveSlug } from "../../domain/names.ts";
import { isUnsent, unsentKeys } from "../../domain/notes/note-tags.ts";
import type { WorkItem } from "../../domain/work/work.ts";
import type { Storage } from "../storage.ts";

/** Whether a string of a Hive is kept from engines. */
type IsUnsent = (at: StringAddress) => boolean;

/**
 * Strings without neighbours and translations of other strings that engines never get.
 * @param branch the place of the strings; other Hives are read at main.
 */
export async function sendable(
  storage: Pick<Storage, "hives">,
  branch: HiveBranch,
  items: readonly WorkItem[],
): Promise<readonly WorkItem[]> {
  const own = slugOf(branch);
  const known = new Map<HiveSlug, Promise<IsUnsent>>();
  const unsentIn = (slug: HiveSlug): Promise<IsUnsent> => {
    const found = known.get(slug) ?? unsentAt(storage, slug === own ? branch : slug);
    known.set(slug, found);
    return found;
  };
  return Promise.all(
    items.map(async (item) => {
      const isUnsentHere = await unsentIn(own);
      const memory: (typeof item.memory)[number][] = [];
      for (const hit of item.memory) if (!(await unsentIn(hit.hive))(hit)) memory.push(hit);
      const neighbours = item.neighbours.filter(({ key }) => !isUnsentHere({ file: item.file, key }));
      return { ...item, memory, neighbours };
    }),
  );
}

async function unsentAt({ hives }: Pick<Storage, "hives">, branch: HiveBranch): Promise<IsUnsent> {
  const snapshot = await hives.at(branch).snapshot();
  if (snapshot.settings.engines === false) return () => true;
  const { files } = await snapshot.values.notes.readable();
  const some = new Map(Array.from(files).filter(([, notes]) => [...notes.values()].some(isUnsent)));
  if (some.size === 0) return () => false;
  const keys: ReadonlyMap<FileName, ReadonlySet<string>> = unsentKeys(some, await snapshot.content([]));
  return ({ file, key }) => keys.get(file)?.has(key) === true;
}
