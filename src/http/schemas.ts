/** Every request and response of the interface, as zod schemas. */
import { z } from "zod";
import { Issues } from "../domain/errors.ts";

const positiveInteger = z
  .string("must be given once")
  .regex(/^[1-9][0-9]*$/, "must be a positive integer")
  // A number beyond what JSON can say exactly is past every end all the same.
  .transform((text) => Math.min(Number(text), Number.MAX_SAFE_INTEGER));

/** A parameter that may be there once. */
export const once = z.string("must be given once").optional();

export const pageQuery = z.object({
  page: positiveInteger.default(1),
  // A page larger than the maximum is a page of the maximum.
  per_page: positiveInteger.transform((perPage) => Math.min(perPage, 500)).default(100),
});

export const listQuery = pageQuery.extend({ file: once, at: once });

export const staleQuery = pageQuery.extend({ locale: once });

export const exportQuery = z.object({
  locale: once,
  at: once,
  format: z.enum(["json", "php"], "must be json or php").default("json"),
});

/** The write endpoints take no query: a misspelt parameter must not write. */
export const noQuery = z.strictObject({});

/** Content of files is checked by the domain, which names the key at fault. */
const files = z.unknown().optional();

const conflictStrategy = z.enum(["keep", "clear"], "must be keep or clear");
const overwriteStrategy = z.enum(["skip", "overwrite"], "must be skip or overwrite");

export const sourceBody = z.object(
  { files, conflict_strategy: conflictStrategy.nullish().transform((given) => given ?? "keep") },
  "must be a JSON object",
);

export const translationsBody = z.object(
  { files, overwrite_strategy: overwriteStrategy.nullish().transform((given) => given ?? "skip") },
  "must be a JSON object",
);

const text = z.string("must be text");

export const confirmBody = z.object(
  { locale: text, file: text, keys: z.array(text, "must be a list of keys") },
  "must be a JSON object",
);

const onConflict = z.enum(["fail", "skip"], "must be fail or skip");

export const undoBody = z.object(
  { commit: text, on_conflict: onConflict.nullish().transform((given) => given ?? "fail") },
  "must be a JSON object",
);

export const count = z.int().nonnegative();

export const pageMeta = z.object({
  current_page: count,
  last_page: count,
  per_page: count,
  total: count,
});
export type PageMeta = z.infer<typeof pageMeta>;

export const listResponse = z.object({
  data: z.array(
    z.object({ key: z.string(), source_value: z.string(), is_plural: z.boolean(), file: z.string() }),
  ),
  meta: pageMeta,
});
export type ListResponse = z.infer<typeof listResponse>;

export const importResponse = z.object({
  created: count,
  updated: count,
  unchanged: count,
  translations_cleared: count,
});
export type ImportResponse = z.infer<typeof importResponse>;

export const syncResponse = importResponse.extend({ deleted: count });
export type SyncResponse = z.infer<typeof syncResponse>;

export const translationsResponse = z.object({
  created: count,
  updated: count,
  skipped: count,
  unknown: count,
});
export type TranslationsResponse = z.infer<typeof translationsResponse>;

export const staleResponse = z.object({
  data: z.array(
    z.object({
      locale: z.string(),
      file: z.string(),
      key: z.string(),
      old_source_value: z.string(),
      source_value: z.string(),
      translation: z.string(),
    }),
  ),
  meta: pageMeta,
});
export type StaleResponse = z.infer<typeof staleResponse>;

export const confirmResponse = z.object({ confirmed: count, unknown: count });
export type ConfirmResponse = z.infer<typeof confirmResponse>;

export const undoResponse = z.object({ restored: count, updated: count, deleted: count, skipped: count });
export type UndoResponse = z.infer<typeof undoResponse>;

export const exportResponse = z.object({ files: z.record(z.string(), z.string()) });

export const errorResponse = z.object({
  message: z.string(),
  errors: z.record(z.string(), z.array(z.string())).optional(),
  request_id: z.string().optional(),
  conflicts: z.array(z.object({ locale: z.string(), file: z.string(), key: z.string() })).optional(),
  total: count.optional(),
});
export type ErrorResponse = z.infer<typeof errorResponse>;

/**
 * Checks a value against a schema.
 * @param whole what the value is called in messages where the fault is in no member: `body`.
 * @throws SkepError `invalid` naming every member at fault.
 */
export function check<S extends z.ZodType>(schema: S, value: unknown, whole: string): z.output<S> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issues = new Issues();
  for (const { path, message, ...issue } of result.error.issues) {
    if (issue.code === "unrecognized_keys") {
      for (const key of issue.keys) {
        if (key === "") issues.add(whole, "has a parameter without a name");
        else issues.add(key, `is not a known ${whole} parameter here`);
      }
    } else {
      issues.add(path.length > 0 ? path.join(".") : whole, message);
    }
  }
  issues.throwIfAny();
  throw result.error;
}
