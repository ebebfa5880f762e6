/** Reads the form of the page of work: the answer to a string, and why one was refused. */
import { z } from "zod";
import { jsonOrUndefined } from "../../../domain/json.ts";
import { recordSchema } from "../../../domain/record-schema.ts";
import { maxWorkItems, type AnsweredItem, type WorkResult } from "../../../domain/work/work.ts";
import { withLineEnds } from "../../../service/content/translation-edit.ts";
import { answerProse } from "../../routes/work/work-schemas.ts";
import { check } from "../../schemas/schemas.ts";
import { withoutMember, writtenState, type Form } from "../requests/form.ts";
import { formId, type Refused } from "./work-form.tsx";
import { t } from "../texts/texts.ts";

/** The string that a form was about, with what was wrong. */
export interface Submitted extends Refused {
  readonly at: string;
  readonly status: number;
}

export const actions = z.enum(
  ["next", "save", "approve", "skip", "ask", "reject", "approve-listed"],
  "must be next, save, approve, skip, ask, reject or approve-listed",
);
type Action = z.output<typeof actions>;

const seenSchema = z.strictObject({
  source: recordSchema(z.string(), z.string()),
  translation: recordSchema(z.string(), z.string().nullable()),
});
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
    state: writtenState(formId, form),
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

const asideFields = z.object({ question: answerProse.ask, reason: answerProse.reject });

/**
 * The answer that a form gives, or the problem for which it gives none.
 * @throws SkepError `invalid` on `question` and `reason`.
 */
export function answerIn(
  form: Form,
  action: Exclude<Action, "approve-listed">,
  { texts, question, reason }: Pick<Refused, "texts" | "question" | "reason">,
): Pick<AnsweredItem, "answer" | "expected"> | Pick<Refused, "problem" | "leavesOutText"> {
  if (action === "ask") check(asideFields.pick({ question: true }), { question }, "form");
  if (action === "reject") check(asideFields.pick({ reason: true }), { reason }, "form");
  const expected = check(seenSchema, jsonOrUndefined(form.text("seen")), "seen");
  const isAsStored = ([name, text]: readonly [string, string]): boolean =>
    (expected.translation[name] ?? "").replaceAll(/\r\n?/g, "\n") === text;
  if (action === "skip" || action === "ask" || action === "reject") {
    if (form.word("without_text") === undefined && !Array.from(texts).every(isAsStored))
      return { problem: t("answer-form.what_you_wrote_would_be_lost"), leavesOutText: true };
    if (action === "skip") return { answer: { kind: "skip" } };
    if (action === "ask") return { answer: { kind: "ask", question } };
    return { answer: { kind: "reject", reason }, expected };
  }
  const forms = new Map<string, string>();
  for (const [name, text] of texts) {
    const [stored, source] = [expected.translation[name] ?? null, expected.source[name]];
    const isStored = stored !== null && isAsStored([name, text]);
    // A field that was empty and stays so is no answer.
    if (text === "" && stored === null) continue;
    forms.set(name, isStored ? stored : withLineEnds(text, [stored ?? undefined, source]));
  }
  const isUnchanged = Array.from(forms).every(([name, text]) => expected.translation[name] === text);
  if (action === "approve" && isUnchanged && forms.size > 0) return { answer: { kind: "approve" }, expected };
  if (forms.size === 0) return { problem: t("answer-form.nothing_was_saved_write") };
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
    const problem = t("answer-form.the_translation_has_been_changed");
    return { ...written, expected: undefined, problem, theirs: stored ?? {}, status: 409 };
  }
  if (status === "source_changed") {
    const problem = t("answer-form.the_source_text_has_been");
    return { ...written, expected: undefined, problem, status: 409 };
  }
  if (status === "unknown")
    return {
      ...written,
      expected: undefined,
      problem: t("answer-form.nothing_was_done_nothing_waits"),
      status: 409,
    };
  if (status !== "refused") return undefined;
  const form = [...written.texts.keys()].find((name) => message.startsWith(`${name}: `));
  if (form !== undefined) {
    const problems = new Map([[form, withoutMember(form, message)]]);
    const problem = t("common.nothing_was_saved");
    return { ...written, state: { ...written.state, problems }, problem, status: 422 };
  }
  const isFailing = code === "check_failed";
  const problem = t("common.nothing_was_saved_because", {
    reason: isFailing ? t("common.the_text_would_break") : message,
  });
  return { ...written, problem, findings: isFailing ? findings : [], isFailing, status: 422 };
}
