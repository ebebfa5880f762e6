/**
 * Schemas of the responses that the client reads. They detect responses that are not from Skep, such as a proxy's login
 * page. Tests compare these schemas with the schemas of the server.
 */
import { isRecord } from "../../domain/record.ts";
import { z } from "zod";
import type { Texts } from "../../domain/strings/string-file.ts";
import { lengthUnits } from "../../domain/checks/length.ts";
import { formatNames } from "../../domain/files/file-formats.ts";
import type { StringNotes } from "../../domain/notes/note.ts";
import { finding } from "../../api/content/findings.ts";
import { asRead } from "./as-read.ts";

const count = z.number();
const text = z.string();

/** The formats that a Hive knows of files. What a later server says is not understood, and left alone. */
export const hiveFormats = z.object({
  checks: z.object({
    formats: z
      .array(z.object({ files: text, format: z.enum(formatNames) }))
      .optional()
      .catch(undefined),
  }),
});

export const hiveLocales = z.object({
  data: z.array(
    z.object({ code: text, custom_code: text.nullable(), is_source: z.boolean(), inherits: text.nullish() }),
  ),
});

/** Texts by names. It is no z.record, because that one drops the name `__proto__`, which a key may have. */
export const flatTexts = z.unknown().transform((value, context): Texts => {
  const texts = new Map<string, string>();
  const named = isRecord(value) ? value : { "": undefined };
  // Not by the entries: there are hundreds of thousands, and each would be an array.
  for (const name of Object.keys(named)) {
    const own = named[name];
    if (typeof own === "string") texts.set(name, own);
    else context.addIssue("is no object of texts");
  }
  return texts;
});

export const exported = z.object({
  files: flatTexts,
  left_out: z.array(z.object({ locale: text, percent: z.number() })).optional(),
});

const localeStats = z.object({
  translated: count,
  warning: count,
  empty: count,
  inherited: count.default(0),
  failing: count,
  total: count,
});

/** How far each target locale is translated, by its code. */
export const hiveProgress = z.object({ locales: z.record(text, localeStats) });
export type LocaleStats = z.output<typeof localeStats>;

export const hiveFinding = asRead(finding);
export type HiveFinding = z.output<typeof hiveFinding>;

/** Of a note only what is shown has to be right; a newer server may say more. */
const argument = z.object({
  type: text.optional(),
  example: text.optional(),
  description: text.optional(),
});
const note = z.object({
  note: text.optional(),
  ask: text.optional(),
  max_length: z.number().optional(),
  max_length_unit: z.enum(lengthUnits).optional(),
  tags: z.array(text).optional(),
  where: z.array(text).optional(),
  keep: z.literal(true).optional(),
  machine: z.literal(false).optional(),
  arguments: z.record(text, argument).optional(),
});
const stringNotes = z.object({ app: note.nullable(), team: note.nullable() });

/** Notes without the part that is missing. */
export function toStringNotes({ app, team }: z.output<typeof stringNotes>): StringNotes {
  return { ...(app && { app }), ...(team && { team }) };
}

/** A string with notes, as the list of them has it. */
export const notedString = z.looseObject({ ...stringNotes.shape, file: text, key: text });
export type NotedString = z.output<typeof notedString>;

export const notePage = z.object({ data: z.array(stringNotes) });

export const untranslatedText = z.object({
  file: text,
  key: text,
  source_value: text,
  state: z.enum(["missing", "stale", "kept"]),
  translation: text.nullable(),
  old_source_value: text.nullable(),
  notes: stringNotes.nullish(),
});
export type UntranslatedText = z.output<typeof untranslatedText>;

/** What checks find in texts that a write adds or changes. */
const findings = { findings: z.array(hiveFinding).optional(), findings_total: count.optional() };

/** The members of a dry run's response. */
const preview = { warnings: z.array(text).optional() };

const place = z.object({ file: text, key: text });
export type StringAddress = z.output<typeof place>;
const move = z.object({ from: place, to: place });
export type StringMove = z.output<typeof move>;
const moves = z.array(move).optional();

export const movesResult = z.object({
  moved: count,
  translations_moved: count,
  translations_deleted: count,
  moves,
  ...preview,
});
export type MovesResult = z.output<typeof movesResult>;

export const importResult = z.object({ created: count, updated: count, unchanged: count, ...preview });
export type ImportResult = z.output<typeof importResult>;

export const syncResult = importResult.extend({
  deleted: count,
  translations_cleared: count,
  moved: count.optional(),
  ambiguous: count.optional(),
  moves,
  ambiguous_moves: z
    .array(z.object({ source_value: text, from: z.array(place), to: z.array(place) }))
    .optional(),
  ...findings,
});
export type SyncResult = z.output<typeof syncResult>;

export const translationsResult = z.object({
  created: count,
  updated: count,
  skipped: count,
  unknown: count,
  ...findings,
  ...preview,
  unknown_keys: z.array(z.object({ file: text, key: text, reason: text })).optional(),
});
export type TranslationsResult = z.output<typeof translationsResult>;

const conflictingKey = z.object({
  locale: text,
  file: text,
  key: text,
  /** Of a merge, where the token can read: the texts of main and of the branch; null where there is none. */
  main: text.nullish(),
  branch: text.nullish(),
  /** Of a merge: the kind of conflict, and the key or file that is in the way. */
  reason: text.optional(),
  in_the_way: text.optional(),
});
export type ConflictingKey = z.output<typeof conflictingKey>;

/** The body of an error. Invalid members are ignored, since the request has failed in any case. */
export const errorBody = z.object({
  message: text,
  code: text.optional().catch(undefined),
  details: text.optional().catch(undefined),
  commit: text.optional().catch(undefined),
  conflicts: z.array(conflictingKey).optional().catch(undefined),
  total: count.optional().catch(undefined),
});
