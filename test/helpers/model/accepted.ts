/** What the model knows of findings that were accepted. */
import { formSource } from "./plurals.ts";

/** Of a translation the checks, each with both texts that it was accepted for. */
export type Accepted = ReadonlyMap<string, string>;

/** What they go with. */
interface State {
  readonly files: ReadonlyMap<string, ReadonlyMap<string, string>>;
  readonly translations: ReadonlyMap<string, unknown>;
  readonly accepted: Map<string, Accepted>;
}

export const checks = ["argument-missing", "argument-extra"] as const;
export type Check = (typeof checks)[number];

/** What was accepted of a text counts for equal texts of the same language, too. */
export function placesOf(
  { accepted }: Pick<State, "accepted">,
  locale: string,
  check: string,
  texts: string,
): string[] {
  const found = [...accepted].filter(([id, own]) => id.startsWith(`${locale} `) && own.get(check) === texts);
  return found.map(([id]) => id);
}

export function setCheck(
  { accepted }: Pick<State, "accepted">,
  id: string,
  check: string,
  texts?: string,
): void {
  const own = new Map(accepted.get(id));
  if (texts === undefined) own.delete(check);
  else own.set(check, texts);
  if (own.size === 0) accepted.delete(id);
  else accepted.set(id, own);
}

/** What was accepted goes with the source string, not with the translation: an earlier one may come back. */
export function dropLostAccepted({ files, translations, accepted }: State): void {
  for (const id of accepted.keys()) {
    const [locale = "", file = "", ...key] = id.split(" ");
    if (!translations.has(locale) || formSource(files.get(file), key.join(" ")) === undefined)
      accepted.delete(id);
  }
}

export function isSameAccepted(a: ReadonlyMap<string, Accepted>, b: ReadonlyMap<string, Accepted>): boolean {
  const told = (all: ReadonlyMap<string, Accepted>): string[] =>
    [...all].flatMap(([id, own]) => [...own].map((one) => JSON.stringify([id, one]))).toSorted();
  return JSON.stringify(told(a)) === JSON.stringify(told(b));
}

/** Merges check by check: what both sides have changed stays as it is on ours. */
export function mergeAccepted(
  base: Pick<State, "accepted">,
  ours: Pick<State, "accepted">,
  theirs: Pick<State, "accepted">,
): Map<string, Accepted> {
  const accepted = new Map(ours.accepted);
  for (const id of new Set([...base.accepted.keys(), ...theirs.accepted.keys()])) {
    for (const check of checks) {
      const [was, mine, other] = [base, ours, theirs].map((side) => side.accepted.get(id)?.get(check));
      if (mine === was) setCheck({ accepted }, id, check, other);
    }
  }
  return accepted;
}
