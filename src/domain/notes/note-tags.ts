/** Selects strings by their notes: by tags, or those that are to be translated. */
import { syntaxByFlags } from "../checks/guess-syntax.ts";
import type { SyntaxName } from "../checks/syntax-names.ts";
import { invalid } from "../errors.ts";
import type { StringAddress } from "../move.ts";
import type { FileName } from "../names.ts";
import { type HiveContent, type SourceFiles, translationsOf } from "../strings/hive-content.ts";
import { LocalePlurals } from "../strings/plural-rules.ts";
import { emptyFile, type StringFile, fromGroup, noTexts, type Texts } from "../strings/string-file.ts";
import { isTag, noteLimits, shownNote, type FileNotes, type Notes, type StringNotes } from "./note.ts";
import { filtered } from "../filtered.ts";
import type { LocaleCode } from "../hives/locale.ts";
import { pause } from "../../slices.ts";
import { editTexts } from "../strings/group-edit.ts";
import type { LengthLimit } from "../checks/length.ts";
import { moduleCache, WeakCache } from "../../module-caches.ts";

/** The tags of which a string is to have one. */
export type WantedTags = readonly string[];

/**
 * Reads tags that are separated by commas.
 * @throws SkepError `invalid` on `tag` where one of them cannot be a tag.
 */
export function toWantedTags(text: string): WantedTags {
  const tags = text.split(",").map((tag) => tag.trim());
  if (tags.length > noteLimits.tags) throw invalid("tag", `must be at most ${noteLimits.tags} tags`);
  if (!tags.every((tag) => isTag(tag) && tag.length <= 2 * noteLimits.tag))
    throw invalid("tag", "must be one or more tags, separated by commas");
  return [...new Set(tags)];
}

/** Whether a string has one of some tags, of the app or the team. */
export function hasTag(notes: StringNotes | undefined, wanted: WantedTags): boolean {
  return notes !== undefined && shownNote(notes).tags?.some((tag) => wanted.includes(tag)) === true;
}

/**
 * The notes of a string. A plural form that only translations have, for which nobody can say something, has those of the
 * form `other`, whose text is its source text.
 */
export function notesAt(
  notes: Notes,
  source: SourceFiles,
  { file, key }: StringAddress,
): StringNotes | undefined {
  const here = notes.get(file);
  if (here === undefined || here.size === 0) return undefined;
  const plurals = source.get(file)?.plurals;
  if (plurals?.isAdded(key) !== true) return here.get(key);
  return here.get(key) ?? here.get(`${plurals.formOf(key)?.string.stem}other`);
}

/** By file, keys such as those that are not to be translated. */
export type KeptKeys = ReadonlyMap<FileName, ReadonlySet<string>>;

/** The strings that are not to be translated; a note on one plural form is about all of them. */
export function keptKeys(
  notes: Notes,
  { source, settings }: Pick<HiveContent, "source" | "settings">,
): KeptKeys {
  return keysWhere(isKept, notes, { source, settings });
}

/** The strings that are never sent to engines; a note on one plural form is about all of them. */
export function unsentKeys(notes: Notes, content: Pick<HiveContent, "source" | "settings">): KeptKeys {
  return keysWhere(isUnsent, notes, content);
}

/** Whether notes say that a string is never sent to engines. */
export function isUnsent({ team }: StringNotes): boolean {
  return team?.machine === false;
}

function keysWhere(
  is: (notes: StringNotes) => boolean,
  notes: Notes,
  { source, settings }: Pick<HiveContent, "source" | "settings">,
): KeptKeys {
  const plurals = new LocalePlurals(settings.sourceLocale.code, settings);
  const found = new Map<FileName, ReadonlySet<string>>();
  for (const [file, own] of notes) {
    const keys = keysIn(is, own, source.get(file) ?? emptyFile, plurals);
    if (keys.size > 0) found.set(file, keys);
  }
  return found;
}

/** What {@link keptKeys} gives for one file. @param plurals of any locale of the Hive. */
export function keptIn(notes: FileNotes, strings: StringFile, plurals: LocalePlurals): ReadonlySet<string> {
  return keysIn(isKept, notes, strings, plurals);
}

function keysIn(
  is: (notes: StringNotes) => boolean,
  notes: FileNotes,
  strings: StringFile,
  plurals: LocalePlurals,
): ReadonlySet<string> {
  const found = new Set<string>();
  for (const [key, note] of notes) {
    if (!is(note)) continue;
    const form = plurals.formOf(strings, key);
    for (const one of form === undefined ? [key] : [...form.string.own, ...form.string.added]) found.add(one);
  }
  return found;
}

/** Whether notes say that a string is not to be translated; what the team says counts. */
function isKept({ app, team }: StringNotes): boolean {
  return (team?.keep ?? app?.keep) === true;
}

/** The content of one locale without the strings that have none of some tags; files keep their names, also without a string. */
export async function taggedContent(
  content: HiveContent,
  locale: LocaleCode,
  notes: Notes,
  tags: WantedTags,
): Promise<HiveContent> {
  const source = new Map<FileName, StringFile>();
  const files = new Map<FileName, Texts>();
  for (const [file, strings] of content.source) {
    await pause();
    const isTagged = (key: string): boolean => hasTag(notesAt(notes, content.source, { file, key }), tags);
    const left = fromGroup(editTexts(strings.group, (key, text) => (isTagged(key) ? text : undefined)));
    source.set(file, left);
    files.set(file, filtered(translationsOf(content, locale).get(file) ?? noTexts, isTagged));
  }
  return { ...content, source, translations: new Map([[locale, files]]) };
}

/** The syntax that the app's flags give a text, such as those of a message of gettext; that of its file without any. */
export function syntaxByNotes(notes: StringNotes | undefined, ofFile: SyntaxName): SyntaxName {
  const tags = notes?.app?.tags;
  if (ofFile === "none" || tags === undefined) return ofFile;
  return syntaxByFlags(tags) ?? ofFile;
}

/** What the notes of a file say about its texts that these are checked by, by their keys. */
export interface FileNoteRules {
  /** How long a translation may be. */
  readonly limits: ReadonlyMap<string, LengthLimit>;
  /** The syntax of a text that is another than that of its file. */
  readonly syntaxes: ReadonlyMap<string, SyntaxName>;
  /** The keys of notes that say that a string is not to be translated. */
  readonly kept: ReadonlySet<string>;
}

/** Files whose notes say nothing of this have no rules. */
export type NoteRules = ReadonlyMap<FileName, FileNoteRules>;

const known = moduleCache(new WeakCache<FileNotes, FileNoteRules>());

/** The rules that notes set; those of a file are the same object as long as its notes are. */
export function noteRulesOf(notes: Notes): NoteRules {
  const rules = new Map<FileName, FileNoteRules>();
  for (const [file, keys] of notes) {
    const own = known.get(keys) ?? rulesIn(keys);
    known.set(keys, own);
    if (own.limits.size + own.syntaxes.size + own.kept.size > 0) rules.set(file, own);
  }
  return rules;
}

function rulesIn(notes: FileNotes): FileNoteRules {
  const limits = new Map<string, LengthLimit>();
  const syntaxes = new Map<string, SyntaxName>();
  const kept = new Set<string>();
  for (const [key, note] of notes) {
    const { app, team } = note;
    if (isKept(note)) kept.add(key);
    const most = team?.max_length ?? app?.max_length;
    if (most !== undefined)
      limits.set(key, { most, unit: team?.max_length_unit ?? app?.max_length_unit ?? "characters" });
    const syntax = app?.tags && syntaxByFlags(app.tags);
    if (syntax !== undefined) syntaxes.set(key, syntax);
  }
  return { limits, syntaxes, kept };
}
