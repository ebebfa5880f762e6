/** Comments on a string: what people say about it, one after the other, and the questions among them. */
import type { z } from "zod";
import type { LocaleCode } from "../hives/locale.ts";
import { failure } from "../errors.ts";
import type { Immutable } from "../json-codec.ts";
import type { Side, Sides } from "../sides.ts";
import { threadLimits } from "./note-limits.ts";
import type { commentSchema } from "./note-schema.ts";

export { threadLimits };

/** A comment. The names of its members are those of the stored files. */
export type Comment = Immutable<z.output<typeof commentSchema>>;

/** In the order in which they were made. */
export type Thread = readonly Comment[];

export const noThread: Thread = [];

/** The id of a question that was stored before there were comments. */
const earlierId = "ask";

/** A thread that begins with a question which was stored before there were comments. */
export function withEarlierQuestion(thread: Thread, question: string | undefined): Thread {
  if (question === undefined || thread.some(({ id }) => id === earlierId)) return thread;
  return [{ id: earlierId, text: question, ask: true, withholds: true }, ...thread];
}

/** Whether a comment is a question that nobody has settled. */
export function isOpen({ ask, settled }: Pick<Comment, "ask" | "settled">): boolean {
  return ask === true && settled !== true;
}

/** Whether a comment is about a language, or about all. */
export function isAbout({ locale }: Comment, wanted: LocaleCode): boolean {
  return locale === undefined || locale === wanted;
}

/** The oldest open question. @param locale it is about that language, or all; undefined for any. */
export function openQuestion(thread: Thread = noThread, locale?: LocaleCode): Comment | undefined {
  return thread.find((one) => isOpen(one) && (locale === undefined || isAbout(one, locale)));
}

/** Whether an open question withholds its string from work in a language. */
export function withholdsIn(thread: Thread = noThread, locale: LocaleCode): boolean {
  return thread.some((one) => one.withholds === true && isOpen(one) && isAbout(one, locale));
}

/** The comments in their order, without those for which there is no room. */
function settledDown(comments: Iterable<Comment>): Thread {
  const inOrder = [...comments].toSorted(byTime);
  let excess = inOrder.length - threadLimits.comments;
  if (excess <= 0) return inOrder;
  const left = inOrder.filter((one) => isOpen(one) || excess-- <= 0);
  return left.slice(-threadLimits.stored);
}

function byTime(one: Comment, other: Comment): number {
  const [a, b] = [one, other].map(({ id, at = "" }) => `${at} ${id}`);
  return (a ?? "") < (b ?? "") ? -1 : 1;
}

/** Whether there is no room for another comment, because all are open questions. */
export function isFull(thread: Thread = noThread): boolean {
  return thread.filter(isOpen).length >= threadLimits.comments;
}

/** A comment before it has its place in a thread. @param at in milliseconds since 1970. */
export type NewComment = Omit<Comment, "at"> & { readonly at: number };

/**
 * Adds a comment behind all others.
 * @throws SkepError `quota` when there is no room, because all others are open questions.
 */
export function withComment(thread: Thread = noThread, { at, ...comment }: NewComment): Thread {
  if (isFull(thread)) {
    const most = threadLimits.comments;
    throw failure("quota", `This string has ${most} open questions: settle some before you add to them.`, {
      publicCode: "limit_reached",
    });
  }
  const last = thread.at(-1)?.at;
  const time = last === undefined ? at : Math.max(at, Date.parse(last) + 1);
  return settledDown([...thread, { ...comment, at: new Date(time).toISOString() }]);
}

/** What may be changed of a comment. */
export type CommentChange = Partial<Pick<Comment, "text">> & { readonly settled?: boolean };

/** A thread in which one comment is another; without one of that id, the same. */
export function withChange(thread: Thread = noThread, wanted: string, change: CommentChange): Thread {
  return thread.map((one) => (one.id === wanted ? withMembers(one, change) : one));
}

function withMembers(comment: Comment, { text = comment.text, settled }: CommentChange): Comment {
  const { settled: before = false, ...others } = { ...comment, text };
  return (settled ?? before) ? { ...others, settled: true } : others;
}

/** A thread without one of its comments. */
export function without(thread: Thread = noThread, wanted: string): Thread {
  return thread.filter(({ id }) => id !== wanted);
}

/** Who says something, and when. */
export interface Voice {
  /** See {@link Comment.by}. */
  readonly by: string;
  /** In milliseconds since 1970. */
  readonly at: number;
  readonly newId: () => string;
}

/** A thread with a question of somebody who may write, about all languages; the same where it is open already. */
export function withQuestion(thread: Thread | undefined, text: string, { by, at, newId }: Voice): Thread {
  if (thread?.some((one) => isOpen(one) && one.text === text) === true) return thread;
  return withComment(thread, { id: newId(), by, at, text, ask: true, withholds: true });
}

/**
 * A thread whose oldest open question is to be another, or settled.
 * @param question undefined for none; what adds lines to the present one asks beside it.
 */
export function withOpenQuestion(
  thread: Thread | undefined,
  question: string | undefined,
  voice: Voice,
): Thread {
  const now = openQuestion(thread);
  if (now?.text === question) return thread ?? noThread;
  if (now !== undefined && question?.startsWith(`${now.text}\n`) === true) {
    const added = question.slice(now.text.length).trim();
    return added === "" ? (thread ?? noThread) : withQuestion(thread, added, voice);
  }
  const settled = now === undefined ? thread : withChange(thread, now.id, { settled: true });
  return question === undefined ? (settled ?? noThread) : withQuestion(settled, question, voice);
}

/** How the threads of two sides come together. */
export interface ThreadPrecedence {
  /** Whose text a comment has that both sides changed. */
  readonly text: Side;
  /** Whether the other side may change a comment of ours; without it, each. */
  readonly mayChange?: (comment: Comment) => boolean;
}

/**
 * Merges threads comment by comment: what either side added, changed or deleted is taken. What one side changed stays,
 * although the other deleted it.
 */
export function mergedThread(
  { base = noThread, ours = noThread, theirs = noThread }: Sides<Thread | undefined>,
  { text: first, mayChange = () => true }: ThreadPrecedence,
): Thread {
  if (isSameThread(base, theirs)) return ours;
  const [from, our, their] = [base, ours, theirs].map((all) => new Map(all.map((one) => [one.id, one])));
  const merged: Comment[] = [];
  for (const id of new Set([...ours, ...theirs].map((one) => one.id))) {
    const sides = { base: from?.get(id), ours: our?.get(id), theirs: their?.get(id) };
    const known = sides.ours ?? sides.theirs;
    const one = known === undefined || mayChange(known) ? mergedComment(sides, first) : sides.ours;
    if (one !== undefined) merged.push(one);
  }
  return settledDown(merged);
}

function mergedComment({ base, ours, theirs }: Sides<Comment | undefined>, first: Side): Comment | undefined {
  if (isSameComment(base, theirs)) return ours;
  if (isSameComment(base, ours)) return theirs;
  // What one side has deleted, and the other has changed.
  if (ours === undefined || theirs === undefined) return ours ?? theirs;
  const take = <Value>(of: (one: Comment | undefined) => Value): Value => {
    const [start, our, other] = [of(base), of(ours), of(theirs)];
    return our === start || (other !== start && first === "theirs") ? other : our;
  };
  const text = take((one) => one?.text) ?? ours.text;
  return withMembers(ours, { text, settled: take((one) => one?.settled === true) });
}

/** The members of a comment in the order in which they are stored. */
export function commentInOrder({ id, by, at, locale, text, ask, withholds, settled }: Comment): Comment {
  return { id, by, at, locale, text, ask, withholds, settled };
}

function isSameComment(one: Comment | undefined, other: Comment | undefined): boolean {
  if (one === other) return true;
  if (one === undefined || other === undefined) return false;
  return JSON.stringify(commentInOrder(one)) === JSON.stringify(commentInOrder(other));
}

/** Whether two threads have the same comments. */
export function isSameThread(one: Thread = noThread, other: Thread = noThread): boolean {
  return (
    one === other || (one.length === other.length && one.every((each, i) => isSameComment(each, other[i])))
  );
}
