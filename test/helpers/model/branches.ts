/** What the model knows of branches and of merges by key. */
import {
  copyOf,
  exceeds,
  slugOf,
  type Answer,
  type HiveState as State,
  type Model,
  type ModelHive,
} from "./model.ts";
import { mergeAccepted } from "./accepted.ts";
import { cellsOf, isSameCell, isSameState, sourceText, type Cell } from "./cells.ts";
import { dropLost } from "./lost.ts";
import { mergeNotes } from "./notes.ts";
import { mergePictures } from "./pictures.ts";
import { recordedState } from "./past.ts";
import { isFormOf } from "./plurals.ts";
import { forOtherSource } from "./reviews.ts";

/** The two sides of a merge. */
export type Side = "main" | "branch";

/** What a branch and main have in common: the last commit that both have. */
export interface Common {
  readonly state: State;
  /** How many commits each side had then. */
  readonly commits: Readonly<Record<Side, number>>;
  /** The side whose next commit was the merge; undefined of a branch that was never merged. */
  readonly into?: Side;
  /** Whether a side has moved strings that are elsewhere in the common commit. */
  readonly moves: Readonly<Record<Side, boolean>>;
}

/** What creating a branch answers. Tags are those of the Hive. */
export function createBranch(model: Model, slug: string, branch: string): Answer {
  const name = `${slug}@${branch}`;
  const hive = model.hives.get(slug);
  if (hive === undefined) return { status: 403 };
  if (model.hives.has(name)) return { status: 409 };
  const { length } = hive.history;
  const common = {
    state: recordedState(hive),
    commits: { main: length, branch: length },
    moves: { main: false, branch: false },
  };
  model.hives.set(name, { ...structuredClone(hive), tags: hive.tags, common });
  return { status: 201 };
}

/** What deleting a branch answers. */
export function deleteBranch(model: Model, slug: string, branch: string): Answer {
  const name = `${slug}@${branch}`;
  if (!model.hives.has(slug)) return { status: 403 };
  const hive = model.hives.get(name);
  if (hive === undefined) return { status: 404 };
  model.hives.delete(name);
  model.deleted.set(name, hive);
  return { status: 200 };
}

/** What restoring a branch answers. */
export function restoreBranch(model: Model, slug: string, branch: string): Answer {
  const name = `${slug}@${branch}`;
  if (!model.hives.has(slug)) return { status: 403 };
  const hive = model.deleted.get(name);
  if (hive === undefined) return { status: 404 };
  if (model.hives.has(name)) return { status: 409 };
  model.deleted.delete(name);
  model.hives.set(name, hive);
  return { status: 201 };
}

/** A Hive and its branches, also deleted ones. */
export function withBranches(model: Model, slug: string): ModelHive[] {
  const all = [...model.hives, ...model.deleted].filter(([name]) => slugOf(name) === slug);
  return all.map(([, hive]) => hive);
}

/** What a request says of one conflict. */
export type Resolution = Side | { readonly text: string };

export interface MergeRequest {
  readonly into: Side;
  /** By `locale file key`. */
  readonly resolutions?: ReadonlyMap<string, Resolution>;
  readonly onConflict: "fail" | Side;
  readonly maxDeletions?: number;
}

export interface MergeApiResponse extends Answer {
  /** The earlier merge, where nothing is left to merge. */
  readonly merged?: string;
}

const noCounts = {
  created: 0,
  updated: 0,
  deleted: 0,
  moved: 0,
  translations_created: 0,
  translations_updated: 0,
  translations_deleted: 0,
  confirmed: 0,
  settled: 0,
  dropped: 0,
};

/**
 * What a merge answers; changes the model where it is accepted. Conflicts are told as `locale file key`.
 * @returns undefined where strings were moved and both sides have changes: how these merge is held by properties of the
 * plan. The model is left as it is then.
 */
export function merge(
  model: Model,
  slug: string,
  branch: string,
  request: MergeRequest,
): MergeApiResponse | undefined {
  const { into, onConflict, resolutions = new Map(), maxDeletions = Infinity } = request;
  const main = model.hives.get(slug);
  if (main === undefined) return { status: 403 };
  const own = model.hives.get(`${slug}@${branch}`);
  if (own?.common === undefined) return { status: 404 };
  const { common } = own;
  const sides = { main, branch: own };
  const other: Side = into === "main" ? "branch" : "main";
  const [ours, theirs] = [sides[into], sides[other]];
  if (theirs.history.length === common.commits[other]) {
    const last = common.into && sides[common.into].history[common.commits[common.into]];
    return { status: 200, body: noCounts, merged: last?.commit };
  }
  const hasMoves = (side: Side): boolean => {
    const own = sides[side].history.slice(common.commits[side]);
    return common.moves[side] || own.some((one, i) => one.hasMoves && (i > 0 || common.into !== side));
  };
  const moves = { main: hasMoves("main"), branch: hasMoves("branch") };
  const commits = { main: main.history.length, branch: own.history.length };
  const accept = (after: State): void => {
    own.common = { state: recordedState(theirs), commits, into, moves: { ...moves, [other]: false } };
    Object.assign(ours, copyOf({ ...after, glossary: ours.glossary }));
  };
  if (moves.main || moves.branch) {
    const isSame = (side: Side) => !moves[side] && isSameState(sides[side], common.state);
    if (isSame(other)) {
      accept(ours);
      return { status: 200, body: noCounts };
    }
    if (!isSame(into) || exceeds(model, slug, ours, theirs) || maxDeletions < Infinity) return undefined;
    ours.hasMoves = true;
    accept(theirs);
    return { status: 200 };
  }
  const winner = onConflict === into || onConflict === "fail" ? "ours" : "theirs";
  const settle: Settle = (id) => {
    const { [id]: asked } = Object.fromEntries(resolutions);
    if (asked === undefined) return winner;
    return typeof asked === "object" ? asked : asked === into ? "ours" : "theirs";
  };
  const all = { base: common.state, ours, theirs };
  const { counts, conflicts, inNotes, after } = merged(all, winner, settle);
  const open = [...conflicts.filter((id) => !resolutions.has(id)), ...inNotes];
  if (open.length > 0 && onConflict === "fail") return { status: 409, body: open.toSorted() };
  if (counts.deleted > maxDeletions || exceeds(model, slug, ours, after)) return { status: 422 };
  accept(after);
  return { status: 200, body: { ...counts, settled: conflicts.length + inNotes.length } };
}

/** The texts that both sides changed, differently, as `locale file key`; none where there is nothing to merge by key. */
export function textConflicts(model: Model, slug: string, branch: string, into: Side): readonly string[] {
  const [main, own] = [model.hives.get(slug), model.hives.get(`${slug}@${branch}`)];
  if (main === undefined || own?.common === undefined) return [];
  const [ours, theirs] = into === "main" ? [main, own] : [own, main];
  return merged({ base: own.common.state, ours, theirs }, "ours", () => "ours").conflicts;
}

/** What is taken in the conflict of a text. */
type Settle = (id: string) => "ours" | "theirs" | { readonly text: string };

interface Sides {
  readonly base: State;
  readonly ours: State;
  readonly theirs: State;
}

/**
 * Merges each key by itself: source strings first, then what has a source string then.
 * @param winner whose notes count.
 */
function merged({ base, ours, theirs }: Sides, winner: "ours" | "theirs", settle: Settle) {
  const [was, here, there] = [cellsOf(base), cellsOf(ours), cellsOf(theirs)];
  const ids = [...new Set([...was.keys(), ...here.keys(), ...there.keys()])];
  const counts = { ...noCounts };
  const conflicts: string[] = [];
  const halfDeleted = new Map<string, "ours" | "theirs">();
  const source = new Map<string, string>();
  for (const id of ids.filter((one) => one.startsWith("en "))) {
    const [before, mine, other] = [was.get(id)?.text, here.get(id)?.text, there.get(id)?.text];
    const isConflict = mine !== before && other !== before && mine !== other;
    if (isConflict) conflicts.push(id);
    const taken = isConflict ? sideOfText(settle(id), mine, other) : mine !== before ? "ours" : "theirs";
    if (isConflict && (mine === undefined || other === undefined)) {
      const withString = mine === undefined ? "theirs" : "ours";
      halfDeleted.set(id, typeof taken === "object" ? withString : taken);
    }
    const text = typeof taken === "object" ? taken.text : taken === "ours" ? mine : other;
    if (text !== undefined) source.set(id, text);
    if (text !== mine) counts[mine === undefined ? "created" : text === undefined ? "deleted" : "updated"]++;
  }
  /** The side from which all that belongs to a string comes, where one has deleted it. */
  const wholeSide = (id: string): "ours" | "theirs" | undefined =>
    [...halfDeleted].find(([one]) => isOfString([ours, theirs], one, id))?.[1];
  const result = new Map<string, Cell>(
    Array.from(source, ([id, text]) => [id, { text, translatedFrom: undefined, review: undefined }]),
  );
  for (const id of ids.filter((one) => !one.startsWith("en "))) {
    const [before, mine, other] = [was.get(id), here.get(id), there.get(id)];
    const target = sourceText(source, id);
    const whole = wholeSide(id);
    const isWhole = whole !== undefined;
    let cell = mine;
    if (target === undefined) {
      cell = undefined;
      if (!isWhole && other !== undefined && other.text !== before?.text) counts.dropped++;
    } else if (isWhole) cell = whole === "ours" ? mine : other;
    else if (isSameCell(before, mine)) cell = other;
    else if (!isSameCell(before, other) && mine?.text === other?.text) {
      // One side may know that the text is right for the source text of the merge, and one may have approved it.
      const isForOne = other?.translatedFrom === mine?.translatedFrom;
      const [right, left] = !isForOne && other?.translatedFrom === target ? [other, mine] : [mine, other];
      const [was, is] = [before?.review, right?.review];
      const isAsBefore = before?.text === right?.text && was?.by === is?.by && was?.approved === is?.approved;
      const kept = forOtherSource(left?.review, left?.translatedFrom, right?.translatedFrom);
      const review = isForOne ? left?.review && right?.review : isAsBefore ? kept : right?.review;
      cell = right && { ...right, review };
    } else if (!isSameCell(before, other)) {
      conflicts.push(id);
      const taken = sideOfText(settle(id), mine?.text, other?.text);
      if (typeof taken === "object") cell = { text: taken.text, translatedFrom: target, review: undefined };
      else if (taken === "theirs") cell = other;
    }
    if (cell !== undefined) result.set(id, cell);
    if (isSameCell(cell, mine)) continue;
    if (cell === undefined) counts.translations_deleted++;
    else if (mine === undefined) counts.translations_created++;
    else if (cell.text !== mine.text) counts.translations_updated++;
    else if (cell.translatedFrom !== mine.translatedFrom && cell.translatedFrom === target)
      counts.confirmed++;
  }
  const after = toState(ours, result);
  const sideOf = (id: string): "ours" | "theirs" => {
    const [before, mine, other] = [was, here, there].map((cells) => cells.get(`en ${id}`)?.text);
    const isDecided = mine !== before && other !== before && mine !== other;
    return isDecided && source.get(`en ${id}`) === mine ? "ours" : "theirs";
  };
  const said = mergeNotes({ base, ours, theirs }, winner, sideOf);
  for (const [id, note] of said.notes) after.notes.set(id, note);
  for (const [id, own] of mergeAccepted(base, ours, theirs)) after.accepted.set(id, own);
  for (const [image, ids] of mergePictures(
    { base, ours, theirs },
    (id, side) => wholeSide(`en ${id}`) === side,
  ))
    after.pictures.set(image, ids);
  dropLost(after);
  return { counts, conflicts, inNotes: said.conflicts, after };
}

/** The text of a side is taken from that, with all that goes with it. */
function sideOfText(taken: ReturnType<Settle>, mine?: string, other?: string): ReturnType<Settle> {
  if (typeof taken === "string") return taken;
  return taken.text === mine ? "ours" : taken.text === other ? "theirs" : taken;
}

/** Whether a translation goes with a source string that one side deleted. */
function isOfString(sides: readonly State[], source: string, id: string): boolean {
  const [[, file = "", ...key], [, other, ...ownKey]] = [source.split(" "), id.split(" ")];
  if (file !== other) return false;
  return isFormOf(
    sides.map(({ files }) => files.get(file)),
    key.join(" "),
    ownKey.join(" "),
  );
}

/** A state with the locales of another. */
function toState({ translations: known, glossary }: State, cells: ReadonlyMap<string, Cell>): State {
  const files: State["files"] = new Map();
  const translations: State["translations"] = new Map(
    Array.from(known.keys(), (locale) => [locale, new Map()]),
  );
  const origins: Map<string, string> = new Map();
  const reviews: State["reviews"] = new Map();
  for (const [id, { text, translatedFrom, review }] of cells) {
    const [locale = "", file = "", ...key] = id.split(" ");
    const by = locale === "en" ? files : translations.get(locale);
    by?.set(file, (by.get(file) ?? new Map<string, string>()).set(key.join(" "), text));
    if (translatedFrom !== undefined) origins.set(id, translatedFrom);
    if (review !== undefined) reviews.set(id, review);
  }
  return {
    files,
    translations,
    origins,
    notes: new Map(),
    reviews,
    accepted: new Map(),
    pictures: new Map(),
    glossary,
  };
}
