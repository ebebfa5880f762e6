/** The requests and responses about a Hive's past: history and tags. */
import { z } from "zod";
import { maxTagNameBytes } from "../../domain/commits/tag-name.ts";
import { asRevision, commitName, count, once, pageMeta, pageQuery } from "./schemas.ts";

const time = "a date or a time in ISO 8601, UTC unless it says otherwise";

export const historyQuery = pageQuery.extend({
  locale: once.meta({
    description: "Only commits that changed files of this locale, their texts or order.",
    examples: ["pt_BR"],
  }),
  file: once.meta({ description: "Only commits that changed this file.", examples: ["auth.php"] }),
  key: once.meta({
    description: "Only commits that changed this key, each with its `changes`.",
    examples: ["failed"],
  }),
  operation: once.meta({ description: "Only commits of this operation.", examples: ["import"] }),
  since: once.meta({ description: `Only commits since then: ${time}.`, examples: ["2026-01-01"] }),
  until: once.meta({ description: `Only commits until then: ${time}.`, examples: ["2026-01-31"] }),
});

const text = z.string().nullable();
const author = z.object({ name: z.string(), email: z.string() }).meta({ id: "Author" });

const keyChange = z
  .object({
    locale: z.string(),
    file: z.string(),
    key: z.string(),
    before: text.meta({ description: "`null` where there was no text." }),
    after: text.meta({ description: "`null` where there is no text." }),
  })
  .meta({ id: "KeyChange" });
export type KeyChangeResponse = z.infer<typeof keyChange>;

export const historyEntry = z
  .object({
    commit: commitName,
    time: z.iso.datetime(),
    author,
    subject: z.string(),
    message: text.meta({ description: "What the caller said in `X-Commit-Message`." }),
    operation: text.meta({
      description: "`null` for a commit that Skep did not make, as are token, strategy and ref.",
    }),
    token: text.meta({ description: "The id of the token." }),
    strategy: text,
    ref: text.meta({ description: "What the caller said in `X-Commit-Ref`." }),
    counts: z.record(z.string(), count),
    changes: z.array(keyChange).optional().meta({ description: "Where a key was asked for." }),
  })
  .meta({ id: "Commit" });
export type HistoryEntryResponse = z.infer<typeof historyEntry>;

export const historyResponse = z
  .object({ data: z.array(historyEntry), meta: pageMeta })
  .meta({ id: "CommitPage" });
export type HistoryResponse = z.infer<typeof historyResponse>;

export const changesResponse = z
  .object({ commit: historyEntry, data: z.array(keyChange), meta: pageMeta })
  .meta({ id: "CommitChanges" });
export type ChangesResponse = z.infer<typeof changesResponse>;

/** Which characters a tag may have, and which not as its first. */
const tagPattern = '^[^\\u0000-\\u0020\\u007f~^:?*\\[\\\\"<>|.-][^\\u0000-\\u0020\\u007f~^:?*\\[\\\\"<>|]*$';

export const tagBody = z
  .object(
    {
      name: z.string("must be text").meta({
        minLength: 1,
        maxLength: maxTagNameBytes,
        pattern: tagPattern,
        description: "What git accepts and every system can store, and what is no other form of `?at=`.",
      }),
      at: z
        .string("must be text")
        .meta(asRevision)
        .nullish()
        .meta({ description: "A revision as for `?at=`; main if not given." }),
    },
    "must be a JSON object",
  )
  .meta({ id: "NewTag" });

export const tagResponse = z
  .object({
    name: z.string(),
    commit: commitName,
    time: z.iso.datetime().nullable().meta({
      description: "`null` for a tag that `git tag` made without `-a`, as are tagger, message and ref.",
    }),
    tagger: author.nullable(),
    message: text,
    ref: text,
  })
  .meta({ id: "Tag" });
export type TagResponse = z.infer<typeof tagResponse>;

export const tagsResponse = z.object({ data: z.array(tagResponse), meta: pageMeta }).meta({ id: "TagPage" });
export type TagsResponse = z.infer<typeof tagsResponse>;

export const undoBody = z.object(
  {
    commit: z.string("must be text").meta({
      pattern: "^[0-9A-Fa-f]{7,40}$",
      description: "A commit of main, whole or at least 7 digits.",
    }),
    on_conflict: z
      .enum(["fail", "skip"], "must be fail or skip")
      .nullish()
      .transform((given) => given ?? "fail")
      .meta({ default: "fail", description: "What becomes of texts that have been changed since." }),
  },
  "must be a JSON object",
);

export const undoResponse = z.object({ restored: count, updated: count, deleted: count, skipped: count });
export type UndoResponse = z.infer<typeof undoResponse>;
