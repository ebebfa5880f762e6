/** Source strings: list, import, sync, move. */
import type { z } from "zod";
import { invalid } from "../../domain/errors.ts";
import type { SourceFiles } from "../../domain/strings/hive-content.ts";
import { toRevision } from "../../domain/commits/revision.ts";
import { toNotes, type ByKey } from "../../domain/notes/note-files.ts";
import { appNoteSchema } from "../../domain/notes/note-schema.ts";
import type { AppNote } from "../../domain/notes/note.ts";
import { skipNonTextValues } from "../../domain/strings/non-text-values.ts";
import { toSourceFiles } from "../../domain/strings/payload.ts";
import {
  importSource,
  type SourceImportResult,
  type SyncBase,
  moveStrings,
} from "../../service/content/imports.ts";
import { listStrings } from "../../service/content/queries.ts";
import { inSlices } from "../../slices.ts";
import { withExample } from "../openapi/route-docs.ts";
import { orPreview } from "../pipeline/preview.ts";
import type { Encodable } from "../schemas/encode.ts";
import { hiveGroup, type Answer, type HiveRoute, type WriteRequest } from "../pipeline/route.ts";
import { converted } from "../responses/respond.ts";
import { toPage, toOffsetLimit } from "../schemas/page.ts";
import { importResponse, listQuery, listResponse, sourceBody, syncBody } from "../schemas/schemas.ts";
import {
  syncWithMovesResponse,
  type SyncWithMovesResponse,
  movesBody,
  movesResponse,
} from "../schemas/move-schemas.ts";
import { sourceImportQuery, syncQuery, dryRunQuery } from "../schemas/write-preconditions.ts";
import { withoutNulls } from "../../domain/record.ts";

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
): Promise<Answer<Encodable<SyncWithMovesResponse>>> {
  const { files, skipped: leavesSkipped } = await readFiles(body.files, leaves);
  const conflictStrategy = body.conflict_strategy;
  const notes = await readAppNotes(body.notes, "notes");
  const source = { files, mode, conflictStrategy, leavesSkipped, detectMoves, base, notes, baseNotes };
  const changed = await importSource(storage, branch, source, context);
  return { ...changed, result: { ...changed.result, ambiguousMoves: toListed(changed.result, canRead) } };
}

/** How many texts of ambiguous moves are listed, and how many strings of each. */
const maxAmbiguous = 100;
const maxPlaces = 20;

function toListed({ ambiguousMoves = [] }: SourceImportResult, canRead: boolean) {
  const listed = ambiguousMoves.slice(0, maxAmbiguous).map(({ text, from, to }) => ({
    sourceValue: text,
    from: from.slice(0, maxPlaces),
    to: to.slice(0, maxPlaces),
  }));
  return canRead && listed.length > 0 ? listed : undefined;
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

const { hiveRead, hiveWrite } = hiveGroup("Source strings", "write", { takesBranch: true });

export const stringRoutes: readonly HiveRoute[] = [
  hiveRead("listStrings", path, {
    isSlow: ({ at, origin }) => at !== undefined || origin !== undefined,
    summary: "List source strings",
    description: "Files are sorted by name; keys are in the order of their file.",
    query: listQuery,
    response: listResponse,
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
      return converted(page, ({ notes, ...strings }) =>
        toPage(strings, query, ({ text, ...string }, i) => ({
          ...string,
          sourceValue: text,
          notes: notes && (notes[i] ?? null),
        })),
      );
    },
  }),
  hiveWrite("importStrings", "POST", path, {
    isRepeatable: true,
    summary: "Import source strings",
    description:
      "Creates and updates the strings in the request. Other strings stay as they are. New keys come last in their group, nested as in the request; below a key that has a text, they become dotted keys beside it. A new empty group is stored, too.",
    query: sourceImportQuery,
    body: withExample(sourceBody, sourceExample),
    response: orPreview(importResponse, "ImportResult"),
    errors: ["quota", "check-failed"],
    handler: (request) => change(request, "import", request.query),
  }),
  hiveWrite("syncStrings", "PUT", path, {
    isRepeatable: true,
    summary: "Sync source strings",
    description:
      "Imports the strings in the request, and deletes other strings of the files in the request. Files that are not in the request stay as they are. The files take the order and the nesting of the request; a sync that changes only these makes a commit with zero counts.",
    query: syncQuery,
    body: withExample(syncBody, sourceExample),
    response: orPreview(syncWithMovesResponse, "SyncResult"),
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
  hiveWrite("moveStrings", "POST", "/api/hives/:slug/keys/move", {
    isRepeatable: true,
    summary: "Move source strings",
    description:
      "Gives source strings another key or another file, with their translations and their history. A string that stays in its group keeps its position; in another group or file it comes last. Plural forms that only translations have move with the form `other`; they are deleted if the moves separate the forms of their plural string.",
    query: dryRunQuery,
    body: withExample(movesBody, {
      moves: [
        { from: { file: "auth.php", key: "failed" }, to: { file: "auth.php", key: "login.failed" } },
        { from: { file: "menu.php" }, to: { file: "admin/menu.php" } },
      ],
    }),
    response: orPreview(movesResponse, "MoveResult"),
    errors: ["check-failed"],
    async handler({ storage, branch, body, context }) {
      const moves = body.moves.map(({ from, to }) => ({ from: withoutNulls(from), to: withoutNulls(to) }));
      return moveStrings(storage, branch, moves, context);
    },
  }),
];
