/** What schemas of requests and responses have in common, and errors; `meta` is for the document. */
import { z } from "zod";
import { Issues } from "../../domain/errors.ts";
import { excerpt } from "../../domain/text.ts";
import { errorCodes, errorMeanings } from "./error-codes.ts";
import { findingMembers } from "../../api/content/findings.ts";
import { conflictReason, conflictTexts } from "../../api/content/conflicts.ts";
import { commitName, count, named } from "../../api/objects.ts";

/** A list of all codes, as the reference shows it. */
const meanings = Object.entries(errorMeanings)
  .map(([code, when]) => `- \`${code}\`: ${when}`)
  .join("\n");

export const errorResponse = named("Error", {
  message: z.string().meta({ description: "A description of the error for people." }),
  code: z.enum(errorCodes).meta({
    description: `The kind of the error, for programs. Codes do not change, but new ones may be added.\n\n${meanings}`,
  }),
  error: z.enum(["authorization_pending", "slow_down", "access_denied", "expired_token"]).optional().meta({
    description: "Of a program that waits for its token: the code of RFC 8628, section 3.5.",
  }),
  errors: z
    .record(z.string(), z.array(z.string()))
    .optional()
    .meta({ description: "Messages by field of the request." }),
  details: z.string().optional().meta({
    description:
      "An explanation for people of a quota error, whose `message` is fixed because clients compare it.",
  }),
  limit: count
    .optional()
    .meta({ description: "Of a quota error: how many source strings the team may have." }),
  used: count
    .optional()
    .meta({ description: "Of a quota error: how many source strings the team has, in all its Hives." }),
  requested: count.optional().meta({
    description: "Of a quota error: how many source strings the team would have after the request.",
  }),
  request_id: z
    .string()
    .optional()
    .meta({ description: "Of an internal error: identifies the request in the server's log." }),
  conflicts: z
    .array(
      named("ConflictingText", {
        locale: z.string(),
        file: z.string(),
        key: z.string(),
        reason: conflictReason.optional(),
        ...conflictTexts.partial().shape,
      }),
    )
    .optional()
    .meta({
      description:
        "The first 100 texts that conflict with an undo, a sync with a base, a merge, or a translation import with `expected`.",
    }),
  unknown_keys: z
    .array(named("SentKey", { file: z.string(), key: z.string() }))
    .optional()
    .meta({
      description:
        "With `strict=true`: the first 1,000 keys that match no source string, with file names as sent.",
    }),
  ...findingMembers,
  total: count.optional().meta({ description: "The number of all conflicts or unknown keys." }),
  commit: commitName.optional().meta({ description: "With `If-Match`: the commit that HEAD is at." }),
});
export type ErrorResponse = z.infer<typeof errorResponse>;

/**
 * Checks a value against a schema.
 * @param whole the name of the whole value in messages, such as `body`.
 * @param others members that are read elsewhere, and known too.
 * @throws SkepError `invalid` naming every invalid member.
 */
export function check<S extends z.ZodType>(
  schema: S,
  value: unknown,
  whole: string,
  others: readonly string[] = [],
): z.output<S> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issues = new Issues();
  const members = schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
  const known = [...members, ...others].join(", ");
  for (const { path, message, ...issue } of result.error.issues) {
    if (issue.code === "unrecognized_keys") {
      for (const key of issue.keys) {
        if (key === "") issues.add(whole, "has a parameter without a name");
        else issues.add(key, `is not a known ${whole} parameter here; known: ${known || "none"}`);
      }
    } else {
      issues.add(path.length > 0 ? path.join(".") : whole, message);
    }
  }
  const isUnknown = result.error.issues.every(({ code }) => code === "unrecognized_keys");
  issues.throwIfAny(undefined, isUnknown ? "unknown_parameter" : undefined);
  throw result.error;
}

/** How many unknown members of a body are listed. */
const maxIgnored = 20;

/** Warnings about members of a body that its schema does not know, which are ignored. */
export function ignoredMembers(schema: z.ZodObject, body: unknown): readonly string[] {
  if (typeof body !== "object" || body === null) return [];
  const known = Object.keys(schema.shape);
  const ignored = Object.keys(body).filter((name) => !known.includes(name));
  return ignored
    .slice(0, maxIgnored)
    .map(
      (name) =>
        `${excerpt(name)}: is not a known member of the body, and is ignored; known: ${known.join(", ")}`,
    );
}
