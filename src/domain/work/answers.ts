/**
 * Applies answers to items of work. Each answer is judged by itself, and all that are saved become one commit. A text is
 * only replaced if its writer has seen it, so neither a late answer nor a repeated one overwrites the text of somebody else.
 */
import type { Locale } from "../hives/locale.ts";
import { isFileName, type FileName } from "../names.ts";
import type { StringAddress } from "../move.ts";
import type { ByKey } from "../notes/note-files.ts";
import { isFull, isOpen, threadLimits } from "../notes/thread.ts";
import type { CheckName } from "../checks/message.ts";
import type { CheckedTexts, LocatedFinding } from "../plans/check-content.ts";
import { GivenReviews } from "../review/review.ts";
import type { KeyChange, TextAddress } from "../strings/hive-content.ts";
import { changeOf } from "../strings/content-diff.ts";
import { isIn, statesOfText, textState } from "../queries/text-states.ts";
import { translatableTexts } from "../strings/string-file.ts";
import { textProblem, withLineEnds } from "../text.ts";
import { formsOf, seenTexts, shownForms, waitingAt, type FormText, type QueueFile } from "./queue.ts";
import type { AnsweredItem, Refusal, Seen, SeenTexts, WorkAnswer, WorkResult } from "./work.ts";

/** The texts that answers are applied to, and the rights of the caller. */
export interface AnswerContext {
  readonly locale: Locale;
  /** A source file with the texts of the locale; undefined where there is none of this name. */
  readonly fileOf: (file: FileName) => Promise<QueueFile | undefined>;
  /** Who writes, as markers of reviews name them. */
  readonly by: string;
  /** Whether texts with errors are let through. */
  readonly allowFindings: boolean;
  /** Whether a form may still be written; an answer that is too late for one of its texts is a `conflict`. */
  readonly mayWrite?: (name: FileName, file: QueueFile, form: FormText) => boolean;
  readonly findingsOf: (
    name: FileName,
    file: QueueFile,
    forms: readonly FormText[],
    texts: ReadonlyMap<string, string>,
  ) => readonly LocatedFinding[];
  /** Whether somebody has accepted a finding; {@link findingsOf} leaves these out. */
  readonly isAccepted: (found: Pick<LocatedFinding, "locale" | "check">, texts: CheckedTexts) => boolean;
  /**
   * What has changed of a string since the caller claimed it; undefined where the caller has no claim on it.
   * @param now all its texts.
   */
  readonly sinceClaim: (at: StringAddress, now: SeenTexts) => Change | undefined;
  /** Whether a string is withheld from the caller, who skipped it. @param now all its texts. */
  readonly isWithheld: (at: StringAddress, now: () => SeenTexts) => boolean;
}

export type Change = "source" | "translation" | "nothing";

export interface RejectedText extends KeyChange {
  readonly approvedSource: string | undefined;
}

/** A finding that is accepted as a false alarm, and the texts that it is accepted for. */
export interface AcceptedFinding extends Pick<LocatedFinding, "locale" | "file" | "key" | "check"> {
  readonly texts: CheckedTexts;
}

const countedStatuses = ["saved", "approved", "rejected", "confirmed", "removed", "accepted"] as const;
type CountedStatus = (typeof countedStatuses)[number];

export interface AppliedAnswers {
  readonly results: readonly WorkResult[];
  readonly saved: readonly KeyChange[];
  /** The approved texts that rejections put back, with the source texts that they were made for if that is known. */
  readonly rejected: readonly RejectedText[];
  /** Stale translations that are right for the present source text, with their texts. */
  readonly confirmed: readonly KeyChange[];
  /** The addresses of the `confirmed` translations that the answer does not approve. */
  readonly unapproved: readonly TextAddress[];
  /** Each once. */
  readonly accepted: readonly AcceptedFinding[];
  readonly reviews: GivenReviews;
  /** How many texts were changed or findings accepted, by what became of their items. */
  readonly counts: Readonly<Record<CountedStatus, number>>;
  readonly questions: ByKey<string>;
  readonly skipped: readonly (StringAddress & { readonly now: SeenTexts })[];
  /** The indexes of items whose seen texts are unknown: they have no `expected`, and the caller has no claim on them. */
  readonly unseen: readonly number[];
}

/** Applies answers, of which no two are about one string, or at least about one text. */
export async function applyAnswers(
  context: AnswerContext,
  items: readonly AnsweredItem[],
): Promise<AppliedAnswers> {
  const applied = new Answers(context);
  for (const [index, item] of items.entries()) await applied.take(item, index);
  return applied;
}

/** An item whose string exists. */
interface Present {
  readonly at: StringAddress;
  readonly file: QueueFile;
  readonly forms: readonly FormText[];
  readonly item: AnsweredItem;
  readonly index: number;
}

class Answers implements AppliedAnswers {
  readonly results: WorkResult[] = [];
  readonly saved: KeyChange[] = [];
  readonly rejected: RejectedText[] = [];
  readonly confirmed: KeyChange[] = [];
  readonly unapproved: TextAddress[] = [];
  readonly accepted: AcceptedFinding[] = [];
  readonly reviews = new GivenReviews({ isPartial: true });
  readonly counts: Record<CountedStatus, number> = {
    saved: 0,
    approved: 0,
    rejected: 0,
    confirmed: 0,
    removed: 0,
    accepted: 0,
  };
  readonly questions = new Map<FileName, Map<string, string>>();
  readonly skipped: (StringAddress & { readonly now: SeenTexts })[] = [];
  readonly unseen: number[] = [];
  readonly #context: AnswerContext;
  #approved = 0;

  constructor(context: AnswerContext) {
    this.#context = context;
  }

  async take(item: AnsweredItem, index: number): Promise<void> {
    const { file: name, key } = item;
    const file = isFileName(name) ? await this.#context.fileOf(name) : undefined;
    const forms = file && formsOf(file, key);
    const before = this.#totals();
    const result =
      file === undefined || forms === undefined || !isFileName(name)
        ? { status: "unknown" as const }
        : this.#answer({ at: { file: name, key }, file, forms, item, index });
    const counted = countedStatuses.find((status) => status === result.status);
    if (counted !== undefined) this.counts[counted] += this.#totals()[counted] - before[counted];
    this.results.push({ file: name, key, ...result });
  }

  /** How many texts and findings all items were about so far. */
  #totals(): Record<CountedStatus, number> {
    return {
      saved: this.saved.length + this.confirmed.length,
      approved: this.#approved,
      rejected: this.rejected.length,
      confirmed: this.confirmed.length,
      removed: this.saved.length,
      accepted: this.accepted.length,
    };
  }

  #answer(present: Present): Outcome {
    const { item, at, file, forms } = present;
    const { answer } = item;
    if (answer.kind === "skip") {
      this.skipped.push({ ...at, now: seenTexts(file, forms) });
      return { status: "skipped" };
    }
    if (answer.kind === "unskip") {
      const isWithheld = this.#context.isWithheld(at, () => seenTexts(file, forms));
      return { status: isWithheld ? "unskipped" : "unknown" };
    }
    if (answer.kind === "ask") return this.#ask(present, answer.question);
    if (answer.kind === "forms") return this.#write(present, answer);
    const { only } = answer;
    const about =
      only === undefined ? present : { ...present, forms: forms.filter(({ form }) => only.includes(form)) };
    const changed = this.#changeOf(present, shownForms(file, about.forms));
    if (changed === "source") return sourceChanged(forms);
    if (changed === "translation") return { status: "conflict", stored: textsOf(file, forms) };
    if (answer.kind === "approve") return this.#approve(about);
    if (answer.kind === "reject") return this.#reject(about);
    if (answer.kind === "accept") return this.#accept(about, answer.checks);
    return answer.kind === "confirm" ? this.#confirm(about) : this.#remove(about);
  }

  /** What has changed since the item was seen. @param written the forms that the answer is about. */
  #changeOf({ item, file, forms, at, index }: Present, written: readonly FormText[]): Change {
    const { expected } = item;
    if (expected !== undefined) return changeSince(expected, file, written);
    const since = this.#context.sinceClaim(at, seenTexts(file, forms));
    if (since === undefined) this.unseen.push(index);
    return since ?? "nothing";
  }

  #write(present: Present, answer: Extract<WorkAnswer, { readonly kind: "forms" }>): Outcome {
    const { file, forms } = present;
    const { locale, by, allowFindings, findingsOf, mayWrite } = this.#context;
    const refused = refusalOf(answer.forms, forms);
    if (refused !== undefined) return refused;
    const written = forms.filter(({ form }) => answer.forms.has(form));
    const { approve } = answer;
    const changed = this.#changeOf(
      present,
      approve ? [...new Set([...written, ...shownForms(file, forms)])] : written,
    );
    if (changed === "source") return sourceChanged(forms);
    const texts = new Map(
      written.map(({ form, key, source }) => {
        const text = answer.forms.get(form) ?? "";
        return [key, answer.isTyped === true ? withLineEnds(text, [file.texts.get(key), source]) : text];
      }),
    );
    const isStored = written.every(({ key }) => file.texts.get(key) === texts.get(key));
    const { file: name } = present.at;
    const isTooLate = mayWrite !== undefined && !written.every((form) => mayWrite(name, file, form));
    if (isTooLate || (changed === "translation" && !isStored)) {
      return {
        status: "conflict",
        yours: Object.fromEntries(answer.forms),
        stored: textsOf(file, forms),
      };
    }
    if (approve && locale.twoPeople === true) {
      const isOwn = forms.some(({ key }) => {
        const text = texts.get(key);
        const isNew = text !== undefined && text !== file.texts.get(key);
        return isNew || waitingAt(file, key)?.by === by;
      });
      if (isOwn) return ownText;
    }
    const findings = findingsOf(name, file, written, texts);
    const error = findings.find(({ severity }) => severity === "error");
    if (!allowFindings && error !== undefined) return refusal("check_failed", error.message, findings);
    for (const { key } of written) this.#save(present, key, texts.get(key) ?? "", approve);
    if (approve) this.#approve(present, new Set(texts.keys()));
    const outcome: Outcome = { status: approve ? "approved" : "saved" };
    return findings.length === 0 ? outcome : { ...outcome, findings };
  }

  #save(
    { at: { file: name }, file }: Pick<Present, "at" | "file">,
    key: string,
    text: string,
    approve: boolean,
  ): void {
    const locale = this.#context.locale.code;
    const at = { locale, file: name };
    const before = file.texts.get(key);
    const states = statesOfText(file, key, translatableTexts(file.strings).get(key) ?? "");
    const [isStale, isWaiting] = [isIn(states, textState.stale), isIn(states, textState.waiting)];
    if (approve && (before !== text || isStale || isWaiting)) this.#approved++;
    if (before !== text) this.saved.push(changeOf({ key, before, after: text }, at, "cleared"));
    else if (isStale) {
      this.confirmed.push({ ...at, key, change: "updated", before, after: text });
      if (!approve) this.unapproved.push({ ...at, key });
    }
    if (approve && (before !== text || isWaiting)) this.reviews.set({ ...at, key }, undefined);
  }

  /** Approves the stored texts of a string. @param but the keys of texts that are approved already. */
  #approve(
    { at, file, forms }: Pick<Present, "at" | "file" | "forms">,
    but: ReadonlySet<string> = new Set(),
  ): Outcome {
    const { locale, by } = this.#context;
    const stored = shownForms(file, forms).filter(({ key }) => !but.has(key) && file.texts.has(key));
    if (stored.length === 0) return { status: "unknown" };
    const waiting = stored.filter(({ key }) => waitingAt(file, key) !== undefined);
    if (locale.twoPeople === true && waiting.some(({ key }) => waitingAt(file, key)?.by === by))
      return ownText;
    for (const { key } of stored) this.#save({ at, file }, key, file.texts.get(key) ?? "", true);
    return { status: "approved" };
  }

  /** Finds stale texts to be right for the present source texts. */
  #confirm({ at, file, forms }: Pick<Present, "at" | "file" | "forms">): Outcome {
    const stored = forms.filter(({ key }) => file.texts.has(key));
    if (stored.length === 0) return { status: "unknown" };
    for (const { key } of stored) this.#save({ at, file }, key, file.texts.get(key) ?? "", false);
    return { status: "confirmed" };
  }

  /** Accepts findings of all these checks, of which each must have found something, unless that is accepted already. */
  #accept(
    { at: { file: name }, file, forms }: Pick<Present, "at" | "file" | "forms">,
    checks: readonly CheckName[],
  ): Outcome {
    const { locale, findingsOf, isAccepted } = this.#context;
    const accepted: AcceptedFinding[] = [];
    const known = new Set<CheckName>();
    for (const form of forms) {
      const { key, source } = form;
      const translation = file.texts.get(key);
      if (translation === undefined) continue;
      const texts = { source, translation };
      const found = new Set(findingsOf(name, file, [form], file.texts).map(({ check }) => check));
      for (const check of new Set(checks)) {
        const finding = { locale: locale.code, file: name, key, check };
        const isNew = found.has(check);
        if (isNew) accepted.push({ ...finding, texts });
        if (isNew || isAccepted(finding, texts)) known.add(check);
      }
    }
    if (!checks.every((check) => known.has(check))) return { status: "unknown" };
    this.accepted.push(...accepted);
    return { status: "accepted" };
  }

  #remove({ at: { file: name }, file, forms }: Pick<Present, "at" | "file" | "forms">): Outcome {
    const at = { locale: this.#context.locale.code, file: name };
    const stored = forms.filter(({ key }) => file.texts.has(key));
    for (const { key } of stored)
      this.saved.push(changeOf({ key, before: file.texts.get(key), after: undefined }, at, "cleared"));
    return { status: stored.length === 0 ? "unknown" : "removed" };
  }

  #reject({ at: { file: name }, file, forms }: Present): Outcome {
    const at = { locale: this.#context.locale.code, file: name };
    let isWaiting = false;
    for (const { key } of forms) {
      const waiting = waitingAt(file, key);
      if (waiting === undefined) continue;
      isWaiting = true;
      this.reviews.set({ ...at, key }, undefined);
      const { text: before, approved: after, approvedSource } = waiting;
      this.rejected.push({ ...changeOf({ key, before, after }, at, "cleared"), approvedSource });
    }
    return { status: isWaiting ? "rejected" : "unknown" };
  }

  #ask({ at: { file, key }, file: { notes } }: Present, question: string): Outcome {
    const thread = notes.get(key)?.thread;
    const isAsked = thread?.some((one) => isOpen(one) && one.text === question) === true;
    if (!isAsked && isFull(thread))
      return refusal("limit_reached", `It has ${threadLimits.comments} open questions already.`);
    const keys = this.questions.get(file) ?? new Map<string, string>();
    if (!isAsked) this.questions.set(file, keys.set(key, question));
    return { status: "asked" };
  }
}

type Outcome = Omit<WorkResult, "file" | "key">;

const ownText = refusal("own_text", "This locale needs two people: you cannot approve your own text.");

function refusal(code: Refusal, message: string, findings?: readonly LocatedFinding[]): Outcome {
  return { status: "refused", code, message, ...(findings && { findings }) };
}

/** Whether a text has more than blanks and characters without width. */
function isVisible(text: string): boolean {
  return /[^\s\p{Cf}]/u.test(text);
}

/** Why texts can never be stored for these forms; undefined where they can. */
function refusalOf(texts: ReadonlyMap<string, string>, forms: readonly FormText[]): Outcome | undefined {
  const names = forms.map(({ form }) => form);
  for (const [form, text] of texts) {
    const source = forms.find((each) => each.form === form)?.source;
    if (source === undefined)
      return refusal("unknown_form", `${form}: is not a form that the locale has here: ${names.join(", ")}`);
    if (text === "" || (!isVisible(text) && isVisible(source)))
      return refusal("empty_text", `${form}: must not be empty`);
    const problem = textProblem(text);
    if (problem !== undefined) return refusal("invalid_text", `${form}: ${problem}`);
  }
  return undefined;
}

/** What has changed of some forms since they were seen. */
function changeSince(seen: Seen, file: QueueFile, forms: readonly FormText[]): Change {
  if (forms.some(({ form, source }) => !seen.isSource(form, source))) return "source";
  const isSame = forms.every(({ form, key }) => seen.isTranslation(form, file.texts.get(key)));
  return isSame ? "nothing" : "translation";
}

function sourceChanged(forms: readonly FormText[]): Outcome {
  return {
    status: "source_changed",
    source: Object.fromEntries(forms.map(({ form, source }) => [form, source])),
  };
}

function textsOf({ texts }: QueueFile, forms: readonly FormText[]): Readonly<Record<string, string | null>> {
  return Object.fromEntries(forms.map(({ form, key }) => [form, texts.get(key) ?? null]));
}
