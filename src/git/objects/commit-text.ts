/** Parses commits and annotated tags: author, time and message. */
import type { Author } from "../../domain/commits/commit-message.ts";
import type { Oid } from "../../domain/names.ts";
import { parseCommit, toOid, type FullCommit } from "./git-object.ts";

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
export function parseFullCommit(oid: Oid, content: Uint8Array): FullCommit {
  const { personIn, message } = toParts(content);
  const unknown = { name: "", email: "" };
  return {
    ...parseCommit(oid, content),
    author: personIn("author")?.by ?? unknown,
    committer: personIn("committer")?.by ?? unknown,
    message,
  };
}

/** @throws Error when it is not a tag. */
export function parseAnnotatedTag(content: Uint8Array): AnnotatedTag {
  const { lines, personIn, message } = toParts(content);
  const { by: tagger, time } = personIn("tagger") ?? {};
  return { object: toOid(lines[0]?.replace(/^object /, "") ?? ""), tagger, time, message };
}

/** The lines before the message, one character for each byte: the encoding that they name must not hide any of them. */
export function headerLines(content: Uint8Array): readonly string[] {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  const end = bytes.indexOf("\n\n");
  return bytes.toString("latin1", 0, end === -1 ? bytes.length : end).split("\n");
}

/** The parts of an object, decoded in the encoding that it names, or as UTF-8. */
function toParts(content: Uint8Array) {
  const lines = headerLines(content);
  const valueOf = (name: string): string =>
    lines.find((line) => line.startsWith(`${name} `))?.slice(name.length + 1) ?? "";
  const decoder = decoderFor(valueOf("encoding"));
  const decode = (text: string): string => decoder.decode(Buffer.from(text, "latin1"));
  return {
    lines,
    message: decoder.decode(content.subarray(lines.join("\n").length + 2)),
    personIn: (field: "author" | "committer" | "tagger"): { by: Author; time: number } | undefined => {
      const [, name, email, time] =
        /^(.*?) ?<([^>]*)> (-?[0-9]{1,15}) [+-][0-9]{4}$/.exec(valueOf(field)) ?? [];
      if (name === undefined || email === undefined) return undefined;
      return { by: { name: decode(name), email: decode(email) }, time: Number(time) };
    },
  };
}

/** In UTF-8 unless there is such an encoding and ASCII is the same in it, as it is in headers. */
function decoderFor(encoding: string) {
  try {
    const decoder = new TextDecoder(encoding);
    if (decoder.decode(Buffer.from("a")) === "a") return decoder;
  } catch {
    // There is no such encoding.
  }
  return new TextDecoder();
}
