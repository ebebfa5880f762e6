/** What the model knows of stale translations and of taking commits back. */
import {
  copyOf,
  countElsewhere,
  exceeds,
  missing,
  type Answer,
  type HiveState,
  type Model,
  type ModelHive,
} from "./model.ts";
import { isSameAccepted, mergeAccepted } from "./accepted.ts";
import { dropLost } from "./lost.ts";
import { cellsOf, isSameCell, isSameState, sourceText, textsOf, type Cell } from "./cells.ts";
import { glossaryBack, isSameGlossary } from "./glossary.ts";
import { isSameNotes, mergeNotes } from "./notes.ts";
import { isSamePictures, mergePictures } from "./pictures.ts";
import { isFormOf, neededTexts } from "./plurals.ts";
import { forOtherSource, isSameReview, reviewConfirmation, type Review, type Writer } from "./reviews.ts";

type State = HiveState;

/** Notes what the Hive is after a commit. */
export function record(hive: ModelHive, commit: string): void {
  if (hive.history.at(-1)?.commit === commit) return;
  hive.history.push({ commit, state: copyOf(hive), hasMoves: hive.hasMoves });
  hive.hasMoves = false;
}

/** What the Hive is at its last commit. */
export function recordedState({ history }: ModelHive): State {
  const last = history.at(-1);
  if (last === undefined) throw new Error("no commit was noted");
  return last.state;
}

const sourceOf = (id: string): string => id.replace(/^[^ ]+/, "en");

/** The stale translations of a locale as `file key` → the source text they were made for. */
export function stale(model: Model, slug: string, locale: string): Answer {
  const hive = model.hives.get(slug);
  if (hive === undefined) return { status: 404 };
  if (!hive.translations.has(locale)) return { status: 422 };
  const texts = textsOf(hive);
  const found = [...texts.keys()].flatMap((id): [string, string][] => {
    const origin = hive.origins.get(id);
    if (!id.startsWith(`${locale} `) || origin === undefined || origin === sourceText(texts, id)) return [];
    return [[id.slice(locale.length + 1), origin]];
  });
  return { status: 200, body: Object.fromEntries(found) };
}

/** What is left to translate, as `file key` → the source text that a stale translation was made for, else `null`. */
export function untranslated(model: Model, slug: string, locale: string): Answer {
  const { status, body } = stale(model, slug, locale);
  const hive = model.hives.get(slug);
  if (hive === undefined || status !== 200) return { status };
  const texts = textsOf(hive);
  const left = [...hive.files].flatMap(([file, own]) =>
    [...neededTexts(hive.plurals, locale, own)].flatMap(([key, text]): [string, unknown][] => {
      const string = `${file} ${key}`;
      if (text === "") return [];
      const translatedFrom: unknown = Object.entries(body ?? {}).find(([name]) => name === string)?.[1];
      if (translatedFrom !== undefined) return [[string, translatedFrom]];
      return texts.has(`${locale} ${string}`) ? [] : [[string, null]];
    }),
  );
  return { status, body: Object.fromEntries(left) };
}

/** What a confirmation answers; changes the model. */
export function confirm(
  model: Model,
  slug: string,
  locale: string,
  file: string,
  keys: readonly string[],
  writer: Writer,
): Answer {
  const hive = model.hives.get(slug);
  if (hive === undefined) return missing(model, slug);
  if (!hive.translations.has(locale)) return { status: 422 };
  const texts = textsOf(hive);
  const counts = { confirmed: 0, unknown: 0 };
  for (const key of new Set(keys)) {
    const id = `${locale} ${file} ${key}`;
    const source = sourceText(texts, id);
    const [text, madeFor] = [texts.get(id), hive.origins.get(id)];
    if (text === undefined || source === undefined || madeFor === source) counts.unknown++;
    else {
      reviewConfirmation(hive, id, { text, madeFor, source }, writer);
      counts.confirmed++;
      hive.origins.set(id, source);
    }
  }
  return { status: 200, body: counts };
}

/**
 * The commits that an undo may take back here: of moves only the last commit, where all is as it was before. How
 * earlier ones are undone is held by properties of the plan.
 */
export function undoable(hive: ModelHive): ModelHive["history"] {
  const last = hive.history.findLastIndex(({ hasMoves }) => hasMoves);
  return hive.history.slice(last === hive.history.length - 1 ? last : last + 1);
}

/** What the undo of the last commit answers, which moved strings; changes the model where it is accepted. */
export function undoMoves(model: Model, slug: string): Answer {
  const hive = model.hives.get(slug);
  const before = hive?.history.at(-2)?.state;
  if (hive === undefined || before === undefined) return { status: 200 };
  // A merge brings moves that were taken back, too.
  if (isSameState(hive, before) || exceeds(model, slug, hive, before)) return { status: 422 };
  Object.assign(hive, copyOf(before), { hasMoves: true });
  return { status: 200 };
}

/** What an undo answers; changes the model where it is accepted. Conflicts are told as `locale file key`. */
export function undo(model: Model, slug: string, commit: string, skip: boolean): Answer {
  const hive = model.hives.get(slug);
  if (hive === undefined) return missing(model, slug);
  const at = hive.history.findIndex((one) => one.commit === commit);
  const [before, after] = [hive.history[at - 1]?.state, hive.history[at]?.state];
  if (before === undefined || after === undefined) return { status: 422 };
  const [old, left, now] = [textsOf(before), textsOf(after), textsOf(hive)];
  const changed = [...new Set([...old.keys(), ...left.keys()])].filter((id) => old.get(id) !== left.get(id));
  const said = mergeNotes({ base: after, ours: hive, theirs: before }, "ours", () => "ours");
  const decided = decisionsBack({ before, after, hive });
  const isNothing = changed.length + decided.back.length + decided.conflicts.length === 0;
  const isBranch = slug.includes("@");
  const glossaries = isBranch
    ? { now: hive.glossary, left: hive.glossary, was: hive.glossary }
    : { now: hive.glossary, left: after.glossary, was: before.glossary };
  const terms = glossaryBack(glossaries, (locale) => hive.translations.has(locale));
  const isSameBeside =
    isSameNotes(before.notes, after.notes) &&
    isSameAccepted(before.accepted, after.accepted) &&
    isSamePictures(before.pictures, after.pictures) &&
    (isBranch || isSameGlossary(before.glossary, after.glossary));
  if (isNothing && isSameBeside) return { status: 422 };

  const isSource = (id: string) => id.startsWith("en ");
  const moved = (id: string): boolean => {
    if (now.get(id) !== left.get(id)) return true;
    if (!isSource(id)) return !hive.translations.has(id.split(" ")[0] ?? "");
    if (old.has(id) && left.has(id)) return false;
    // What would go with it must not have been translated since.
    const without = new Map(now);
    takeBack(without, id);
    return [...now.keys()].some((one) => {
      const goes = sourceText(without, one) === undefined || (!old.has(id) && sourceOf(one) === id);
      return !isSource(one) && goes && now.get(one) !== left.get(one);
    });
  };
  const takeBack = (texts: Map<string, string>, id: string): void => {
    const text = old.get(id);
    if (text === undefined) texts.delete(id);
    else texts.set(id, text);
  };
  const sourceAfter = new Map(now);
  for (const id of changed) if (isSource(id) && !moved(id)) takeBack(sourceAfter, id);
  // Where a string cannot be added or deleted, its translations cannot either, nor the forms that only they have.
  const held = changed.filter((id) => isSource(id) && old.has(id) !== left.has(id) && moved(id));
  const isHeld = (id: string): boolean => {
    const [, file = "", ...key] = id.split(" ");
    const sources = [hive, before].map(({ files }) => files.get(file));
    return held.some((one) => {
      const [, name, ...other] = one.split(" ");
      return name === file && isFormOf(sources, other.join(" "), key.join(" "));
    });
  };
  const conflicts = changed.filter((id) => {
    if (moved(id)) return true;
    if (isSource(id)) return false;
    if (isHeld(id)) return true;
    return old.has(id) && sourceText(sourceAfter, id) === undefined;
  });
  const all = [...conflicts, ...decided.conflicts, ...said.conflicts, ...terms.conflicts];
  if (all.length > 0 && !skip) return { status: 409, body: all };

  const counts = { ...terms.counts, skipped: all.length };
  const result = new Map(now);
  for (const id of changed.filter((one) => !conflicts.includes(one))) {
    counts[!old.has(id) ? "deleted" : now.has(id) ? "updated" : "restored"]++;
    takeBack(result, id);
  }
  const strings = (texts: Map<string, string>) => [...texts.keys()].filter(isSource).length;
  const total = countElsewhere(model, slug) + strings(result);
  const grows = strings(result) > strings(now);
  if (model.maxStrings !== undefined && grows && total > model.maxStrings) return { status: 422 };

  const touched = new Set(changed.filter((one) => !conflicts.includes(one)));
  hive.files.clear();
  for (const by of hive.translations.values()) by.clear();
  for (const [id, text] of result) {
    const [locale = "", file = "", ...key] = id.split(" ");
    const by = locale === "en" ? hive.files : hive.translations.get(locale);
    by?.set(file, (by.get(file) ?? new Map<string, string>()).set(key.join(" "), text));
    const origin = before.origins.get(id);
    const isBack = touched.has(id) || sourceText(now, id) !== sourceText(result, id);
    if (!isBack || origin === undefined || old.get(id) !== text) continue;
    const review = forOtherSource(hive.reviews.get(id), hive.origins.get(id), origin);
    giveReview(hive, id, review);
    hive.origins.set(id, origin);
  }
  for (const id of touched) giveReview(hive, id, before.reviews.get(id));
  for (const { id, cell } of decided.back) {
    hive.origins.set(id, cell.translatedFrom ?? "");
    giveReview(hive, id, cell.review);
  }
  const accepted = mergeAccepted(after, hive, before);
  hive.accepted.clear();
  for (const [id, own] of accepted) hive.accepted.set(id, own);
  const pictures = mergePictures({ base: after, ours: hive, theirs: before }, () => false);
  hive.pictures.clear();
  for (const [image, ids] of pictures) hive.pictures.set(image, ids);
  Object.assign(hive, { glossary: terms.after });
  hive.notes.clear();
  for (const [id, note] of said.notes) hive.notes.set(id, note);
  dropLost(hive);
  const confirmations = decided.back.filter(({ isConfirmation }) => isConfirmation).length;
  const approvals = decided.back.filter(({ isApproval }) => isApproval).length;
  const more = { ...(confirmations > 0 && { confirmations }), ...(approvals > 0 && { approvals }) };
  return { status: 200, body: { ...counts, ...more } };
}

function giveReview({ reviews }: State, id: string, review: Review | undefined): void {
  if (review === undefined) reviews.delete(id);
  else reviews.set(id, review);
}

/** The texts that a commit left as they were, and confirmed or approved: what an undo takes back of that. */
function decisionsBack({ before, after, hive }: { before: State; after: State; hive: State }) {
  const [was, left, now] = [cellsOf(before), cellsOf(after), cellsOf(hive)];
  const isMarked = (state: State, { id, cell }: { id: string; cell: Cell }): string | undefined =>
    cell.translatedFrom === sourceText(textsOf(state), id) ? undefined : cell.translatedFrom;
  const back: { id: string; cell: Cell; isConfirmation: boolean; isApproval: boolean }[] = [];
  const conflicts: string[] = [];
  for (const [id, from] of left) {
    const cell = was.get(id);
    if (cell === undefined || cell.text !== from.text || isSameCell(cell, from)) continue;
    const isApproval = !isSameReview(cell.review, from.review);
    // What came with its source text is not confirmed by itself.
    if (!isApproval && isMarked(before, { id, cell }) === isMarked(after, { id, cell: from })) continue;
    if (isSameCell(now.get(id), cell)) continue;
    if (isSameCell(now.get(id), from))
      back.push({ id, cell, isConfirmation: cell.translatedFrom !== from.translatedFrom, isApproval });
    else conflicts.push(id);
  }
  return { back, conflicts };
}
