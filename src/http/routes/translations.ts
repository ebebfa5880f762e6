/** Translations: export, import and removal by keys. */
import type { ExportedFiles } from "../../domain/export/export.ts";
import type { Steps } from "../../domain/steps.ts";
import { skipNonTextValues } from "../../domain/strings/non-text-values.ts";
import { toTranslationFiles, toKeyLists } from "../../domain/strings/payload.ts";
import { importTranslations } from "../../service/content/imports.ts";
import { exportFiles, type Versioned } from "../../service/content/queries.ts";
import { removeTranslations } from "../../service/content/translation-removal.ts";
import { inSlices } from "../../slices.ts";
import { withExample } from "../openapi/route-docs.ts";
import { orTranslationPreview, previewOf } from "../pipeline/preview.ts";
import type { HiveRoute, HiveRequest, WriteRequest } from "../pipeline/route.ts";
import { joinMembers, joinObject, textPieces } from "../responses/json-bytes.ts";
import { rendered } from "../responses/respond-read.ts";
import { respondJson } from "../responses/respond.ts";
import {
  translationRemovalBody,
  translationsRemovedResponse,
  type TranslationsRemovedResponse,
} from "../schemas/management-schemas.ts";
import {
  check,
  ignoredMembers,
  exportQuery,
  exportResponse,
  translationsBody,
  translationsResponse,
  type TranslationsResponse,
} from "../schemas/schemas.ts";
import { translationImportQuery } from "../schemas/write-preconditions.ts";

async function exportTranslations(request: HiveRequest): Promise<Versioned<Uint8Array>> {
  const { storage, responses, branch, query, signal } = request;
  const { format, shape, names, failing, locale, at } = check(exportQuery, query, "query");
  const exported = await exportFiles(storage, branch, {
    format,
    shape,
    names,
    failing,
    locale,
    at,
    signal,
  });
  return rendered(exported, ["export", format, shape, names, failing, locale], async (parts) => {
    // Of an export of all locales most are as they were when one has changed.
    const bodies = parts.map(async ({ version, read }) => {
      const make = async (): Promise<Buffer> => inSlices(joinFiles(await read()));
      return parts.length === 1 ? make() : responses.part(`${format} ${shape} ${version}`, make);
    });
    return inSlices(joinObject({ files: joinMembers(await Promise.all(bodies)) }));
  });
}

/** An object of files by name. */
function* joinFiles(files: ExportedFiles): Steps<Buffer> {
  const members: [name: string, pieces: readonly Uint8Array[]][] = [];
  for (const [name, content] of files) {
    members.push([name, yield* textPieces(content)]);
  }
  return yield* joinObject(Object.fromEntries(members));
}

async function importLocale(caller: WriteRequest): Promise<Response> {
  const { storage, branch, param, query, readJson, context } = caller;
  const { dry_run: dryRun, leaves, strict } = check(translationImportQuery, query, "query");
  const sent = await readJson();
  const body = check(translationsBody, sent, "body");
  const left: { files: unknown; skipped?: number } =
    leaves === "skip" ? await inSlices(skipNonTextValues(body.files, "translations")) : { files: body.files };
  const request = {
    locale: param("locale"),
    files: await inSlices(toTranslationFiles(left.files)),
    expected:
      body.expected === undefined ? undefined : await inSlices(toTranslationFiles(body.expected, "expected")),
    overwriteStrategy: body.overwrite_strategy,
    leavesSkipped: left.skipped,
    isStrict: strict,
  };
  const changed = await importTranslations(storage, branch, request, { ...context, dryRun });
  const { leavesSkipped, ...counts } = changed.result;
  const response: TranslationsResponse = { ...counts, leaves_skipped: leavesSkipped };
  return respondJson(
    { ...response, ...previewOf(changed, caller, ignoredMembers(translationsBody, sent)) },
    { commit: changed.commit },
  );
}

async function remove({ storage, branch, param, readJson, context }: WriteRequest): Promise<Response> {
  const { files } = check(translationRemovalBody, await readJson(), "body");
  const request = { locale: param("locale"), files: toKeyLists(files) };
  const { result, commit } = await removeTranslations(storage, branch, request, context);
  const response: TranslationsRemovedResponse = result;
  return respondJson(response, { commit });
}

export const translationRoutes: readonly HiveRoute[] = [
  {
    kind: "hive-read",
    method: "GET",
    path: "/api/hives/:slug/export",
    takesBranch: true,
    ability: "read",
    handler: exportTranslations,
    isSlow: ({ at, locale }) => at !== undefined || locale === undefined,
    docs: {
      id: "exportTranslations",
      group: "Translations",
      summary: "Export translations as files",
      description:
        "With `locale`, every file of the Hive, each with the keys that are translated. Without `locale`, one JSON file " +
        "for each locale, or with `format=php` one folder of PHP files for each locale.",
      query: exportQuery,
      response: withExample(exportResponse, {
        files: { "auth.json": '{\n  "failed": "Senha errada."\n}\n' },
      }),
    },
  },
  {
    kind: "hive-write",
    method: "POST",
    path: "/api/hives/:slug/translations/:locale",
    takesBranch: true,
    ability: "write",
    isRepeatable: true,
    handler: importLocale,
    docs: {
      id: "importTranslations",
      group: "Translations",
      summary: "Import translations into one locale",
      description: "An empty text is ignored: it never removes a translation.",
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
    },
  },
  {
    kind: "hive-write",
    method: "DELETE",
    path: "/api/hives/:slug/translations/:locale",
    takesBranch: true,
    ability: "write",
    handler: remove,
    docs: {
      id: "removeTranslations",
      group: "Translations",
      summary: "Remove translations by key",
      description:
        "File names and keys are matched as in a translation import. Every key of the request is counted as `deleted`, `skipped` or `unknown`. Makes one commit, which can be undone.",
      body: withExample(translationRemovalBody, { files: { "auth.php": ["failed", "nav.home"] } }),
      response: withExample(translationsRemovedResponse, { deleted: 1, skipped: 1, unknown: 0 }),
    },
  },
];
