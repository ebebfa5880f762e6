/** Source strings: list, import, sync and move them. */
import { z } from "zod";
import {
  asRevision,
  atField,
  count,
  defaulting,
  jsonObject,
  listOf,
  named,
  nullableText,
  once,
  queryParam,
  text,
} from "../objects.ts";
import { operations } from "../operation.ts";
import { flag, pageQuery } from "../page.ts";
import { originField, plannedMoves, stringPlace } from "./commits.ts";
import { appNotesField, includedNotes, includeField, tagField } from "./notes.ts";
import { dryRunQuery, filesField, leavesField, leavesSkippedField, sourceWriteQuery } from "./writes.ts";

const importQuery = sourceWriteQuery.extend({ leaves: leavesField });

/** The parameters of a sync. */
export const syncQuery = importQuery
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
        "The same, as a commit of the app: the base is the newest import or sync that was made with this `X-Commit-Ref`. If the Hive still differed from its files after it, it is not known what the app had then: a 422.",
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
/** What an import brings. */
export const sourceBody = jsonObject({
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

const importResult = named("ImportResult", {
  created: count,
  updated: count,
  unchanged: count,
  translations_cleared: count.meta({
    description: "How many translations were removed because their source text changed.",
  }),
  leaves_skipped: leavesSkippedField,
});

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

const moveResult = named("MoveResult", {
  moved: count.meta({ description: "Source strings that were moved." }),
  translations_moved: count.meta({ description: "Translations that were moved with them." }),
  translations_deleted: count.meta({
    description:
      "Translations that were deleted: of plural forms that only they have, and whose plural string was torn apart.",
  }),
  moves: plannedMoves,
});

/** With the moves that a sync detected. */
const syncResult = named("SyncResult", {
  ...importResult.shape,
  deleted: count,
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

const keyList = named("SourceKeyList", {
  total: count,
  keys: z.array(
    named("SourceKey", {
      key: z.string(),
      file: nullableText.meta({
        description: "The name of its file; `null` for the file that is named after the source locale.",
      }),
    }),
  ),
});

const sourceExample = {
  files: {
    "auth.php": { failed: "Wrong password.", nav: { home: "Home" }, tries: "{count} try|{count} tries" },
  },
  notes: { "auth.php": { failed: { note: "Shown above the form.", where: ["src/login.ts:12"] } } },
  conflict_strategy: "keep" as const,
};

const path = "/api/hives/:slug/strings";
const writing = { hasDryRun: true, isRepeatable: true, takesBranch: true } as const;

export const strings = operations(
  {
    noun: "string",
    about: "List, import, sync and move source strings of the Hive.",
    path,
    key: "key",
    names: "key",
    entity: sourceString,
    label: "source_value",
    group: "Source strings",
    ability: "read",
    hasCommit: true,
    columns: ["file", "key", "source_value"],
  },
  (op) => ({
    listStrings: {
      ...op.list({
        summary: "List source strings",
        description: "Files are sorted by name; keys are in the order of their file.",
        takesBranch: true,
      }),
      query: listQuery,
    },
    importStrings: op.changeAll("import", "POST", {
      ...writing,
      summary: "Import source strings",
      description:
        "Creates and updates the strings in the request. Other strings stay as they are. New keys come last in their group, nested as in the request; below a key that has a text, they become dotted keys beside it. A new empty group is stored, too.",
      query: importQuery,
      body: sourceBody,
      example: sourceExample,
      response: importResult,
      errors: ["quota", "check-failed"],
    }),
    syncStrings: op.changeAll("sync", "PUT", {
      ...writing,
      summary: "Sync source strings",
      description:
        "Imports the strings in the request, and deletes other strings of the files in the request. Files that are not in the request stay as they are. The files take the order and the nesting of the request; a sync that changes only these makes a commit with zero counts.",
      query: syncQuery,
      body: syncBody,
      example: sourceExample,
      response: syncResult,
      errors: ["quota", "text-conflict", "check-failed"],
    }),
    moveStrings: op.actAt("move", "/api/hives/:slug/keys/move", {
      ...writing,
      summary: "Move source strings",
      description:
        "Gives source strings another key or another file, with their translations and their history. A string that stays in its group keeps its position; in another group or file it comes last. Plural forms that only translations have move with the form `other`; they are deleted if the moves separate the forms of their plural string.",
      query: dryRunQuery,
      body: movesBody,
      example: {
        moves: [
          { from: { file: "auth.php", key: "failed" }, to: { file: "auth.php", key: "login.failed" } },
          { from: { file: "menu.php" }, to: { file: "admin/menu.php" } },
        ],
      },
      response: moveResult,
      errors: ["check-failed"],
    }),
    listKeys: op.viewAt("keys", "/api/hives/:slug/keys", {
      summary: "List the keys of all source strings",
      response: keyList,
      group: "Hives",
      takesBranch: true,
    }),
  }),
);
