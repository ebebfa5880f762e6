/** Source strings: list, import, sync, move. */
import { z } from "zod";
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
import { withExample } from "../../api/operation.ts";
import { orPreview } from "../pipeline/preview.ts";
import type { Encodable } from "../../domain/json-codec.ts";
import { hiveGroup, type Answer, type HiveRoute, type WriteRequest } from "../pipeline/route.ts";
import { converted } from "../responses/respond.ts";
import { flag, toPage, toOffsetLimit, pageQuery } from "../../api/page.ts";
import { originField } from "../../api/content/commits.ts";
import { filesField, leavesSkippedField } from "../schemas/schemas.ts";
import { dryRunQuery, sourceWriteQuery } from "../../api/content/writes.ts";
import { leavesField } from "../schemas/write-preconditions.ts";
import { withoutNulls } from "../../domain/record.ts";
import {
  count,
  jsonObject,
  named,
  text,
  defaulting,
  pageOf,
  listOf,
  asRevision,
  queryParam,
  atField,
  once,
} from "../../api/objects.ts";
import { stringPlace, plannedMoves } from "../../api/content/commits.ts";
import { appNotesField, includedNotes, includeField, tagField } from "../../api/content/notes.ts";

const sourceImportQuery = sourceWriteQuery.extend({ leaves: leavesField });

const syncQuery = sourceImportQuery
  .extend({
    base: once.meta({
      ...asRevision,
      description:
        "The revision, as `?at=` takes it, on which the files of the request are based. Only their changes relative to it are applied. Strings that were added to the Hive since then stay; strings that both the request and the Hive have changed, differently, are a 409.",
      examples: ["v1.2"],
    }),
    base_ref: once.meta({
      minLength: 1,
      description:
        "The same, as a commit of the app: the base is the newest commit of the Hive that was made with this `X-Commit-Ref`.",
    }),
  })
  .extend({
    detect_moves: flag(
      "With `true` or `1`, a string that the sync would delete and a string that it would create are one string that moved, if both have the same text and no other such string has it. The moved string keeps its translations. If at least half of the strings of a file are unchanged in another file, the file was renamed: its keys are paired by name first. A move does not count as a deletion.",
    ),
  })
  .refine(({ base, base_ref: ref }) => base === undefined || ref === undefined, {
    path: ["base_ref"],
    message: "cannot be given beside base",
  });

const listQuery = pageQuery
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

// Bodies with defaults have no id: generators for TypeScript take members with defaults for required in every
// named schema, as if it described a response.
const sourceBody = jsonObject({
  files: filesField("SourceContent", "strings", "The content of each file, by file name."),
  notes: appNotesField,
  conflict_strategy: defaulting(
    z.enum(["keep", "clear"], "must be keep or clear"),
    "keep",
    "What to do with the translations of a source text that changes: keep them as stale translations, or remove them.",
  ),
}).meta({ required: ["files"] });

const syncBody = sourceBody
  .extend({
    base_files: filesField(
      "SourceContent",
      "strings",
      "The content that the files had before the changes of this request, for example in the version control of the app. It has the same effect as `?base=`, and cannot be given beside it.",
    ),
    base_notes: appNotesField.meta({
      description:
        "With `base_files`: what the app's files said about strings before the changes of this request.",
    }),
  })
  .meta({ required: ["files"] });

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

export const importResponse = z.object({
  created: count,
  updated: count,
  unchanged: count,
  translations_cleared: count.meta({
    description: "How many translations were removed because their source text changed.",
  }),
  leaves_skipped: leavesSkippedField,
});

export const syncResponse = importResponse.extend({ deleted: count });

/** The most moves in a request, each of a string, a group or a file. */
const maxMoves = 10_000;

const namedPlace = z.object(
  {
    file: text.meta({ description: "The name of a file of the Hive." }),
    key: text.nullish().meta({
      description:
        "A key, or the name of a group, which stands for all of its keys. Without a key in `from` and `to`, all keys of the file are moved.",
    }),
  },
  "must be an object with file and key",
);

const namedMove = z.object({ from: namedPlace, to: namedPlace }, "must be an object with from and to");

const movesBody = jsonObject({
  moves: listOf(namedMove, { message: "must be a list of moves", max: maxMoves }).meta({
    description: "The moves. All are made at once, so that strings may change places.",
  }),
});

const movesResponse = z.object({
  moved: count.meta({ description: "Source strings that were moved." }),
  translations_moved: count.meta({ description: "Translations that were moved with them." }),
  translations_deleted: count.meta({
    description:
      "Translations that were deleted: of plural forms that only they have, and whose plural string was torn apart.",
  }),
  moves: plannedMoves,
});

/** The response to a sync, with the moves that it detected. */
export const syncWithMovesResponse = syncResponse.extend({
  moved: count.optional().meta({
    description:
      "With `detect_moves=true`: source strings that were moved. One whose text has changed too is also in `updated`; others are in no other count.",
  }),
  ambiguous: count.optional().meta({
    description:
      "With `detect_moves=true`: source texts of which strings have gone and come, and more than one of either. These strings are not moved.",
  }),
  ambiguous_moves: z
    .array(
      named("AmbiguousMove", {
        source_value: z.string(),
        from: z.array(stringPlace).meta({ description: "The first 20 that have gone." }),
        to: z.array(stringPlace).meta({ description: "The first 20 that have come." }),
      }),
    )
    .optional()
    .meta({ description: "With a token that can read: the first 100 of these texts, if there are any." }),
  moves: plannedMoves,
});

export type SyncWithMovesResponse = z.infer<typeof syncWithMovesResponse>;

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
        toPage(strings, query, ({ text: sourceValue, ...string }, i) => ({
          ...string,
          sourceValue,
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
