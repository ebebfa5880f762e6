/** Finds problems in the stale markers, the markers of reviews, and the findings that were accepted. */
import { setImmediate } from "node:timers/promises";
import type { FileWrite } from "../../domain/strings/hive-content.ts";
import { isStoredLocaleCode } from "../../domain/hives/locale.ts";
import { isFileName } from "../../domain/names.ts";
import { toMarkerWrite, validMarkers } from "../../domain/strings/stale.ts";
import { validReviews } from "../../domain/review/review.ts";
import { counted } from "../../domain/text.ts";
import { placedIn, toAcceptanceFile } from "../content/accepted-findings.ts";
import {
  acceptedFolder,
  markersPath,
  reviewFolder,
  staleFolder,
  type MarkerFolder,
} from "../content/stale-markers.ts";
import type { Snapshot } from "../content/snapshot.ts";
import { filesOf, folderAt } from "../../git/objects/tree.ts";

/** Stale markers without a stale translation, or accepted findings without a string. */
export interface MisplacedMarkers {
  readonly folder: MarkerFolder;
  readonly problem: string;
  /** The writes that repair it; none where that could lose something. */
  readonly writes: readonly FileWrite[];
}

/**
 * Finds stale markers without a translation, or with the current source text, markers of reviews that name another text
 * than the stored one, and accepted findings of strings that are not there.
 * @param rules.isBranch whether it is a branch besides main, which may have markers of locales that main has no more.
 * @throws SkepError `content-invalid` when markers cannot be read.
 */
export async function findMisplacedMarkers(
  snapshot: Snapshot,
  { isBranch = false }: { readonly isBranch?: boolean } = {},
): Promise<readonly MisplacedMarkers[]> {
  const markers = await snapshot.staleMarkers.read(snapshot.settings.targetLocales.map(({ code }) => code));
  const marked = [...markers].filter(([, files]) => files.size > 0).map(([code]) => code);
  const hive = await snapshot.content(marked);
  const folders: readonly MarkerFolder[] = isBranch ? [] : [staleFolder, acceptedFolder, reviewFolder];
  const found = folders.flatMap((folder) => Array.from(findForeign(snapshot, folder)));
  for (const [locale, files] of markers) {
    for (const [file, texts] of files) {
      await setImmediate();
      const valid = validMarkers(hive, locale, file, texts);
      if (valid.size > 0 && valid.size === texts.size) continue;
      const without = counted(texts.size - valid.size, "marker");
      const problem = `${markersPath(staleFolder, locale, file)} holds ${without} without a stale translation`;
      found.push({ folder: staleFolder, problem, writes: [toMarkerWrite(locale, file, valid)] });
    }
  }
  const accepted = await snapshot.accepted.read(snapshot.settings.targetLocales.map(({ code }) => code));
  for (const [locale, files] of accepted) {
    for (const [file, texts] of files) {
      const valid = placedIn(snapshot.index.source.get(file), texts);
      if (valid.size > 0 && valid.size === texts.size) continue;
      const without = counted(texts.size - valid.size, "accepted finding");
      const problem = `${markersPath(acceptedFolder, locale, file)} holds ${without} without a source string`;
      found.push({ folder: acceptedFolder, problem, writes: [toAcceptanceFile(locale, file, valid)] });
    }
  }
  const reviews = await snapshot.review.read(snapshot.settings.targetLocales.map(({ code }) => code));
  const waiting = [...reviews].filter(([, files]) => files.size > 0).map(([code]) => code);
  const reviewed = await snapshot.content(waiting);
  for (const [locale, files] of reviews) {
    for (const [file, texts] of files) {
      const valid = validReviews(reviewed, locale, file, texts);
      if (valid.size > 0 && valid.size === texts.size) continue;
      const without = counted(texts.size - valid.size, "marker");
      const problem = `${markersPath(reviewFolder, locale, file)} holds ${without} of another text`;
      found.push({ folder: reviewFolder, problem, writes: [toMarkerWrite(locale, file, valid)] });
    }
  }
  return found;
}

/** Stale markers or accepted findings of unlisted locales. They are kept as long as the locale still has a folder of translations. */
function* findForeign({ tree, settings }: Snapshot, folder: MarkerFolder): Generator<MisplacedMarkers> {
  const known = new Set<string>(settings.targetLocales.map(({ code }) => code));
  for (const [name, entry] of folderAt(tree, [folder])?.entries ?? []) {
    if (known.has(name)) continue;
    const writes: FileWrite[] = [];
    if (
      entry.kind === "folder" &&
      isStoredLocaleCode(name) &&
      folderAt(tree, ["locales", name]) === undefined
    ) {
      for (const { path } of filesOf(entry.tree)) {
        const file = path.slice(0, -".json".length);
        if (isFileName(file)) writes.push({ locale: name, file, content: undefined });
      }
    }
    yield { folder, problem: `${folder}/${name} does not belong to a target locale`, writes };
  }
}
