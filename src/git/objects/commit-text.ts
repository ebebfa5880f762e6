/** Parses commits and annotated tags: author, time and message. */
import type { Author } from "../../domain/commits/commit-message.ts";
import type { Oid } from "../../domain/names.ts";
import { parseCommit, toOid, type ParsedCommit } from "./git-object.ts";

/** A commit with its author, committer and message. */
export interface FullCommit extends ParsedCommit {
  readonly author: Author;
  readonly committer: Author;
  readonly message: string;
}

/** An annotated tag; tags made by old versions of git may lack the tagger. */
export interface AnnotatedTag {
  /** The object it refers to: usually a commit, or another tag. */
  readonly object: Oid;
  readonly tagger: Author | undefined;
  /** In seconds since 1970. */
  readonly time: number | undefined;
  readonly message: string;
}

/** @throws Error when it is not a commit. */
export function parseFullCommit(content: Uint8Array): FullCommit {
  const { header, message } = toParts(content);
  const unknown = { name: "", email: "" };
  return {
    ...parseCommit(content),
    author: personIn(header, "author")?.by ?? unknown,
    committer: personIn(header, "committer")?.by ?? unknown,
    message,
  };
}

/** @throws Error when it is not a tag. */
export function parseAnnotatedTag(content: Uint8Array): AnnotatedTag {
  const { header, message } = toParts(content);
  const tagger = personIn(header, "tagger");
  return {
    object: toOid(/^object ([0-9a-f]{40})$/m.exec(header)?.[1] ?? ""),
    tagger: tagger?.by,
    time: tagger?.time,
    message,
  };
}

function personIn(
  header: string,
  field: "author" | "committer" | "tagger",
): { readonly by: Author; readonly time: number } | undefined {
  const pattern = new RegExp(`^${field} (.*?) ?<([^>\\n]*)> (-?[0-9]{1,15}) [+-][0-9]{4}$`, "m");
  const [, name, email, time] = pattern.exec(header) ?? [];
  if (name === undefined || email === undefined) return undefined;
  return { by: { name, email }, time: Number(time) };
}

/** Decodes an object in the encoding that it names, or as UTF-8. */
function toParts(content: Uint8Array): { readonly header: string; readonly message: string } {
  const [, encoding] = /^encoding (\S+)$/m.exec(headerOf(new TextDecoder().decode(content))) ?? [];
  const text = decodeAs(encoding, content);
  const header = headerOf(text);
  return { header, message: text.slice(header.length + 2) };
}

function headerOf(text: string): string {
  const end = text.indexOf("\n\n");
  return end === -1 ? text : text.slice(0, end);
}

function decodeAs(encoding: string | undefined, content: Uint8Array): string {
  try {
    return new TextDecoder(encoding).decode(content);
  } catch {
    return new TextDecoder().decode(content);
  }
}
