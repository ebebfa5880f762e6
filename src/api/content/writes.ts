/** What writes that change texts take. */
import { z } from "zod";
import { deletionLimit } from "../management.ts";
import { count } from "../objects.ts";
import { dryRunParam } from "../page.ts";

const checksMode = z.enum(["warn"], "must be warn, and given once").optional().meta({
  description:
    "With `warn`, texts in which checks find errors are let through where the Hive refuses them; the commit notes it.",
});

export const dryRunQuery = dryRunParam.extend({ checks: checksMode });

export const sourceWriteQuery = dryRunQuery.extend({ max_deletions: deletionLimit });

/** What becomes of values that are no texts. */
export const leavesField = z.enum(["skip"], "must be skip, and given once").optional().meta({
  description:
    "With `skip`, values that are not texts (numbers, booleans, `null`) are left out and counted as `leaves_skipped`, and so are groups that contain nothing else. In a source list, an empty text takes the place of a value before the last text. Without `skip`, such values are errors; in translations `null` is always an empty text.",
});

/**
 * Files by name, whose content the domain checks: it names the invalid key. The document describes only the outermost
 * value of their content, because client generators fail on recursive schemas. PHP sends `[]` for an empty object.
 */
export function filesField(id: string, leaves: string, description: string) {
  const content = z.union([z.record(z.string(), z.unknown()), z.array(z.unknown())]).meta({
    id,
    description: `Texts by key: ${leaves}, in objects and lists nested to any depth up to 32. An empty list counts as an empty object. Numbers, booleans and other values are refused, unless \`leaves=skip\` leaves them out.`,
  });
  const shown = z.union([z.record(z.string(), content), z.array(z.unknown()).max(0)]);
  return z
    .unknown()
    .optional()
    .meta({ ...z.toJSONSchema(shown), description });
}

export const leavesSkippedField = count.optional().meta({
  description: "With `leaves=skip`: how many values were left out because they are not texts.",
});
