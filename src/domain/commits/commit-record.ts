/** What a commit's message says, read back: the other way round of commit-message.ts. */
import type { Idempotency } from "./commit-message.ts";

export interface CommitRecord {
  readonly subject: string;
  /** The caller's own words; of a commit from outside all that follows the subject. */
  readonly message?: string;
  /** The kind of request; undefined for commits that were not made by Skep, as are those below. */
  readonly operation?: string;
  /** The id of the token. */
  readonly token?: string;
  readonly strategy?: string;
  /** The app's own commit or CI run. */
  readonly ref?: string;
  /** The request, where its caller gave it a key. */
  readonly idempotency?: Idempotency;
  /** What the response counted, named as there: `created`, `translations_cleared`. */
  readonly counts: ReadonlyMap<string, number>;
}

const trailerPattern = /^([A-Za-z][A-Za-z0-9-]*): (.*)$/;
const countPattern = /^[0-9]{1,15}$/;

/**
 * Reads a commit's message.
 * @param isOurs whether Skep committed it. Of others no trailer is believed: anybody can write one.
 */
export function parseCommitMessage(text: string, isOurs: boolean): CommitRecord {
  const paragraphs = text.trimEnd().split(/\n{2,}/);
  const trailers = isOurs && paragraphs.length > 1 ? toTrailers(paragraphs.at(-1) ?? "") : undefined;
  const operation = trailers?.get("Operation");
  if (trailers === undefined || operation === undefined) return outsideRecord(text);
  const [subject = "", ...said] = paragraphs.slice(0, -1);
  const message = said.join("\n\n").trim();
  const counts = [...trailers].flatMap(([name, value]): [string, number][] =>
    countPattern.test(value) && !texts.has(name)
      ? [[name.toLowerCase().replaceAll("-", "_"), Number(value)]]
      : [],
  );
  return {
    subject,
    ...member("message", message),
    operation,
    ...member("token", trailers.get("Token")),
    ...member("strategy", trailers.get("Strategy")),
    ...member("ref", trailers.get("Ref")),
    ...idempotencyIn(trailers),
    counts: new Map(counts),
  };
}

function member(name: keyof CommitRecord, value: string | undefined): object {
  return value === undefined || value === "" ? {} : { [name]: value };
}

function idempotencyIn(trailers: ReadonlyMap<string, string>): { readonly idempotency?: Idempotency } {
  const key = trailers.get("Idempotency-Key");
  const body = trailers.get("Body-SHA-256");
  return key === undefined || body === undefined ? {} : { idempotency: { key, body } };
}

/** Trailers that are no counts, even if they are numbers. */
const texts = new Set(["Operation", "Token", "Strategy", "Undoes", "Ref", "Idempotency-Key", "Body-SHA-256"]);

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
  return { subject, ...(message === "" ? {} : { message }), counts: new Map() };
}
