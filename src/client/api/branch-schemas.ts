/** Schemas of the answers about branches that the client reads; see `schemas.ts`. */
import { z } from "zod";
import { pageOf } from "./http.ts";

const count = z.number();
const text = z.string().nullable();

export const branch = z.object({
  name: z.string(),
  commit: z.string(),
  base: text,
  ahead: count,
  behind: count,
  time: z.string(),
  author: z.object({ name: z.string(), email: z.string() }),
});
export type Branch = z.output<typeof branch>;

export const deletedBranch = z.object({ name: z.string(), expires: z.string() });
export type DeletedBranch = z.output<typeof deletedBranch>;

const branchChange = z.object({
  change: z.string(),
  locale: z.string(),
  file: z.string(),
  key: z.string(),
  member: z.string().optional(),
  before: text,
  after: text,
  from: z.object({ file: z.string(), key: z.string() }).optional(),
  conflict: z.object({ reason: z.string(), main: text, in_the_way: z.string().optional() }).optional(),
});
export type BranchChange = z.output<typeof branchChange>;

export const branchChangePage = pageOf(branchChange).extend({
  base: text,
  main: z.string(),
  conflicts: count,
  locales: z.record(z.string(), count),
});

export const mergeResult = z.object({
  created: count,
  updated: count,
  deleted: count,
  moved: count,
  translations_created: count,
  translations_updated: count,
  translations_deleted: count,
  confirmed: count,
  settled: count,
  dropped: count,
  merged: z.string().optional(),
  undone_by: z.string().optional(),
  branch_deleted: z.boolean().optional(),
  not_deleted: z.string().optional(),
});
export type MergeResult = z.output<typeof mergeResult>;
