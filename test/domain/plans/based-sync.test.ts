import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { HiveContent, SourceFiles } from "../../../src/domain/strings/hive-content.ts";
import { applied, fileNamed, hiveOf } from "../../helpers/hive.ts";
import { fromGroup } from "../../../src/domain/strings/string-file.ts";
import { planSourceImport } from "../../../src/domain/plans/source-import.ts";
import { planSync } from "../../helpers/domain.ts";
import { forAll } from "../../helpers/runs.ts";

type Texts = Readonly<Record<string, string>>;
type Files = Readonly<Record<string, Texts>>;

const content = (files: Files): HiveContent =>
  hiveOf({
    files: Object.fromEntries(Object.entries(files).filter(([, texts]) => Object.keys(texts).length)),
  });
const payload = (files: Files): SourceFiles =>
  new Map(Object.entries(files).map(([file, keys]) => [fileNamed(file), fromGroup(keys)]));

/** What a Hive holds after such a sync, or the keys in conflict. */
async function synced(now: Files, base: Files, files: Files): Promise<Files | string[]> {
  const hive = content(now);
  const request = { files: payload(files), mode: "sync" as const, conflictStrategy: "keep" as const };
  const sync = { request, base: { content: content(base), movedSince: [] } };
  const { plan, conflicts } = await planSync(hive, sync);
  if (plan === undefined) return conflicts.map(({ file, key }) => `${file} ${key}`);
  const after = applied(hive, plan);
  return textsOf(after);
}

function textsOf(hive: HiveContent): Files {
  return Object.fromEntries(
    Array.from(hive.source, ([file, { texts }]) => [file, Object.fromEntries(texts)]),
  );
}

const texts = fc.dictionary(fc.constantFrom("a", "b", "c", "d"), fc.constantFrom("1", "2", "3"), {
  noNullPrototype: true,
});
const files = fc.record({ "a.php": texts, "b.php": texts });

/** The same by a plain model: each key by itself. */
function modelled(now: Files, base: Files, sent: Files): Map<string, string> | string[] {
  const result = new Map<string, string>();
  const conflicts: string[] = [];
  for (const file of ["a.php", "b.php"]) {
    for (const key of ["a", "b", "c", "d"]) {
      const [is, was, next] = [now, base, sent].map((all) => all[file]?.[key]);
      const isChanged = next !== was && next !== is;
      if (isChanged && is !== was) conflicts.push(`${file} ${key}`);
      const text = isChanged ? next : is;
      if (text !== undefined) result.set(`${file} ${key}`, text);
    }
  }
  return conflicts.length > 0 ? conflicts : result;
}

function flat(result: Files | string[]): Map<string, string> | string[] {
  if (Array.isArray(result)) return result.toSorted();
  const all = Object.entries(result).flatMap(([file, keys]) =>
    Object.entries(keys).map(([key, text]): [string, string] => [`${file} ${key}`, text]),
  );
  return new Map(all);
}

describe("a sync since a base", () => {
  it("merges each key by comparing the three texts", async () => {
    await forAll(150, files, files, files, async (now, base, sent) => {
      expect(flat(await synced(now, base, sent))).toEqual(modelled(now, base, sent));
    });
  });

  it("is a plain sync where the base is the present state, in order and shape too", async () => {
    await forAll(75, files, files, async (now, sent) => {
      const plain = await planSourceImport(content(now), {
        files: payload(sent),
        mode: "sync",
        conflictStrategy: "keep",
      });
      expect(JSON.stringify(await synced(now, now, sent))).toBe(
        JSON.stringify(textsOf(applied(content(now), plain))),
      );
    });
  });

  it("gives the same texts in either order where two sets of files changed different keys", async () => {
    await forAll(75, files, files, files, async (base, one, other) => {
      const first = await synced(base, base, one);
      if (Array.isArray(first)) return;
      const both = await synced(first, base, other);
      const second = await synced(base, base, other);
      if (Array.isArray(both) || Array.isArray(second)) return;
      expect(flat(await synced(second, base, one))).toEqual(flat(both));
    });
  });

  it("leaves files alone that are not sent, and puts a new string behind the one before it", async () => {
    const now = { "a.php": { a: "1", z: "9", c: "3" }, "b.php": { x: "new" } };
    const after = await synced(now, { "a.php": { a: "1", c: "3" } }, { "a.php": { a: "1", b: "2", c: "3" } });
    expect(JSON.stringify(after)).toBe(
      JSON.stringify({ "a.php": { a: "1", b: "2", z: "9", c: "3" }, "b.php": { x: "new" } }),
    );
  });

  it("deletes only strings that the base had, and a file with its last string", async () => {
    const base = { "a.php": { a: "1", b: "2" } };
    expect(await synced({ "a.php": { a: "1", b: "2", c: "3" } }, base, { "a.php": {} })).toEqual({
      "a.php": { c: "3" },
    });
    expect(await synced(base, base, { "a.php": {} })).toEqual({});
  });

  it("has a conflict where a new file cannot lie beside one that came since", async () => {
    expect(await synced({ "A.php": { a: "1" } }, {}, { "a.php": { a: "1" } })).toEqual(["a.php a"]);
  });
});
