/** What the answer of a dry run says besides its counts. */
import { z } from "zod";
import { localesOf } from "../domain/hive-settings.ts";
import { codeOf } from "../domain/locale.ts";
import type { Changed } from "../service/imports.ts";
import { count } from "./schemas.ts";

/** Changes that are listed; all are counted. */
const maxListed = 1_000;

const text = z.string().nullable().meta({ description: "`null` where there is no text." });

const previewResponse = z.object({
  commit: z.string().meta({ description: "Of a dry run: the commit that it was planned on." }),
  changes: z
    .array(
      z.object({
        change: z.enum(["created", "updated", "deleted", "cleared"]),
        locale: z.string(),
        file: z.string(),
        key: z.string(),
        before: text,
        after: text,
      }),
    )
    .meta({ description: "Of a dry run: what would change, key by key; the first 1,000." }),
  changes_total: count.meta({ description: "Of a dry run: how many changes there would be." }),
});
type PreviewResponse = z.infer<typeof previewResponse>;

/** An answer of a write that has more members where it is a dry run. */
export function orPreview<Shape extends z.ZodRawShape>(answer: z.ZodObject<Shape>) {
  return answer.extend(previewResponse.partial().shape);
}

/** The members that a dry run adds to an answer; none where the change was made. */
export function previewOf({ commit, preview }: Changed<unknown>): PreviewResponse | undefined {
  if (preview === undefined) return undefined;
  const codes = new Map(localesOf(preview.settings).map((locale) => [locale.code, codeOf(locale)]));
  return {
    commit,
    changes: preview.changes.slice(0, maxListed).map(({ change, locale, file, key, before, after }) => ({
      change,
      locale: codes.get(locale) ?? locale,
      file,
      key,
      before: before ?? null,
      after: after ?? null,
    })),
    changes_total: preview.changes.length,
  };
}
