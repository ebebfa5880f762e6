/** Source strings: list, import, sync. */
import type { z } from "zod";
import { invalid } from "../../domain/errors.ts";
import type { SourceFiles } from "../../domain/strings/hive-content.ts";
import { toRevision } from "../../domain/commits/revision.ts";
import { skipNonTextValues } from "../../domain/strings/non-text-values.ts";
import { toSourceFiles } from "../../domain/strings/payload.ts";
import { importSource, type SourceImportResult } from "../../service/content/imports.ts";
import type { SyncBase } from "../../service/content/sync-plan.ts";
import { listStrings, type StringPage, type Versioned } from "../../service/content/queries.ts";
import { inSlices } from "../../slices.ts";
import { withExample } from "../openapi/route-docs.ts";
import { toMeta, toOffsetLimit, type PageQuery } from "../schemas/page.ts";
import { orPreview, previewOf } from "../pipeline/preview.ts";
import { respondJson, toJson } from "../responses/respond.ts";
import { rendered } from "../responses/respond-read.ts";
import type { HiveRoute, HiveRequest, WriteRequest } from "../pipeline/route.ts";
import {
  check,
  ignoredMembers,
  importResponse,
  listQuery,
  listResponse,
  sourceBody,
  syncBody,
  type ImportResponse,
  type ListResponse,
} from "../schemas/schemas.ts";
import { syncWithMovesResponse, type SyncWithMovesResponse } from "../schemas/move-schemas.ts";
import { sourceImportQuery, syncQuery } from "../schemas/write-preconditions.ts";

const path = "/api/hives/:slug/strings";

async function list({ storage, branch, query, signal }: HiveRequest): Promise<Versioned<Uint8Array>> {
  const asked = check(listQuery, query, "query");
  const { page, per_page: perPage, file, at } = asked;
  const found = await listStrings(storage, branch, { ...toOffsetLimit(asked), file, at, signal });
  return rendered(found, ["list", page, perPage, file], (strings) => toJson(toList(strings, asked)));
}

function toList({ strings, total }: StringPage, page: PageQuery): ListResponse {
  return {
    data: strings.map(({ key, text, isPlural, file }) => ({
      key,
      source_value: text,
      is_plural: isPlural,
      file,
    })),
    meta: toMeta(page, total),
  };
}

async function change(
  request: WriteRequest,
  mode: "import" | "sync",
  asked: z.output<typeof syncQuery>,
): Promise<Response> {
  const { dry_run: dryRun, max_deletions: maxDeletions, leaves } = asked;
  const sent = await request.readJson();
  const schema = mode === "sync" ? syncBody : sourceBody;
  const body = check(schema, sent, "body");
  const left = await readFiles(body.files, leaves);
  const source = {
    files: left.files,
    mode,
    conflictStrategy: body.conflict_strategy,
    leavesSkipped: left.skipped,
    detectMoves: asked.detect_moves,
    base: "base_files" in body ? await toFilesBase(asked, body.base_files) : toBase(asked),
  };
  const { storage, branch, context } = request;
  const changed = await importSource(storage, branch, source, { ...context, dryRun, maxDeletions });
  const { created, updated, unchanged, translationsCleared, deleted } = changed.result;
  const response: ImportResponse | SyncWithMovesResponse = {
    created,
    updated,
    unchanged,
    translations_cleared: translationsCleared,
    deleted: mode === "sync" ? deleted : undefined,
    leaves_skipped: changed.result.leavesSkipped,
    ...(asked.detect_moves ? toDetected(changed.result, request) : {}),
  };
  const preview = previewOf(changed, request, ignoredMembers(schema, sent));
  return respondJson({ ...response, ...preview }, { commit: changed.commit });
}

/** How many texts of ambiguous moves are listed, and how many strings of each. */
const maxAmbiguous = 100;
const maxPlaces = 20;

function toDetected(
  { moved, ambiguous, ambiguousMoves = [] }: SourceImportResult,
  { canRead }: WriteRequest,
): Pick<SyncWithMovesResponse, "moved" | "ambiguous" | "ambiguous_moves"> {
  const listed = ambiguousMoves.slice(0, maxAmbiguous).map(({ text, from, to }) => ({
    source_value: text,
    from: from.slice(0, maxPlaces),
    to: to.slice(0, maxPlaces),
  }));
  return { moved, ambiguous, ambiguous_moves: canRead && listed.length > 0 ? listed : undefined };
}

async function readFiles(
  content: unknown,
  leaves: "skip" | undefined,
): Promise<{ readonly files: SourceFiles; readonly skipped: number | undefined }> {
  const left: { files: unknown; skipped?: number } =
    leaves === "skip" ? await inSlices(skipNonTextValues(content, "source")) : { files: content };
  return { files: await inSlices(toSourceFiles(left.files)), skipped: left.skipped };
}

/** @throws SkepError `invalid` when the base is also named as a revision. */
async function toFilesBase(asked: z.output<typeof syncQuery>, content: unknown): Promise<SyncBase> {
  if (toBase(asked) !== undefined) throw invalid("base_files", "cannot be given beside base or base_ref");
  const { files } = await readFiles(content, asked.leaves);
  return { files };
}

function toBase({ base, base_ref: ref }: z.output<typeof syncQuery>): SyncBase | undefined {
  if (base !== undefined) return { revision: toRevision(base, "base") };
  return ref === undefined ? undefined : { ref };
}

const sourceExample = {
  files: {
    "auth.php": { failed: "Wrong password.", nav: { home: "Home" }, tries: "{count} try|{count} tries" },
  },
  conflict_strategy: "keep" as const,
};

export const stringRoutes: readonly HiveRoute[] = [
  {
    kind: "hive-read",
    method: "GET",
    path,
    takesBranch: true,
    ability: "read",
    handler: list,
    isSlow: ({ at }) => at !== undefined,
    docs: {
      id: "listStrings",
      group: "Source strings",
      summary: "List source strings",
      description: "Files are sorted by name; keys are in the order of their file.",
      query: listQuery,
      response: withExample(listResponse, {
        data: [
          { key: "failed", source_value: "Wrong password.", is_plural: false, file: "auth.php" },
          { key: "nav.home", source_value: "Home", is_plural: false, file: "auth.php" },
          { key: "tries", source_value: "{count} try|{count} tries", is_plural: true, file: "auth.php" },
        ],
        meta: { current_page: 1, last_page: 1, per_page: 100, total: 3 },
      }),
    },
  },
  {
    kind: "hive-write",
    method: "POST",
    path,
    takesBranch: true,
    ability: "write",
    isRepeatable: true,
    handler: (request) =>
      change(request, "import", {
        ...check(sourceImportQuery, request.query, "query"),
        detect_moves: false,
      }),
    docs: {
      id: "importStrings",
      group: "Source strings",
      summary: "Import source strings",
      description: "Creates and updates the strings in the request. Other strings stay as they are.",
      query: sourceImportQuery,
      body: withExample(sourceBody, sourceExample),
      response: withExample(orPreview(importResponse, "ImportResult"), {
        created: 2,
        updated: 1,
        unchanged: 0,
        translations_cleared: 0,
      }),
      errors: ["quota", "check-failed"],
    },
  },
  {
    kind: "hive-write",
    method: "PUT",
    path,
    takesBranch: true,
    ability: "write",
    isRepeatable: true,
    handler: (request) => change(request, "sync", check(syncQuery, request.query, "query")),
    docs: {
      id: "syncStrings",
      group: "Source strings",
      summary: "Sync source strings",
      description:
        "Imports the strings in the request, and deletes other strings of the files in the request. Files that are not in the request stay as they are.",
      query: syncQuery,
      body: withExample(syncBody, sourceExample),
      response: withExample(orPreview(syncWithMovesResponse, "SyncResult"), {
        created: 2,
        updated: 1,
        unchanged: 0,
        translations_cleared: 0,
        deleted: 1,
      }),
      errors: ["quota", "text-conflict", "check-failed"],
    },
  },
];
