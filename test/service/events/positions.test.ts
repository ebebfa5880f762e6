import fc from "fast-check";
import { expect, it } from "vitest";
import { isOid, toHiveSlug, type HiveSlug, type Oid } from "../../../src/domain/names.ts";
import { formatPositions, parsePositions } from "../../../src/service/events/positions.ts";

const slug = fc.stringMatching(/^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/).map((text) => toHiveSlug(text));
const oid = fc.stringMatching(/^[0-9a-f]{40}$/).filter((text): text is Oid => isOid(text));

it("positions survive the way through an id, which is one line of a header", () => {
  const entries = fc.uniqueArray(fc.tuple(slug, oid), { selector: ([name]) => name, maxLength: 250 });
  fc.assert(
    fc.property(entries, (given) => {
      const positions = new Map<HiveSlug, Oid>(given);
      const id = formatPositions(positions);
      expect(id).toMatch(/^(?:[a-z0-9:,-]+|~[A-Za-z0-9_-]+)$/);
      const parsed = parsePositions(id, [...positions.keys()]);
      expect([...(parsed?.keys() ?? [])]).toEqual([...positions.keys()]);
      for (const [name, commit] of parsed ?? []) expect(positions.get(name)?.startsWith(commit)).toBe(true);
    }),
  );
});

it("an id is short enough for a header, however many Hives there are and however long their slugs", () => {
  const slugs = Array.from({ length: 512 }, (_, i) => toHiveSlug(`h${i}-`.padEnd(64, "x")));
  const id = formatPositions(
    new Map(slugs.map((name) => [name, "1b2c3d4e5f60718293a4b5c6d7e8f90123456789"])),
  );
  expect(id.length).toBeLessThan(7_000);
  expect(parsePositions(id, slugs)).toEqual(new Map(slugs.map((name) => [name, "1b2c3d4e"])));
  // A Hive that is out of reach by now is left out, whoever asks.
  expect(parsePositions(id, slugs.slice(0, 2))?.size).toBe(2);
});

it.each([
  "",
  "~",
  "~abc",
  `~${"a".repeat(12 * 513)}`,
  "web",
  "web:",
  "web:xyz",
  "Web:1b2c3d4",
  "web:1b2c3d4,",
  "web:1b2c3d4\n",
  "a:1b2c3d4,".repeat(9_999),
  Array.from({ length: 513 }, (_, i) => `h${i}:1b2c3d4`).join(","),
])("%j is no position", (text) => expect(parsePositions(text, [])).toBeUndefined());
