/** Reads the answers of a command: one line of JSON for each string, in any order. */
import { z } from "zod";
import { checkNames } from "../../domain/checks/message.ts";
import { jsonOrUndefined } from "../../domain/json.ts";
import { noteLimits } from "../../domain/notes/note.ts";
import { recordSchema } from "../../domain/record-schema.ts";
import { maxReasonLength } from "../../domain/review/review.ts";
import { excerpt, textProblem } from "../../domain/text.ts";
import { maxForms } from "../../domain/work/work.ts";
import type { WorkItem } from "../api/work-api.ts";
import { addressOf } from "../texts.ts";

/** How many invalid lines are named in warnings. */
const maxNamed = 5;

// The limits of the server: one malformed answer would refuse all.
const text = z.string().refine((value) => textProblem(value) === undefined);
const prose = (max: number) => text.max(max).refine((value) => value.trim() !== "");
const answers = z.union([
  z.object({
    forms: recordSchema(z.string(), text).refine(
      (forms) => Object.keys(forms).length > 0 && Object.keys(forms).length <= maxForms,
    ),
    approve: z.literal(true).optional(),
  }),
  z.object({ approve: z.literal(true) }),
  z.object({ confirm: z.literal(true) }),
  z.object({ remove: z.literal(true) }),
  z.object({ accept: z.array(z.enum(checkNames)).min(1).max(checkNames.length) }),
  z.object({ reject: prose(maxReasonLength) }),
  z.object({ skip: text.max(maxReasonLength) }),
  z.object({ ask: prose(noteLimits.note) }),
]);
export type Answer = z.output<typeof answers>;

const address = z.object({ file: z.string(), key: z.string() });

/**
 * Reads the lines of a command; of several answers to a string the first one counts.
 * @param lines undefined for one that is not UTF-8.
 * @param warn is told of each invalid line; of very many lines, only how many there are.
 * @returns the answers by {@link addressOf}.
 */
export function readAnswers(
  lines: readonly (string | undefined)[],
  items: readonly WorkItem[],
  warn: (message: string) => void,
): ReadonlyMap<string, Answer> {
  const addresses = new Set(items.map(addressOf));
  const found = new Map<string, Answer>();
  let invalid = 0;
  const reject = (line: string | undefined, problem: string): void => {
    invalid++;
    if (invalid <= maxNamed) warn(`The command's line "${excerpt(line ?? "")}" ${problem}.`);
  };
  for (const line of lines) {
    if (line?.trim() === "") continue;
    const value = line === undefined ? undefined : jsonOrUndefined(line);
    const at = address.safeParse(value);
    const answer = answers.safeParse(value);
    if (line === undefined) reject(line, "is not UTF-8");
    else if (!at.success) reject(line, "is no answer: it names no file and key");
    else if (!addresses.has(addressOf(at.data))) reject(line, "is about a string that it was not given");
    else if (!answer.success)
      reject(line, "has no answer: forms, approve, confirm, remove, accept, reject, skip or ask");
    else if (found.has(addressOf(at.data))) reject(line, "is about a string that it has answered before");
    else found.set(addressOf(at.data), answer.data);
  }
  if (invalid > maxNamed) warn(`${invalid - maxNamed} more lines of the command are passed over.`);
  return found;
}
