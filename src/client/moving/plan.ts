/** Plans how an export of another tool comes into a Hive: what is sent, what is there already, and what is left out. */
import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { TeamNoteChange } from "../../domain/notes/note.ts";
import { noteLimits, type StringNotes } from "../../domain/notes/note.ts";
import { readImageHeader } from "../../domain/pictures/image-header.ts";
import { pictureLimits } from "../../domain/pictures/picture.ts";
import { starMatcher } from "../../domain/pictures/star-pattern.ts";
import { pluralCategories } from "../../domain/strings/plural-forms.ts";
import { fileNameProblem } from "../../domain/names.ts";
import { keyProblem, type Group, type Node } from "../../domain/strings/string-file.ts";
import { textProblem } from "../../domain/text.ts";
import type { Moved, MovedPicture, MovedString, MovedText } from "../../formats/moving/moved.ts";
import type { HiveLocale, HiveTexts } from "../api/hive-api.ts";
import type { HiveTerm, SentTerm } from "../api/glossary-api.ts";
import type { HivePicture, SentPicture } from "../api/picture-api.ts";
import type { StringAddress } from "../api/schemas.ts";
import { planTerms } from "./plan-terms.ts";
import { withLineEndsOf } from "../exchange/import.ts";
import { addressOf, textsOf } from "../texts.ts";

export interface MoveRules {
  /** Whether translations and notes of the Hive are replaced that are others than those of the export. */
  readonly overwrite: boolean;
  /** Whether a text that equals its source is a translation, of which the export says nothing else. */
  readonly sameAsSource: boolean;
  /** Whether translations are sent that were made for another source text than the Hive's. */
  readonly changedSource: boolean;
  /** Whether the memory fills what has no translation. */
  readonly memory: boolean;
}

/** What the Hive has before. */
export interface HiveState {
  readonly source: HiveTexts;
  /** By the code of the locale. */
  readonly translations: ReadonlyMap<string, HiveTexts>;
  /** The translations that are missing or stale, by the code of the locale: addresses with their source texts. */
  readonly open: ReadonlyMap<
    string,
    ReadonlyMap<string, { readonly source: string; readonly isMissing: boolean }>
  >;
  /** By address. */
  readonly notes: ReadonlyMap<string, StringNotes>;
  readonly pictures: readonly HivePicture[];
  readonly terms: readonly HiveTerm[];
}

export interface PlannedText extends StringAddress {
  readonly text: string;
  readonly before: string | null;
  /** Whether it waits for a review from then on. */
  readonly waits: boolean;
}

export interface LocalePlan {
  readonly locale: HiveLocale;
  readonly texts: readonly PlannedText[];
  /** Texts that are there already, of which nobody has to look at any more. */
  readonly finished: readonly (StringAddress & { readonly text: string })[];
  readonly unchanged: number;
}

export interface MovePlan {
  /** Source strings that the Hive lacks, by file. */
  readonly strings: ReadonlyMap<string, Group>;
  readonly created: number;
  readonly locales: readonly LocalePlan[];
  /** By file and key. */
  readonly notes: ReadonlyMap<string, ReadonlyMap<string, TeamNoteChange>>;
  readonly pictures: readonly SentPicture[];
  readonly terms: readonly SentTerm[];
  /** Plans the notes again, from those that the Hive has by then. */
  readonly notesBeside: (notes: HiveState["notes"]) => MovePlan["notes"];
  /** The same for the terms. */
  readonly termsBeside: (terms: HiveState["terms"]) => MovePlan["terms"];
}

/** Plans a move. What is not taken is left out in `moved`, with the reason. */
export function planMove(
  moved: Moved,
  hive: HiveState,
  targets: readonly HiveLocale[],
  rules: MoveRules,
): MovePlan {
  leaveUnfit(moved);
  const strings = planStrings(moved, hive);
  const sourceOf = ({ file, key }: StringAddress): string | undefined =>
    hive.source.get(file)?.get(key) ?? strings.texts.get(file)?.get(key);
  placeUnkeyed(moved, hive, strings.texts);
  const locales = targets.map((locale) => planLocale(moved, hive, locale, { rules, sourceOf }));
  const addresses = new Set(
    [...hive.source, ...strings.texts].flatMap(([file, texts]) =>
      Array.from(texts.keys(), (key) => `${file}:${key}`),
    ),
  );
  const isShown = (pattern: string): boolean =>
    addresses.has(pattern) || (pattern.includes("*") && [...addresses].some(starMatcher(pattern)));
  const notesBeside: MovePlan["notesBeside"] = (notes) => planNotes(moved, notes, sourceOf, rules);
  const termsBeside: MovePlan["termsBeside"] = (terms) => planTerms(moved, terms, rules);
  return {
    strings: strings.files,
    created: strings.created,
    locales,
    notes: notesBeside(hive.notes),
    pictures: moved.pictures.flatMap((picture) => planPicture(picture, moved, hive, isShown)),
    terms: termsBeside(hive.terms),
    notesBeside,
    termsBeside,
  };
}

/** Leaves out what no Hive can store: one such text would have the whole request refused. */
function leaveUnfit(moved: Moved): void {
  for (const [file, strings] of moved.files) {
    const named = fileNameProblem(file);
    if (named !== undefined) {
      moved.leave("file", `its name ${named}`, file);
      moved.files.delete(file);
      continue;
    }
    for (const [key, { source = "", translations }] of strings) {
      const problem = keyProblem(key) ?? textProblem(source);
      if (problem !== undefined) {
        moved.leave("string", `its key or text ${problem}`, `${file}: ${key}`);
        strings.delete(key);
        moved.contents.delete(file);
      }
      for (const [code, { text }] of translations) {
        const wrong = textProblem(text);
        if (wrong === undefined) continue;
        moved.leave("translation", `it ${wrong}`, `${code}: ${file}: ${key}`);
        translations.delete(code);
      }
    }
  }
}

interface PlannedStrings {
  readonly files: ReadonlyMap<string, Group>;
  readonly texts: HiveTexts;
  readonly created: number;
}

/** The strings that the Hive lacks. One that has another source text in the Hive keeps it: the app's files decide. */
function planStrings(moved: Moved, { source }: HiveState): PlannedStrings {
  const files = new Map<string, Group>();
  const texts = new Map<string, ReadonlyMap<string, string>>();
  let created = 0;
  for (const [file, strings] of moved.files) {
    const present = source.get(file);
    const fresh = new Map<string, string>();
    for (const [key, string] of strings) {
      const before = present?.get(key);
      if (string.source === undefined || string.source === before) continue;
      if (before === undefined) fresh.set(key, string.source);
      else moved.leave("source text", "the Hive has another one, which stays", `${file}: ${key}`);
    }
    if (fresh.size === 0) continue;
    created += fresh.size;
    texts.set(file, fresh);
    files.set(file, groupOf(fresh, present === undefined ? moved.contents.get(file) : undefined));
  }
  return { files, texts, created };
}

/** Strings as a group; nested as the export's own file nests them where all of them are new. */
function groupOf(fresh: ReadonlyMap<string, string>, content: Group | undefined): Group {
  const nested = content === undefined ? undefined : textsOf(content);
  // No prototype: `__proto__` is a name like any other.
  const group: Record<string, Node> = Object.create(null);
  if (content !== undefined) Object.assign(group, content);
  for (const [key, text] of fresh) if (nested?.has(key) !== true) group[key] = text;
  return group;
}

/** Finds the strings of texts whose keys the export does not tell. */
function placeUnkeyed(moved: Moved, { source }: HiveState, created: HiveTexts): void {
  const found = new Map<string, Map<string, string | undefined>>();
  const keysOf = (file: string): ReadonlyMap<string, string | undefined> => {
    const known = found.get(file);
    if (known !== undefined) return known;
    const keys = new Map<string, string | undefined>();
    for (const texts of [source.get(file), created.get(file)])
      for (const [key, text] of texts ?? []) keys.set(text, keys.has(text) ? undefined : key);
    found.set(file, keys);
    return keys;
  };
  for (const { file, source: text, locale, note, ...translation } of moved.unkeyed) {
    const key = keysOf(file).get(text);
    if (key === undefined) {
      const reason = "the export does not tell its key, and no single string of its file has its source text";
      moved.leave("translation", reason, `${locale}: ${file}: ${text}`);
      continue;
    }
    const string = moved.string(file, key);
    if (!string.translations.has(locale)) string.translations.set(locale, translation);
    moved.note(file, key, note);
  }
}

interface Planning {
  readonly rules: MoveRules;
  readonly sourceOf: (address: StringAddress) => string | undefined;
}

function planLocale(
  moved: Moved,
  hive: HiveState,
  locale: HiveLocale,
  { rules, sourceOf }: Planning,
): LocalePlan {
  const { code } = locale;
  const texts: PlannedText[] = [];
  const finished: (StringAddress & { text: string })[] = [];
  const open = hive.open.get(code);
  const isReviewed = hasApproved(moved, code);
  let unchanged = 0;
  for (const [file, strings] of moved.files) {
    const present = hive.translations.get(code)?.get(file);
    for (const [key, string] of strings) {
      const given = string.translations.get(code);
      if (given === undefined) continue;
      const address = { file, key };
      const now = sourceOf(address) ?? open?.get(addressOf(address))?.source ?? sourceOf(otherForm(address));
      const text = withLineEndsOf(now, given.text);
      const before = present?.get(key) || null;
      const waits = given.state === "review" || (given.state === "translated" && isReviewed);
      const isOpen = open?.has(addressOf(address)) === true;
      if (before === text) {
        unchanged++;
        if (!waits) finished.push({ ...address, text });
        continue;
      }
      const reason = reasonToLeave({ given, string, text, now, before, isOpen }, rules);
      if (reason === undefined) texts.push({ ...address, text, before, waits });
      else moved.leave("translation", reason, `${code}: ${file}: ${key}`);
    }
  }
  const filled = fillFromMemory(moved, locale, hive, { rules, texts });
  return { locale, texts: [...texts, ...filled], finished, unchanged };
}

/** The source text of a plural form that the source language does not have is that of `other`. */
function otherForm({ file, key }: StringAddress): StringAddress {
  return { file, key: key.replace(formEnding, "$1other") };
}

const formEnding = new RegExp(`([._])(?:${pluralCategories.join("|")})$`);

/** Whether a tool's users approve translations: then one that is only finished is not approved. */
function hasApproved({ files }: Moved, code: string): boolean {
  for (const strings of files.values())
    for (const { translations } of strings.values())
      if (translations.get(code)?.state === "approved") return true;
  return false;
}

interface Judged {
  readonly given: MovedText;
  readonly string: MovedString;
  readonly text: string;
  readonly now: string | undefined;
  readonly before: string | null;
  readonly isOpen: boolean;
}

/** Why a translation is not sent. */
function reasonToLeave(
  { given, string, text, now, before, isOpen }: Judged,
  { overwrite, sameAsSource, changedSource }: MoveRules,
): string | undefined {
  const made = string.source && withLineEndsOf(now, string.source);
  if (now === undefined && string.source === undefined)
    return "the Hive has no such string, and the export no source text for it";
  if (made !== undefined && now !== undefined && made !== now && !changedSource)
    return "its source text in the Hive is another; --changed-source sends it all the same";
  if (text === now && given.state === undefined && !sameAsSource)
    return "it equals its source text; --same-as-source sends it";
  if (before !== null && !isOpen && !overwrite)
    return "the Hive has another translation; --overwrite replaces it";
  return undefined;
}

/** Drafts for missing translations, where the memory has one translation alone for the very source text. */
function fillFromMemory(
  moved: Moved,
  { code }: HiveLocale,
  { open }: HiveState,
  { rules, texts }: { readonly rules: MoveRules; readonly texts: readonly PlannedText[] },
): readonly PlannedText[] {
  const own = moved.memory.filter(({ locale }) => locale === code);
  if (own.length === 0) return [];
  if (!rules.memory) {
    const reason = "Skep's memory is the texts of its Hives; --memory has it fill what is missing";
    moved.leave("unit of the memory", reason, undefined, own.length);
    return [];
  }
  const bySource = new Map<string, string | undefined>();
  for (const { source, text } of own) {
    const known = bySource.get(source);
    bySource.set(
      source,
      known === undefined && !bySource.has(source) ? text : known === text ? text : undefined,
    );
  }
  const planned = new Set(texts.map(addressOf));
  const filled: PlannedText[] = [];
  for (const [address, { source, isMissing }] of open.get(code) ?? []) {
    const text = bySource.get(source);
    const [file = "", key = ""] = address.split("\0");
    if (isMissing && text !== undefined && !planned.has(address))
      filled.push({ file, key, text, before: null, waits: true });
  }
  const unused = own.length - new Set(filled.map(({ text }) => text)).size;
  moved.leave("unit of the memory", "no missing text has its source text", undefined, unused);
  return filled;
}

function planNotes(
  moved: Moved,
  present: HiveState["notes"],
  sourceOf: Planning["sourceOf"],
  { overwrite }: MoveRules,
): MovePlan["notes"] {
  const notes = new Map<string, Map<string, TeamNoteChange>>();
  for (const [file, strings] of moved.files) {
    const own = new Map<string, TeamNoteChange>();
    for (const [key, { note }] of strings) {
      if (note === undefined) continue;
      const address = { file, key };
      if (sourceOf(address) === undefined) {
        moved.leave("note", "the Hive has no such string", `${file}: ${key}`);
        continue;
      }
      const { team = {}, app = {} } = present.get(addressOf(address)) ?? {};
      const change: Record<string, unknown> = {};
      for (const name of ["note", "max_length", "max_length_unit", "keep", "where", "arguments"] as const) {
        const value = note[name];
        if (value === undefined || [team, app].some((one) => isDeepStrictEqual(value, one[name]))) continue;
        if (team[name] === undefined || overwrite) change[name] = value;
        else moved.leave("note", "the Hive has another one; --overwrite replaces it", `${file}: ${key}`);
      }
      const lacking = (note.tags ?? []).filter((tag) => ![team, app].some(({ tags }) => tags?.includes(tag)));
      if (lacking.length > 0) change.tags = [...(team.tags ?? []), ...lacking].slice(0, noteLimits.tags);
      const isNew = (name: string): boolean => name !== "tags" || (team.tags ?? []).length < noteLimits.tags;
      if (Object.keys(change).some(isNew)) own.set(key, change);
    }
    if (own.size > 0) notes.set(file, own);
  }
  return notes;
}

function planPicture(
  { name, content, strings, boxes = [] }: MovedPicture,
  moved: Moved,
  { pictures }: HiveState,
  isShown: (pattern: string) => boolean,
): readonly SentPicture[] {
  const leave = (reason: string): readonly SentPicture[] => {
    moved.leave("picture", reason, name);
    return [];
  };
  const header = readImageHeader(content);
  if (header === undefined) return leave("it is no PNG, WebP or JPEG");
  if (content.length > pictureLimits.bytes) return leave(`it is larger than ${pictureLimits.bytes} bytes`);
  if (Math.max(header.width, header.height) > pictureLimits.side)
    return leave(`it has more than ${pictureLimits.side} pixels on a side`);
  const known = strings.filter((pattern) => isShown(pattern));
  const shown = [...new Set(known)].slice(0, pictureLimits.patterns);
  if (shown.length === 0) return leave("it shows no string that the Hive has");
  if (known.length > shown.length)
    moved.leave("string of a picture", `a picture has at most ${pictureLimits.patterns}`, name);
  const hash = createHash("sha256").update(content).digest("hex");
  const present = pictures.find((picture) => picture.hash === hash);
  if (present !== undefined && shown.every((one) => present.strings.includes(one))) return [];
  return [{ name, content: Buffer.from(content), strings: shown, boxes }];
}
