/** The requests and responses about a Hive's past: history and tags. */
import { z } from "zod";
import { count, once, pageMeta, pageQuery } from "./schemas.ts";

export const historyQuery = pageQuery.extend({
  locale: once,
  file: once,
  key: once,
  operation: once,
  since: once,
  until: once,
});

const text = z.string().nullable();
const author = z.object({ name: z.string(), email: z.string() });

const keyChange = z.object({
  locale: z.string(),
  file: z.string(),
  key: z.string(),
  /** `null` where there is no text. */
  before: text,
  after: text,
});
export type KeyChangeResponse = z.infer<typeof keyChange>;

export const historyEntry = z.object({
  commit: z.string(),
  time: z.iso.datetime(),
  author,
  subject: z.string(),
  message: text,
  /** `null` for a commit that Skep did not make, as are token, strategy and ref. */
  operation: text,
  token: text,
  strategy: text,
  ref: text,
  counts: z.record(z.string(), count),
  /** Where a key was asked for. */
  changes: z.array(keyChange).optional(),
});
export type HistoryEntryResponse = z.infer<typeof historyEntry>;

export const historyResponse = z.object({ data: z.array(historyEntry), meta: pageMeta });
export type HistoryResponse = z.infer<typeof historyResponse>;

export const changesResponse = z.object({ commit: historyEntry, data: z.array(keyChange), meta: pageMeta });
export type ChangesResponse = z.infer<typeof changesResponse>;

export const tagBody = z.object(
  { name: z.string("must be text"), at: z.string("must be text").nullish() },
  "must be a JSON object",
);

export const tagResponse = z.object({
  name: z.string(),
  commit: z.string(),
  /** `null` for a tag that `git tag` made without `-a`, as are tagger, message and ref. */
  time: z.iso.datetime().nullable(),
  tagger: author.nullable(),
  message: text,
  ref: text,
});
export type TagResponse = z.infer<typeof tagResponse>;

export const tagsResponse = z.object({ data: z.array(tagResponse), meta: pageMeta });
export type TagsResponse = z.infer<typeof tagsResponse>;
