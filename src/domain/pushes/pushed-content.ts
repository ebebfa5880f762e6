/** The content of a push as an import would have made it: with the moves of its strings, and with stale markers. */
import { detectMoves, type DetectedMoves } from "../moves/detection.ts";
import { moveContent, type MovedContent } from "../moves/moved-content.ts";
import type { FileName } from "../names.ts";
import { pause } from "../../slices.ts";
import { diffContent } from "../strings/content-diff.ts";
import type { FileWrite, HiveContent } from "../strings/hive-content.ts";
import { updateStaleMarkers, type ContentWithMarkers } from "../strings/stale.ts";
import { staleKind, type StaleMarkers } from "../sidecars/stale.ts";
import { SidecarValues, withValueWrites } from "../sidecars/sidecar.ts";
import { withValues, type HiveState } from "../notes/hive-state.ts";
import { noTexts } from "../strings/string-file.ts";
import { SkepError, type Issue } from "../errors.ts";
import { shownCodes, type HiveSettings } from "../hives/hive-settings.ts";
import { excerpt } from "../text.ts";
import type { MergeConflict } from "../plans/merge-source.ts";

export interface PushedContent extends DetectedMoves {
  /** What was pushed, with the translations and stale markers of moved strings under their new names. */
  readonly theirs: HiveState;
}

/**
 * Finds the strings that a push has moved since its base; see {@link detectMoves}. A moved string keeps each translation
 * that the push has left under its old name, and its stale markers.
 * @param pushed the files as they were pushed.
 */
export async function readPushedContent(base: HiveState, pushed: HiveContent): Promise<PushedContent> {
  const { moves, ambiguous } = await detectMoves(base.content.source, pushed.source);
  const moved = await moveContent(base, moves);
  const content = await withMovedTranslations(pushed, moved.addresses.to);
  const values = base.values?.moved(moved.addresses) ?? new SidecarValues();
  const marked = values.with(staleKind, await pushedMarkers(moved, content));
  return { moves, ambiguous, theirs: { content, ...withValues(marked) } };
}

/** Content with the texts of moved strings under their new names, where these have none. */
async function withMovedTranslations(
  pushed: HiveContent,
  movedTo: MovedContent["addresses"]["to"],
): Promise<HiveContent> {
  const translations = new Map(pushed.translations);
  for (const [locale, stored] of pushed.translations) {
    const moved = new Map<FileName, Map<string, string>>();
    for (const file of movedTo.files) {
      await pause();
      const texts = stored.get(file) ?? noTexts;
      for (const [key, target] of movedTo.of(file)) {
        const text = texts.get(key);
        if (text === undefined || stored.get(target.file)?.has(target.key) === true) continue;
        const own = moved.get(target.file) ?? new Map<string, string>();
        moved.set(target.file, own.set(target.key, text));
      }
    }
    const after = new Map(stored);
    for (const [file, texts] of moved) {
      after.set(file, new Map([...(stored.get(file) ?? noTexts), ...texts]));
    }
    translations.set(locale, after);
  }
  return { ...pushed, translations };
}

/**
 * The stale markers that pushed content would have if it had come as an import. A push cannot change the stored ones.
 * @param base what the push was made from, with the moves of the push.
 */
async function pushedMarkers(
  { content, markers }: ContentWithMarkers,
  pushed: HiveContent,
): Promise<StaleMarkers> {
  const locale = content.settings.sourceLocale.code;
  const changes = await diffContent(content, pushed);
  const files = [...new Set([...content.source.keys(), ...pushed.source.keys()])];
  const writes = files
    .filter((file) => content.source.get(file) !== pushed.source.get(file))
    .map((file): FileWrite => ({ locale, file, content: pushed.source.get(file) }));
  return withValueWrites(markers, await updateStaleMarkers(content, markers, { changes, writes }));
}

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
