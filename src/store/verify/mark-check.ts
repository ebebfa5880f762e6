/** What can be wrong with the marks of stale translations. */
import type { FileWrite } from "../../domain/strings/hive-content.ts";
import { isStoredLocaleCode } from "../../domain/hives/locale.ts";
import { isFileName } from "../../domain/names.ts";
import { toMarkWrite, validMarks } from "../../domain/strings/stale.ts";
import { counted } from "../../domain/text.ts";
import { marksPath, staleFolder } from "../content/mark-files.ts";
import { inSlices } from "../../slices.ts";
import type { Snapshot } from "../content/snapshot.ts";
import { filesOf, folderAt } from "../../git/objects/tree.ts";

/** Marks that mark nothing. */
export interface MisplacedMarks {
  readonly problem: string;
  /** What mends it; nothing where that could lose something. */
  readonly writes: readonly FileWrite[];
}

/**
 * Marks of no translation, or of a source text that is the one of now.
 * @throws SkepError `content-invalid` when marks cannot be read.
 */
export async function findMisplacedMarks(snapshot: Snapshot): Promise<readonly MisplacedMarks[]> {
  const hive = await snapshot.content("all");
  const marks = await snapshot.marks.read([...hive.translations.keys()]);
  const found: MisplacedMarks[] = [...findForeign(snapshot)];
  for (const [locale, files] of marks) {
    for (const [file, texts] of files) {
      const valid = await inSlices(validMarks(hive, locale, file, texts));
      if (valid.size > 0 && valid.size === texts.size) continue;
      const without = counted(texts.size - valid.size, "mark");
      const problem = `${marksPath(locale, file)} holds ${without} without a stale translation`;
      found.push({ problem, writes: [await inSlices(toMarkWrite(locale, file, valid))] });
    }
  }
  return found;
}

/** Marks of what is no target locale. They are kept as long as there are translations that they may be of. */
function* findForeign({ tree, settings }: Snapshot): Generator<MisplacedMarks> {
  const known = new Set<string>(settings.targetLocales.map(({ code }) => code));
  for (const [name, entry] of folderAt(tree, [staleFolder])?.entries ?? []) {
    if (known.has(name)) continue;
    const writes: FileWrite[] = [];
    if (
      entry.kind === "folder" &&
      isStoredLocaleCode(name) &&
      folderAt(tree, ["locales", name]) === undefined
    ) {
      for (const { path } of filesOf(entry.tree)) {
        const file = path.slice(0, -".json".length);
        if (isFileName(file)) writes.push({ locale: name, file, content: undefined });
      }
    }
    yield { problem: `${staleFolder}/${name} is of no target locale`, writes };
  }
}
