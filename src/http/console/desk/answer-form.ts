/** Reads the form of the page of work: the answer to a string, and why one was refused. */
import { z } from "zod";
import { jsonOrUndefined } from "../../../domain/json.ts";
import { maxWorkItems, type AnsweredItem, type WorkResult } from "../../../domain/work/work.ts";
import { withLineEnds } from "../../../service/content/translation-edit.ts";
import { check } from "../../schemas/schemas.ts";
import type { Form } from "../requests/form.ts";
import type { Refused } from "./work-form.tsx";

/** The string that a form was about, with what was wrong. */
export interface Submitted extends Refused {
  readonly at: string;
  readonly status: number;
}

/** The buttons of the page. */
export const actions = z.enum(
  ["next", "save", "approve", "skip", "ask", "reject", "approve-listed"],
  "must be next, save, approve, skip, ask, reject or approve-listed",
);
type Action = z.output<typeof actions>;

const textsByForm = z.record(z.string(), z.string().nullable());
const seenSchema = z.strictObject({ source: z.record(z.string(), z.string()), translation: textsByForm });
const listedSchema = z
  .array(z.strictObject({ file: z.string(), key: z.string(), expected: seenSchema }))
  .max(maxWorkItems);

/** The texts that the user has written into a form. */
export function writtenIn(form: Form): Omit<Refused, "problem"> {
  const forms = form.all("form");
  const texts = form.all("text");
  return {
    texts: new Map(forms.map((name, i) => [name, texts[i] ?? ""])),
    question: form.text("question").trim(),
    reason: form.text("reason").trim(),
    expected: form.text("seen"),
    findings: [],
    isFailing: false,
  };
}

/** The texts with one from the memory, in the first field that is empty, else in the last. */
export function withTaken(texts: ReadonlyMap<string, string>, taken: string): ReadonlyMap<string, string> {
  const names = [...texts.keys()];
  const name = names.find((one) => texts.get(one) === "") ?? names.at(-1);
  return name === undefined ? texts : new Map(texts).set(name, taken);
}

/** The answer that a form gives, or the problem for which it gives none. */
export function answerIn(
  form: Form,
  action: Exclude<Action, "approve-listed">,
  { texts, question, reason }: Pick<Refused, "texts" | "question" | "reason">,
): Pick<AnsweredItem, "answer" | "expected"> | Pick<Refused, "problem" | "field"> {
  const problem = "Nothing was saved.";
  if (action === "skip") return { answer: { kind: "skip" } };
  if (action === "ask")
    return question === "" ? { problem, field: "question" } : { answer: { kind: "ask", question } };
  const expected = check(seenSchema, jsonOrUndefined(form.text("seen")), "seen");
  if (action === "reject")
    return reason === "" ? { problem, field: "reason" } : { answer: { kind: "reject", reason }, expected };
  const forms = new Map<string, string>();
  for (const [name, text] of texts) {
    const [stored, source] = [expected.translation[name] ?? null, expected.source[name]];
    const isStored = stored !== null && stored.replaceAll(/\r\n?/g, "\n") === text;
    // A field that was empty and stays so is no answer.
    if (text === "" && stored === null) continue;
    forms.set(name, isStored ? stored : withLineEnds(text, [stored ?? undefined, source]));
  }
  const isAsStored = Array.from(forms).every(([name, text]) => expected.translation[name] === text);
  if (action === "approve" && isAsStored && forms.size > 0) return { answer: { kind: "approve" }, expected };
  if (forms.size === 0)
    return { problem: "Nothing was saved: write a translation, skip it, or ask about it." };
  return { answer: { kind: "forms", forms, approve: action === "approve" }, expected };
}

/** The approvals of the strings that were selected in the list of the queue. */
export function listedItems(form: Form): readonly AnsweredItem[] {
  const listed = check(listedSchema, jsonOrUndefined(form.text("listed")), "listed");
  const chosen = new Set(form.all("approved"));
  return listed
    .filter((_, i) => chosen.has(String(i)))
    .map(({ file, key, expected }) => ({ file, key, expected, answer: { kind: "approve" } }));
}

/** Why an answer was refused, for the form; undefined for one that was not. */
export function refusalOf(
  { status, code, message = "", findings = [], stored }: WorkResult,
  written: Omit<Refused, "problem">,
): Omit<Submitted, "at"> | undefined {
  if (status === "conflict") {
    const problem = "The translation has been changed since you saw it, so nothing was saved.";
    return { ...written, expected: undefined, problem, theirs: stored ?? {}, status: 409 };
  }
  if (status === "source_changed") {
    const problem = "The source text has been changed since you saw it, so nothing was saved.";
    return { ...written, expected: undefined, problem, status: 409 };
  }
  if (status === "unknown")
    return {
      ...written,
      expected: undefined,
      problem: "Nothing was done: nothing waits here any more.",
      status: 409,
    };
  if (status !== "refused") return undefined;
  const isFailing = code === "check_failed";
  const problem = `Nothing was saved: ${isFailing ? "the text would break the app." : message}`;
  return { ...written, problem, findings: isFailing ? findings : [], isFailing, status: 422 };
}
