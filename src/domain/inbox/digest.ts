/** When a daily digest is due, and how much it tells. */

/** How many entries a digest has at most, and how many characters of each text. */
export const digestLimits = { entries: 50, characters: 200 } as const;

const dayMs = 24 * 60 * 60 * 1000;
/** The time of the day at which digests are sent, in UTC. */
const sentAtMs = 6 * 60 * 60 * 1000;

/** The day of the last morning on which digests were due, as `2026-01-31`. @param now in milliseconds since 1970. */
export function dayOfDigest(now: number): string {
  return new Date(now - sentAtMs).toISOString().slice(0, 10);
}

/**
 * From when on the digest of a day tells what is new, in ISO 8601.
 * @param last the day of the last one; undefined where there was none.
 */
export function digestSince(day: string, last: string | undefined): string {
  const from = last === undefined ? Date.parse(day) - dayMs : Date.parse(last);
  return new Date(from + sentAtMs).toISOString();
}
