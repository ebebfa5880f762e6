/**
 * Schemas of the responses that the client reads. They detect responses that are not from Skep, such as a proxy's login
 * page. Tests compare these schemas with the schemas of the server.
 */
import { isRecord } from "../../domain/record.ts";
import { z } from "zod";
import type { Texts } from "../../domain/strings/string-file.ts";
import { formatNames } from "../../domain/files/file-formats.ts";
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

/** A string, in an answer. */
export interface StringAddress {
  readonly file: string;
  readonly key: string;
}

export interface StringMove {
  readonly from: StringAddress;
  readonly to: StringAddress;
}

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
