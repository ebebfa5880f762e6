/** Source strings: list, import, sync. */
import type { z } from "zod";
import { invalid } from "../../domain/errors.ts";
import type { SourceFiles } from "../../domain/strings/hive-content.ts";
import { toRevision } from "../../domain/commits/revision.ts";
import { toNotes, type ByKey } from "../../domain/notes/note-files.ts";
import { appNoteSchema } from "../../domain/notes/note-schema.ts";
import type { AppNote } from "../../domain/notes/note.ts";
import { skipNonTextValues } from "../../domain/strings/non-text-values.ts";
import { toSourceFiles } from "../../domain/strings/payload.ts";
import { importSource, type SourceImportResult } from "../../service/content/imports.ts";
import type { SyncBase } from "../../service/content/sync-plan.ts";
import { listStrings } from "../../service/content/queries.ts";
import { inSlices } from "../../slices.ts";
import { withExample } from "../openapi/route-docs.ts";
import { orPreview } from "../pipeline/preview.ts";
import { hiveRead, hiveWrite, type Answer, type HiveRoute, type WriteRequest } from "../pipeline/route.ts";
import { converted } from "../responses/respond.ts";
import { metaExample, toMeta, toOffsetLimit } from "../schemas/page.ts";
import { toIncludedNotes } from "../schemas/note-fields.ts";
import { importResponse, listQuery, listResponse, sourceBody, syncBody } from "../schemas/schemas.ts";
import { syncWithMovesResponse, type SyncWithMovesResponse } from "../schemas/move-schemas.ts";
import { sourceImportQuery, syncQuery } from "../schemas/write-preconditions.ts";

const path = "/api/hives/:slug/strings";

type SyncParams = z.output<typeof syncQuery>;

interface SourceOptions extends Pick<SyncParams, "leaves"> {
  readonly base?: SyncBase | undefined;
  readonly baseNotes?: ByKey<AppNote>;
  readonly detectMoves?: boolean;
}

async function change(
  { storage, branch, canRead, context, body }: WriteRequest<unknown, z.output<typeof sourceBody>>,
  mode: "import" | "sync",
  { leaves, base, baseNotes, detectMoves = false }: SourceOptions,
): Promise<Answer<SyncWithMovesResponse>> {
  const { files, skipped: leavesSkipped } = await readFiles(body.files, leaves);
  const conflictStrategy = body.conflict_strategy;
  const notes = await readAppNotes(body.notes, "notes");
  const source = { files, mode, conflictStrategy, leavesSkipped, detectMoves, base, notes, baseNotes };
  const changed = await importSource(storage, branch, source, context);
  const { created, updated, unchanged, translationsCleared, deleted } = changed.result;
  const result = {
    created,
    updated,
    unchanged,
    translations_cleared: translationsCleared,
    deleted,
    leaves_skipped: changed.result.leavesSkipped,
    ...(detectMoves ? toDetected(changed.result, canRead) : {}),
  };
  return { ...changed, result };
}

/** How many texts of ambiguous moves are listed, and how many strings of each. */
const maxAmbiguous = 100;
const maxPlaces = 20;

function toDetected(
  { moved, ambiguous, ambiguousMoves = [] }: SourceImportResult,
  canRead: boolean,
): Pick<SyncWithMovesResponse, "moved" | "ambiguous" | "ambiguous_moves"> {
  const listed = ambiguousMoves.slice(0, maxAmbiguous).map(({ text, from, to }) => ({
    source_value: text,
    from: from.slice(0, maxPlaces),
    to: to.slice(0, maxPlaces),
  }));
  return { moved, ambiguous, ambiguous_moves: canRead && listed.length > 0 ? listed : undefined };
}

async function readAppNotes(notes: unknown, member: string): Promise<ByKey<AppNote> | undefined> {
  return notes === undefined ? undefined : inSlices(toNotes(notes, member, appNoteSchema));
}

async function readFiles(
  content: unknown,
  leaves: "skip" | undefined,
): Promise<{ readonly files: SourceFiles; readonly skipped: number | undefined }> {
  const left: { files: unknown; skipped?: number } =
    leaves === "skip" ? await inSlices(skipNonTextValues(content, "source")) : { files: content };
  return { files: await inSlices(toSourceFiles(left.files)), skipped: left.skipped };
}

/** @throws SkepError `invalid` when the base is given as files and also named as a revision. */
async function toBase(
  { base, base_ref: ref, leaves }: SyncParams,
  content: unknown,
): Promise<SyncBase | undefined> {
  const isNamed = base !== undefined || ref !== undefined;
  if (content !== undefined) {
    if (isNamed) throw invalid("base_files", "cannot be given beside base or base_ref");
    return { files: (await readFiles(content, leaves)).files };
  }
  if (base !== undefined) return { revision: toRevision(base, "base") };
  return ref === undefined ? undefined : { ref };
}

const sourceExample = {
  files: {
    "auth.php": { failed: "Wrong password.", nav: { home: "Home" }, tries: "{count} try|{count} tries" },
  },
  notes: { "auth.php": { failed: { note: "Shown above the form.", where: ["src/login.ts:12"] } } },
  conflict_strategy: "keep" as const,
};

export const stringRoutes: readonly HiveRoute[] = [
  hiveRead({
    id: "listStrings",
    path,
    takesBranch: true,
    isSlow: ({ at, origin }) => at !== undefined || origin !== undefined,
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
      meta: { ...metaExample, total: 3 },
    }),
    async handler({ storage, branch, query, signal }) {
      const { file, tag: tags, include, at, origin: kind, locale } = query;
      const origin = kind === undefined || locale === undefined ? undefined : { kind, locale };
      const list = {
        ...toOffsetLimit(query),
        file,
        tags,
        origin,
        withNotes: include !== undefined,
        at,
        signal,
      };
      const page = await listStrings(storage, branch, list);
      return converted(page, ({ strings, total, notes }) => ({
        data: strings.map(({ key, text, isPlural, file: name }, i) => ({
          key,
          source_value: text,
          is_plural: isPlural,
          file: name,
          notes: notes && toIncludedNotes(notes[i]),
        })),
        meta: toMeta(query, total),
      }));
    },
  }),
  hiveWrite({
    id: "importStrings",
    method: "POST",
    path,
    takesBranch: true,
    ability: "write",
    isRepeatable: true,
    group: "Source strings",
    summary: "Import source strings",
    description:
      "Creates and updates the strings in the request. Other strings stay as they are. New keys come last in their group, nested as in the request; below a key that has a text, they become dotted keys beside it. A new empty group is stored, too.",
    query: sourceImportQuery,
    body: withExample(sourceBody, sourceExample),
    response: withExample(orPreview(importResponse, "ImportResult"), {
      created: 2,
      updated: 1,
      unchanged: 0,
      translations_cleared: 0,
    }),
    errors: ["quota", "check-failed"],
    async handler(request) {
      const { result, ...changed } = await change(request, "import", request.query);
      return { ...changed, result: { ...result, deleted: undefined } };
    },
  }),
  hiveWrite({
    id: "syncStrings",
    method: "PUT",
    path,
    takesBranch: true,
    ability: "write",
    isRepeatable: true,
    group: "Source strings",
    summary: "Sync source strings",
    description:
      "Imports the strings in the request, and deletes other strings of the files in the request. Files that are not in the request stay as they are. The files take the order and the nesting of the request; a sync that changes only these makes a commit with zero counts.",
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
    async handler(request) {
      const { query, body } = request;
      const base = await toBase(query, body.base_files);
      const baseNotes = await readAppNotes(body.base_notes, "base_notes");
      if (baseNotes !== undefined && body.base_files === undefined)
        throw invalid("base_notes", "must be given beside base_files");
      return change(request, "sync", { ...query, base, baseNotes, detectMoves: query.detect_moves });
    },
  }),
];
