/** The requests and responses of history, tags and undo. */
import { z } from "zod";
import { move, plannedMoves } from "./move-schemas.ts";
import { originKinds } from "../../domain/commits/origin.ts";
import { maxTagNameBytes } from "../../domain/commits/ref-name.ts";
import type { ShownChange } from "../../domain/strings/text-diff.ts";
import { toTimestamp } from "../../domain/text.ts";
import type { HistoryEntry } from "../../service/content/history.ts";
import { encode } from "./encode.ts";
import { asRevision, commitName, queryParam, originField } from "./schemas.ts";
import { pageQuery } from "./page.ts";
import { count, defaulting, jsonObject, named, nullableText, pageMeta, pageOf, text } from "./objects.ts";

const time = "an ISO 8601 date or time, in UTC unless it has an offset";

export const historyQuery = pageQuery.extend({
  locale: queryParam(
    "Only commits that changed the texts of this locale or their order. A removed locale is found by its canonical code; a locale that the Hive never had is a 422.",
    "pt_BR",
  ),
  file: queryParam("Only commits that changed this file.", "auth.php"),
  key: queryParam(
    "Only commits that changed this key; each then has `changes`, the source locale first. The list follows a string that was moved, in both directions.",
    "failed",
  ),
  operation: queryParam("Only commits of this operation.", "import"),
  origin: originField.meta({
    description: "Only commits whose texts were made by a person, a script or a model.",
  }),
  person: queryParam(
    "Only commits of the person with this id, in the console or by a token of theirs.",
    "anna",
  ),
  since: queryParam(`Only commits at or after this time: ${time}.`, "2026-01-01"),
  until: queryParam(`Only commits at or before this time: ${time}.`, "2026-01-31"),
});

export const author = named("Author", { name: z.string(), email: z.string() });

const keyChange = named("KeyChange", {
  locale: z.string(),
  file: z.string(),
  key: z.string(),
  before: nullableText.meta({ description: "The text before the commit; `null` if there was none." }),
  after: nullableText.meta({ description: "The text after the commit; `null` if there is none." }),
});
export type KeyChangeResponse = z.infer<typeof keyChange>;

/** A change of one key, with `null` where there is no text. */
export function toKeyChange(change: ShownChange): KeyChangeResponse {
  return encode(keyChange, change);
}

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

/** A commit, with `null` for each property that its message does not have. */
export function toHistoryEntry(entry: HistoryEntry): HistoryEntryResponse {
  return encode(historyEntry, { ...entry, time: toTimestamp(entry.time), moves: entry.keyMoves });
}

export const historyResponse = pageOf("CommitPage", historyEntry);

export const changesResponse = named("CommitChanges", {
  commit: historyEntry,
  data: z.array(keyChange),
  meta: pageMeta,
});

/** Which characters the name of a tag or a branch may have, and which not as its first. */
export const refPattern =
  '^[^\\u0000-\\u0020\\u007f~^:?*\\[\\\\"<>|.-][^\\u0000-\\u0020\\u007f~^:?*\\[\\\\"<>|]*$';

export const tagBody = named("NewTag", {
  name: text.meta({
    minLength: 1,
    maxLength: maxTagNameBytes,
    pattern: refPattern,
    description:
      "A name that git accepts and every file system can store, and that does not look like another kind of revision, such as a date.",
  }),
  at: text
    .meta(asRevision)
    .nullish()
    .meta({ description: "The revision to tag, as `?at=` takes it; `main` if not given." }),
});

export const tagResponse = named("Tag", {
  name: z.string(),
  commit: commitName,
  time: z.iso.datetime().nullable().meta({
    description:
      "For a lightweight tag, which Skep does not make, this, `tagger`, `message` and `ref` are `null`.",
  }),
  tagger: author.nullable(),
  message: nullableText,
  ref: nullableText,
});

export const tagsResponse = pageOf("TagPage", tagResponse);

export const undoBody = jsonObject({
  commit: text.optional().meta({
    pattern: "^[0-9A-Fa-f]{7,40}$",
    description: "The hash of a commit of `main`, or at least its first 7 digits.",
  }),
  origin: z
    .enum(originKinds, "must be person, script or model")
    .optional()
    .meta({ description: "Instead of `commit`: whose translations are taken back." }),
  since: text.optional().meta({
    ...asRevision,
    description:
      "With `origin`: the revision, as `?at=` takes it, after which they were written; a time before the first commit stands for the beginning.",
  }),
  on_conflict: defaulting(
    z.enum(["fail", "skip"], "must be fail or skip"),
    "fail",
    "What to do if texts were changed after the commit: refuse the request, or skip these texts. With `origin`, they are always skipped.",
  ),
})
  .refine(({ commit, origin }) => (commit === undefined) !== (origin === undefined), {
    path: ["commit"],
    message: "must be text, or origin and since must be given instead of it",
  })
  .refine(({ origin, since }) => (origin === undefined) === (since === undefined), {
    path: ["since"],
    message: "must be given with origin, and only with it",
  });

export const undoResponse = z.object({
  restored: count.meta({ description: "Texts that the commit had deleted, and that are back." }),
  updated: count.meta({ description: "Texts that the commit had changed, and that are as before it." }),
  deleted: count.meta({ description: "Texts that the commit had created, and that are deleted." }),
  skipped: count.meta({ description: "With `skip` or `origin`: texts that were changed after the commit." }),
  moved: count.optional().meta({
    description: "Source strings that the commit had moved, and that are back.",
  }),
  confirmations: count.optional().meta({
    description:
      "Translations that the commit had confirmed, and that are stale again. Left out if there are none.",
  }),
  approvals: count.optional().meta({
    description: "Of a commit that approved translations: those that wait again. Left out if there are none.",
  }),
  moves: plannedMoves,
});
