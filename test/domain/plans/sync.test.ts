import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AddressMap, type StringAddress } from "../../../src/domain/move.ts";
import { translationAt } from "../../../src/domain/strings/content-diff.ts";
import type { HiveContent, SourceFiles } from "../../../src/domain/strings/hive-content.ts";
import type { SourceImport } from "../../../src/domain/plans/source-import.ts";
import { applied, fileNamed, hiveOf } from "../../helpers/hive.ts";
import { fromGroup } from "../../../src/domain/strings/string-file.ts";
import type { SyncPlan } from "../../../src/domain/plans/sync.ts";
import { planSync } from "../../helpers/domain.ts";
import { written, staleIn, type State } from "../../helpers/states.ts";
import { forAll } from "../../helpers/runs.ts";

type Texts = Readonly<Record<string, string>>;
type Files = Readonly<Record<string, Texts>>;

const text = fc.constantFrom("1", "2", "3", "4", "5", "6");
const texts = fc.dictionary(fc.constantFrom("a", "b", "c", "d", "n.e", "n.f"), text, {
  noNullPrototype: true,
});
const files: fc.Arbitrary<Files> = fc.record({ "a.php": texts, "b.php": texts }, { noNullPrototype: true });

const held = (all: Files): Files =>
  Object.fromEntries(Object.entries(all).filter(([, one]) => Object.keys(one).length > 0));
const payload = (all: Files): SourceFiles =>
  new Map(Object.entries(all).map(([file, keys]) => [fileNamed(file), fromGroup(keys)]));
const sync = (all: Files): SourceImport => ({ files: payload(all), mode: "sync", conflictStrategy: "keep" });

/** Each string is translated, and some translations are stale. */
function stateOf(all: Files): State {
  const french = Object.fromEntries(
    Object.entries(held(all)).map(([file, keys]) => [
      file,
      Object.fromEntries(Object.keys(keys).map((key) => [key, `fr ${file} ${key}`])),
    ]),
  );
  const hive = hiveOf({ files: held(all), translations: { fr: french } });
  const [fr] = hive.settings.targetLocales;
  const markers = new Map(
    Object.entries(held(all)).map(([file, keys]) => [
      fileNamed(file),
      new Map(Object.entries(keys).flatMap(([key, own]) => (own === "1" ? [[key, "old"]] : []))),
    ]),
  );
  return { hive, markers: new Map(fr === undefined ? [] : [[fr.code, markers]]), blobs: new Map() };
}

const sourceOf = (hive: HiveContent): Files =>
  Object.fromEntries(Array.from(hive.source, ([file, one]) => [file, Object.fromEntries(one.texts)]));

async function moving(
  hive: HiveContent,
  request: SourceImport,
  markers?: State["markers"],
): Promise<SyncPlan & Required<Pick<SyncPlan, "moves">>> {
  const { plan } = await planSync(hive, { request, detectsMoves: true }, markers);
  if (plan?.moves === undefined) throw new Error("a sync without a base has no conflicts");
  return { ...plan, moves: plan.moves };
}

describe("a sync that detects moves", () => {
  it("stores what is sent, and each translation stays with its string", async () => {
    await forAll(100, files, files, async (before, sent) => {
      const now = stateOf(before);
      const plan = await moving(now.hive, sync(sent), now.markers);
      const after = written(now, plan, plan.staleMarkers);
      expect(sourceOf(after.hive)).toEqual(held(sent));
      const origins = new AddressMap<StringAddress>();
      for (const { from, to } of plan.moves) origins.set(to, from);
      const [was, is] = [staleIn(now), staleIn(after)];
      for (const [name, keys] of Object.entries(held(sent))) {
        for (const [key, own] of Object.entries(keys)) {
          const to = { file: fileNamed(name), key };
          const from = origins.get(to) ?? to;
          for (const { code } of now.hive.settings.targetLocales) {
            const translation = translationAt(now.hive, code, from.file, from.key);
            expect(translationAt(after.hive, code, to.file, key)).toBe(translation);
            if (translation === undefined) continue;
            const translatedFrom = was[`${code} ${from.file} ${from.key}`] ?? before[from.file]?.[from.key];
            expect(is[`${code} ${name} ${key}`]).toBe(translatedFrom === own ? undefined : translatedFrom);
          }
        }
      }
    });
  });

  it("counts every sent string, and no move as a deletion", async () => {
    await forAll(75, files, files, async (before, sent) => {
      const { counts, moves } = await moving(stateOf(before).hive, sync(sent));
      const size = (all: Files) =>
        Object.values(all).reduce((sum, keys) => sum + Object.keys(keys).length, 0);
      const same = moves.filter(({ from, to }) => before[from.file]?.[from.key] === sent[to.file]?.[to.key]);
      expect(counts.created + counts.updated + counts.unchanged + same.length).toBe(size(sent));
      expect(size(before) + counts.created - counts.deleted).toBe(size(sent));
      expect(counts.moved).toBe(moves.length);
    });
  });

  it("changes nothing the second time", async () => {
    await forAll(75, files, files, async (before, sent) => {
      const { hive } = stateOf(before);
      const there = await moving(hive, sync(sent));
      const after = applied(hive, there);
      expect((await moving(after, sync(sent))).writes).toEqual([]);
    });
  });

  it("is the same with the present state as its base", async () => {
    await forAll(75, files, files, async (before, sent) => {
      const { hive } = stateOf(before);
      const { plan, conflicts } = await planSync(hive, {
        request: sync(sent),
        base: { content: hive, movedSince: [] },
        detectsMoves: true,
      });
      expect(conflicts).toEqual([]);
      if (plan === undefined) throw new Error("no plan");
      const direct = await moving(hive, sync(sent));
      expect(plan.counts).toEqual(direct.counts);
      expect(applied(hive, plan)).toEqual(applied(hive, direct));
    });
  });
});
