/** The documentation of path parameters and headers, which routes share. */
import { z } from "zod";
import { oidPattern, slugPattern } from "../../domain/names.ts";
import { asRevision } from "../schemas/schemas.ts";
import { idempotencyKeyPattern } from "../schemas/write-preconditions.ts";

/** Path parameters by their names in the routes' paths. */
export const pathParameters: Readonly<Record<string, z.ZodString>> = {
  slug: z
    .string()
    .meta({ pattern: slugPattern.source, description: "The slug of the Hive.", examples: ["web"] }),
  locale: z
    .string()
    .meta({ description: "A locale of the Hive, by its canonical or its custom code.", examples: ["pt_BR"] }),
  entry: z
    .string()
    .meta({ description: "The slug of a deleted Hive, or the id of an entry.", examples: ["web"] }),
  id: z.string().meta({ description: "The id of a token.", examples: ["k3v9x0q2m8za"] }),
  commit: z.string().meta({
    ...asRevision,
    description: "A commit: 40 hexadecimal digits, or at least 7; or another revision as for `?at=`.",
    examples: ["1b2c3d4e5f60718293a4b5c6d7e8f90123456789"],
  }),
};

/** Headers of requests whose responses have an ETag. */
export const readHeaders = z.object({
  "If-None-Match": z.string().optional().meta({ description: "The ETag of the answer that the caller has." }),
});

/** Headers of requests that make a commit. */
export const writeHeaders = z.object({
  "X-Commit-Message": z.string().optional().meta({
    description: "Becomes a paragraph of the commit message; at most 1,000 characters of UTF-8.",
  }),
  "X-Commit-Ref": z.string().optional().meta({
    description: "Your app's commit, or the URL of the CI run: the trailer `Ref`, at most 500 characters.",
  }),
});

/** Headers of all writes to a Hive. */
export const preconditionHeaders = z.object({
  "If-Match": z
    .string()
    .optional()
    .meta({
      pattern: '^"[0-9a-f]{40}"$',
      description: "The commit that HEAD must be at, as `X-Skep-Commit` gives it, in quotes.",
      examples: ['"1b2c3d4e5f60718293a4b5c6d7e8f90123456789"'],
    }),
});

/** Headers of repeatable writes. */
export const repeatHeaders = z.object({
  "Idempotency-Key": z
    .string()
    .optional()
    .meta({
      pattern: idempotencyKeyPattern.source,
      description:
        "1 to 255 visible ASCII characters. The same request with the same key within a day gets its first answer; " +
        "requests that changed nothing are processed again.",
      examples: ["ci-run-4711"],
    }),
});

/** Headers of responses. */
export const answerHeaders = {
  ETag: {
    description: "Weak; the same content has the same one.",
    schema: { type: "string" },
    example: 'W/"Gk0Yx7cVbqg7o2cO0W3u0Q1mHjE"',
  },
  "X-Skep-Commit": {
    description:
      "The commit that the response was made from, or that the request made; for errors, HEAD of the Hive, if there is one.",
    schema: { type: "string", pattern: oidPattern.source },
    example: "1b2c3d4e5f60718293a4b5c6d7e8f90123456789",
  },
  "Idempotency-Replayed": {
    description: "`true` if this response was given before, to a request with the same `Idempotency-Key`.",
    schema: { type: "string", enum: ["true"] },
    example: "true",
  },
  "WWW-Authenticate": {
    description: "How to authenticate.",
    schema: { type: "string" },
    example: 'Bearer realm="skep"',
  },
  Allow: {
    description: "The methods that are possible.",
    schema: { type: "string" },
    example: "GET, HEAD, POST",
  },
  "Retry-After": {
    description: "After how many seconds to try again.",
    schema: { type: "integer", minimum: 1 },
    example: 5,
  },
} as const;
