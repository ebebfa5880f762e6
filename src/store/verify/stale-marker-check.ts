/** Finds problems in the stale markers. */
import { setImmediate } from "node:timers/promises";
import type { FileWrite } from "../../domain/strings/hive-content.ts";
import { isStoredLocaleCode } from "../../domain/hives/locale.ts";
import { isFileName } from "../../domain/names.ts";
import { toMarkerWrite, validMarkers } from "../../domain/strings/stale.ts";
import { counted } from "../../domain/text.ts";
import { markersPath, staleFolder } from "../content/stale-markers.ts";
import type { Snapshot } from "../content/snapshot.ts";
import { filesOf, folderAt } from "../../git/objects/tree.ts";

/** Stale markers without a stale translation. */
export interface MisplacedMarkers {
  readonly problem: string;
  /** The writes that mend it; none where that could lose something. */
  readonly writes: readonly FileWrite[];
}

/**
 * Finds stale markers without a translation, or with the current source text.
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
  const found: MisplacedMarkers[] = isBranch ? [] : [...findForeign(snapshot)];
  for (const [locale, files] of markers) {
    for (const [file, texts] of files) {
      await setImmediate();
      const valid = validMarkers(hive, locale, file, texts);
      if (valid.size > 0 && valid.size === texts.size) continue;
      const without = counted(texts.size - valid.size, "marker");
      const problem = `${markersPath(staleFolder, locale, file)} holds ${without} without a stale translation`;
      found.push({ problem, writes: [toMarkerWrite(locale, file, valid)] });
    }
  }
  return found;
}

/** Stale markers of unlisted locales. They are kept as long as the locale still has a folder of translations. */
function* findForeign({ tree, settings }: Snapshot): Generator<MisplacedMarkers> {
  const known = new Set<string>(settings.targetLocales.map(({ code }) => code));
  for (const [name, entry] of folderAt(tree, [staleFolder])?.entries ?? []) {
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
    yield { problem: `${staleFolder}/${name} does not belong to a target locale`, writes };
  }
}
