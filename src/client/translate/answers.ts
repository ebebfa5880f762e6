/** What a command answers: one line of JSON for each string, in any order. */
import { z } from "zod";
import { noteLimits } from "../../domain/notes/note.ts";
import { excerpt, textProblem } from "../../domain/text.ts";
import { jsonOf } from "../api/http-errors.ts";
import type { WorkItem } from "../api/work-api.ts";

/** How many lines are named that are no answers. */
const maxNamed = 5;
/** As the server has them: one malformed answer would refuse all. */
const maxForms = 12;
const maxReason = 1000;

const text = z.string().refine((value) => textProblem(value) === undefined);
const said = (max: number) => text.max(max).refine((value) => value.trim() !== "");
const answers = z.union([
  z.object({
    forms: z
      .record(z.string(), text)
      .refine((forms) => Object.keys(forms).length > 0 && Object.keys(forms).length <= maxForms),
    approve: z.literal(true).optional(),
  }),
  z.object({ approve: z.literal(true) }),
  z.object({ reject: said(maxReason) }),
  z.object({ skip: text.max(maxReason) }),
  z.object({ ask: said(noteLimits.note) }),
]);
export type Answer = z.output<typeof answers>;

const place = z.object({ file: z.string(), key: z.string() });

/** Identifies a string. */
export function idOf({ file, key }: Pick<WorkItem, "file" | "key">): string {
  return JSON.stringify([file, key]);
}

/**
 * Reads what a command has written; of several answers to a string the first one counts.
 * @param lines undefined for one that is not UTF-8.
 * @param items the strings that it was given.
 * @param warn is told of lines that are no answers; of very many lines only how many there are.
 * @returns the answers by {@link idOf}.
 */
export function readAnswers(
  lines: readonly (string | undefined)[],
  items: readonly WorkItem[],
  warn: (message: string) => void,
): ReadonlyMap<string, Answer> {
  const asked = new Set(items.map(idOf));
  const found = new Map<string, Answer>();
  let others = 0;
  const pass = (line: string | undefined, problem: string): void => {
    others++;
    if (others <= maxNamed) warn(`The command's line ${excerpt(line ?? "")} ${problem}.`);
  };
  for (const line of lines) {
    if (line?.trim() === "") continue;
    const value = line === undefined ? undefined : jsonOf(line);
    const at = place.safeParse(value);
    const answer = answers.safeParse(value);
    if (line === undefined) pass(line, "is not UTF-8");
    else if (!at.success) pass(line, "is no answer: it names no file and key");
    else if (!asked.has(idOf(at.data))) pass(line, "is about a string that it was not given");
    else if (!answer.success) pass(line, "has no answer: forms, approve, reject, skip or ask");
    else if (found.has(idOf(at.data))) pass(line, "is about a string that it has answered before");
    else found.set(idOf(at.data), answer.data);
  }
  if (others > maxNamed) warn(`${others - maxNamed} more lines of the command are passed over.`);
  return found;
}
