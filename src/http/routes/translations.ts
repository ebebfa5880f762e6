/** Translations: export, import and removal by keys. */
import type { ExportedFiles } from "../../domain/export/export.ts";
import type { Steps } from "../../domain/steps.ts";
import { skipNonTextValues } from "../../domain/strings/non-text-values.ts";
import { toTranslationFiles, toKeyLists } from "../../domain/strings/payload.ts";
import { importTranslations } from "../../service/content/imports.ts";
import { exportFiles } from "../../service/content/queries.ts";
import { removeTranslations } from "../../service/content/translation-removal.ts";
import { inSlices } from "../../slices.ts";
import { withExample } from "../openapi/route-docs.ts";
import { orTranslationPreview } from "../pipeline/preview.ts";
import { hiveRead, hiveWrite, type HiveRoute } from "../pipeline/route.ts";
import { joinMembers, joinObject, textPieces } from "../responses/json-bytes.ts";
import { converted } from "../responses/respond.ts";
import { translationRemovalBody, translationsRemovedResponse } from "../schemas/management-schemas.ts";
import { exportQuery, exportResponse, translationsBody, translationsResponse } from "../schemas/schemas.ts";
import { translationImportQuery } from "../schemas/write-preconditions.ts";

/** An object of files by name. */
function* joinFiles(files: ExportedFiles): Steps<Buffer> {
  const members: [name: string, pieces: readonly Uint8Array[]][] = [];
  for (const [name, content] of files) {
    members.push([name, yield* textPieces(content)]);
  }
  return yield* joinObject(Object.fromEntries(members));
}

export const translationRoutes: readonly HiveRoute[] = [
  hiveRead({
    id: "exportTranslations",
    path: "/api/hives/:slug/export",
    takesBranch: true,
    isSlow: ({ at, locale }) => at !== undefined || locale === undefined,
    group: "Translations",
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
    response: withExample(exportResponse, {
      files: { "auth.json": '{\n  "failed": "Senha errada."\n}\n' },
    }),
    async handler({ storage, responses, branch, query, signal }) {
      const { format, shape } = query;
      return converted(
        await exportFiles(storage, branch, { ...query, tags: query.tag, signal }),
        async (parts) => {
          // Of an export of all locales most are as they were when one has changed.
          const bodies = parts.map(async ({ version, read }) => {
            const make = async (): Promise<Buffer> => inSlices(joinFiles(await read()));
            return parts.length === 1 ? make() : responses.part(`${format} ${shape} ${version}`, make);
          });
          return inSlices(joinObject({ files: joinMembers(await Promise.all(bodies)) }));
        },
      );
    },
  }),
  hiveWrite({
    id: "importTranslations",
    method: "POST",
    path: "/api/hives/:slug/translations/:locale",
    takesBranch: true,
    ability: "write",
    isRepeatable: true,
    group: "Translations",
    summary: "Import translations into one locale",
    description:
      "An empty text is ignored: it never removes a translation. A text in a file that is named after the locale (`fr.json`) goes to every string that has its key in an export of all locales; a text in a file with another name goes to the string of that file only. If the request has two texts for one string, a file named as in the Hive takes precedence over a file named as in an export, and both over a file named after the locale; the other text counts as `skipped`. Lists stay lists while they are complete from index 0.",
    query: translationImportQuery,
    body: withExample(translationsBody, {
      files: { "auth.php": { failed: "Senha errada.", nav: { home: "Início" } } },
      overwrite_strategy: "skip",
    }),
    response: withExample(orTranslationPreview(translationsResponse), {
      created: 2,
      updated: 0,
      skipped: 0,
      unknown: 0,
    }),
    errors: ["unknown-keys", "text-conflict", "check-failed"],
    async handler({ storage, branch, param, query: { leaves, strict }, body, context }) {
      const left: { files: unknown; skipped?: number } =
        leaves === "skip"
          ? await inSlices(skipNonTextValues(body.files, "translations"))
          : { files: body.files };
      const expected =
        body.expected === undefined
          ? undefined
          : await inSlices(toTranslationFiles(body.expected, "expected"));
      const request = {
        locale: param("locale"),
        files: await inSlices(toTranslationFiles(left.files)),
        expected,
        overwriteStrategy: body.overwrite_strategy,
        leavesSkipped: left.skipped,
        isStrict: strict,
      };
      const changed = await importTranslations(storage, branch, request, context);
      const { leavesSkipped, ...counts } = changed.result;
      return { ...changed, result: { ...counts, leaves_skipped: leavesSkipped } };
    },
  }),
  hiveWrite({
    id: "removeTranslations",
    method: "DELETE",
    path: "/api/hives/:slug/translations/:locale",
    takesBranch: true,
    ability: "write",
    group: "Translations",
    summary: "Remove translations by key",
    description:
      "File names and keys are matched as in a translation import. Every key of the request is counted as `deleted`, `skipped` or `unknown`. Makes one commit, which can be undone.",
    body: withExample(translationRemovalBody, { files: { "auth.php": ["failed", "nav.home"] } }),
    response: withExample(translationsRemovedResponse, { deleted: 1, skipped: 1, unknown: 0 }),
    async handler({ storage, branch, param, body, context }) {
      const request = { locale: param("locale"), files: toKeyLists(body.files) };
      return removeTranslations(storage, branch, request, context);
    },
  }),
];
