/** Every request and response of the interface, as zod schemas; what they say in `meta` is for the OpenAPI document. */
import { z } from "zod";
import { Issues } from "../../domain/errors.ts";
import { oidPattern } from "../../domain/names.ts";
import { excerpt } from "../../domain/text.ts";
import { errorCodes } from "./error-codes.ts";

const positiveInteger = z
  .string("must be given once")
  .regex(/^[1-9][0-9]*$/, "must be a positive integer")
  // A number beyond what JSON can say exactly is past every end all the same.
  .transform((text) => Math.min(Number(text), Number.MAX_SAFE_INTEGER));

/** How the document has it: the parameter is text, as all of a URL is. */
const asInteger = { type: "integer", minimum: 1, pattern: undefined } as const;

/** Faults of a list that are told; a list is not looked at beyond them. */
const maxListFaults = 20;

/**
 * A list whose elements are looked at one by one: zod itself keeps every fault of every element, which takes seconds
 * for a body full of them.
 * @param max how many elements it may have.
 */
export function listOf<Element extends z.ZodType>(
  element: Element,
  { message = "must be a list", max }: { readonly message?: string; readonly max?: number } = {},
) {
  const limited = <Any extends z.ZodType>(list: z.ZodArray<Any>) =>
    max === undefined ? list : list.max(max, `must have at most ${max} elements`);
  return limited(z.array(z.unknown(), message))
    .transform((values, context) => {
      const elements: z.output<Element>[] = [];
      let faults = 0;
      for (const [i, value] of values.entries()) {
        const { success, data, error } = element.safeParse(value);
        if (success) elements.push(data);
        for (const issue of error?.issues ?? []) {
          context.addIssue({ code: "custom", path: [i, ...issue.path], message: issue.message });
        }
        if (!success && ++faults === maxListFaults) break;
      }
      return elements;
    })
    .meta({ ...z.toJSONSchema(limited(z.array(element)), { io: "input" }) });
}

/** A parameter that may be there once. */
export const once = z.string("must be given once").optional();

export const pageQuery = z.strictObject({
  page: positiveInteger.default(1).meta({ ...asInteger, default: 1, description: "Which page, from 1." }),
  // A page larger than the maximum is a page of the maximum.
  per_page: positiveInteger
    .transform((perPage) => Math.min(perPage, 500))
    .default(100)
    .meta({ ...asInteger, default: 100, description: "How many on a page; more than 500 are taken as 500." }),
});

/** What every text has that names a revision; which there are is told by the answer. */
export const asRevision = {
  minLength: 1,
  maxLength: 255,
  pattern: "^[^\\u0000-\\u001f\\u007f~^?*\\[\\\\]+$",
};

/** The name of a commit in an answer. */
export const commitName = z.string().meta({ pattern: oidPattern.source });

/** The parameter that asks for an earlier state. */
export const at = once.meta({
  ...asRevision,
  description:
    "As of a commit (40 hexadecimal digits, or at least 7), a tag, `main`, or an ISO 8601 date or time, tried in this order.",
  examples: ["v1.2", "2026-01-31"],
});

export const listQuery = pageQuery.extend({
  file: once.meta({ description: "Only the strings of this file.", examples: ["auth.php"] }),
  at,
});

const onlyForOneJson = "is only for a JSON export of one locale: with locale, without format=php";

function isOneJson({
  format,
  locale,
}: {
  readonly format: string;
  readonly locale?: string | undefined;
}): boolean {
  return format === "json" && locale !== undefined;
}

export const exportQuery = z
  .strictObject({
    locale: once.meta({
      description: "The locale to export, by its canonical or its custom code; all if not given.",
      examples: ["pt_BR"],
    }),
    at,
    format: z
      .enum(["json", "php"], "must be json or php")
      .default("json")
      .meta({ description: "The format of the files." }),
    shape: z.enum(["flat", "nested"], "must be flat or nested").optional().meta({
      description:
        "With `nested`, JSON files are nested as their sources are; in a file of a whole locale, below the stems of their names.",
    }),
    names: z.enum(["export", "hive"], "must be export or hive").optional().meta({
      description:
        "With `hive`, JSON files of one locale have the names of the Hive's files (`auth.php`), not those of an export (`auth.json`).",
    }),
  })
  .refine(({ shape, format }) => shape === undefined || format === "json", {
    path: ["shape"],
    message: "is only for a JSON export: without format=php",
  })
  .refine((query) => query.names === undefined || isOneJson(query), {
    path: ["names"],
    message: onlyForOneJson,
  });

/** Content of files is checked by the domain, which names the key at fault. */
const files = z.unknown().optional();

/**
 * How the document has files: of their content it says what the outermost value is and no more. Generators of clients
 * stumble over schemas that refer to themselves; the domain checks what is inside. PHP sends `[]` for an empty object.
 */
function toContent(id: string, leaves: string): z.core.JSONSchema.BaseSchema {
  const content = z.union([z.record(z.string(), z.unknown()), z.array(z.unknown())]).meta({
    id,
    description: `Texts by their keys: ${leaves}, in objects and lists as deep as you like. An empty list stands for an empty object. Other leaves are refused, unless \`leaves=skip\` leaves them out.`,
  });
  return z.toJSONSchema(z.union([z.record(z.string(), content), z.array(z.unknown()).max(0)]));
}

const sourceFiles = files.meta({
  ...toContent("SourceContent", "strings"),
  description: "The content of each file, by its name.",
});

const translatedFiles = files.meta({
  ...toContent("TranslatedContent", "strings, or `null` for none"),
  description:
    "The content of each file, by its name: the Hive's own, that of any export, or the locale's (`fr.json`).",
});

const expected = files.meta({
  ...toContent("TranslatedContent", "strings, or `null` for none"),
  description:
    "The translations that are to be stored before, by file and key; `null` for none. Where one is not, nothing is written.",
});

const conflictStrategy = z
  .enum(["keep", "clear"], "must be keep or clear")
  .nullish()
  .transform((given) => given ?? "keep")
  .meta({ default: "keep", description: "What becomes of the translations of a source text that changes." });

const overwriteStrategy = z
  .enum(["skip", "overwrite"], "must be skip or overwrite")
  .nullish()
  .transform((given) => given ?? "skip")
  .meta({ default: "skip", description: "What becomes of the translations that are there already." });

// Bodies with defaults have no id: generators for TypeScript take members with defaults for required wherever a
// schema has a name, since an answer would have them.
export const sourceBody = z
  .object({ files: sourceFiles, conflict_strategy: conflictStrategy }, "must be a JSON object")
  .meta({ required: ["files"] });

export const translationsBody = z
  .object(
    { files: translatedFiles, expected, overwrite_strategy: overwriteStrategy },
    "must be a JSON object",
  )
  .meta({ required: ["files"] });

export const count = z.int().nonnegative();

export const pageMeta = z
  .object({
    current_page: count,
    last_page: count.meta({ description: "At least 1." }),
    per_page: count,
    total: count.meta({ description: "How many there are on all pages." }),
  })
  .meta({ id: "PageMeta" });
export type PageMeta = z.infer<typeof pageMeta>;

const sourceString = z
  .object({
    key: z.string().meta({ description: "Its place in its file; nested content flattens with dots." }),
    source_value: z.string().meta({ description: "Its text; plural forms are separated by `|`." }),
    is_plural: z.boolean().meta({ description: "Whether it has two or more forms, each with `{count}`." }),
    file: z.string(),
  })
  .meta({ id: "SourceString" });

export const listResponse = z
  .object({ data: z.array(sourceString), meta: pageMeta })
  .meta({ id: "SourceStringPage" });
export type ListResponse = z.infer<typeof listResponse>;

const leavesSkipped = count.optional().meta({
  description: "With `leaves=skip`: how many leaves were left out, because they are no texts.",
});

/** The member of an answer that tells of leaves that were left out; none where they were not to be. */
export function toLeavesSkipped(counts: { readonly leavesSkipped?: number | undefined }): {
  leaves_skipped?: number;
} {
  return counts.leavesSkipped === undefined ? {} : { leaves_skipped: counts.leavesSkipped };
}

export const importResponse = z.object({
  created: count,
  updated: count,
  unchanged: count,
  translations_cleared: count.meta({
    description: "How many translations went because their source text changed.",
  }),
  leaves_skipped: leavesSkipped,
});
export type ImportResponse = z.infer<typeof importResponse>;

export const syncResponse = importResponse.extend({ deleted: count });
export type SyncResponse = z.infer<typeof syncResponse>;

export const translationsResponse = z.object({
  created: count,
  updated: count,
  skipped: count.meta({ description: "There already, or empty." }),
  unknown: count.meta({ description: "Of keys that match no source string; their texts are ignored." }),
  leaves_skipped: leavesSkipped,
});
export type TranslationsResponse = z.infer<typeof translationsResponse>;

export const exportResponse = z
  .object({
    files: z.record(z.string(), z.string()).meta({ description: "Each file as text, by its name." }),
  })
  .meta({ id: "Export" });

export const errorResponse = z
  .object({
    message: z.string().meta({ description: "For people." }),
    code: z
      .enum(errorCodes)
      .meta({ description: "For programs: what went wrong, in words that do not change." }),
    errors: z.record(z.string(), z.array(z.string())).optional().meta({ description: "Messages by field." }),
    details: z.string().optional().meta({
      description:
        "For people, where `message` is one that programs match: which quota, and how far beyond it.",
    }),
    limit: count.optional().meta({ description: "Of a quota: how many source strings the team may have." }),
    used: count.optional().meta({ description: "Of a quota: how many it has, in all its Hives." }),
    requested: count.optional().meta({ description: "Of a quota: how many it would have had." }),
    request_id: z
      .string()
      .optional()
      .meta({ description: "Where the server is at fault: look for it in its log." }),
    conflicts: z
      .array(z.object({ locale: z.string(), file: z.string(), key: z.string() }).meta({ id: "TextPlace" }))
      .optional()
      .meta({ description: "Where texts are not as an undo takes for granted; at most 100." }),
    unknown_keys: z
      .array(z.object({ file: z.string(), key: z.string() }).meta({ id: "SentKey" }))
      .optional()
      .meta({
        description: "Keys that match no source string, by the file names that were sent; at most 1,000.",
      }),
    total: count.optional().meta({ description: "How many conflicts or unknown keys there are." }),
    commit: commitName
      .optional()
      .meta({ description: "Where HEAD is, where it is not as `If-Match` has it." }),
  })
  .meta({ id: "Error" });
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
  const known = schema instanceof z.ZodObject ? Object.keys(schema.shape).join(", ") : "";
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

/** Names that a body has and nobody reads are listed up to here. */
const maxIgnored = 20;

/** What to tell of members of a body that its schema does not know, which are ignored. */
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
