/** Plans what an accepted push changes in a Hive: the difference that its commits make, merged key by key. */
import { SkepError, type Issue } from "../errors.ts";
import { shownCodes, type HiveSettings } from "../hives/hive-settings.ts";
import { diffContent } from "../strings/content-diff.ts";
import type { FileWrite, HiveContent } from "../strings/hive-content.ts";
import { updateStaleMarkers, type StaleMarkers } from "../strings/stale.ts";
import type { Steps } from "../steps.ts";
import { excerpt } from "../text.ts";
import type { MergeConflict } from "../plans/merge-source.ts";
import type { MarkedContent } from "../plans/merge-translations.ts";

/**
 * The stale markers that the content of a push would have if it had come as an import: those of its base, brought up to
 * date. A push cannot change the stored ones.
 * @param base where the branch was when the push was made.
 */
export function* pushedMarkers(
  { content, markers }: MarkedContent,
  pushed: HiveContent,
): Steps<StaleMarkers> {
  const locale = content.settings.sourceLocale.code;
  const changes = yield* diffContent(content, pushed);
  const files = [...new Set([...content.source.keys(), ...pushed.source.keys()])];
  const writes = files
    .filter((file) => content.source.get(file) !== pushed.source.get(file))
    .map((file): FileWrite => ({ locale, file, content: pushed.source.get(file) }));
  const after = new Map(Array.from(markers, ([code, held]) => [code, new Map(held)]));
  for (const { locale: code, file, content: marked } of yield* updateStaleMarkers(content, markers, {
    changes,
    writes,
  })) {
    const held = after.get(code) ?? new Map();
    if (marked === undefined) held.delete(file);
    else held.set(file, marked.texts);
    after.set(code, held);
  }
  return after;
}

const maxListed = 20;

/**
 * The error for a push that changes keys which others have changed meanwhile, with both texts of each.
 * @param conflicts at least one.
 */
export function pushConflict(conflicts: readonly MergeConflict[], settings: HiveSettings): SkepError {
  const codeShown = shownCodes(settings);
  const issues = conflicts.slice(0, maxListed).map(({ locale, file, key, ours, theirs, inTheWay }): Issue => {
    const field = `${codeShown(locale)}: ${file}: ${excerpt(key)}`;
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
