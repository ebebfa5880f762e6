/** The interface as a plain model in memory, against which the real application is compared. */
import { expect } from "vitest";

import type { Common } from "./branches.ts";
import { dropLostNotes, setNote, type Note } from "./notes.ts";
import { formSource, hasForm, type PluralKind } from "./plurals.ts";

type Texts = Map<string, string>;

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
  /** Every commit, with what the Hive was then. */
  readonly history: { readonly commit: string; readonly state: HiveState; readonly hasMoves: boolean }[];
  /** Whether strings were moved since the last commit that is noted. */
  hasMoves: boolean;
  plurals: PluralKind;
  /** Of a branch besides main: what it has in common with main. */
  common?: Common;
}

export type HiveState = Pick<ModelHive, "files" | "translations" | "origins" | "notes">;

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
  dropLostNotes(hive);
  return { status: 200, body: mode === "sync" ? { ...counts, deleted } : counts };
}

export interface Place {
  readonly file: string;
  readonly key: string;
}

export interface PlannedMove {
  readonly from: Place;
  readonly to: Place;
}

const placeId = ({ file, key }: Place): string => `${file} ${key}`;

function toPlace(id: string): Place {
  const [file = "", ...key] = id.split(" ");
  return { file, key: key.join(" ") };
}

/** What moves of single strings answer; changes the model where they are accepted. */
export function moveStrings(model: Model, slug: string, moves: readonly PlannedMove[]): Answer {
  const hive = model.hives.get(slug);
  if (hive === undefined) return missing(model, slug);
  const has = ({ file, key }: Place): boolean => hive.files.get(file)?.has(key) === true;
  const to = new Map(moves.map((one) => [placeId(one.from), one.to]));
  const arriving = new Set(moves.map((one) => placeId(one.to)));
  const isFine = moves.every(
    (one) =>
      has(one.from) && placeId(one.from) !== placeId(one.to) && (!has(one.to) || to.has(placeId(one.to))),
  );
  if (!isFine || to.size < moves.length || arriving.size < moves.length) return { status: 422 };
  const route = (place: Place): Place => to.get(placeId(place)) ?? place;
  const routed = (
    by: Map<string, Texts>,
    routeOf: (place: Place) => Place | undefined,
  ): Map<string, Texts> => {
    const after = new Map<string, Texts>();
    for (const [file, texts] of by) {
      for (const [key, text] of texts) {
        const place = routeOf({ file, key });
        if (place === undefined) continue;
        after.set(place.file, (after.get(place.file) ?? new Map<string, string>()).set(place.key, text));
      }
    }
    return after;
  };
  const files = routed(hive.files, route);
  /** Plural forms that are no strings go with the form `other`. */
  const routeOfTranslation = (place: Place): Place | undefined => {
    const own = has(place);
    const [, stem = "", category = ""] = /^(.*[._])(.*)$/.exec(place.key) ?? [];
    const other = own ? undefined : to.get(placeId({ file: place.file, key: `${stem}other` }));
    const renamed = other?.key.endsWith("other") === true ? other.key.slice(0, -5) + category : undefined;
    const formPlace = renamed === undefined ? undefined : { file: other?.file ?? "", key: renamed };
    const target = own ? route(place) : other === undefined ? place : formPlace;
    if (target === undefined || formSource(files.get(target.file), target.key) === undefined)
      return undefined;
    return own || files.get(target.file)?.has(target.key) !== true ? target : undefined;
  };
  if (moves.length > 0) hive.hasMoves = true;
  const counts = { moved: moves.length, translations_moved: 0, translations_deleted: 0 };
  const origins = new Map(hive.origins);
  for (const [locale, by] of hive.translations) {
    for (const [file, texts] of by) {
      for (const key of texts.keys()) {
        const place = { file, key };
        const target = routeOfTranslation(place);
        if (target === undefined) counts.translations_deleted++;
        else if (placeId(target) !== placeId(place)) counts.translations_moved++;
        const origin = hive.origins.get(`${locale} ${placeId(place)}`);
        if (target !== undefined && origin !== undefined) origins.set(`${locale} ${placeId(target)}`, origin);
      }
    }
    hive.translations.set(locale, routed(by, routeOfTranslation));
  }
  hive.files.clear();
  for (const [file, texts] of files) hive.files.set(file, texts);
  const notes = Array.from(hive.notes, ([id, note]) => [placeId(to.get(id) ?? toPlace(id)), note] as const);
  hive.notes.clear();
  for (const [id, note] of notes) hive.notes.set(id, note);
  for (const [id, origin] of origins) hive.origins.set(id, origin);
  return { status: 200, body: counts };
}

/**
 * What a sync answers that detects moves; changes the model where it is accepted.
 * @param moves those that the real thing detects: they are checked to be certain, not found.
 */
export function movingSync(model: Model, slug: string, files: Files, moves: readonly PlannedMove[]): Answer {
  const hive = model.hives.get(slug);
  if (hive === undefined) return missing(model, slug);
  const before = structuredClone({
    files: hive.files,
    translations: hive.translations,
    origins: hive.origins,
    notes: hive.notes,
  });
  const present = (file: string): Texts => before.files.get(file) ?? new Map();
  const gone: [name: string, text: string][] = [];
  const come: [name: string, text: string][] = [];
  for (const [file, texts] of Object.entries(files)) {
    for (const [key, text] of present(file))
      if (!Object.hasOwn(texts, key)) gone.push([placeId({ file, key }), text]);
    for (const [key, text] of Object.entries(texts))
      if (!present(file).has(key)) come.push([placeId({ file, key }), text]);
  }
  const isRenamed = ({ from, to }: PlannedMove): boolean =>
    from.key === to.key && Object.keys(files[from.file] ?? {}).length === 0 && !before.files.has(to.file);
  const left = (some: typeof gone, end: "from" | "to"): Map<string, string[]> => {
    const named = new Set(moves.filter(isRenamed).map((one) => placeId(one[end])));
    const byText = new Map<string, string[]>();
    for (const [name, text] of some) {
      if (named.has(name) || text === "") continue;
      byText.set(text, [...(byText.get(text) ?? []), name]);
    }
    return byText;
  };
  const [from, to] = [left(gone, "from"), left(come, "to")];
  const certain: string[] = [];
  let ambiguous = 0;
  for (const [text, names] of from) {
    const others = to.get(text) ?? [];
    if (names.length === 1 && others.length === 1) certain.push(`${names.join()} -> ${others.join()}`);
    else if (others.length > 0) ambiguous++;
  }
  const named = moves
    .filter((one) => !isRenamed(one))
    .map((one) => `${placeId(one.from)} -> ${placeId(one.to)}`);
  expect(named.toSorted()).toEqual(certain.toSorted());
  const textAt = (all: ReadonlyMap<string, Texts>, { file, key }: Place) => all.get(file)?.get(key);
  const same = moves.filter(
    (one) => textAt(before.files, one.from) === files[one.to.file]?.[one.to.key],
  ).length;
  expect(moveStrings(model, slug, moves).status).toBe(200);
  const { status, body } = importSource(model, slug, files, "sync", false);
  if (status === 200) {
    const counts: object = Object(body);
    const unchanged = Number(Reflect.get(counts, "unchanged")) - same;
    return { status, body: { ...counts, unchanged, moved: moves.length, ambiguous } };
  }
  Object.assign(hive, before);
  return { status, body };
}

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
          const into: Texts = by.get(file) ?? new Map();
          by.set(file, into.set(own, text));
          hive.origins.set(`${locale} ${file} ${own}`, formSource(hive.files.get(file), own) ?? "");
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
export function exportedAt(model: Model, slug: string, locale: string, name: string): Answer {
  const hive = model.hives.get(slug);
  if (hive === undefined) return { status: 404 };
  const then = hive.tags.get(name);
  if (then === undefined) return { status: 422 };
  const by = then.translations.get(locale) ?? (hive.translations.has(locale) ? new Map() : undefined);
  const translations = new Map(then.translations);
  if (by !== undefined) translations.set(locale, by);
  const past: Model = { ...newModel(), hives: new Map([[slug, { ...then, translations }]]) };
  return exported(past, slug, locale);
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

/** An export of one locale as exported name → key → text. */
export function exported(model: Model, slug: string, locale: string): Answer {
  const hive = model.hives.get(slug);
  if (hive === undefined) return { status: 404 };
  const by = locale === "en" ? hive.files : hive.translations.get(locale);
  if (by === undefined) return { status: 422 };
  const files = Array.from(hive.files.keys(), (file) => [
    file.replace(/\.(?:php|yaml)$/, ".json"),
    Object.fromEntries(by.get(file) ?? []),
  ]);
  return { status: 200, body: Object.fromEntries(files) };
}
