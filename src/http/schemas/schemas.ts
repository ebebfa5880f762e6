/** The requests and responses about strings and translations, and errors, as zod schemas; `meta` is for the document. */
import { z } from "zod";
import { originKinds } from "../../domain/commits/origin.ts";
import { conflictReasons, Issues } from "../../domain/errors.ts";
import { oidPattern } from "../../domain/names.ts";
import { excerpt } from "../../domain/text.ts";
import { pageQuery } from "./page.ts";
import { errorCodes } from "./error-codes.ts";
import { missingTexts } from "../../domain/review/exported-texts.ts";
import { failingField, findingMembers, stateField } from "./finding-schemas.ts";
import { appNotesField, includedNotes, includeField, tagField } from "./note-fields.ts";
import { count, defaulting, jsonObject, named, nullableText, pageOf } from "./objects.ts";

/** How many faulty elements of a list are reported; the list is not checked beyond them. */
const maxListFaults = 20;

/**
 * A list whose elements are checked one by one: zod itself collects every fault of every element, which takes seconds
 * for a large body full of faults.
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

/** An optional parameter that may not be repeated. */
export const once = z.string("must be given once").optional();

/** Such a parameter with its description. */
export function queryParam(description: string, ...examples: readonly string[]) {
  return once.meta(examples.length === 0 ? { description } : { description, examples: [...examples] });
}

/** The rules for all texts that name a revision. They do not say whether the revision exists. */
export const asRevision = {
  minLength: 1,
  maxLength: 255,
  pattern: "^[^\\u0000-\\u001f\\u007f~^?*\\[\\\\]+$",
};

/** The hash of a commit in a response. */
export const commitName = z.string().meta({ pattern: oidPattern.source });

/** The parameter that selects an earlier state. */
export const atField = once.meta({
  ...asRevision,
  description:
    "Read an earlier state: the hash of a commit (at least its first 7 digits), a tag, `main`, or an ISO 8601 date or time, tried in this order.",
  examples: ["v1.2", "2026-01-31"],
});

/** The parameter that names who or what wrote texts. */
export const originField = z.enum(originKinds, "must be person, script or model, and given once").optional();

export const listQuery = pageQuery
  .extend({
    file: queryParam("Only the strings of this file.", "auth.php"),
    tag: tagField,
    origin: originField.meta({
      description:
        "With `locale`: only strings whose text in this locale was written last by a person, a script or a model, as the requests said. Writing the same text again changes nothing; a text that a merge brought in is as the branch wrote it.",
    }),
    locale: queryParam("With `origin`: the locale.", "pt_BR"),
    include: includeField,
    at: atField,
  })
  .refine(({ origin, locale }) => (origin === undefined) === (locale === undefined), {
    path: ["locale"],
    message: "must be given with origin, and only with it",
  });

const onlyForOneJson = "is only for a JSON export of one locale: with locale, without format=php";

function isOneJson({ format, locale }: { readonly format: string; readonly locale?: string }): boolean {
  return format === "json" && locale !== undefined;
}

export const exportQuery = z
  .strictObject({
    locale: queryParam(
      "The locale to export, by its canonical or its custom code; all locales, the source locale included, if not given.",
      "pt_BR",
    ),
    at: atField,
    format: z
      .enum(["json", "php"], "must be json or php")
      .default("json")
      .meta({ description: "The format of the files." }),
    shape: z.enum(["flat", "nested"], "must be flat or nested").optional().meta({
      description:
        "With `nested`, JSON files are nested as their source files are. Without `locale`, the first level is the name of the file without its extension. The default is `flat`. Not with `format=php`, whose files are always nested.",
    }),
    state: stateField.optional(),
    tag: tagField,
    failing: failingField.optional(),
    missing: z.enum(missingTexts, "must be leave or source, and given once").optional().meta({
      description:
        "What stands where there is no translation: nothing (`leave`, the default), or the source text (`source`).",
    }),
    names: z.enum(["export", "hive"], "must be export or hive").optional().meta({
      description:
        "With `hive`, files are named as in the Hive (`auth.php`); with `export`, the default, by their format (`auth.json`). Only for JSON exports of one locale.",
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

/** The content of files is checked by the domain, which names the invalid key. */
const files = z.unknown().optional();

/**
 * The schema of files for the document. It describes only the outermost value of their content, because client
 * generators fail on recursive schemas; the domain checks the rest. PHP sends `[]` for an empty object.
 */
function toContent(id: string, leaves: string): z.core.JSONSchema.BaseSchema {
  const content = z.union([z.record(z.string(), z.unknown()), z.array(z.unknown())]).meta({
    id,
    description: `Texts by key: ${leaves}, in objects and lists nested to any depth up to 32. An empty list counts as an empty object. Numbers, booleans and other values are refused, unless \`leaves=skip\` leaves them out.`,
  });
  return z.toJSONSchema(z.union([z.record(z.string(), content), z.array(z.unknown()).max(0)]));
}

const sourceFiles = files.meta({
  ...toContent("SourceContent", "strings"),
  description: "The content of each file, by file name.",
});

const translatedFiles = files.meta({
  ...toContent("TranslatedContent", "strings, or `null` for no text"),
  description:
    "The content of each file, by file name: its name in the Hive (`auth.php`), in an export (`auth.json`) or in a clone (`auth.php.json`, `fr/auth.php.json`, `locales/fr/auth.php.json`), or a name made from the locale (`fr.json`). If the Hive has a file of that very name, this file is meant.",
});

const expected = files.meta({
  ...toContent("TranslatedContent", "strings, or `null` for no text"),
  description:
    "The translations that must be stored before this import, by file and key; `null` for no translation. If one differs, nothing is written and the response is a 409.",
});

const conflictStrategy = defaulting(
  z.enum(["keep", "clear"], "must be keep or clear"),
  "keep",
  "What to do with the translations of a source text that changes: keep them as stale translations, or remove them.",
);

const overwriteStrategy = defaulting(
  z.enum(["skip", "overwrite"], "must be skip or overwrite"),
  "skip",
  "What to do where a translation already exists: keep it, or replace it.",
);

// Bodies with defaults have no id: generators for TypeScript take members with defaults for required in every
// named schema, as if it described a response.
export const sourceBody = jsonObject({
  files: sourceFiles,
  notes: appNotesField,
  conflict_strategy: conflictStrategy,
}).meta({ required: ["files"] });

export const syncBody = sourceBody
  .extend({
    base_files: files.meta({
      ...toContent("SourceContent", "strings"),
      description:
        "The content that the files had before the changes of this request, for example in the version control of the app. It has the same effect as `?base=`, and cannot be given beside it.",
    }),
    base_notes: appNotesField.meta({
      description:
        "With `base_files`: what the app's files said about strings before the changes of this request.",
    }),
  })
  .meta({ required: ["files"] });

export const translationsBody = jsonObject({
  files: translatedFiles,
  expected,
  overwrite_strategy: overwriteStrategy,
}).meta({ required: ["files"] });

const sourceString = named("SourceString", {
  key: z.string().meta({
    description: "The path of the text in its file; the keys of nested content are joined with dots.",
  }),
  source_value: z.string().meta({ description: "The text. Plural forms in one text are separated by `|`." }),
  is_plural: z
    .boolean()
    .meta({ description: "Whether the text has two or more forms separated by `|`, each with `{count}`." }),
  file: z.string(),
  notes: includedNotes,
});

export const listResponse = pageOf("SourceStringPage", sourceString);

const leavesSkipped = count.optional().meta({
  description: "With `leaves=skip`: how many values were left out because they are not texts.",
});

export const importResponse = z.object({
  created: count,
  updated: count,
  unchanged: count,
  translations_cleared: count.meta({
    description: "How many translations were removed because their source text changed.",
  }),
  leaves_skipped: leavesSkipped,
});

export const syncResponse = importResponse.extend({ deleted: count });

export const translationsResponse = z.object({
  created: count,
  updated: count,
  skipped: count.meta({ description: "Texts that are empty, or whose translation already existed." }),
  unknown: count.meta({ description: "Texts whose key matches no source string; they are ignored." }),
  leaves_skipped: leavesSkipped,
});

export const exportResponse = named("Export", {
  files: z
    .record(z.string(), z.string())
    .meta({ description: "The content of each file as text, by file name." }),
});

/** The texts of a conflict of a merge. */
export const conflictTexts = z.object({
  base: nullableText.meta({
    description: "Of a merge: the text that both sides started from; `null` if there was none.",
  }),
  main: nullableText.meta({ description: "Of a merge: the text of `main`; `null` if there is none." }),
  branch: nullableText.meta({ description: "Of a merge: the text of the branch; `null` if there is none." }),
  in_the_way: z.string().optional().meta({
    description: "Of a merge, for the reason `path`: the file or the key beside which the text cannot stand.",
  }),
  member: z.string().optional().meta({
    description: "Of a merge, for the reason `note`: the member of the note, whose values the texts are.",
  }),
});

export const conflictReason = z.enum(conflictReasons).meta({
  description:
    "`text`: both sides changed the text, differently. `deleted`: one changed what the other deleted. `confirmed`: one changed a translation that the other confirmed. `path`: the branch adds a text or a file that cannot stand beside one of `main`. `moved`: one moved a string that the other moved elsewhere or deleted, or to a place that is taken. `note`: both changed a member of the team's note, differently.",
});

export const errorResponse = named("Error", {
  message: z.string().meta({ description: "A description of the error for people." }),
  code: z.enum(errorCodes).meta({ description: "The kind of the error, for programs. Codes do not change." }),
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
