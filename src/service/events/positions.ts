/** The position of a listener in main of several Hives, as the text that is the id of an event. */
import { createHash } from "node:crypto";
import { isHiveSlug, type HiveSlug } from "../../domain/names.ts";

/** A Hive's commit by its beginning, which is enough to find it among the first parents of main. */
const digits = 12;
const entryPattern = /^([^:]+):([0-9a-f]{7,40})$/;
/** More Hives than a stream has, as some may have been added: of each that is out of reach, an event tells. */
const maxEntries = 512;
/**
 * The id comes back in a header, and proxies take 8 KiB of one. A longer text gives way to hashes of the slugs with
 * shorter beginnings of commits, which take 12 characters for each Hive.
 */
const maxLength = 4_096;
const slugBytes = 5;
const commitBytes = 4;
const hashedPattern = /^~((?:[A-Za-z0-9_-]{12})+)$/;

/**
 * The text for some positions: `web:1b2c3d4e5f60,app:9f8e7d6c5b4a`; `-` for none; `~` and hashes for many. It has at
 * most 6,145 characters for as many Hives as {@link parsePositions} takes.
 */
export function formatPositions(positions: ReadonlyMap<HiveSlug, string>): string {
  const entries = Array.from(positions, ([slug, commit]) => `${slug}:${commit.slice(0, digits)}`);
  const text = entries.join(",") || "-";
  if (text.length <= maxLength) return text;
  const hashed = Array.from(positions, ([slug, commit]) => {
    const start = Buffer.from(commit.slice(0, 2 * commitBytes).padEnd(2 * commitBytes, "0"), "hex");
    return Buffer.concat([hashOf(slug), start]).toString("base64url");
  });
  return `~${hashed.join("")}`;
}

/**
 * The positions of a text: the beginnings of commits; undefined when {@link formatPositions} does not give such a text.
 * @param known the Hives among which hashes are looked for; what is of others is left out.
 */
export function parsePositions(
  text: string,
  known: readonly HiveSlug[],
): ReadonlyMap<HiveSlug, string> | undefined {
  const [, hashed] = hashedPattern.exec(text) ?? [];
  if (hashed !== undefined) return parseHashed(hashed, known);
  const positions = new Map<HiveSlug, string>();
  if (text === "-") return positions;
  const entries = text.length > maxEntries * 128 ? [] : text.split(",");
  if (entries.length === 0 || entries.length > maxEntries) return undefined;
  for (const entry of entries) {
    const [, slug = "", commit = ""] = entryPattern.exec(entry) ?? [];
    if (!isHiveSlug(slug)) return undefined;
    positions.set(slug, commit);
  }
  return positions;
}

function parseHashed(text: string, known: readonly HiveSlug[]): ReadonlyMap<HiveSlug, string> | undefined {
  const length = slugBytes + commitBytes;
  const bytes = Buffer.from(text, "base64url");
  if (bytes.length > maxEntries * length) return undefined;
  const slugs = new Map(known.map((slug) => [hashOf(slug).toString("hex"), slug]));
  const positions = new Map<HiveSlug, string>();
  for (let at = 0; at < bytes.length; at += length) {
    const slug = slugs.get(bytes.toString("hex", at, at + slugBytes));
    if (slug !== undefined) positions.set(slug, bytes.toString("hex", at + slugBytes, at + length));
  }
  return positions;
}

function hashOf(slug: HiveSlug): Buffer {
  return createHash("sha256").update(slug).digest().subarray(0, slugBytes);
}
