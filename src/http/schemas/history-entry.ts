/** Commits and changes as JSON has them, over HTTP and on the command line. */
import type { ShownChange } from "../../domain/strings/text-diff.ts";
import { toTimestamp } from "../../domain/text.ts";
import type { HistoryEntry } from "../../service/content/history.ts";
import type { HistoryEntryResponse, KeyChangeResponse } from "./history-schemas.ts";

/** A commit, with `null` for each property that its message does not have. */
export function toHistoryEntry({
  commit,
  time,
  author,
  changes,
  keyMoves,
  origin,
  ...record
}: HistoryEntry): HistoryEntryResponse {
  const { subject, message = null, operation = null, token = null, ref = null } = record;
  const { person = null, strategy = null } = record;
  return {
    commit,
    time: toTimestamp(time),
    author,
    subject,
    message,
    operation,
    token,
    person,
    strategy,
    ref,
    origin:
      origin === undefined
        ? null
        : { kind: origin.kind, name: origin.name ?? null, prompt: origin.prompt ?? null },
    counts: Object.fromEntries(record.counts),
    changes: changes?.map(toKeyChange),
    moves: keyMoves === undefined ? undefined : [...keyMoves],
  };
}

/** A change of one key, with `null` where there is no text. */
export function toKeyChange({ locale, file, key, before, after }: ShownChange): KeyChangeResponse {
  return { locale, file, key, before: before ?? null, after: after ?? null };
}
