/** What a route says about itself: the part of the OpenAPI document that the route's own data does not tell. */
import type { z } from "zod";
import type { ErrorCode } from "../../domain/errors.ts";

/** The groups of the reference, in its order, and what each is about. */
export const groups = {
  Hives: "Which there are, how far they are translated, and which locales the world has.",
  "Source strings": "The texts that the app is written in.",
  Translations: "The texts in every other locale.",
  "The past": "Tags that mark releases, and the history of a Hive.",
  Management: "Hives, locales, files and tokens, made, changed and removed; and the team's quota.",
  Server: "Open to all: whether the server runs, and what it can do.",
} as const;

/** A schema, and a value that fits it and reads well. */
export interface Shown {
  readonly schema: z.ZodType;
  readonly example: unknown;
}

/** A schema with its example, which the compiler checks; so do the tests. */
export function withExample<S extends z.ZodType>(schema: S, example: z.input<S>): Shown {
  return { schema, example };
}

export interface RouteDocs {
  /** Unique among all routes; generated clients name their functions by it. */
  readonly id: string;
  readonly group: keyof typeof groups;
  /** What it does, in a few words. */
  readonly summary: string;
  /** What else there is to know, in Markdown. */
  readonly description?: string;
  /** The schema that checks the query parameters, each with a description; none are taken where it is missing. */
  readonly query?: z.ZodObject;
  /** The schema that checks the body, which is JSON. */
  readonly body?: Shown;
  /** The answer when all is well; text where it is no JSON. */
  readonly answer: Shown;
  /** The status of that answer, 200 if not given. */
  readonly status?: 200 | 201 | 202;
  /** Its media type, `application/json` if not given. */
  readonly type?: string;
  /** Whether the answer names a commit, as that of every request about a Hive does if not told otherwise. */
  readonly hasCommit?: boolean;
  /** Whether the answer has an ETag, as that of every read has. */
  readonly hasETag?: true;
  /** What can go wrong besides what can with every route of its kind; see {@link errorsOf}. */
  readonly errors?: readonly ErrorCode[];
}

/** What the document needs of a route; every kind of route has it. */
export interface DescribedRoute {
  /** What it is about, which decides how a request is authorised and answered. */
  readonly kind: "hive-read" | "hive-write" | "caller" | "team" | "open";
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** With `:name` for a parameter. */
  readonly path: string;
  /** Absent for a route that is open to all. */
  readonly ability?: string;
  /** Whether it takes an `Idempotency-Key`. */
  readonly isRepeatable?: boolean;
  readonly docs: RouteDocs;
}

/** Whether a route writes to a Hive. */
export function isHiveWrite({ kind }: DescribedRoute): boolean {
  return kind === "hive-write";
}

/** Whether a route answers 304 to who has its answer. */
export function hasETag({ kind, docs }: DescribedRoute): boolean {
  return kind === "hive-read" || docs.hasETag === true;
}

/** Whether a route's answer names the commit that it is of, or that the request made. */
export function hasCommit({ path, docs }: DescribedRoute): boolean {
  return docs.hasCommit ?? path.includes(":slug");
}
