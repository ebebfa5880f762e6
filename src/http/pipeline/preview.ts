/** The members that a dry run adds to a response: the changes that it planned. */
import { shownCodes } from "../../domain/hives/hive-settings.ts";
import { z } from "zod";
import { unknownReasons } from "../../domain/plans/unknown-keys.ts";
import type { CommitResult, Preview } from "../../service/access.ts";
import { findingMembers } from "../../api/content/findings.ts";
import type { Encodable } from "../../domain/json-codec.ts";
import { count, named, nullableText, textAddress, commitName } from "../../api/objects.ts";

/** How many changes are listed; all are counted. */
const maxListed = 1_000;

const text = nullableText.meta({ description: "`null` if there is no text." });

const plannedChange = named("PlannedChange", {
  change: z.enum(["created", "updated", "deleted", "cleared", "unknown", "skipped"]).meta({
    description:
      "What would happen to the text. Only in translation imports: `unknown`, where no source string has the key (`file` is then the name as sent), and `skipped`, where the translation stays as it is.",
  }),
  ...textAddress,
  before: text,
  after: text,
});
type PlannedChange = z.infer<typeof plannedChange>;

const previewMembers = z
  .object({
    commit: commitName.meta({ description: "Of a dry run: the commit that the changes were planned on." }),
    changes: z.array(plannedChange).meta({
      description:
        "Of a dry run with a token that can read: the first 1,000 changes, key by key; then, of a translation import, unknown keys and skipped keys.",
    }),
    changes_total: count.meta({ description: "Of a dry run: the number of texts that would change." }),
    warnings: z
      .array(z.string())
      .meta({ description: "Of a dry run: unknown members of the body, which were ignored." }),
  })
  .partial().shape;

const unknownKey = named("UnknownKey", {
  file: z.string().meta({ description: "The file name as it was sent." }),
  key: z.string(),
  reason: z.enum(unknownReasons).meta({
    description:
      "`no-file`: no file of the Hive matches the name. `no-key`: no source string has the key. `group-in-source`: a text was sent where the source has a group (an object or a list). `text-in-source`: a group was sent where the source has a text.",
  }),
});
const unknownKeys = z
  .array(unknownKey)
  .meta({ description: "Of a dry run with a token that can read: the first 1,000 unknown keys." })
  .optional();

/** The schema of a write's response, which has more members for a dry run. */
export function orPreview<Shape extends z.ZodRawShape>(response: z.ZodObject<Shape>, id: string) {
  return response.extend({ ...findingMembers, ...previewMembers }).meta({ id });
}

/** The schema of a translation import's response, which has more members for a dry run. */
export function orTranslationPreview<Shape extends z.ZodRawShape>(response: z.ZodObject<Shape>) {
  return orPreview(response.extend({ unknown_keys: unknownKeys }), "TranslationImportResult");
}

/**
 * The members that a dry run adds to a response, and findings of checks.
 * @param canRead whether the caller may read; changes contain stored texts, so other callers do not get them.
 * @param warnings see {@link ignoredMembers}.
 */
export function previewOf(
  { commit, preview, findings }: Partial<CommitResult<unknown>>,
  canRead: boolean,
  warnings: readonly string[],
): object {
  return {
    ...(findings && { findings: findings.listed, findingsTotal: findings.total }),
    ...(preview && {
      commit,
      changes: canRead ? listChanges(preview) : undefined,
      changesTotal: preview.changes.length,
      warnings: warnings.length > 0 ? warnings : undefined,
      moves: canRead ? preview.moves?.slice(0, maxListed) : undefined,
      unknownKeys: canRead ? preview.rejectedKeys?.unknown : undefined,
    }),
  };
}

function listChanges({ changes, rejectedKeys, settings }: Preview): readonly Encodable<PlannedChange>[] {
  const shown = shownCodes(settings);
  const listed: Encodable<PlannedChange>[] = changes
    .slice(0, maxListed)
    .map((change) => Object.assign({}, change, { locale: shown(change.locale) }));
  if (rejectedKeys === undefined) return listed;
  const locale = shown(rejectedKeys.locale);
  for (const { file, key } of rejectedKeys.unknown) {
    listed.push({ change: "unknown", locale, file, key });
  }
  for (const { file, key, text: stays } of rejectedKeys.skipped) {
    listed.push({ change: "skipped", locale, file, key, before: stays, after: stays });
  }
  return listed.slice(0, maxListed);
}
