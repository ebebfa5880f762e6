/** Parses commit messages that commit-message.ts has formatted. */
import type { Idempotency } from "./commit-message.ts";
import { isOriginKind, type Origin } from "./origin.ts";
import { moveTrailer, parseMoves, type MoveRecord } from "./move-record.ts";

export interface CommitRecord {
  readonly subject: string;
  /** The caller's own message; for a commit from outside, everything after the subject. */
  readonly message?: string;
  /** The kind of request. This and the fields below are undefined for commits that Skep did not make. */
  readonly operation?: string;
  /** The id of the token. */
  readonly token?: string;
  /** The id of the person. */
  readonly person?: string;
  readonly strategy?: string;
  /** The branch that a merge brought in. */
  readonly branch?: string;
  /** The commit that this one undid. */
  readonly undoes?: string;
  /** The app's own commit or CI run. */
  readonly ref?: string;
  /** The idempotency key of the request, if it has one. */
  readonly idempotency?: Idempotency;
  /** Who or what made its texts, where the caller said so. */
  readonly origin?: Origin;
  /** The moves of the commit, if its message lists them; the count `moved` says whether there are any. */
  readonly moves?: MoveRecord;
  /** The counts of the response, by the same names: `created`, `translations_cleared`. */
  readonly counts: ReadonlyMap<string, number>;
}

const trailerPattern = /^([A-Za-z][A-Za-z0-9-]*): (.*)$/;
const countPattern = /^[0-9]{1,15}$/;

/**
 * Parses a commit's message.
 * @param isOurs whether Skep committed it. Trailers of other commits are not trusted, since anybody can write them.
 */
export function parseCommitMessage(text: string, isOurs: boolean): CommitRecord {
  const paragraphs = text.trimEnd().split(/\n{2,}/);
  const trailers = isOurs && paragraphs.length > 1 ? toTrailers(paragraphs.at(-1) ?? "") : undefined;
  const operation = trailers?.get("Operation");
  if (trailers === undefined || operation === undefined) return outsideRecord(text);
  const [subject = "", ...body] = paragraphs.slice(0, -1);
  const message = body.join("\n\n").trim();
  const counts = [...trailers].flatMap(([name, value]): [string, number][] =>
    countPattern.test(value) && !texts.has(name)
      ? [[name.toLowerCase().replaceAll("-", "_"), Number(value)]]
      : [],
  );
  return {
    subject,
    message: message || undefined,
    operation,
    token: trailers.get("Token") || undefined,
    person: trailers.get("Person") || undefined,
    strategy: trailers.get("Strategy") || undefined,
    branch: trailers.get("Branch") || undefined,
    undoes: trailers.get("Undoes") || undefined,
    ref: trailers.get("Ref") || undefined,
    idempotency: idempotencyIn(trailers),
    origin: originIn(trailers),
    moves: trailers.has(moveTrailer) ? parseMoves(paragraphs.at(-1) ?? "") : undefined,
    counts: new Map(counts),
  };
}

function idempotencyIn(trailers: ReadonlyMap<string, string>): Idempotency | undefined {
  const key = trailers.get("Idempotency-Key");
  const body = trailers.get("Body-SHA-256");
  return key === undefined || body === undefined ? undefined : { key, body };
}

function originIn(trailers: ReadonlyMap<string, string>): Origin | undefined {
  const kind = trailers.get("Origin");
  return isOriginKind(kind)
    ? { kind, name: trailers.get("Model"), prompt: trailers.get("Prompt") }
    : undefined;
}

/** Trailers that are not counts, even if they are numbers. */
const texts = new Set([
  "Operation",
  "Token",
  "Person",
  "Strategy",
  "Branch",
  "Undoes",
  "Ref",
  "Origin",
  "Model",
  "Prompt",
  "Idempotency-Key",
  "Body-SHA-256",
  moveTrailer,
]);

function toTrailers(paragraph: string): ReadonlyMap<string, string> | undefined {
  const trailers = new Map<string, string>();
  for (const line of paragraph.split("\n")) {
    const [, name, value] = trailerPattern.exec(line) ?? [];
    if (name === undefined || value === undefined) return undefined;
    trailers.set(name, value);
  }
  return trailers;
}

function outsideRecord(text: string): CommitRecord {
  const [subject = "", ...rest] = text.trim().split("\n");
  const message = rest.join("\n").trim();
  return { subject, message: message || undefined, counts: new Map() };
}
