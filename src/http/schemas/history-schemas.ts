/** Commits and their changes in responses. */
import {
  historyEntry,
  keyChange,
  type HistoryEntryResponse,
  type KeyChangeResponse,
} from "../../api/content/commits.ts";
import { encode } from "../../domain/json-codec.ts";
import type { ShownChange } from "../../domain/strings/text-diff.ts";
import { toTimestamp } from "../../domain/text.ts";
import type { HistoryEntry } from "../../service/content/history.ts";

/** A change of one key, with `null` where there is no text. */
export function toKeyChange(change: ShownChange): KeyChangeResponse {
  return encode(keyChange, change);
}

/** A commit, with `null` for each property that its message does not have. */
export function toHistoryEntry(entry: HistoryEntry): HistoryEntryResponse {
  return encode(historyEntry, { ...entry, time: toTimestamp(entry.time), moves: entry.keyMoves });
}
