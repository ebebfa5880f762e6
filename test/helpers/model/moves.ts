/** What the model knows of moves of strings. */
import { expect } from "vitest";
import {
  copyOf,
  importSource,
  missing,
  placeId,
  type Answer,
  type Files,
  type Model,
  type Place,
  type Texts,
} from "./model.ts";
import { dropLostPictures, united } from "./pictures.ts";
import { formSource } from "./plurals.ts";
import type { Review } from "./reviews.ts";

export interface PlannedMove {
  readonly from: Place;
  readonly to: Place;
}

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
  const reviews = new Map<string, Review>();
  const accepted = Array.from(hive.accepted, ([id, own]) => {
    const [locale = "", ...place] = id.split(" ");
    const target = routeOfTranslation(toPlace(place.join(" ")));
    return [target && `${locale} ${placeId(target)}`, own] as const;
  });
  for (const [locale, by] of hive.translations) {
    for (const [file, texts] of by) {
      for (const key of texts.keys()) {
        const place = { file, key };
        const target = routeOfTranslation(place);
        if (target === undefined) counts.translations_deleted++;
        else if (placeId(target) !== placeId(place)) counts.translations_moved++;
        const origin = hive.origins.get(`${locale} ${placeId(place)}`);
        const review = hive.reviews.get(`${locale} ${placeId(place)}`);
        if (target !== undefined && review !== undefined) reviews.set(`${locale} ${placeId(target)}`, review);
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
  for (const [image, ids] of hive.pictures)
    hive.pictures.set(
      image,
      united(
        ids.map((id) => placeId(to.get(id) ?? toPlace(id))),
        [],
      ),
    );
  dropLostPictures(hive);
  hive.accepted.clear();
  for (const [id, own] of accepted) if (id !== undefined) hive.accepted.set(id, own);
  hive.reviews.clear();
  for (const [id, review] of reviews) hive.reviews.set(id, review);
  return { status: 200, body: counts };
}

/**
 * What a sync answers that detects moves; changes the model where it is accepted.
 * @param moves those that the real thing detects: they are checked to be certain, not found.
 */
export function movingSync(model: Model, slug: string, files: Files, moves: readonly PlannedMove[]): Answer {
  const hive = model.hives.get(slug);
  if (hive === undefined) return missing(model, slug);
  const before = copyOf(hive);
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
