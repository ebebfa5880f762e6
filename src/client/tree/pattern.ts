/**
 * The patterns of `skep.yaml`: paths with `{locale}`, `*` (within one name) and `**` (any number of folders). They are
 * matched here and not by a glob library because what each wildcard matched is needed: it names the file in the Hive,
 * and makes the path of the same file in another locale.
 */

/** One part of a name in a pattern. */
type Token = "*" | "{locale}" | { readonly literal: string };
/** One name between slashes; `**` stands for any number of folders. */
type Segment = "**" | readonly Token[];

export interface Pattern {
  /** As it is written. */
  readonly text: string;
  readonly segments: readonly Segment[];
}

/** What each wildcard of a pattern matched, in their order; what `**` matched ends with a slash unless it is empty. */
export type Captures = readonly string[];

/** Reads a pattern. @throws Error with a message that follows the pattern: "must …". */
export function parsePattern(text: string): Pattern {
  const path = text.startsWith("./") ? text.slice(2) : text;
  if (path === "") throw new Error("must not be empty");
  if (/\p{Cc}/u.test(path)) throw new Error("must not contain control characters");
  if (path.includes("\\")) throw new Error("must have / between folders, not \\");
  if (path.startsWith("/") || /^[A-Za-z]:/.test(path)) {
    throw new Error("must be relative to the folder of skep.yaml");
  }
  const segments = path.split("/").map(parseSegment);
  if (segments.at(-1) === "**") throw new Error("must end with the name of a file, such as **/*.json");
  if (segments.some((segment, i) => segment === "**" && segments[i + 1] === "**")) {
    throw new Error("must not have ** twice in a row");
  }
  return { text: path, segments };
}

function parseSegment(name: string): Segment {
  if (name === "") throw new Error("must not have an empty name between slashes");
  if (name === "..") throw new Error("must not lead out of the folder of skep.yaml");
  if (name === ".") throw new Error('must not have the name "." inside');
  if (name === "**") return "**";
  if (name.includes("**")) throw new Error("must have ** as a whole name between slashes");
  const [special] = /[{}?]|^!/.exec(name.replaceAll("{locale}", "")) ?? [];
  if (special !== undefined) {
    throw new Error(`has ${special}: only {locale}, * and ** stand for something`);
  }
  return name
    .split(/(\*|\{locale\})/)
    .filter((part) => part !== "")
    .map((part) => (part === "*" || part === "{locale}" ? part : { literal: part }));
}

/** Whether `{locale}` is in a pattern. */
export function hasLocale({ segments }: Pattern): boolean {
  return segments.some((segment) => segment !== "**" && segment.includes("{locale}"));
}

/** Whether a pattern begins with the name of a folder, whatever the locale. */
export function beginsWithFolder({ segments: [first, ...rest] }: Pattern): boolean {
  return Array.isArray(first) && rest.length > 0 && first.every((token) => typeof token === "object");
}

/** The wildcards of a pattern in their order, without `{locale}`. */
export function wildcardsOf({ segments }: Pattern): readonly ("*" | "**")[] {
  return segments.flatMap((segment) =>
    segment === "**" ? (["**"] as const) : segment.filter((token) => token === "*"),
  );
}

/** The part of a pattern that names files in the Hive: its names that have wildcards, and its last name. */
export function wildcardPart({ segments }: Pattern): Pattern {
  const last = segments.length - 1;
  const kept = segments.filter((segment, i) => i === last || segment === "**" || segment.includes("*"));
  return { text: kept.map(segmentText).join("/"), segments: kept };
}

function segmentText(segment: Segment): string {
  if (segment === "**") return segment;
  return segment.map((token) => (typeof token === "string" ? token : token.literal)).join("");
}

/** A pattern for the files of one locale, whose code stands for `{locale}`. */
export function matcherOf(pattern: Pattern, code: string): (path: string) => Captures | undefined {
  const expression = new RegExp(`^${expressionOf(pattern, escapeExpression(code))}$`, "u");
  return (path) => expression.exec(path)?.slice(1);
}

/** Finds what stands for `{locale}` in a path of a pattern; undefined where the path is not of the pattern. */
export function codeMatcher(pattern: Pattern): (path: string) => string | undefined {
  const mark = "\0";
  const [before = "", ...after] = expressionOf(pattern, mark).split(mark);
  const expression = new RegExp(`^${before}(?<code>[^/]+)${after.join(String.raw`\k<code>`)}$`, "u");
  return (path) => expression.exec(path)?.groups?.code;
}

function expressionOf({ segments }: Pattern, code: string): string {
  const last = segments.length - 1;
  const names = segments.map((segment, i) =>
    segment === "**" ? String.raw`((?:(?!\.)[^/]+/)*)` : nameSource(segment, code) + (i === last ? "" : "/"),
  );
  return names.join("");
}

/** A matcher of one name between slashes. */
export function nameMatcher(segment: readonly Token[], code: string): (name: string) => boolean {
  const expression = new RegExp(`^${nameSource(segment, escapeExpression(code))}$`, "u");
  return (name) => expression.test(name);
}

/**
 * A wildcard at the start of a name does not match a dot: files that begin with one are hidden.
 * @param code as an expression.
 */
function nameSource(segment: readonly Token[], code: string): string {
  return segment
    .map((token, i) => {
      if (token === "*") return i === 0 ? String.raw`((?!\.)[^/]*)` : "([^/]*)";
      return token === "{locale}" ? code : escapeExpression(token.literal);
    })
    .join("");
}

/** A text as a regular expression that matches it alone. */
export function escapeExpression(text: string): string {
  return text.replaceAll(/[$()*+./?[\\\]^{|}]/g, String.raw`\$&`);
}

/** A name without wildcards as it is for a locale; undefined where it has wildcards. */
export function literalName(segment: Segment, code: string): string | undefined {
  if (segment === "**" || segment.includes("*")) return undefined;
  return segment.map((token) => (typeof token === "string" ? code : token.literal)).join("");
}

/** The path that a pattern gives for a locale, with the texts that the wildcards of another pattern matched. */
export function fillPattern({ segments }: Pattern, captures: Captures, code: string): string {
  const rest = captures.values();
  const next = (): string => rest.next().value ?? "";
  const last = segments.length - 1;
  return segments
    .map((segment, i) => {
      if (segment === "**") return next();
      const name = segment.map((token) => {
        if (token === "*") return next();
        return token === "{locale}" ? code : token.literal;
      });
      return name.join("") + (i === last ? "" : "/");
    })
    .join("");
}
