/** Formats commit messages and authors. No text of a caller can be read as a trailer, an author or a header. */
import { counted, unprintable } from "../text.ts";
import { moveTrailers, type MoveRecord } from "./move-record.ts";
import type { Origin } from "./origin.ts";

/** Counts by name; undefined counts are left out of the message. */
type Counts = Readonly<Record<string, number | undefined>>;

/** The metadata of a commit. */
export interface CommitMetadata {
  /** The author of the request. */
  readonly author: Author;
  /** The id of the token; a command has none, nor has a session of a person. */
  readonly token?: string;
  /** The id of the person. */
  readonly person?: string;
  /** The caller's own message, as received. */
  readonly message?: string;
  /** The app's own commit or CI run, as received. */
  readonly ref?: string;
  /** Who or what made its texts, where the caller says so. */
  readonly origin?: Origin;
  /** The idempotency key of the request, if it has one. */
  readonly idempotency?: Idempotency;
  /** A summary with counts, written by the service and never by a caller. */
  readonly subject: string;
  /** The kind of request, for the trailer `Operation`. */
  readonly operation: string;
  /** The strategy of the request, if it has one. */
  readonly strategy?: string;
  /** The branch that a merge brings in. */
  readonly branch?: string;
  /** The commit that this one undoes. */
  readonly undoes?: string;
  /** The counts of the response: trailer name → number, in order. */
  readonly counts?: Counts;
  /** The moves of the commit; the count `Moved` is the number of strings that they move. */
  readonly moves?: MoveRecord;
}

/** The part of a commit's metadata that comes from the request. */
export type RequestMetadata = Pick<
  CommitMetadata,
  "author" | "token" | "person" | "message" | "ref" | "origin"
>;

/** The part of a commit's metadata that comes from its plan. */
export type ChangeMetadata = Omit<CommitMetadata, keyof RequestMetadata | "idempotency">;

export interface Author {
  readonly name: string;
  readonly email: string;
}

/**
 * Identifies a request that must be applied only once, even if it is sent repeatedly. Both are SHA-256 hashes in
 * hexadecimal.
 */
export interface Idempotency {
  /** Hash of the caller's key together with the scope of the key. */
  readonly key: string;
  /** Hash of its body. */
  readonly body: string;
}

const cutsOff = /^(?:-|\S+ -+ >8)/;
const maxMessageLength = 1000;
const maxRefLength = 500;

/** The committer of all commits that Skep makes. */
export const skepCommitter: Author = { name: "Skep", email: "skep@skep.invalid" };

/** The author of commits by commands. */
export const commandAuthor: Author = { name: "skep cli", email: "cli@skep.invalid" };

/** The author of commits by a token: its name without `<>`, control and format characters, or else its id. */
export function tokenAuthor(id: string, name: string | undefined): Author {
  return authorAt("tokens", id, name);
}

/** The author of commits by a person, with an address that is not theirs: history never changes, and addresses do. */
export function personAuthor(id: string, name: string | undefined): Author {
  return authorAt("people", id, name);
}

function authorAt(kind: "tokens" | "people", id: string, name: string | undefined): Author {
  const plain = (name ?? "").toWellFormed().replaceAll(/[<>]/g, "").replaceAll(unprintable, "").trim();
  return { name: plain === "" ? id : plain, email: `${id}@${kind}.skep.invalid` };
}

/**
 * Turns a caller's text into one line: control and format characters and line separators become spaces, and the line is
 * truncated.
 */
export function cleanLine(text: string, maxLength: number): string {
  const line = text.toWellFormed().replaceAll(unprintable, " ").trim();
  return line.length <= maxLength ? line : Array.from(line).slice(0, maxLength).join("");
}

/**
 * The whole message: the subject, the caller's message as a paragraph of its own, and the trailers last.
 * `git interpret-trailers` reads trailers from the last paragraph only, and nothing below a line that begins with
 * `---` or is its scissors line (a comment character, then `--- >8 ---`), so a caller's line that begins like one of
 * these is indented.
 */
export function formatCommitMessage(metadata: Omit<CommitMetadata, "author">): string {
  const {
    token,
    person,
    idempotency,
    subject,
    operation,
    strategy,
    branch,
    undoes,
    counts = {},
    moves,
    origin,
  } = metadata;
  const message = cleanLine(metadata.message ?? "", maxMessageLength);
  const ref = cleanLine(metadata.ref ?? "", maxRefLength);
  const trailers = [
    `Operation: ${operation}`,
    ...(token === undefined ? [] : [`Token: ${token}`]),
    ...(person === undefined ? [] : [`Person: ${person}`]),
    ...(strategy === undefined ? [] : [`Strategy: ${strategy}`]),
    ...(branch === undefined ? [] : [`Branch: ${branch}`]),
    ...(undoes === undefined ? [] : [`Undoes: ${undoes}`]),
    ...Object.entries(counts).flatMap(([name, count]) => (count === undefined ? [] : [`${name}: ${count}`])),
    ...(idempotency === undefined
      ? []
      : [`Idempotency-Key: ${idempotency.key}`, `Body-SHA-256: ${idempotency.body}`]),
    ...(ref === "" ? [] : [`Ref: ${ref}`]),
    ...(origin === undefined ? [] : [`Origin: ${origin.kind}`]),
    ...(origin?.name === undefined ? [] : [`Model: ${origin.name}`]),
    ...(origin?.prompt === undefined ? [] : [`Prompt: ${origin.prompt}`]),
    ...(moves === undefined ? [] : moveTrailers(moves)),
  ];
  const paragraphs = [subject, cutsOff.test(message) ? ` ${message}` : message, trailers.join("\n")];
  return `${paragraphs.filter((paragraph) => paragraph !== "").join("\n\n")}\n`;
}

/** `Sync source strings: 3 created, 1 updated`: the counts that are not zero, or another text if all are. */
export function subjectWithCounts(what: string, counts: Counts, otherwise: string): string {
  const parts = Object.entries(counts).flatMap(([verb, count = 0]) =>
    count > 0 ? [`${count} ${verb}`] : [],
  );
  return `${what}: ${parts.length > 0 ? parts.join(", ") : otherwise}`;
}

/** `12 translations cleared`, for a subject. */
export function clearedCount(count: number): string {
  return `${counted(count, "translation")} cleared`;
}
