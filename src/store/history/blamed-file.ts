/** The texts whose writers {@link blame} looks for. */
import type { LocaleCode } from "../../domain/hives/locale.ts";
import type { StringAddress } from "../../domain/move.ts";
import type { FileName, Oid } from "../../domain/names.ts";
import type { ReachableCommits } from "./commit-graph.ts";

/** A text that is followed, as it is at the commit that was reached. */
export interface BlamedText {
  at: StringAddress;
  text: string | undefined;
  /** The commit that has it; undefined before the first one. */
  from: Oid | undefined;
  /** The text that an undo brought back, until it is found who wrote it before. */
  restored?: Pick<BlamedText, "text">;
  /** The innermost merge into whose merged branch it was followed. */
  side?: MergeSide;
}

interface MergeSide {
  readonly at: StringAddress;
  readonly text: string | undefined;
  /** The first parent of the merge. */
  readonly from: Oid;
  readonly reached: ReachableCommits;
  /** The commit that wrote the text that the merge took, if it is known. */
  readonly taken: Oid | undefined;
  readonly outer: MergeSide | undefined;
}

/** The texts of one file of a locale that are followed. */
export interface BlamedFile<T extends BlamedText> {
  readonly locale: LocaleCode;
  readonly file: FileName;
  texts: readonly T[] | WholeFile<T>;
}

/**
 * All texts of a file at the tip. A text becomes an object when it first differs, so that very many take little memory.
 */
export interface WholeFile<T extends BlamedText> {
  readonly entries: () => Iterable<readonly [key: string, text: string | undefined]>;
  readonly toText: (key: string) => T;
  /** The keys of texts that differed, which are followed one by one. */
  readonly apart: Set<string>;
}

/** Whether the texts of a file are followed as a whole, and not one by one. */
export function isWhole<T extends BlamedText>(texts: BlamedFile<T>["texts"]): texts is WholeFile<T> {
  return "apart" in texts;
}

/** The texts of a file that are followed one by one from now on. */
export function textsOf<T extends BlamedText>(file: BlamedFile<T>): readonly T[] {
  if (isWhole(file.texts)) {
    const { entries, toText, apart } = file.texts;
    file.texts = Array.from(entries(), ([key]) => key).flatMap((key) => (apart.has(key) ? [] : toText(key)));
  }
  return file.texts;
}
