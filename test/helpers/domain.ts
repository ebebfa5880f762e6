/** The domain's plans and exports, as tests want them. */
import * as exported from "../../src/domain/export/export.ts";
import * as movedContent from "../../src/domain/moves/moved-content.ts";
import * as sync from "../../src/domain/plans/sync.ts";
import type { Move } from "../../src/domain/move.ts";
import type { HiveContent } from "../../src/domain/strings/hive-content.ts";
import type { StaleMarkers } from "../../src/domain/sidecars/stale.ts";

const noMarkers: StaleMarkers = new Map();

export function moveContent(content: HiveContent, moves: readonly Move[], markers = noMarkers) {
  return movedContent.moveContent({ content, markers }, moves);
}

export function planSync(content: HiveContent, request: sync.Sync, markers = noMarkers) {
  return sync.planSync({ content, markers }, request);
}

export async function exportLocale(...parameters: Parameters<typeof exported.exportLocale>) {
  return joined(await exported.exportLocale(...parameters));
}

export async function exportBundled(...parameters: Parameters<typeof exported.exportBundled>) {
  return joined(await exported.exportBundled(...parameters));
}

function joined(files: exported.ExportedFiles): Map<string, string> {
  return new Map(Array.from(files, ([name, pieces]) => [name, pieces.join("")]));
}
