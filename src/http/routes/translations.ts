/** Translations: export, import, removal by keys; missing and stale ones. */
import {
  failingField,
  leftOutField,
  minCompleteQuery,
  missingField,
  stateField,
} from "../../api/export-fields.ts";
import { z } from "zod";
import { openStates, untranslatedStates } from "../../domain/queries/untranslated.ts";
import { includedNotes, includeField, tagField } from "../../api/content/notes.ts";
import {
  named,
  nullableText,
  pageOf,
  count,
  text,
  stringAddress,
  textAddress,
  jsonObject,
  defaulting,
  listOf,
  atField,
  queryParam,
} from "../../api/objects.ts";
import { shownLeftOut } from "../../domain/export/completeness.ts";
import type { ExportedFiles } from "../../domain/export/export.ts";
import { skipNonTextValues } from "../../domain/strings/non-text-values.ts";
import { toTranslationFiles, toKeyLists } from "../../domain/strings/payload.ts";
import { importTranslations } from "../../service/content/imports.ts";
import { exportFiles } from "../../service/content/queries.ts";
import { removeTranslations } from "../../service/content/translation-edit.ts";
import { withExample } from "../../api/operation.ts";
import { orPreview, unknownKeys } from "../../api/content/preview.ts";
import { hiveGroup, type HiveRoute } from "../pipeline/route.ts";
import { joinMembers, joinObject, textPieces } from "../responses/json-bytes.ts";
import { converted } from "../responses/respond.ts";
import { findUntranslated } from "../../service/content/untranslated.ts";
import { flag, pageQuery, toPage, toOffsetLimit } from "../../api/page.ts";
import { pseudoLocales } from "../../domain/export/pseudo-locales.ts";
import { codeOf, findLocale } from "../../domain/hives/locale.ts";
import { confirmStale, listStale } from "../../service/content/stale.ts";
import { dryRunQuery, filesField, leavesField, leavesSkippedField } from "../../api/content/writes.ts";

const translationImportQuery = dryRunQuery.extend({
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

const translationsBody = jsonObject({
  files: filesField(
    "TranslatedContent",
    "strings, or `null` for no text",
    "The content of each file, by file name: its name in the Hive (`auth.php`), in an export (`auth.json`) or in a clone (`auth.php.json`, `fr/auth.php.json`, `locales/fr/auth.php.json`), or a name made from the locale (`fr.json`). If the Hive has a file of that very name, this file is meant.",
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

export const translationsResponse = z.object({
  created: count,
  updated: count,
  skipped: count.meta({ description: "Texts that are empty, or whose translation already existed." }),
  unknown: count.meta({ description: "Texts whose key matches no source string; they are ignored." }),
  leaves_skipped: leavesSkippedField,
});

export const exportResponse = named("Export", {
  files: z
    .record(z.string(), z.string())
    .meta({ description: "The content of each file as text, by file name." }),
  left_out: leftOutField.optional(),
});

/** Lists of keys by file name, checked by the domain. */
const translationRemovalBody = jsonObject({
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

export const translationsRemovedResponse = named("TranslationRemovalResult", {
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

const untranslatedQuery = pageQuery.extend({
  locale: z
    .string("must be given, and once")
    .meta({ description: "The target locale, by its canonical or its custom code.", examples: ["pt_BR"] }),
  state: states,
  file: queryParam("Only the texts of this file.", "auth.php"),
  tag: tagField,
  include: includeField,
  at: atField,
});

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

const untranslatedResponse = pageOf("UntranslatedTextPage", untranslatedText);

const staleQuery = pageQuery.extend({ locale: queryParam("Only translations into this locale.", "pt_BR") });

const staleTranslation = named("StaleTranslation", {
  ...textAddress,
  old_source_value: z.string().meta({ description: "The source text for which the translation was made." }),
  source_value: z.string(),
  translation: z.string(),
});

const staleResponse = pageOf("StaleTranslationPage", staleTranslation);

const confirmBody = named("StaleConfirmation", {
  locale: text,
  file: text,
  keys: listOf(text, { message: "must be a list of keys" }),
});

const confirmResponse = named("StaleConfirmationResult", {
  confirmed: count,
  unknown: count.meta({ description: "Keys that have no stale translation." }),
});

/** The texts of files as JSON, by name. */
async function encodeFiles(files: ExportedFiles): Promise<Readonly<Record<string, readonly Uint8Array[]>>> {
  const members: [name: string, pieces: readonly Uint8Array[]][] = [];
  for (const [name, content] of files) {
    members.push([name, await textPieces(content)]);
  }
  return Object.fromEntries(members);
}

const { hiveRead, hiveWrite } = hiveGroup("Translations", "write", { takesBranch: true });

export const translationRoutes: readonly HiveRoute[] = [
  hiveRead("exportTranslations", "/api/hives/:slug/export", {
    isSlow: ({ at, locale }) =>
      at !== undefined || locale === undefined || findLocale(pseudoLocales, locale) !== undefined,
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
    response: exportResponse,
    async handler({ storage, responses, branch, query, signal }) {
      const { format, shape } = query;
      return converted(
        await exportFiles(storage, branch, {
          ...query,
          tags: query.tag,
          minComplete: query.min_complete,
          signal,
        }),
        async ({ parts, leftOut }) => {
          // Of an export of all locales most are as they were when one has changed.
          const bodies = parts.map(async ({ version, read }) => {
            const make = async (): Promise<Buffer> => joinObject(await encodeFiles(await read()));
            return parts.length === 1 ? make() : responses.part(`${format} ${shape} ${version}`, make);
          });
          const members = { files: joinMembers(await Promise.all(bodies)) };
          if (leftOut === undefined) return joinObject(members);
          const left = JSON.stringify(leftOut.map(shownLeftOut));
          return joinObject({ ...members, left_out: [Buffer.from(left)] });
        },
      );
    },
  }),
  hiveWrite("importTranslations", "POST", "/api/hives/:slug/translations/:locale", {
    isRepeatable: true,
    summary: "Import translations into one locale",
    description:
      "An empty text is ignored: it never removes a translation. A text in a file that is named after the locale (`fr.json`) goes to every string that has its key in an export of all locales; a text in a file with another name goes to the string of that file only. If the request has two texts for one string, a file named as in the Hive takes precedence over a file named as in an export, and both over a file named after the locale; the other text counts as `skipped`. Lists stay lists while they are complete from index 0.",
    query: translationImportQuery,
    body: withExample(translationsBody, {
      files: { "auth.php": { failed: "Senha errada.", nav: { home: "Início" } } },
      overwrite_strategy: "skip",
    }),
    response: orPreview(
      translationsResponse.extend({ unknown_keys: unknownKeys }),
      "TranslationImportResult",
    ),
    errors: ["unknown-keys", "text-conflict", "check-failed"],
    async handler({ storage, branch, param, query: { leaves, strict }, body, context }) {
      const left: { files: unknown; skipped?: number } =
        leaves === "skip" ? await skipNonTextValues(body.files, "translations") : { files: body.files };
      const expected =
        body.expected === undefined ? undefined : await toTranslationFiles(body.expected, "expected");
      const request = {
        locale: param("locale"),
        files: await toTranslationFiles(left.files),
        expected,
        overwriteStrategy: body.overwrite_strategy,
        leavesSkipped: left.skipped,
        isStrict: strict,
      };
      const { review = context.caller.review } = body;
      return importTranslations(storage, branch, request, {
        ...context,
        caller: { ...context.caller, review },
      });
    },
  }),
  hiveWrite("removeTranslations", "DELETE", "/api/hives/:slug/translations/:locale", {
    summary: "Remove translations by key",
    description:
      "File names and keys are matched as in a translation import. Every key of the request is counted as `deleted`, `skipped` or `unknown`. Makes one commit, which can be undone.",
    body: withExample(translationRemovalBody, { files: { "auth.php": ["failed", "nav.home"] } }),
    response: translationsRemovedResponse,
    async handler({ storage, branch, param, body, context }) {
      const request = { locale: param("locale"), files: toKeyLists(body.files) };
      return removeTranslations(storage, branch, request, context);
    },
  }),
  hiveRead("listUntranslated", "/api/hives/:slug/untranslated", {
    isSlow: ({ at }) => at !== undefined,
    summary: "List missing and stale translations of a locale",
    description:
      "Each plural form that the language needs for whole numbers is listed by itself; the source text of a form that the " +
      "source language lacks is that of `other`. Strings with an empty source text, or a note to keep them as they are, are not listed.",
    query: untranslatedQuery,
    response: untranslatedResponse,
    async handler({ storage, branch, query, signal }) {
      const { locale, state, file, tag: tags, include, at } = query;
      const question = { ...toOffsetLimit(query), locale, states: new Set(state), file, tags, at, signal };
      return converted(await findUntranslated(storage, branch, question), ({ notes, ...texts }) =>
        toPage(texts, query, ({ source, translatedFrom, ...shown }, i) => ({
          ...shown,
          sourceValue: source,
          oldSourceValue: translatedFrom,
          notes: include && (notes[i] ?? null),
        })),
      );
    },
  }),
  hiveRead("listStale", "/api/hives/:slug/stale", {
    summary: "List stale translations",
    description: "Translations whose source text has changed since they were made.",
    query: staleQuery,
    response: staleResponse,
    async handler({ storage, branch, query }) {
      const result = await listStale(storage, branch, { ...toOffsetLimit(query), locale: query.locale });
      return converted(result, (translations) =>
        toPage(translations, query, ({ locale, translatedFrom, source, ...stale }) => ({
          ...stale,
          locale: codeOf(locale),
          oldSourceValue: translatedFrom,
          sourceValue: source,
        })),
      );
    },
  }),
  hiveWrite("confirmStale", "POST", "/api/hives/:slug/stale/confirm", {
    isRepeatable: true,
    summary: "Confirm stale translations",
    description:
      "Marks translations as correct for the current source text, so that they are no longer stale.",
    body: withExample(confirmBody, { locale: "pt_BR", file: "auth.php", keys: ["failed"] }),
    response: confirmResponse,
    handler: ({ storage, branch, body, context }) => confirmStale(storage, branch, body, context),
  }),
];
