/** What `skep export` writes, as it is read again: nothing of it has to be guessed. */
import { z } from "zod";
import { isFileName, storedPath } from "../../domain/names.ts";
import { shownNote, type StringNotes } from "../../domain/notes/note.ts";
import { cutNote } from "../../domain/notes/cut-note.ts";
import { appNoteSchema } from "../../domain/notes/note-schema.ts";
import { jsonOrUndefined } from "../../domain/json.ts";
import { boxSchema } from "../../domain/pictures/picture.ts";
import { FormatError } from "../../formats/format.ts";
import { readTermsTbx } from "../../formats/exchange/term-tbx.ts";
import { readXliff } from "../../formats/exchange/xliff-read.ts";
import { json } from "../../formats/json.ts";
import { decodeUtf8 } from "../../formats/patch/source-text.ts";
import type { MovingContext } from "../../formats/moving/context.ts";
import type { Moved } from "../../formats/moving/moved.ts";
import { guarded } from "../../formats/moving/read-files.ts";
import type { ExportFiles } from "../../formats/moving/zip.ts";

/** Where the parts of an export lie in its folder. The index is written last: an export without it was cut off. */
export const exportPaths = {
  index: "skep-export.json",
  json: "locales",
  xliff: "xliff",
  memory: "memory.tmx",
  terms: "glossary.tbx",
  notes: "notes.json",
  pictures: "pictures",
  pictureList: "pictures/pictures.json",
} as const;

/** The index of an export. */
export const exportIndex = z.object({
  version: z.literal(1),
  hive: z.string(),
  commit: z.string(),
  source: z.string(),
  locales: z.array(z.string()),
  /** The names of the Hive's files. */
  files: z.array(z.string().refine(isFileName)),
});
export type ExportIndex = z.output<typeof exportIndex>;

const note = appNoteSchema.nullish().catch(null);
const notedStrings = z.array(z.object({ file: z.string(), key: z.string(), app: note, team: note }));

const pictureList = z.array(
  z.object({ file: z.string(), strings: z.array(z.string()), boxes: z.array(boxSchema).default([]) }),
);

/** Reads an export. @throws FormatError when it is none, or was cut off, or is of another source locale. */
export async function readSkepExport(files: ExportFiles, context: MovingContext, into: Moved): Promise<void> {
  const index = exportIndex.safeParse(parsed(files, exportPaths.index)).data;
  if (index === undefined) throw new FormatError("is no export of skep export, or one that was cut off");
  if (context.localeOf(index.source) !== context.source)
    throw new FormatError(`has the source locale ${index.source}, and the Hive ${context.source}`);
  for (const name of index.files) {
    const path = `${exportPaths.json}/${index.source}/${storedPath(name)}`;
    const bytes = files.get(path);
    if (bytes !== undefined) await guarded(path, into, () => readSource(name, bytes, index, into));
  }
  for (const code of index.locales) {
    const path = `${exportPaths.xliff}/${code}.xlf`;
    const bytes = files.get(path);
    if (bytes !== undefined) await guarded(path, into, () => readTexts(path, bytes, context, into));
  }
  for (const { file, key, ...notes } of notedStrings.safeParse(parsed(files, exportPaths.notes)).data ?? []) {
    const { app, team } = notes;
    const all: StringNotes = { ...(app && { app }), ...(team && { team }) };
    into.note(file, key, cutNote(shownNote(all)));
  }
  const terms = files.get(exportPaths.terms);
  if (terms !== undefined)
    await guarded(exportPaths.terms, into, () => void into.terms.push(...readTermsTbx(terms, context).terms));
  for (const { file, ...picture } of pictureList.safeParse(parsed(files, exportPaths.pictureList)).data ??
    []) {
    const content = files.get(`${exportPaths.pictures}/${file}`);
    const name = file.slice(file.lastIndexOf("/") + 1);
    if (content === undefined) into.leave("picture", "its image is not in the export", name);
    else into.pictures.push({ ...picture, name, content });
  }
}

function parsed(files: ExportFiles, path: string): unknown {
  const bytes = files.get(path);
  return bytes && jsonOrUndefined(decodeUtf8(bytes));
}

function readSource(name: string, bytes: Uint8Array, { source }: ExportIndex, into: Moved): void {
  const { content, texts } = json.parse(bytes, { locale: source, sourceLocale: source });
  into.contents.set(name, content);
  for (const [key, text] of texts) into.string(name, key).source = text;
}

function readTexts(path: string, bytes: Uint8Array, context: MovingContext, into: Moved): void {
  const { units, refused, targetLocale = "" } = readXliff(bytes);
  const locale = context.localeOf(targetLocale);
  if (locale === undefined) return into.leaveLocale("file", targetLocale, path);
  for (const { file, key, reason } of refused) into.leave("text", `it ${reason}`, `${path}: ${file}: ${key}`);
  for (const { file, key, translation, state } of units) {
    if (translation !== undefined)
      into.string(file, key).translations.set(locale, { text: translation, state });
  }
  return undefined;
}
