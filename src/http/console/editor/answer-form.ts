/** Reads the form in which translations are edited: the answer to a string, and why one was refused. */
import { z } from "zod";
import { invalid } from "../../../domain/errors.ts";
import { jsonOrUndefined } from "../../../domain/json.ts";
import {
  maxAnsweredItems,
  type AnsweredItem,
  type Seen,
  type WorkAnswer,
  type WorkResult,
} from "../../../domain/work/work.ts";
import { seenIn } from "../../../service/work/seen.ts";
import { answerProse } from "../../../api/content/work-schemas.ts";
import { teamNoteChangeSchema } from "../../../domain/notes/note-schema.ts";
import type { TagRequest } from "../../../service/work/tag-strings.ts";
import { check } from "../../schemas/schemas.ts";
import { listIn, problemNow, writtenState, type Form } from "../requests/form.ts";
import { wholeTexts } from "./branches.tsx";
import { sentForm, type Refused } from "./editor.tsx";
import { t } from "../texts/texts.ts";

/** The string that a form was about, with what was wrong. */
export interface Submitted extends Refused {
  readonly at: string;
  readonly status: number;
}

export const actions = z.enum(
  ["next", "save", "approve", "confirm", "remove", "skip", "unskip", "ask", "reject"],
  "must be next, save, approve, confirm, remove, skip, unskip, ask or reject",
);
type Action = z.output<typeof actions>;

const listedSchema = z
  .array(z.strictObject({ file: z.string(), key: z.string(), seen: z.string() }))
  .max(maxAnsweredItems);

/** What a field says was seen. @throws SkepError `invalid` on `seen`. */
export function toSeen(text: string): Seen {
  const seen = seenIn(text);
  if (seen === undefined) throw invalid("seen", "is not what the page had");
  return seen;
}

/** The texts that the user has written into a form. @throws SkepError `invalid` on `split`. */
export function writtenIn(form: Form): Omit<Refused, "problem"> {
  const forms = form.all("form");
  const texts = form.all("text");
  return {
    texts: wholeTexts(form, new Map(forms.map((name, i) => [name, texts[i] ?? ""]))),
    question: form.text("question").trim(),
    reason: form.text("reason").trim(),
    state: writtenState(sentForm, form),
    expected: form.text("seen"),
    findings: [],
    isFailing: false,
    isWhole: form.text("split") === "",
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
  action: Action,
  { texts, question, reason, state }: Pick<Refused, "texts" | "question" | "reason" | "state">,
): Pick<AnsweredItem, "answer" | "expected"> | Pick<Refused, "problem" | "leavesOutText" | "state"> {
  if (action === "ask") check(asideFields.pick({ question: true }), { question }, "form");
  if (action === "reject") check(asideFields.pick({ reason: true }), { reason }, "form");
  const expected = toSeen(form.text("seen"));
  const isAsStored = ([name, text]: readonly [string, string]): boolean =>
    expected.isTranslation(name, text) || (text === "" && expected.isTranslation(name, undefined));
  const only = form.all("only");
  const about = only.length > 0 ? { only } : {};
  const others: Readonly<Partial<Record<Action, WorkAnswer>>> = {
    skip: { kind: "skip" },
    unskip: { kind: "unskip" },
    ask: { kind: "ask", question },
    reject: { kind: "reject", reason, ...about },
    confirm: { kind: "confirm", ...about },
    remove: { kind: "remove", ...about },
  };
  const { [action]: other } = others;
  if (other !== undefined) {
    if (form.word("without_text") === undefined && !Array.from(texts).every(isAsStored))
      return { state, problem: t("answer-form.what_you_wrote_would_be_lost"), leavesOutText: true };
    return { answer: other, expected };
  }
  // A field that was empty and stays so is no answer.
  const forms = new Map(
    Array.from(texts).filter(([name, text]) => text !== "" || !expected.isTranslation(name, undefined)),
  );
  const isUnchanged = Array.from(forms).every(isAsStored);
  if (action === "approve" && isUnchanged && (forms.size > 0 || texts.size === 0))
    return { answer: { kind: "approve", ...about }, expected };
  if (forms.size === 0) {
    const [first = ""] = texts.keys();
    const problems = new Map([[first, t("answer-form.write_a_translation_or_ask")]]);
    return { state: { ...state, problems }, problem: t("common.nothing_was_saved") };
  }
  return { answer: { kind: "forms", forms, approve: action === "approve", isTyped: true }, expected };
}

/** A string of a list, with the text by which a form says what was seen of it. */
export type ListedItem = z.output<typeof listedSchema>[number];

/** The strings that were selected in a list, as the form has them. @throws SkepError `invalid` on `listed`. */
export function sentItems(form: Form): readonly ListedItem[] {
  const listed = check(listedSchema, jsonOrUndefined(form.text("listed")), "listed");
  const chosen = new Set(form.all("selected"));
  return listed.filter((_, i) => chosen.has(String(i)));
}

/** The strings that were selected in a list, as they were seen. @throws SkepError `invalid` on `listed` and `seen`. */
export function selectedIn(form: Form): TagRequest["items"] {
  return sentItems(form).map(({ file, key, seen }) => ({ file, key, expected: toSeen(seen) }));
}

const listedChanges = ["approve", "confirm", "remove", "reject", "tag", "untag", "replace"] as const;
export type ListedChange = (typeof listedChanges)[number];

/** What is to become of all strings that were selected in a list; undefined for another form. */
export function listedChange(form: Form): ListedChange | undefined {
  return listedChanges.find((one) => form.text("change") === `${one}-listed`);
}

/**
 * The answers to the strings that were selected in a list.
 * @throws SkepError `invalid` on `listed`, `seen` and `reason`.
 */
export function listedItems(
  form: Form,
  action: Exclude<ListedChange, TagRequest["change"] | "replace">,
): readonly AnsweredItem[] {
  const reason = form.text("reason").trim();
  if (action === "reject") check(asideFields.pick({ reason: true }), { reason }, "form");
  const answer: WorkAnswer = action === "reject" ? { kind: action, reason } : { kind: action };
  return selectedIn(form).map(({ file, key, expected }) => ({ file, key, expected, answer }));
}

const tagChange = teamNoteChangeSchema.pick({ tags: true });

/**
 * What is to become of the tags of all strings that were selected in a list.
 * @throws SkepError `invalid` on `tags`, and as {@link selectedIn}.
 */
export function listedTags(form: Form, change: TagRequest["change"]): TagRequest {
  const { tags } = check(tagChange, { tags: listIn(form, "tags") }, "form");
  if (tags == null || tags.length === 0) throw invalid("tags", "must not be empty");
  return { change, tags, items: selectedIn(form) };
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
    const isEmpty = code === "empty_text";
    const why = isEmpty ? t("answer-form.write_or_remove") : problemNow(form, message);
    const problems = new Map([[form, why]]);
    const problem = t("common.nothing_was_saved");
    return { ...written, state: { ...written.state, problems }, problem, status: 422 };
  }
  const isFailing = code === "check_failed";
  const problem = t("common.nothing_was_saved_because", {
    reason: isFailing ? t("common.the_text_would_break") : message,
  });
  return { ...written, problem, findings: isFailing ? findings : [], isFailing, status: 422 };
}
