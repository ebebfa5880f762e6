/**
 * The source texts that stale translations were made for. A translation without one was made for the current source text.
 */
import type { LocaleValues, Sidecar } from "./sidecar.ts";

/** Stored markers of stale translations: the source text that each was made for. */
export type StaleMarkers = LocaleValues<string>;

export const staleKind: Sidecar<string> = {
  folder: "stale",
  by: "translation",
  countsByText: true,
  isOptional: false,
  words: ["marker", "without a stale translation"],
  parse(stored) {
    if (typeof stored !== "string") throw new TypeError("must be a text");
    return stored;
  },
  toJson: (marker) => marker,
  isSame: (one, other) => one === other,
  counts: (marker, { source, text }) => text !== undefined && formerSource(marker, source) !== undefined,
};

/**
 * The source text that a stale translation was made for. This alone decides whether a translation is stale.
 * @param marker of the translation.
 * @param source its source text now; undefined where there is none, and so nothing is stale.
 * @returns undefined for a translation that was made for its source text.
 */
export function formerSource(marker: string | undefined, source: string | undefined): string | undefined {
  return source === undefined || marker === source ? undefined : marker;
}
