/** Formats commit messages and authors. No text of a caller can be read as a trailer, an author or a header. */
import { counted, unprintable, toPrintableJson } from "../text.ts";
import { type Origin, isOriginKind } from "./origin.ts";
import { jsonOrUndefined } from "../json.ts";
import type { Move } from "../move.ts";
import { isFileName, type FileName } from "../names.ts";

/** Counts by name; undefined counts are left out of the message. */
type Counts = Readonly<Record<string, number | undefined>>;

export interface CommitMetadata {
  readonly author: Author;
  /** The id of the token; a command has none, nor has a session of a person. */
  readonly token?: string;
  readonly person?: string;
  /** The caller's own message, as received. */
  readonly message?: string;
  /** The app's own commit or CI run, as received. */
  readonly ref?: string;
  readonly origin?: Origin;
  readonly idempotency?: Idempotency;
  /** A summary with counts, written by the service and never by a caller. */
  readonly subject: string;
  /** The kind of request, for the trailer `Operation`. */
  readonly operation: string;
  readonly strategy?: string;
  readonly branch?: string;
  readonly undoes?: string;
  /** The counts of the response, in the order of the trailers: `translationsCreated` is `Translations-Created`. */
  readonly counts?: Counts;
  /** The moves of the commit; the count `Moved` is the number of strings that they move. */
  readonly moves?: MoveRecord;
}

export type RequestMetadata = Pick<
  CommitMetadata,
  "author" | "token" | "person" | "message" | "ref" | "origin"
>;

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
  readonly body: string;
}

const cutsOff = /^(?:-|\S+ -+ >8)/;
const maxMessageLength = 1000;
const maxRefLength = 500;

export const skepCommitter: Author = { name: "Skep", email: "skep@skep.invalid" };

export const commandAuthor: Author = { name: "skep cli", email: "cli@skep.invalid" };

/** The author of commits by a token: its name without `<>`, control and format characters, or else its id. */
export function tokenAuthor(id: string, name: string | undefined): Author {
  return authorAt("tokens", id, name);
}

/** The author of commits by a person, with an address that is not theirs: history never changes, and addresses do. */
export function personAuthor(id: string, name: string | undefined): Author {
  return authorAt("people", id, name);
}

/** The author of commits by a rule of a locale. */
export function engineAuthor(name: string): Author {
  return authorAt("engines", name, name);
}

function authorAt(kind: "tokens" | "people" | "engines", id: string, name: string | undefined): Author {
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
    ...Object.entries(counts).flatMap(([name, count]) =>
      count === undefined ? [] : [`${trailerName(name)}: ${count}`],
    ),
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

function trailerName(name: string): string {
  return name.replaceAll(/^[a-z]|[A-Z]/g, (letter, at) => (at === 0 ? letter.toUpperCase() : `-${letter}`));
}

/** `Sync source strings: 3 created, 1 updated`: the counts that are not zero, or another text if all are. */
export function subjectWithCounts(what: string, counts: Counts, otherwise: string): string {
  const parts = Object.entries(counts).flatMap(([verb, count = 0]) =>
    count > 0 ? [`${count} ${verb}`] : [],
  );
  return `${what}: ${parts.length > 0 ? parts.join(", ") : otherwise}`;
}

const countsPattern = /^(.*): (\d{1,15} [a-z][a-z ]*(?:, \d{1,15} [a-z][a-z ]*)*)$/;

/** What {@link subjectWithCounts} made a subject of; undefined for another subject. */
export function countsInSubject(
  subject: string,
): { readonly what: string; readonly counts: ReadonlyMap<string, number> } | undefined {
  const [, what, list] = countsPattern.exec(subject) ?? [];
  if (what === undefined || list === undefined) return undefined;
  const counts = list.split(", ").map((part): [string, number] => {
    const space = part.indexOf(" ");
    return [part.slice(space + 1), Number(part.slice(0, space))];
  });
  return { what, counts: new Map(counts) };
}

/** `12 translations cleared`, for a subject. */
export function clearedCount(count: number): string {
  return `${counted(count, "translation")} cleared`;
}

export interface CommitRecord {
  readonly subject: string;
  /** The caller's own message; for a commit from outside, everything after the subject. */
  readonly message?: string;
  /** The kind of request. This and the fields below are undefined for commits that Skep did not make. */
  readonly operation?: string;
  readonly token?: string;
  readonly person?: string;
  readonly strategy?: string;
  readonly branch?: string;
  readonly undoes?: string;
  /** The app's own commit or CI run. */
  readonly ref?: string;
  readonly idempotency?: Idempotency;
  readonly origin?: Origin;
  /** The moves of the commit, if its message lists them; the count `moved` says whether there are any. */
  readonly moves?: MoveRecord;
  /** The counts of the response, by the same names: `created`, `translations_cleared`. */
  readonly counts: ReadonlyMap<string, number>;
}

const trailerPattern = /^([A-Za-z][A-Za-z0-9-]*): (.*)$/;
const countPattern = /^[0-9]{1,15}$/;

/**
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

const moveTrailer = "Move";

/** Trailers that are not counts, even if they are numbers. */
const texts = new Set([
  ..."Operation Token Person Strategy Branch Undoes Ref Origin Model Prompt Idempotency-Key Body-SHA-256".split(
    " ",
  ),
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

export interface MoveRecord {
  readonly strings: readonly Move[];
  /** Renamed files: all strings of a file moved to another file under the same keys, except the moves in `strings`. */
  readonly files: readonly FileMove[];
}

export interface FileMove {
  readonly from: FileName;
  readonly to: FileName;
}

/** The limits on the number and the length of trailers, since the history reads every message. */
const maxTrailers = 1_000;
const maxLength = 100_000;

/** The trailers for moves; none if there are too many, and readers then find the moves by comparing contents. */
function moveTrailers({ strings, files }: MoveRecord): readonly string[] {
  if (strings.length + files.length > maxTrailers) return [];
  const trailers = [
    ...files.map(({ from, to }) => [from, to]),
    ...strings.map(({ from, to }) => [from.file, from.key, to.file, to.key]),
  ].map((names) => `${moveTrailer}: ${toPrintableJson(names)}`);
  return trailers.reduce((sum, { length }) => sum + length, 0) > maxLength ? [] : trailers;
}

const prefix = `${moveTrailer}: `;

/** Parses the moves from trailers. Lines of another form are ignored. */
function parseMoves(trailers: string): MoveRecord {
  const strings: Move[] = [];
  const files: FileMove[] = [];
  for (const line of trailers.split("\n")) {
    if (!line.startsWith(prefix)) continue;
    const names = namesIn(line.slice(prefix.length));
    const [first = "", second = "", third = "", fourth = ""] = names;
    if (!isFileName(first)) continue;
    if (names.length === 2 && isFileName(second)) files.push({ from: first, to: second });
    else if (names.length === 4 && isFileName(third))
      strings.push({ from: { file: first, key: second }, to: { file: third, key: fourth } });
  }
  return { strings, files };
}

function namesIn(json: string): readonly string[] {
  const value = jsonOrUndefined(json);
  return Array.isArray(value) && value.every((name) => typeof name === "string") ? value : [];
}
