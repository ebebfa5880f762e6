/** The position of a listener in main of several Hives, as the text that is the id of an event. */
import { isHiveSlug, type HiveSlug } from "../../domain/names.ts";

/** A Hive's commit by its beginning, which is enough to find it on the line of main. */
const digits = 12;
const entryPattern = /^([^:]+):([0-9a-f]{7,40})$/;
/** The id must fit into a header of the next request. */
const maxLength = 32_768;
/** More Hives than a stream has, as some may have been added: of each that is out of reach, an event tells. */
const maxEntries = 512;

/** The text for some positions: `web:1b2c3d4e5f60,app:9f8e7d6c5b4a`; `-` for none. */
export function formatPositions(positions: ReadonlyMap<HiveSlug, string>): string {
  const entries = Array.from(positions, ([slug, commit]) => `${slug}:${commit.slice(0, digits)}`);
  return entries.join(",") || "-";
}

/** The positions of a text: the beginnings of commits; undefined when {@link formatPositions} does not give such a text. */
export function parsePositions(text: string): ReadonlyMap<HiveSlug, string> | undefined {
  const positions = new Map<HiveSlug, string>();
  if (text === "-") return positions;
  if (text.length > maxLength) return undefined;
  const entries = text.split(",");
  if (entries.length > maxEntries) return undefined;
  for (const entry of entries) {
    const [, slug = "", commit = ""] = entryPattern.exec(entry) ?? [];
    if (!isHiveSlug(slug)) return undefined;
    positions.set(slug, commit);
  }
  return positions;
}
