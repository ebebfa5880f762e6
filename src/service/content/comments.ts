/** Makes, changes and deletes comments on strings. */
import { randomBytes } from "node:crypto";
import { allows } from "../../domain/access/token.ts";
import { writerOf, type Principal } from "../../domain/access/principal.ts";
import { slugOf, type HiveBranch } from "../../domain/commits/branch-name.ts";
import { failure, invalid, SkepError } from "../../domain/errors.ts";
import { targetLocale } from "../../domain/hives/hive-settings.ts";
import type { LocaleCode } from "../../domain/hives/locale.ts";
import type { StringAddress } from "../../domain/move.ts";
import { isFileName, type FileName } from "../../domain/names.ts";
import { toStringNotes } from "../../domain/notes/note-files.ts";
import { put } from "../../domain/notes/note-changes.ts";
import { notesKind } from "../../domain/notes/notes-kind.ts";
import type { Notes } from "../../domain/notes/note.ts";
import {
  isOpen,
  noThread,
  openQuestion,
  withChange,
  withComment,
  without,
  type Comment,
  type CommentChange,
  type Thread,
  type Voice,
} from "../../domain/notes/thread.ts";
import { stringValuesChange } from "../../domain/sidecars/sidecar.ts";
import { translatableTexts } from "../../domain/strings/string-file.ts";
import { excerpt } from "../../domain/text.ts";
import type { Snapshot } from "../../store/content/snapshot.ts";
import { speakerOf, type CommitResult, type WriteContext } from "../../store/hives/write-context.ts";
import { currentPrincipal, type Caller } from "../access.ts";
import type { ContentStorage, Storage } from "../storage.ts";
import { itemOf, placed, publicId, withAuthors, type PlacedComment } from "./comment-lists.ts";

/** Who speaks in a write, and when. */
export function voiceOf({ now }: Pick<Storage, "now">, { metadata }: Pick<WriteContext, "metadata">): Voice {
  return { by: speakerOf(metadata), at: now(), newId: () => randomBytes(8).toString("hex") };
}

/**
 * Whether somebody may comment: whoever may read, but for tokens that may do nothing else, such as those of a build.
 * The owner of the storage may.
 */
export function mayComment({ token, abilities }: Pick<Principal, "token" | "abilities">): boolean {
  return token === undefined || abilities.some((ability) => ability !== "read");
}

/** What somebody may do with a comment. @param by as {@link Comment.by} names them. */
export function rightsOn(
  comment: Pick<Comment, "by">,
  by: string | undefined,
  abilities: Pick<Principal, "abilities">,
): { readonly mayEdit: boolean; readonly maySettle: boolean; readonly mayDelete: boolean } {
  const isOwn = comment.by !== undefined && comment.by === by;
  return {
    mayEdit: isOwn,
    maySettle: isOwn || allows(abilities, "write"),
    mayDelete: isOwn || allows(abilities, "admin"),
  };
}

export interface CommentRequest {
  readonly file: string;
  readonly key: string;
  readonly text: string;
  /** A code as the caller gave it. */
  readonly locale?: string;
  readonly ask?: boolean;
  /** Whether it answers no question, so that these stay open. */
  readonly stillOpen?: boolean;
  /** The question that it answers; without it, the oldest open one. */
  readonly answers?: string;
}

/**
 * Comments on a string, as one commit. A comment that is no question settles the question that it answers, if its author
 * may settle that.
 * @throws SkepError `invalid` on `key` and `locale`; `forbidden` as {@link requireVoice}; `too-many-attempts`; `quota` when
 * the string has no room; `content-invalid` when notes cannot be read.
 */
export async function createComment(
  storage: ContentStorage,
  caller: Caller,
  branch: HiveBranch,
  { file, key, text, locale: code, ask = false, stillOpen = false, answers }: CommentRequest,
  context: WriteContext,
): Promise<CommitResult<PlacedComment>> {
  const voice = voiceOf(storage, context);
  const { settings } = await storage.hives.at(branch).snapshot();
  const locale = code === undefined ? undefined : targetLocale(settings, code, slugOf(branch)).code;
  requireVoice(caller.principal);
  countComment(storage, caller);
  return commitThread(storage, caller, branch, context, ({ snapshot, threads, principal }) => {
    const at = stringAt(snapshot, file, key);
    const before = threads(at);
    const { abilities, locales } = principal;
    const isWriter =
      allows(principal, "write") && (locale === undefined || locales?.includes(locale) !== false);
    const comment = {
      id: voice.newId(),
      by: voice.by,
      at: voice.at,
      ...(locale !== undefined && { locale }),
      text,
      ...(ask && { ask: true as const, ...(isWriter && { withholds: true as const }) }),
    };
    const question = ask || stillOpen ? undefined : answeredIn(at, before, { locale, answers });
    const isAnswer = question !== undefined && rightsOn(question, voice.by, { abilities }).maySettle;
    const rest = isAnswer ? withChange(before, question.id, { settled: true }) : before;
    const thread = withComment(rest, comment);
    const verb = ask ? "Ask about" : isAnswer ? "Answer about" : "Comment on";
    return { at, thread, subject: verb, comment: comment.id };
  });
}

/** The question that a comment answers: the one that it names, or the oldest open one that is about its language, or all. */
function answeredIn(
  at: StringAddress,
  thread: Thread,
  { locale, answers }: { readonly locale: LocaleCode | undefined; readonly answers: string | undefined },
): Comment | undefined {
  if (answers === undefined) return openQuestion(thread, locale);
  return thread.find((one) => publicId(at, one) === answers && isOpen(one));
}

/**
 * Changes a comment: its text, or whether a question is settled.
 * @throws SkepError `not-found`; `invalid` on `settled` of what is no question; `forbidden` for the text of another, for a
 * question of another when the caller may not write, and as {@link requireVoice}; `too-many-attempts`; `content-invalid`.
 */
export async function changeComment(
  storage: ContentStorage,
  caller: Caller,
  branch: HiveBranch,
  id: string,
  change: CommentChange,
  context: WriteContext,
): Promise<CommitResult<PlacedComment>> {
  return commitChange(storage, caller, branch, context, id, ({ at, thread, comment }, rights) => {
    const { mayEdit, maySettle } = rights;
    if (change.text !== undefined && !mayEdit) throw notYours("change the text of");
    if (change.settled !== undefined && comment.ask !== true)
      throw invalid("settled", "can be set on questions alone");
    if (change.settled !== undefined && !maySettle) throw notYours("settle or open");
    const verb =
      change.text !== undefined ? "Change a comment on" : change.settled === true ? "Settle" : "Open again";
    const subject = change.text === undefined ? `${verb} a question about` : verb;
    return { at, thread: withChange(thread, comment.id, change), subject, comment: comment.id };
  });
}

/** Deletes a comment. @throws SkepError as {@link changeComment}, when it is of another and the caller is no admin. */
export async function deleteComment(
  storage: ContentStorage,
  caller: Caller,
  branch: HiveBranch,
  id: string,
  context: WriteContext,
): Promise<CommitResult<PlacedComment>> {
  return commitChange(storage, caller, branch, context, id, ({ at, thread, comment }, { mayDelete }) => {
    if (!mayDelete) throw notYours("delete");
    return { at, thread: without(thread, comment.id), subject: "Delete a comment on", comment };
  });
}

/** Changes a thread by one of its comments, as far as the caller has rights on that. */
function commitChange(
  storage: ContentStorage,
  caller: Caller,
  branch: HiveBranch,
  context: WriteContext,
  id: string,
  plan: (found: Found, rights: ReturnType<typeof rightsOn>) => ThreadChange,
): Promise<CommitResult<PlacedComment>> {
  requireVoice(caller.principal);
  if (!allows(caller.principal, "write")) countComment(storage, caller);
  const by = speakerOf(context.metadata);
  return commitThread(storage, caller, branch, context, ({ find, principal }) => {
    const found = find(id);
    return plan(found, rightsOn(found.comment, by, principal));
  });
}

function notYours(what: string): SkepError {
  return failure("forbidden", `You may not ${what} this comment: it is not yours.`);
}

/** @throws SkepError `forbidden` for a token that may only read. */
function requireVoice(principal: Principal): void {
  if (mayComment(principal)) return;
  throw failure("forbidden", "This token may only read, so it cannot comment.", {
    publicCode: "missing_ability",
  });
}

/** How many comments a person, or a token without one, may make in an hour. */
const maxInHour = 60;

/** @throws SkepError `too-many-attempts` when the caller has made as many as they may. */
function countComment({ comments, now }: ContentStorage, { principal }: Caller): void {
  const by = writerOf(principal);
  if (by === undefined) return;
  const wait = comments.begin(by, "", now(), maxInHour);
  if (typeof wait !== "number") return;
  const message = `You have made ${maxInHour} comments within an hour; try again later.`;
  throw new SkepError("too-many-attempts", message, { retryAfter: wait }, { publicCode: "too_many_changes" });
}

interface Found {
  readonly at: StringAddress;
  readonly thread: Thread;
  readonly comment: Comment;
}

/** What a change of a thread is planned from. */
interface Basis {
  readonly snapshot: Snapshot;
  /** The caller as they are now. */
  readonly principal: Principal;
  readonly threads: (at: StringAddress) => Thread;
  /** @throws SkepError `not-found`. */
  readonly find: (id: string) => Found;
}

interface ThreadChange {
  readonly at: StringAddress;
  readonly thread: Thread;
  /** What is done with the string, for the message of the commit. */
  readonly subject: string;
  /** The comment that is answered with: one of the thread, or one that is no more. */
  readonly comment: string | Comment;
}

/** Changes the thread of one string, as one commit. */
async function commitThread(
  storage: ContentStorage,
  caller: Caller,
  branch: HiveBranch,
  context: WriteContext,
  plan: (basis: Basis) => ThreadChange,
): Promise<CommitResult<PlacedComment>> {
  const committed = await storage.writer.commit(branch, context, async (snapshot) => {
    const notes = await snapshot.values.notes.files();
    const { at, thread, subject, comment } = plan({
      snapshot,
      principal: await currentPrincipal(storage, caller.principal),
      threads: ({ file, key }) => notes.get(file)?.get(key)?.thread ?? noThread,
      find: (id) => findComment(snapshot, notes, id),
    });
    const said = typeof comment === "string" ? thread.find(({ id }) => id === comment) : comment;
    if (said === undefined) throw unknownComment();
    const metadata = {
      subject: `${subject} ${excerpt(at.file)}: ${excerpt(at.key)}`,
      operation: "comment",
    };
    return {
      result: placed(snapshot.settings, at, said),
      change: { metadata },
      values: [stringValuesChange(notesKind, (now) => withThread(now, at, thread))],
      isDiscussion: true,
    };
  });
  const [result = committed.result] = await withAuthors(storage, [committed.result]);
  return { ...committed, result };
}

function withThread(notes: Notes, { file, key }: StringAddress, thread: Thread): Notes {
  const now = new Map(notes.get(file));
  put(now, key, toStringNotes({ ...now.get(key), thread }));
  return new Map([...notes, [file, now]]);
}

/** @throws SkepError `invalid` on `key`. */
function stringAt({ index, settings }: Snapshot, name: string, key: string): StringAddress {
  const strings = isFileName(name) ? index.source.get(name) : undefined;
  const file: FileName | undefined = isFileName(name) ? name : undefined;
  if (file === undefined || strings === undefined || !translatableTexts(strings).has(key))
    throw invalid("key", `there is no string "${excerpt(key)}" in "${excerpt(name)}"`);
  return { file, key: itemOf(settings, strings, key) };
}

function findComment({ index: { source } }: Snapshot, notes: Notes, id: string): Found {
  for (const [file, keys] of notes) {
    const texts = translatableTexts(source.get(file));
    for (const [key, { thread = noThread }] of keys) {
      const at = { file, key };
      const comment = thread.find((one) => publicId(at, one) === id);
      if (comment !== undefined && texts.has(key)) return { at, thread, comment };
    }
  }
  throw unknownComment();
}

function unknownComment(): SkepError {
  return failure("not-found", "There is no such comment in this Hive.", { publicCode: "unknown_comment" });
}
