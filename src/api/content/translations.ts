/** Translations: export, import and remove them; missing and stale ones. */
import { z } from "zod";
import { openStates, untranslatedStates } from "../../domain/queries/untranslated.ts";
import { failingField, leftOutField, minCompleteQuery, missingField, stateField } from "../export-fields.ts";
import {
  atField,
  count,
  defaulting,
  jsonObject,
  listOf,
  named,
  nullableText,
  pageOf,
  queryParam,
  stringAddress,
  text,
  textAddress,
} from "../objects.ts";
import { operations } from "../operation.ts";
import { flag, pageQuery } from "../page.ts";
import { includedNotes, includeField, tagField } from "./notes.ts";
import { unknownKeys } from "./preview.ts";
import { dryRunQuery, filesField, leavesField, leavesSkippedField } from "./writes.ts";

const importQuery = dryRunQuery.extend({
  leaves: leavesField,
  strict: flag(
    "With `true` or `1`, the request is refused if a key matches no source string, with the `code` `unknown_keys`.",
  ),
});

const onlyForOneJson = "is only for a JSON export of one locale: with locale, without format=php";

function isOneJson({ format, locale }: { readonly format: string; readonly locale?: string }): boolean {
  return format === "json" && locale !== undefined;
}

/** The query of an export. */
export const exportQuery = z
  .strictObject({
    locale: queryParam(
      "The locale to export, by its canonical or its custom code; all locales, the source locale included, if not given. `en-XA` and `ar-XB` are pseudo-locales, unless the Hive has them: they are made from the source texts, `en-XA` with accents and longer, `ar-XB` from right to left.",
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
    missing: missingField.optional(),
    pseudo: flag(
      "With `true` or `1`, an export of all locales has the pseudo-locales `en-XA` and `ar-XB`, too.",
    ),
    min_complete: minCompleteQuery.optional(),
    names: z.enum(["export", "hive"], "must be export or hive").optional().meta({
      description:
        "With `hive`, files are named as in the Hive (`auth.php`); with `export`, the default, by their format (`auth.json`). Only for JSON exports of one locale.",
    }),
  })
  .refine(({ shape, format }) => shape === undefined || format === "json", {
    path: ["shape"],
    message: "is only for a JSON export: without format=php",
  })
  .refine(({ pseudo, locale }) => !pseudo || locale === undefined, {
    path: ["pseudo"],
    message: "is only for an export of all locales: without locale",
  })
  .refine((query) => query.names === undefined || isOneJson(query), {
    path: ["names"],
    message: onlyForOneJson,
  });

const importBody = jsonObject({
  files: filesField(
    "TranslatedContent",
    "strings, or `null` for no text",
    "The content of each file, by file name: its name in the Hive (`auth.php`), in an export (`auth.json`) or in a clone (`auth.php.json`, `fr/auth.php.json`, `locales/fr/auth.php.json`), or a name made from the locale (`fr.json`, and `fr/auth.json` where the Hive has `en/auth.json`). If the Hive has a file of that very name, this file is meant.",
  ),
  expected: filesField(
    "TranslatedContent",
    "strings, or `null` for no text",
    "The translations that must be stored before this import, by file and key; `null` for no translation. If one differs, nothing is written and the response is a 409.",
  ),
  overwrite_strategy: defaulting(
    z.enum(["skip", "overwrite"], "must be skip or overwrite"),
    "skip",
    "What to do where a translation already exists: keep it, or replace it.",
  ),
  review: z.enum(["always"], "must be always").optional().meta({
    description: "With `always`, the texts that this import changes wait for a review, whoever writes them.",
  }),
}).meta({ required: ["files"] });

const importResult = named("TranslationImportResult", {
  created: count,
  updated: count,
  skipped: count.meta({ description: "Texts that are empty, or whose translation already existed." }),
  unknown: count.meta({ description: "Texts whose key matches no source string; they are ignored." }),
  leaves_skipped: leavesSkippedField,
  unknown_keys: unknownKeys,
});

const exported = named("Export", {
  files: z
    .record(z.string(), z.string())
    .meta({ description: "The content of each file as text, by file name." }),
  left_out: leftOutField.optional(),
});

/** Lists of keys by file name, checked by the domain. */
const removalBody = jsonObject({
  files: z
    .unknown()
    .optional()
    .meta({
      description: "Lists of keys, by file name.",
      anyOf: [
        { type: "object", additionalProperties: { type: "array", items: { type: "string" } } },
        { type: "array", items: {}, maxItems: 0 },
      ],
    }),
}).meta({ id: "TranslationRemoval", required: ["files"] });

const removalResult = named("TranslationRemovalResult", {
  deleted: count,
  skipped: count.meta({ description: "Keys of source strings that had no translation." }),
  unknown: count.meta({ description: "Keys that match no source string." }),
});

const anyState = `(?:${untranslatedStates.join("|")})`;
const statesPattern = new RegExp(`^${anyState}(?:,${anyState})*$`);

const states = z
  .string("must be given once")
  .regex(statesPattern, `must be one or more of ${untranslatedStates.join(", ")}, separated by commas`)
  .transform((given) => untranslatedStates.filter((state) => given.split(",").includes(state)))
  .default([...openStates])
  .meta({
    type: "string",
    default: openStates.join(","),
    pattern: statesPattern.source,
    description:
      "The states to list, separated by commas: `missing` texts have no translation, `stale` ones have a translation of an earlier source text, `kept` ones have no translation and a note that keeps them as they are.",
    examples: ["missing"],
  });

const untranslatedQuery = {
  locale: z
    .string("must be given, and once")
    .meta({ description: "The target locale, by its canonical or its custom code.", examples: ["pt_BR"] }),
  state: states,
  file: queryParam("Only the texts of this file.", "auth.php"),
  tag: tagField,
  include: includeField,
  at: atField,
};

const untranslatedText = named("UntranslatedText", {
  ...stringAddress,
  source_value: z.string(),
  state: z.enum(untranslatedStates),
  translation: nullableText.meta({ description: "The stale translation; `null` if it is missing." }),
  old_source_value: nullableText.meta({
    description: "The source text for which a stale translation was made; `null` if it is missing.",
  }),
  notes: includedNotes,
});

const staleQuery = pageQuery.extend({
  locale: queryParam("Only translations into this locale.", "pt_BR"),
});

const staleTranslation = named("StaleTranslation", {
  ...textAddress,
  old_source_value: z.string().meta({ description: "The source text for which the translation was made." }),
  source_value: z.string(),
  translation: z.string(),
});

const stalePage = pageOf("StaleTranslationPage", staleTranslation);

const confirmation = named("StaleConfirmation", {
  locale: text,
  file: text,
  keys: listOf(text, { message: "must be a list of keys" }),
});

const confirmationResult = named("StaleConfirmationResult", {
  confirmed: count,
  unknown: count.meta({ description: "Keys that have no stale translation." }),
});

const stalePath = "/api/hives/:slug/stale";

export const translations = operations(
  {
    noun: "translation",
    about: "Export, import and remove translations of the Hive.",
    path: "/api/hives/:slug/translations/:locale",
    key: "key",
    names: "key",
    entity: untranslatedText,
    label: "source_value",
    group: "Translations",
    ability: "read",
    hasCommit: true,
    columns: ["state", "file", "key", "source_value", "translation"],
  },
  (op) => ({
    exportTranslations: op.viewAt("export", "/api/hives/:slug/export", {
      summary: "Export translations as files",
      description:
        "With `locale`, every file of the Hive, each with the keys that are translated. Without `locale`, one JSON file " +
        "for each locale, or with `format=php` one folder of PHP files for each locale. Files are named by the codes of " +
        "the locales at the commit that is read.\n\n" +
        "Names of files are unique without regard to case, and files end with a newline. With `shape=nested` or PHP, a " +
        "list of which only empty source texts are missing stays a list, with empty texts in their places; with other " +
        "gaps it becomes an object with the indexes as keys. In a nested export of all locales, every list with gaps does.\n\n" +
        "If two strings have the same key in an export of all locales, the key has the text of the string without a " +
        "stem, or else of the string in the first file, among the strings that are translated. If a key without a stem " +
        "equals a stem, the text keeps the key, and the keys of the file become dotted keys beside it.",
      query: exportQuery,
      response: exported,
      takesBranch: true,
    }),
    importTranslations: op.changeAll("import", "POST", {
      summary: "Import translations into one locale",
      description:
        "An empty text is ignored: it never removes a translation. A text in a file that is named after the locale (`fr.json`) goes to every string that has its key in an export of all locales; a text in a file with another name goes to the string of that file only. If the request has two texts for one string, a file named as in the Hive takes precedence over a file named as in an export, and both over a file named after the locale; the other text counts as `skipped`. Lists stay lists while they are complete from index 0.",
      query: importQuery,
      body: importBody,
      example: {
        files: { "auth.php": { failed: "Senha errada.", nav: { home: "Início" } } },
        overwrite_strategy: "skip",
      },
      response: importResult,
      errors: ["unknown-keys", "text-conflict", "check-failed"],
      hasDryRun: true,
      isRepeatable: true,
      takesBranch: true,
    }),
    removeTranslations: op.changeAll("remove", "DELETE", {
      summary: "Remove translations by key",
      description:
        "File names and keys are matched as in a translation import. Every key of the request is counted as `deleted`, `skipped` or `unknown`. Makes one commit, which can be undone.",
      body: removalBody,
      example: { files: { "auth.php": ["failed", "nav.home"] } },
      response: removalResult,
      takesBranch: true,
    }),
    listUntranslated: {
      ...op.list({
        summary: "List missing and stale translations of a locale",
        description:
          "Each plural form that the language needs for whole numbers is listed by itself; the source text of a form that the " +
          "source language lacks is that of `other`. Strings with an empty source text, or a note to keep them as they are, are not listed.",
        query: untranslatedQuery,
        takesBranch: true,
      }),
      path: "/api/hives/:slug/untranslated",
    },
    listStale: op.viewAt("stale", stalePath, {
      summary: "List stale translations",
      description: "Translations whose source text has changed since they were made.",
      query: staleQuery,
      response: stalePage,
      takesBranch: true,
    }),
    confirmStale: op.actAt("confirm", `${stalePath}/confirm`, {
      summary: "Confirm stale translations",
      description:
        "Marks translations as correct for the current source text, so that they are no longer stale.",
      body: confirmation,
      example: { locale: "pt_BR", file: "auth.php", keys: ["failed"] },
      response: confirmationResult,
      isRepeatable: true,
      takesBranch: true,
    }),
  }),
);
