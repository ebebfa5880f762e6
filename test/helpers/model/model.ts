/** The interface as a plain model in memory, against which the real application is compared. */
import { expect } from "vitest";
import type { Common } from "./branches.ts";
import { setNote, type Note } from "./notes.ts";
import type { Accepted } from "./accepted.ts";
import { noGlossary, type Glossary } from "./glossary.ts";
import { dropLost } from "./lost.ts";
import { reviewText, type Review, type Writer } from "./reviews.ts";
import { formSource, hasForm, type PluralKind } from "./plurals.ts";

export type Texts = Map<string, string>;

/** A Hive of the model: flat keys only, so that shape plays no part. */
export interface ModelHive {
  readonly files: Map<string, Texts>;
  /** Locale code → file → key → text. */
  readonly translations: Map<string, Map<string, Texts>>;
  /** What was marked, by the tag's name: the Hive as it was then. */
  readonly tags: Map<string, ModelHive>;
  /** `locale file key` → the source text that a translation was made for. Of what is there no more nothing is read. */
  readonly origins: Map<string, string>;
  /** `file key` → what the app and the team say about a string. */
  readonly notes: Map<string, Note>;
  /** `locale file key` → that a translation waits for a review. */
  readonly reviews: Map<string, Review>;
  /** `locale file key` → the findings that were accepted as false alarms. */
  readonly accepted: Map<string, Accepted>;
  readonly pictures: Map<string, readonly string[]>;
  /** What main has; branches have that of main. */
  readonly glossary: Glossary;
  /** Every commit, with what the Hive was then. */
  readonly history: { readonly commit: string; readonly state: HiveState; readonly hasMoves: boolean }[];
  /** Whether strings were moved since the last commit that is noted. */
  hasMoves: boolean;
  plurals: PluralKind;
  /** Of a branch besides main: what it has in common with main. */
  common?: Common;
}

export type HiveState = Pick<
  ModelHive,
  "files" | "translations" | "origins" | "notes" | "reviews" | "accepted" | "pictures" | "glossary"
>;

/** A state of its own with what a Hive or a commit has. */
export function copyOf({
  files,
  translations,
  origins,
  notes,
  reviews,
  accepted,
  pictures,
  glossary,
}: HiveState): HiveState {
  return structuredClone({ files, translations, origins, notes, reviews, accepted, pictures, glossary });
}

export interface Model {
  /** By slug; a branch besides main is named `slug@branch`. */
  readonly hives: Map<string, ModelHive>;
  /** Deleted branches, the last one of each name. */
  readonly deleted: Map<string, ModelHive>;
  maxStrings: number | undefined;
}

/** The slug of a Hive or a branch. */
export function slugOf(name: string): string {
  return name.replace(/@.*/, "");
}

/** What a write to a missing Hive or branch answers. */
export function missing(model: Model, name: string): Answer {
  return { status: model.hives.has(slugOf(name)) ? 422 : 403 };
}

export type Files = Readonly<Record<string, Readonly<Record<string, string>>>>;

export interface Answer {
  readonly status: number;
  readonly body?: unknown;
}

export function newModel(): Model {
  return { hives: new Map(), deleted: new Map(), maxStrings: undefined };
}

export function newHive(locales: readonly string[]): ModelHive {
  return {
    files: new Map(),
    translations: new Map(locales.map((locale) => [locale, new Map()])),
    tags: new Map(),
    origins: new Map(),
    notes: new Map(),
    reviews: new Map(),
    accepted: new Map(),
    pictures: new Map(),
    glossary: noGlossary(),
    history: [],
    hasMoves: false,
    plurals: "auto",
  };
}

/** The number of source strings in the other Hives, at main. */
export function countElsewhere(model: Model, name: string): number {
  const others = [...model.hives].filter(([other]) => !other.includes("@") && other !== slugOf(name));
  return others.reduce((sum, [, other]) => sum + countOf(other), 0);
}

function countOf(hive: HiveState): number {
  return [...hive.files.values()].reduce((sum, texts) => sum + texts.size, 0);
}

/** Whether a change would leave the team with more strings than it may have, and with more than before. */
export function exceeds(model: Model, slug: string, before: HiveState, after: HiveState): boolean {
  const count = countOf(after);
  if (model.maxStrings === undefined || count <= countOf(before)) return false;
  return countElsewhere(model, slug) + count > model.maxStrings;
}

/** What an import or a sync answers; changes the model where it is accepted. */
export function importSource(
  model: Model,
  slug: string,
  files: Files,
  mode: "import" | "sync",
  clear: boolean,
  said: Files = {},
): Answer {
  const hive = model.hives.get(slug);
  if (hive === undefined) return missing(model, slug);
  const counts = { created: 0, updated: 0, unchanged: 0, translations_cleared: 0 };
  const after = new Map(Array.from(hive.files, ([file, texts]) => [file, new Map(texts)]));
  let deleted = 0;
  for (const [file, texts] of Object.entries(files)) {
    const present: Texts = after.get(file) ?? new Map();
    for (const [key, text] of Object.entries(texts)) {
      const old = present.get(key);
      if (old === undefined) counts.created++;
      else if (old === text) counts.unchanged++;
      else counts.updated++;
      present.set(key, text);
    }
    for (const key of mode === "sync" ? [...present.keys()] : []) {
      if (Object.hasOwn(texts, key)) continue;
      present.delete(key);
      deleted++;
    }
    if (present.size > 0) after.set(file, present);
    else after.delete(file);
  }
  const gone: [by: Map<string, Texts>, file: string, key: string][] = [];
  for (const [locale, by] of hive.translations) {
    for (const file of Object.keys(files)) {
      for (const key of by.get(file)?.keys() ?? []) {
        const had = hive.files.get(file);
        const has = after.get(file);
        const isOther = formSource(had, key) !== formSource(has, key);
        const isOwn = has?.has(key) === true;
        const stays = isOwn || (had?.has(key) === true ? hasForm(hive.plurals, locale, has, key) : true);
        if (formSource(has, key) === undefined || !stays) gone.push([by, file, key]);
        else if (clear && isOther) {
          gone.push([by, file, key]);
          if (isOwn || had?.has(key) === false) counts.translations_cleared++;
        }
      }
    }
  }
  const before = countOf(hive);
  const total = countElsewhere(model, slug);
  const now = before + counts.created - deleted;
  if (model.maxStrings !== undefined && now > before && total + now > model.maxStrings) {
    return {
      status: 422,
      body: {
        message: "String limit reached for your plan.",
        code: "quota_exceeded",
        details: expect.any(String),
        limit: model.maxStrings,
        used: total + before,
        requested: total + now,
      },
    };
  }
  hive.files.clear();
  for (const [file, texts] of after) hive.files.set(file, texts);
  for (const [by, file, key] of gone) forget(by, file, key);
  for (const [file, keys] of Object.entries(said)) {
    for (const key of hive.files.get(file)?.keys() ?? []) {
      const id = placeId({ file, key });
      setNote(hive, id, { ...hive.notes.get(id), app: keys[key] });
    }
  }
  dropLost(hive);
  return { status: 200, body: mode === "sync" ? { ...counts, deleted } : counts };
}

export interface Place {
  readonly file: string;
  readonly key: string;
}

export const placeId = ({ file, key }: Place): string => `${file} ${key}`;

function forget(by: Map<string, Texts>, file: string, key: string): void {
  by.get(file)?.delete(key);
  if (by.get(file)?.size === 0) by.delete(file);
}

/** Names under which the model knows its files to come back, besides their own. */
const aliases: Readonly<Record<string, string>> = {
  "a.json": "a.php",
  "fr/a.php": "a.php",
  "fr.json": "en.json",
};

/** A key of an export of all locales as it is in a file, if it can be one of the file's. */
function unbundled(hive: ModelHive, file: string, key: string): string | undefined {
  const bare = file === "en.json" || (hive.files.size === 1 && !file.endsWith(".php"));
  const prefix = bare ? "" : `${file.split(".")[0]}.`;
  return key.startsWith(prefix) ? key.slice(prefix.length) : undefined;
}

/** What a translation import answers; changes the model where it is accepted. */
export function importTranslations(
  model: Model,
  slug: string,
  locale: string,
  files: Files,
  overwrite: boolean,
  writer: Writer = "writer",
): Answer {
  const hive = model.hives.get(slug);
  if (hive === undefined) return missing(model, slug);
  const by = hive.translations.get(locale);
  if (by === undefined) return { status: 422 };
  const counts = { created: 0, updated: 0, skipped: 0, unknown: 0 };
  const claimed = new Set<string>();
  const own = Object.entries(files).filter(([name]) => hive.files.has(name));
  const others = Object.entries(files).filter(([name]) => !hive.files.has(name) && name !== "fr.json");
  const bundles = Object.entries(files).filter(([name]) => !hive.files.has(name) && name === "fr.json");
  const before = new Map(Array.from(by, ([file, texts]) => [file, new Map(texts)]));
  /** Source strings, forms of the language, and what is there already. */
  const takes = (file: string, key: string | undefined): boolean => {
    const source = hive.files.get(file);
    if (key === undefined || formSource(source, key) === undefined) return false;
    if (source?.has(key) === true || before.get(file)?.has(key) === true) return true;
    return hasForm(hive.plurals, locale, source, key);
  };
  for (const [name, texts] of [...own, ...others, ...bundles]) {
    const alias = hive.files.has(name) ? name : aliases[name];
    const named = alias !== undefined && hive.files.has(alias) ? alias : undefined;
    for (const [key, text] of Object.entries(texts)) {
      let file = named !== undefined && takes(named, key) ? named : undefined;
      let own = key;
      if (file === undefined && (name === "fr.json" || name === "en.json")) {
        file = [...hive.files.keys()].find((other) => takes(other, unbundled(hive, other, key)));
        own = file === undefined ? key : (unbundled(hive, file, key) ?? key);
      }
      if (file === undefined) counts.unknown++;
      else if (text === "" || claimed.has(`${file} ${own}`)) counts.skipped++;
      else {
        claimed.add(`${file} ${own}`);
        const old = before.get(file)?.get(own);
        if (old === text || (old !== undefined && !overwrite)) counts.skipped++;
        else {
          counts[old === undefined ? "created" : "updated"]++;
          const id = `${locale} ${file} ${own}`;
          const source = formSource(hive.files.get(file), own) ?? "";
          reviewText(hive, id, { text: old, madeFor: hive.origins.get(id), source }, text, writer);
          const into: Texts = by.get(file) ?? new Map();
          by.set(file, into.set(own, text));
          hive.origins.set(id, source);
        }
      }
    }
  }
  return { status: 200, body: counts };
}

/** What making a tag answers. */
export function tag(model: Model, slug: string, name: string): Answer {
  const hive = model.hives.get(slug);
  if (hive === undefined) return { status: 403 };
  const taken = [...hive.tags.keys()].some((other) => other.toLowerCase() === name.toLowerCase());
  if (taken) return { status: 409 };
  hive.tags.set(name, structuredClone(hive));
  return { status: 201 };
}

/**
 * An export of one locale at a tag. A locale that is there now and was not then has empty files; one that was there
 * then is found.
 */
export function exportedAt(
  model: Model,
  slug: string,
  locale: string,
  name: string,
  approved: boolean,
): Answer {
  const hive = model.hives.get(slug);
  if (hive === undefined) return { status: 404 };
  const then = hive.tags.get(name);
  if (then === undefined) return { status: 422 };
  const by = then.translations.get(locale) ?? (hive.translations.has(locale) ? new Map() : undefined);
  const translations = new Map(then.translations);
  if (by !== undefined) translations.set(locale, by);
  const past: Model = { ...newModel(), hives: new Map([[slug, { ...then, translations }]]) };
  return exported(past, slug, locale, approved);
}

/** The source strings as `file key` → text. */
export function strings(model: Model, slug: string): Record<string, string> | undefined {
  const hive = model.hives.get(slug);
  if (hive === undefined) return undefined;
  return Object.fromEntries(
    Array.from(hive.files, ([file, texts]) =>
      Array.from(texts, ([key, text]) => [`${file} ${key}`, text]),
    ).flat(),
  );
}

/**
 * An export of one locale as exported name → key → text.
 * @param approved whether the text that was approved last stands in place of one that waits.
 */
export function exported(model: Model, slug: string, locale: string, approved: boolean): Answer {
  const hive = model.hives.get(slug);
  if (hive === undefined) return { status: 404 };
  const by = locale === "en" ? hive.files : hive.translations.get(locale);
  if (by === undefined) return { status: 422 };
  const files = Array.from(hive.files.keys(), (file) => [
    file.replace(/\.(?:php|yaml)$/, ".json"),
    Object.fromEntries(
      [...(by.get(file) ?? [])].flatMap(([key, text]) => {
        const review = approved ? hive.reviews.get(`${locale} ${file} ${key}`) : undefined;
        const given = review === undefined ? text : review.approved;
        return given === undefined ? [] : [[key, given]];
      }),
    ),
  ]);
  return { status: 200, body: Object.fromEntries(files) };
}
