/** The requests and responses of history, tags and undo. */
import { z } from "zod";
import { move, plannedMoves } from "./move-schemas.ts";
import { maxTagNameBytes } from "../../domain/commits/tag-name.ts";
import { asRevision, commitName, count, once, pageMeta, pageQuery } from "./schemas.ts";

const time = "an ISO 8601 date or time, in UTC unless it has an offset";

export const historyQuery = pageQuery.extend({
  locale: once.meta({
    description: "Only commits that changed the texts of this locale or their order.",
    examples: ["pt_BR"],
  }),
  file: once.meta({ description: "Only commits that changed this file.", examples: ["auth.php"] }),
  key: once.meta({
    description: "Only commits that changed this key; each then has `changes`.",
    examples: ["failed"],
  }),
  operation: once.meta({ description: "Only commits of this operation.", examples: ["import"] }),
  since: once.meta({ description: `Only commits at or after this time: ${time}.`, examples: ["2026-01-01"] }),
  until: once.meta({
    description: `Only commits at or before this time: ${time}.`,
    examples: ["2026-01-31"],
  }),
});

const text = z.string().nullable();
export const author = z.object({ name: z.string(), email: z.string() }).meta({ id: "Author" });

const keyChange = z
  .object({
    locale: z.string(),
    file: z.string(),
    key: z.string(),
    before: text.meta({ description: "The text before the commit; `null` if there was none." }),
    after: text.meta({ description: "The text after the commit; `null` if there is none." }),
  })
  .meta({ id: "KeyChange" });
export type KeyChangeResponse = z.infer<typeof keyChange>;

export const historyEntry = z
  .object({
    commit: commitName,
    time: z.iso.datetime(),
    author,
    subject: z.string(),
    message: text.meta({ description: "The `X-Commit-Message` of the request." }),
    operation: text.meta({
      description:
        "The kind of write, such as `import`. For a commit that was not made by Skep, this, `token`, `strategy` and `ref` are `null`.",
    }),
    token: text.meta({ description: "The id of the token that made the request." }),
    strategy: text.meta({ description: "The strategy of the request, such as `keep` or `overwrite`." }),
    ref: text.meta({ description: "The `X-Commit-Ref` of the request." }),
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
  })
  .meta({ id: "Commit" });
export type HistoryEntryResponse = z.infer<typeof historyEntry>;

export const historyResponse = z
  .object({ data: z.array(historyEntry), meta: pageMeta })
  .meta({ id: "CommitPage" });

export const changesResponse = z
  .object({ commit: historyEntry, data: z.array(keyChange), meta: pageMeta })
  .meta({ id: "CommitChanges" });

/** Which characters a tag may have, and which not as its first. */
const tagPattern = '^[^\\u0000-\\u0020\\u007f~^:?*\\[\\\\"<>|.-][^\\u0000-\\u0020\\u007f~^:?*\\[\\\\"<>|]*$';

export const tagBody = z
  .object(
    {
      name: z.string("must be text").meta({
        minLength: 1,
        maxLength: maxTagNameBytes,
        pattern: tagPattern,
        description:
          "A name that git accepts and every file system can store, and that does not look like another kind of revision, such as a date.",
      }),
      at: z
        .string("must be text")
        .meta(asRevision)
        .nullish()
        .meta({ description: "The revision to tag, as `?at=` takes it; `main` if not given." }),
    },
    "must be a JSON object",
  )
  .meta({ id: "NewTag" });

export const tagResponse = z
  .object({
    name: z.string(),
    commit: commitName,
    time: z.iso.datetime().nullable().meta({
      description:
        "For a lightweight tag, which Skep does not make, this, `tagger`, `message` and `ref` are `null`.",
    }),
    tagger: author.nullable(),
    message: text,
    ref: text,
  })
  .meta({ id: "Tag" });
export type TagResponse = z.infer<typeof tagResponse>;

export const tagsResponse = z.object({ data: z.array(tagResponse), meta: pageMeta }).meta({ id: "TagPage" });

export const undoBody = z.object(
  {
    commit: z.string("must be text").meta({
      pattern: "^[0-9A-Fa-f]{7,40}$",
      description: "The hash of a commit of `main`, or at least its first 7 digits.",
    }),
    on_conflict: z
      .enum(["fail", "skip"], "must be fail or skip")
      .nullish()
      .transform((given) => given ?? "fail")
      .meta({
        default: "fail",
        description:
          "What to do if texts were changed after the commit: refuse the request, or skip these texts.",
      }),
  },
  "must be a JSON object",
);

export const undoResponse = z.object({
  restored: count.meta({ description: "Texts that the commit had deleted, and that are back." }),
  updated: count.meta({ description: "Texts that the commit had changed, and that are as before it." }),
  deleted: count.meta({ description: "Texts that the commit had created, and that are deleted." }),
  skipped: count.meta({ description: "With `skip`: texts that were changed after the commit." }),
  moved: count.optional().meta({
    description: "Of a commit that moved source strings: those that are where they were before it.",
  }),
  confirmations: count.optional().meta({
    description:
      "Of a commit that confirmed stale translations: those that are as stale as they were before it. Left out if there are none.",
  }),
  moves: plannedMoves,
});
