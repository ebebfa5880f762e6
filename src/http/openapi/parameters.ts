/** The documentation of path parameters and headers, which routes share. */
import { asRevision } from "../../api/objects.ts";
import { z } from "zod";
import { maxOriginLength, originKinds } from "../../domain/commits/origin.ts";
import { maxBranchNameBytes } from "../../domain/commits/branch-name.ts";
import { channelNamePattern } from "../../domain/export/channel.ts";
import { oidPattern, slugPattern } from "../../domain/names.ts";
import { idempotencyKeyPattern } from "../schemas/write-preconditions.ts";

const optional = z.string().optional();

/** A parameter in the path of a route. */
function inPath(description: string, example: string, others: z.core.GlobalMeta = {}) {
  return z.string().meta({ description, examples: [example], ...others });
}

export const pathParameters: Readonly<Record<string, z.ZodString>> = {
  slug: inPath("The slug of the Hive.", "web", { pattern: slugPattern.source }),
  locale: inPath("A locale of the Hive, by its canonical or its custom code.", "pt_BR"),
  entry: inPath("The slug of a deleted Hive, or the `id` of an entry of the trash.", "web"),
  branch: inPath("The name of a branch. A `/` in it is written as `%2F`.", "feature/login"),
  channel: inPath("The name of a channel.", "production", { pattern: channelNamePattern.source }),
  publication: inPath(
    "The public id of a Hive, from the `path` of its channels.",
    "5f0c2a9be14d7730c6a1f0d2",
  ),
  file: inPath("A locale of the channel with `.json`, or `manifest.json`.", "fr.json"),
  job: inPath("The id of a job.", "k3v9x0q2m8za"),
  engine: inPath("The name of an engine.", "mistral"),
  webhook: inPath("The id of a webhook.", "k3v9x0q2m8za"),
  mirror: inPath("The id of a mirror.", "9f2c41d07a3e"),
  hash: inPath("The hash of a picture.", "3f79bb7b435b05321651daefd374cdc681dc06faa65e374e38337b88ca046dea"),
  claim: inPath("The `claim` of a response of `POST …/work`.", "5f0c7a1d2e3b4c5d6e7f8091"),
  comment: inPath("The id of a comment.", "5f0c7a1d2e3b4c5d"),
  id: inPath("The id of a token, a session, a person or a term.", "k3v9x0q2m8za"),
  commit: inPath(
    "The hash of a commit (at least its first 7 digits), or another revision as `?at=` takes it.",
    "1b2c3d4e5f60718293a4b5c6d7e8f90123456789",
    asRevision,
  ),
};

/** The query parameter of routes that take a branch. */
export const branchQuery = z.object({
  branch: optional.meta({
    minLength: 1,
    maxLength: maxBranchNameBytes,
    description:
      "The branch to read or change; `main` if not given. An unknown branch is a 404 for reads, and a 422 for writes, both with the `code` `unknown_branch`.",
    examples: ["feature/login"],
  }),
});

/** The query parameter of all reads of a Hive. */
export const minCommitQuery = z.object({
  min_commit: optional.meta({
    pattern: oidPattern.source,
    description:
      "The `X-Skep-Commit` of an earlier response: the branch that is read must have this commit. A server that does not have it yet waits up to 5 s for it and then answers 503 (`lagging`). At most 512 reads wait at once; further reads get a 503 (`busy`).",
    examples: ["1b2c3d4e5f60718293a4b5c6d7e8f90123456789"],
  }),
});

/** Headers of requests whose responses have an ETag. */
export const readHeaders = z.object({
  "If-None-Match": optional.meta({
    description:
      "The `ETag` of a cached response; if it is still current, the response is a 304 without a body.",
  }),
});

/** Headers of requests that make a commit. */
export const writeHeaders = z.object({
  "X-Commit-Message": optional.meta({
    description: "Added to the commit message as a paragraph; UTF-8, at most 1,000 characters.",
  }),
  "X-Commit-Ref": optional.meta({
    description:
      "Added to the commit message as the trailer `Ref`, for example your app's commit or the URL of the CI run; at most 500 characters.",
  }),
  "X-Commit-Origin": z.enum(originKinds).optional().meta({
    description:
      "Who or what made the texts; kept with the commit, and found by `GET /history?origin=`. Not known if not given.",
  }),
  "X-Commit-Model": optional.meta({
    maxLength: maxOriginLength,
    description: "The model that made the texts; only with `X-Commit-Origin`.",
  }),
  "X-Commit-Prompt": optional.meta({
    maxLength: maxOriginLength,
    description: "A name or a hash of the model's prompt; only with `X-Commit-Origin`.",
  }),
});

/** Headers of all writes to a Hive. */
export const preconditionHeaders = z.object({
  "If-Match": optional.meta({
    pattern: '^"[0-9a-f]{40}"$',
    description:
      "The commit that HEAD must be at, as in `X-Skep-Commit`, in quotes. If HEAD is at another commit, the request is refused with 412.",
    examples: ['"1b2c3d4e5f60718293a4b5c6d7e8f90123456789"'],
  }),
});

/** Headers of repeatable writes. */
export const repeatHeaders = z.object({
  "Idempotency-Key": optional.meta({
    pattern: idempotencyKeyPattern.source,
    description:
      "1 to 255 visible ASCII characters. Repeating a request with the same key within a day returns the first response " +
      "and changes nothing; a request that changed nothing the first time is processed again.",
    examples: ["ci-run-4711"],
  }),
});

export const responseHeaders = {
  ETag: {
    description: "A weak validator of the content, for `If-None-Match`.",
    schema: { type: "string" },
    example: 'W/"Gk0Yx7cVbqg7o2cO0W3u0Q1mHjE"',
  },
  "X-Skep-Commit": {
    description:
      "The commit that the response was read from, or that the request made; on errors, the commit at HEAD, if the Hive has one.",
    schema: { type: "string", pattern: oidPattern.source },
    example: "1b2c3d4e5f60718293a4b5c6d7e8f90123456789",
  },
  "Idempotency-Replayed": {
    description:
      "`true` if this is the stored response to an earlier request with the same `Idempotency-Key`.",
    schema: { type: "string", enum: ["true"] },
    example: "true",
  },
  "WWW-Authenticate": {
    description: "The authentication scheme.",
    schema: { type: "string" },
    example: 'Bearer realm="skep"',
  },
  Allow: {
    description: "The methods that this address supports.",
    schema: { type: "string" },
    example: "GET, HEAD, POST",
  },
  "Retry-After": {
    description: "The number of seconds to wait before retrying.",
    schema: { type: "integer", minimum: 1 },
    example: 5,
  },
} as const;
