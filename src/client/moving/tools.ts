/** The tools whose exports can be read, and what each writes otherwise than the others. */
import type { MovingContext } from "../../formats/moving/context.ts";
import { readLokaliseJson, readPhraseJson } from "../../formats/moving/json-dialects.ts";
import { Moved } from "../../formats/moving/moved.ts";
import { readFiles, type Dialect } from "../../formats/moving/read-files.ts";
import { readSkepExport } from "./skep-export.ts";
import type { ToolName } from "../../formats/moving/tool-names.ts";
import type { TmxUnit } from "../../formats/moving/tmx.ts";
import { isPartOfBackup, readWeblateBackup, weblateBackup } from "../../formats/moving/weblate.ts";
import type { ExportFiles } from "../../formats/moving/zip.ts";

const dialects: Readonly<Record<ToolName, Dialect>> = {
  weblate: {},
  tolgee: {},
  // Crowdin's units have its numbers as ids, and keys as names where the format of the file has keys.
  crowdin: { isOwnNumber: (key) => /^\d+$/.test(key) },
  lokalise: { read: readLokaliseJson },
  phrase: { read: readPhraseJson },
  pontoon: { fileOfUnit: fileOfPontoonUnit },
  skep: {},
};

/** Reads an export. What cannot be read of it is left out, and listed. */
export async function readExport(tool: ToolName, files: ExportFiles, context: MovingContext): Promise<Moved> {
  const moved = new Moved();
  if (tool === "skep") await readSkepExport(files, context, moved);
  else if (tool === "weblate" && files.has(weblateBackup)) await readWeblateBackup(files, context, moved);
  else await readFiles(files, context, dialects[tool], moved);
  return moved;
}

/** Whether a file of an export is read at all: hidden ones, and those that programs for archives add, are not. */
export function isRead(path: string): boolean {
  return isPartOfBackup(path) && !/(?:^|\/)(?:\.[^/]*|__MACOSX)(?:\/|$)/.test(path);
}

/** Pontoon's memory of a project is a list of its texts: `project:path of the file:a short form of the key`. */
function fileOfPontoonUnit({ id }: TmxUnit, { place, source }: MovingContext): string | undefined {
  const [, path] = /^[^:]+:(.+):[^:]*$/.exec(id ?? "") ?? [];
  const placed = path === undefined ? undefined : place(path, source);
  return placed === undefined || "unknown" in placed ? undefined : placed.file;
}
