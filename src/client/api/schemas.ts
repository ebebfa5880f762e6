/**
 * Schemas of the responses that the client reads. They detect responses that are not from Skep, such as a proxy's login
 * page. Tests compare these schemas with the schemas of the server.
 */
import { z } from "zod";
import type { Texts } from "../../domain/strings/string-file.ts";
import { lengthUnits } from "../../domain/checks/length.ts";
import type { StringNotes } from "../../domain/notes/note.ts";
import { checkNames, severities } from "../../domain/checks/message.ts";

const count = z.number();

export const hiveLocales = z.object({
  data: z.array(z.object({ code: z.string(), custom_code: z.string().nullable(), is_source: z.boolean() })),
});

/** Texts by names. It is no z.record, because that one drops the name `__proto__`, which a key may have. */
export const flatTexts = z.unknown().transform((value, context): Texts => {
  const texts = new Map<string, string>();
  const named = isObject(value) ? value : { "": undefined };
  // Not by the entries: there are hundreds of thousands, and each would be an array.
  for (const name of Object.keys(named)) {
    const text = named[name];
    if (typeof text === "string") texts.set(name, text);
    else context.addIssue("is no object of texts");
  }
  return texts;
});

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export const exported = z.object({ files: flatTexts });

const localeStats = z.object({
  translated: count,
  warning: count,
  empty: count,
  failing: count,
  total: count,
});

/** How far each target locale is translated, by its code. */
export const hiveProgress = z.object({ locales: z.record(z.string(), localeStats) });
export type LocaleStats = z.output<typeof localeStats>;

const finding = z.object({
  locale: z.string(),
  file: z.string(),
  key: z.string(),
  form: z.string().optional(),
  check: z.enum(checkNames),
  severity: z.enum(severities),
  message: z.string(),
  found: z.string().optional(),
  expected: z.string().optional(),
});
export type HiveFinding = z.output<typeof finding>;

export const findingPage = z.object({ data: z.array(finding), meta: z.object({ last_page: count }) });

/** Of a note only what is shown has to be right; a newer server may say more. */
const argument = z.object({
  type: z.string().optional(),
  example: z.string().optional(),
  description: z.string().optional(),
});
const note = z.object({
  note: z.string().optional(),
  ask: z.string().optional(),
  max_length: z.number().optional(),
  max_length_unit: z.enum(lengthUnits).optional(),
  tags: z.array(z.string()).optional(),
  where: z.array(z.string()).optional(),
  keep: z.literal(true).optional(),
  arguments: z.record(z.string(), argument).optional(),
});
const stringNotes = z.object({ app: note.nullable(), team: note.nullable() });

/** Notes without the part that is missing. */
export function toStringNotes({ app, team }: z.output<typeof stringNotes>): StringNotes {
  return { ...(app && { app }), ...(team && { team }) };
}

export const notePage = z.object({ data: z.array(stringNotes) });
export const noteCounts = z.object({ unchanged: count, unknown: count });

const untranslatedText = z.object({
  file: z.string(),
  key: z.string(),
  source_value: z.string(),
  state: z.enum(["missing", "stale", "kept"]),
  translation: z.string().nullable(),
  old_source_value: z.string().nullable(),
  notes: stringNotes.nullish(),
});
export type UntranslatedText = z.output<typeof untranslatedText>;

export const untranslatedPage = z.object({
  data: z.array(untranslatedText),
  meta: z.object({ last_page: count }),
});

/** What checks find in texts that a write adds or changes. */
const findings = { findings: z.array(finding).optional(), findings_total: count.optional() };

/** The result of accepting a finding. */
export const acceptanceResult = z.object({ accepted: count, unknown: count });

/** The members of a dry run's response. */
const preview = { warnings: z.array(z.string()).optional() };

const place = z.object({ file: z.string(), key: z.string() });
const moves = z.array(z.object({ from: place, to: place })).optional();

export const movesResult = z.object({
  moved: count,
  translations_moved: count,
  translations_deleted: count,
  moves,
  ...preview,
});
export type MovesResult = z.output<typeof movesResult>;

export const syncResult = z.object({
  created: count,
  updated: count,
  unchanged: count,
  deleted: count,
  translations_cleared: count,
  moved: count.optional(),
  ambiguous: count.optional(),
  moves,
  ambiguous_moves: z
    .array(z.object({ source_value: z.string(), from: z.array(place), to: z.array(place) }))
    .optional(),
  ...findings,
  ...preview,
});
export type SyncResult = z.output<typeof syncResult>;

export const translationsResult = z.object({
  created: count,
  updated: count,
  skipped: count,
  unknown: count,
  ...findings,
  ...preview,
  unknown_keys: z.array(z.object({ file: z.string(), key: z.string(), reason: z.string() })).optional(),
});
export type TranslationsResult = z.output<typeof translationsResult>;

/** A branch of a Hive. */
export const branchResponse = z.object({ name: z.string(), commit: z.string() });

/** A page of the history, newest first, with the commits of the app that its commits were made for. */
export const historyPage = z.object({
  data: z.array(z.object({ ref: z.string().nullable() })),
  meta: z.object({ last_page: count }),
});

/** The body of an error. Invalid members are ignored, since the request has failed in any case. */
export const errorBody = z.object({
  message: z.string(),
  code: z.string().optional().catch(undefined),
  details: z.string().optional().catch(undefined),
  commit: z.string().optional().catch(undefined),
  conflicts: z
    .array(
      z.object({
        locale: z.string(),
        file: z.string(),
        key: z.string(),
        reason: z.string().optional(),
        main: z.string().nullish(),
        branch: z.string().nullish(),
        in_the_way: z.string().optional(),
      }),
    )
    .optional()
    .catch(undefined),
  total: count.optional().catch(undefined),
});
