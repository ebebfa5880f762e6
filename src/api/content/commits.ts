/** Commits, their changes and their moves in answers. */
import { z } from "zod";
import { originKinds } from "../../domain/commits/origin.ts";
import { commitName, count, named, nullableText, stringAddress } from "../objects.ts";

/** The parameter that names who or what wrote texts. */
export const originField = z.enum(originKinds, "must be person, script or model, and given once").optional();

export const stringPlace = named("StringPlace", stringAddress);

const move = named("Move", { from: stringPlace, to: stringPlace });

export const plannedMoves = z
  .array(move)
  .optional()
  .meta({ description: "Of a dry run with a token that can read: the first 1,000 moves." });

export const author = named("Author", { name: z.string(), email: z.string() });

export const keyChange = named("KeyChange", {
  locale: z.string(),
  file: z.string(),
  key: z.string(),
  before: nullableText.meta({ description: "The text before the commit; `null` if there was none." }),
  after: nullableText.meta({ description: "The text after the commit; `null` if there is none." }),
});
export type KeyChangeResponse = z.infer<typeof keyChange>;

export const historyEntry = named("Commit", {
  commit: commitName,
  time: z.iso.datetime(),
  author,
  subject: z.string(),
  message: nullableText.meta({ description: "The `X-Commit-Message` of the request." }),
  operation: nullableText.meta({
    description:
      "The kind of write, such as `import`. For a commit that was not made by Skep, this, `token`, `person`, `strategy` and `ref` are `null`.",
  }),
  token: nullableText.meta({ description: "The id of the token that made the request." }),
  person: nullableText.meta({
    description: "The id of the person who made the request, in the console or by a token of theirs.",
  }),
  strategy: nullableText.meta({ description: "The strategy of the request, such as `keep` or `overwrite`." }),
  ref: nullableText.meta({ description: "The `X-Commit-Ref` of the request." }),
  origin: named("Origin", {
    kind: z.enum(originKinds),
    name: nullableText.meta({ description: "The `X-Commit-Model` of the request." }),
    prompt: nullableText.meta({ description: "The `X-Commit-Prompt` of the request." }),
  })
    .nullable()
    .meta({ description: "Who or what made the texts, as the request said it in `X-Commit-Origin`." }),
  counts: z
    .record(z.string(), count)
    .meta({ description: "How many texts the commit changed, by kind of change." }),
  changes: z
    .array(keyChange)
    .optional()
    .meta({ description: "What the commit did to the key; only with `?key=`." }),
  moves: z
    .array(move)
    .optional()
    .meta({ description: "With `?key=`: how the commit moved the key, if it did." }),
});
export type HistoryEntryResponse = z.infer<typeof historyEntry>;

/** Which characters the name of a tag or a branch may have, and which not as its first. */
export const refPattern =
  '^[^\\u0000-\\u0020\\u007f~^:?*\\[\\\\"<>|.-][^\\u0000-\\u0020\\u007f~^:?*\\[\\\\"<>|]*$';
