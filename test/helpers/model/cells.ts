/** What the model knows of a text and what belongs to it, by `locale file key`. */
import { isSameAccepted } from "./accepted.ts";
import type { HiveState } from "./model.ts";
import { isSameNotes } from "./notes.ts";
import { isSamePictures } from "./pictures.ts";
import { formSource } from "./plurals.ts";
import { isSameReview, type Review } from "./reviews.ts";

/** Every text as `locale file key` → text; source strings are those of `en`. */
export function textsOf({ files, translations }: HiveState): Map<string, string> {
  const texts = new Map<string, string>();
  for (const [locale, by] of [["en", files] as const, ...translations]) {
    for (const [file, keys] of by)
      for (const [key, text] of keys) texts.set(`${locale} ${file} ${key}`, text);
  }
  return texts;
}

/** The source text that a translation is of, by the texts of {@link textsOf}. */
export function sourceText(texts: ReadonlyMap<string, string>, id: string): string | undefined {
  const [, file = "", ...key] = id.split(" ");
  return formSource(fileIn(texts, file), key.join(" "));
}

function fileIn(texts: ReadonlyMap<string, string>, file: string): Map<string, string> {
  const start = `en ${file} `;
  const own = [...texts].filter(([id]) => id.startsWith(start));
  return new Map(own.map(([id, text]) => [id.slice(start.length), text]));
}

/** A translation, the source text that it was made for, and whether it waits for a review. */
export interface Cell {
  readonly text: string;
  readonly translatedFrom: string | undefined;
  readonly review: Review | undefined;
}

/** Source strings and translations as `locale file key`, with what they were made for. */
export function cellsOf(state: HiveState): Map<string, Cell> {
  const texts = textsOf(state);
  return new Map(
    Array.from(texts, ([id, text]) => {
      const translatedFrom = id.startsWith("en ")
        ? undefined
        : (state.origins.get(id) ?? sourceText(texts, id));
      return [id, { text, translatedFrom, review: state.reviews.get(id) }];
    }),
  );
}

export function isSameCell(a: Cell | undefined, b: Cell | undefined): boolean {
  return a?.text === b?.text && a?.translatedFrom === b?.translatedFrom && isSameReview(a?.review, b?.review);
}

/** Whether two states have the same texts and the same values beside them. */
export function isSameState(a: HiveState, b: HiveState): boolean {
  const [cells, others] = [cellsOf(a), cellsOf(b)];
  if (
    !isSameNotes(a.notes, b.notes) ||
    !isSameAccepted(a.accepted, b.accepted) ||
    !isSamePictures(a.pictures, b.pictures)
  )
    return false;
  return cells.size === others.size && [...cells].every(([id, cell]) => isSameCell(cell, others.get(id)));
}
