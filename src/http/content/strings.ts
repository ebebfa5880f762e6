/** What the operations of source strings do. */
import type { z } from "zod";
import { strings, type sourceBody, type syncQuery } from "../../api/content/strings.ts";
import { toOffsetLimit, toPage } from "../../api/page.ts";
import { toRevision } from "../../domain/commits/revision.ts";
import { invalid } from "../../domain/errors.ts";
import { toNotes, type ByKey } from "../../domain/notes/note-files.ts";
import { appNoteSchema } from "../../domain/notes/note-schema.ts";
import type { AppNote } from "../../domain/notes/note.ts";
import { withoutNulls } from "../../domain/record.ts";
import type { SourceFiles } from "../../domain/strings/hive-content.ts";
import { skipNonTextValues } from "../../domain/strings/non-text-values.ts";
import { toSourceFiles } from "../../domain/strings/payload.ts";
import {
  importSource,
  moveStrings,
  type SourceImportResult,
  type SyncBase,
} from "../../service/content/imports.ts";
import { listKeys } from "../../service/content/overviews.ts";
import { listStrings } from "../../service/content/queries.ts";
import { implementOnHive, type HiveOperationRequest } from "../operations/implement.ts";
import { joinObject, listPieces } from "../responses/json-bytes.ts";
import { converted, toJson } from "../responses/respond.ts";

type SyncParams = z.output<typeof syncQuery>;

interface SourceOptions extends Pick<SyncParams, "leaves"> {
  readonly base?: SyncBase | undefined;
  readonly baseNotes?: ByKey<AppNote>;
  readonly detectMoves?: boolean;
}

async function change(
  { storage, branch, canRead, context, body }: HiveOperationRequest<unknown, z.output<typeof sourceBody>>,
  mode: "import" | "sync",
  { leaves, base, baseNotes, detectMoves = false }: SourceOptions,
) {
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
  const listed = ambiguousMoves.slice(0, maxAmbiguous).map(({ text: sourceValue, from, to }) => ({
    sourceValue,
    from: from.slice(0, maxPlaces),
    to: to.slice(0, maxPlaces),
  }));
  return canRead && listed.length > 0 ? listed : undefined;
}

async function readAppNotes(notes: unknown, member: string): Promise<ByKey<AppNote> | undefined> {
  return notes === undefined ? undefined : toNotes(notes, member, appNoteSchema);
}

async function readFiles(
  content: unknown,
  leaves: "skip" | undefined,
): Promise<{ readonly files: SourceFiles; readonly skipped: number | undefined }> {
  const left: { files: unknown; skipped?: number } =
    leaves === "skip" ? await skipNonTextValues(content, "source") : { files: content };
  return { files: await toSourceFiles(left.files), skipped: left.skipped };
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

export const stringOperations = implementOnHive(
  strings,
  {
    listStrings: async ({ storage, branch, query, signal }) => {
      const { file, tag: tags, include, at, origin: kind, locale } = query;
      const origin = kind === undefined || locale === undefined ? undefined : { kind, locale };
      const withNotes = include !== undefined;
      const list = { ...toOffsetLimit(query), file, tags, origin, withNotes, at, signal };
      const page = await listStrings(storage, branch, list);
      return converted(page, ({ notes, ...found }) =>
        toPage(found, query, ({ text: sourceValue, ...string }, i) => ({
          ...string,
          sourceValue,
          notes: notes && (notes[i] ?? null),
        })),
      );
    },
    importStrings: (request) => change(request, "import", request.query),
    syncStrings: async (request) => {
      const { query, body } = request;
      const base = await toBase(query, body.base_files);
      const baseNotes = await readAppNotes(body.base_notes, "base_notes");
      if (baseNotes !== undefined && body.base_files === undefined)
        throw invalid("base_notes", "must be given beside base_files");
      return change(request, "sync", { ...query, base, baseNotes, detectMoves: query.detect_moves });
    },
    moveStrings: ({ storage, branch, body, context }) => {
      const moves = body.moves.map(({ from, to }) => ({ from: withoutNulls(from), to: withoutNulls(to) }));
      return moveStrings(storage, branch, moves, context);
    },
    listKeys: async ({ storage, branch }) =>
      converted(await listKeys(storage, branch), async (all) => {
        const keys = await listPieces(all, ({ key, file }) => ({ key, file: file ?? null }));
        return joinObject({ total: [toJson(all.length)], keys });
      }),
  },
  { listStrings: { isSlow: ({ at, origin }) => at !== undefined || origin !== undefined } },
);
