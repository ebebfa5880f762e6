/**
 * Merges the three versions of one locale file key by key, as `git merge` has them. What both sides changed differently
 * stands between conflict markers, line by line, so that no text is lost and the file is no JSON until it is settled.
 */
import { Issues } from "../errors.ts";
import { toLocale } from "../hives/locale.ts";
import { isFileName, type FileName } from "../names.ts";
import { parseStoredJson } from "../json.ts";
import { Settlement } from "../plans/settlement.ts";
import { mergeSource } from "../plans/merge-source.ts";
import type { Sides } from "../sides.ts";
import { editTexts } from "../strings/group-edit.ts";
import type { ContentWithMarkers } from "../strings/stale.ts";
import { formatGroup, fromGroup, toStringFile, type StringFile } from "../strings/string-file.ts";

/** The bytes of the common base and of both sides; empty for a file that a side does not have. */
export type TextVersions = Sides<Uint8Array>;

export interface MergedText {
  readonly text: string;
  /** How many places have to be settled. */
  readonly conflicts: number;
}

/** Merges the versions of a file. @param mark a text that occurs in none of them, for the places of conflicts. */
export async function mergeTexts(versions: TextVersions, mark: string): Promise<MergedText> {
  const base = read(versions.base);
  const ours = read(versions.ours);
  const theirs = read(versions.theirs);
  if (base === undefined || ours === undefined || theirs === undefined) return asWhole(versions);
  const first = await merge({ base, ours, theirs });
  const keys = [...new Set(first.conflicts.map(({ key }) => key))];
  if (keys.length === 0) return { text: format(first.file), conflicts: 0 };
  // Both sides have the same mark for a key, so they agree; if one side lacks the key, the other has added it.
  const marks = new Map(keys.map((key, i) => [key, `${mark} ${i}.`]));
  const marked = ({ group }: StringFile): StringFile =>
    fromGroup(editTexts(group, (key, text) => marks.get(key) ?? text));
  const second = await merge({
    base: fromGroup(editTexts(base.group, (key, text) => (marks.has(key) ? undefined : text))),
    ours: marked(ours),
    theirs: marked(theirs),
  });
  const text = format(second.file);
  const isWhole = keys.every((_, i) => text.includes(`"${mark} ${i}."`));
  // Of two names that cannot stand beside each other, one is missing from the text.
  if (second.conflicts.length > 0 || !isWhole) return asWhole(versions);
  const lines = text.split("\n").flatMap((line) => {
    const found = keys.findIndex((_, i) => line.includes(`"${mark} ${i}."`));
    const key = keys[found];
    if (key === undefined) return [line];
    const withText = (value: string | undefined): readonly string[] =>
      value === undefined ? [] : [line.replace(`"${mark} ${found}."`, () => JSON.stringify(value))];
    return between(withText(ours.texts.get(key)), withText(theirs.texts.get(key)));
  });
  return { text: lines.join("\n"), conflicts: keys.length };
}

/** A version as a file; undefined when it is not the file of a locale. */
function read(bytes: Uint8Array): StringFile | undefined {
  const issues = new Issues();
  try {
    const value = bytes.byteLength === 0 ? {} : parseStoredJson(bytes);
    const file = toStringFile(value, "", issues, { isSource: false });
    return issues.isEmpty ? file : undefined;
  } catch {
    return undefined;
  }
}

const settings = { name: "clone", sourceLocale: toLocale("en"), targetLocales: [] };
const name = fileNamed("texts");

function fileNamed(text: string): FileName {
  if (!isFileName(text)) throw new Error(`${text} is not the name of a file`);
  return text;
}

async function merge({ base, ours, theirs }: Sides<StringFile>) {
  const contentOf = (file: StringFile): ContentWithMarkers => ({
    content: {
      settings,
      source: new Map(file.texts.size === 0 ? [] : [[name, file]]),
      translations: new Map(),
    },
    markers: new Map(),
  });
  const contents = { ours: contentOf(ours), base: contentOf(base), theirs: contentOf(theirs) };
  const { files, conflicts } = await mergeSource(contents, new Settlement());
  return { file: files.has(name) ? files.get(name) : ours, conflicts };
}

function format(file: StringFile | undefined): string {
  return file === undefined ? "{}\n" : formatGroup(file.group);
}

function asWhole({ ours, theirs }: TextVersions): MergedText {
  return { text: `${between(linesOf(ours), linesOf(theirs)).join("\n")}\n`, conflicts: 1 };
}

function linesOf(bytes: Uint8Array): readonly string[] {
  const text = new TextDecoder().decode(bytes);
  return (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n");
}

function between(ours: readonly string[], theirs: readonly string[]): readonly string[] {
  return ["<<<<<<< ours", ...ours, "=======", ...theirs, ">>>>>>> theirs"];
}
