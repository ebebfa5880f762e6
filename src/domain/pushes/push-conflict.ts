/** The error for a push that changes keys which others have changed meanwhile. */
import { SkepError, type Issue } from "../errors.ts";
import { shownCodes, type HiveSettings } from "../hives/hive-settings.ts";
import { excerpt } from "../text.ts";
import type { MergeConflict } from "../plans/merge-source.ts";

const maxListed = 20;

/**
 * The error for a push that changes keys which others have changed meanwhile, with both texts of each.
 * @param conflicts at least one.
 */
export function pushConflict(conflicts: readonly MergeConflict[], settings: HiveSettings): SkepError {
  const codeShown = shownCodes(settings);
  const issues = conflicts.slice(0, maxListed).map(({ locale, file, key, member, ...conflict }): Issue => {
    const { ours, theirs, inTheWay } = conflict;
    const field = [codeShown(locale), file, excerpt(key), ...(member === undefined ? [] : [member])].join(
      ": ",
    );
    const texts = `is ${shown(ours)} here by now, and ${shown(theirs)} in the push`;
    return {
      field,
      message: `${field}: ${inTheWay === undefined ? texts : `cannot stand beside ${excerpt(inTheWay)}`}`,
    };
  });
  const message =
    "This push changes what others have changed meanwhile: run git pull, settle it, and push again.";
  return new SkepError("invalid", message, { issues, total: conflicts.length });
}

function shown(text: string | undefined): string {
  return text === undefined ? "not there" : `"${excerpt(text)}"`;
}
