import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toLocale } from "../../../src/domain/hives/locale.ts";
import { planConfirmation, updateStaleMarkers, countingIn } from "../../../src/domain/strings/stale.ts";
import { type StaleMarkers, staleKind } from "../../../src/domain/sidecars/stale.ts";
import { translatableTexts } from "../../../src/domain/strings/string-file.ts";
import { fileNamed, hiveOf } from "../../helpers/hive.ts";
import { change, emptyState, followed, planOf, staleIn, type State } from "../../helpers/states.ts";
import { planSourceImport } from "../../../src/domain/plans/source-import.ts";
import { planTranslationImport } from "../../../src/domain/plans/translation-import.ts";
import { toSourceFiles } from "../../../src/domain/strings/payload.ts";
import { forAll } from "../../helpers/runs.ts";
import { withValueWrites } from "../../../src/domain/sidecars/sidecar.ts";

const fr = toLocale("fr");
const file = fileNamed("a.php");

async function importing(
  state: State,
  files: unknown,
  { mode = "import", clear = false }: { mode?: "import" | "sync"; clear?: boolean } = {},
): Promise<State> {
  const conflictStrategy = clear ? "clear" : "keep";
  return followed(
    state,
    await planSourceImport(state.hive, { files: await toSourceFiles(files), mode, conflictStrategy }),
  );
}

async function translating(state: State, texts: Record<string, string>, overwrite = true): Promise<State> {
  const files = new Map([["a.php", new Map(Object.entries(texts))]]);
  const overwriteStrategy = overwrite ? "overwrite" : "skip";
  return followed(state, await planTranslationImport(state.hive, { locale: fr, files, overwriteStrategy }));
}

const start: State = {
  ...emptyState,
  hive: hiveOf({
    locales: ["fr", "de"],
    files: { "a.php": { x: "A", n: { y: "Y" } } },
    translations: { fr: { "a.php": { x: "T", "n.y": "U" } } },
  }),
};
const changed = await importing(start, { "a.php": { x: "B" } });
const marked = { "fr a.php x": "A" };

describe("a translation that is kept", () => {
  it("is marked with the source text it was made for, and only where there is one", () => {
    expect(staleIn(changed)).toEqual(marked);
  });

  it("keeps the first text when the source changes twice", async () => {
    expect(staleIn(await importing(changed, { "a.php": { x: "C" } }))).toEqual(marked);
  });

  it("stays stale when the same is imported, and when its file takes another shape", async () => {
    expect(staleIn(await importing(changed, { "a.php": { x: "B" } }))).toEqual(marked);
    expect(staleIn(await importing(changed, { "a.php": { "n.y": "Y", x: "B" } }, { mode: "sync" }))).toEqual(
      marked,
    );
    expect(staleIn(await translating(changed, { x: "T" }))).toEqual(marked);
    expect(staleIn(await translating(changed, { x: "other" }, false))).toEqual(marked);
  });

  it.each<[string, (state: State) => Promise<State>]>([
    ["another text", (state) => translating(state, { x: "other" })],
    ["the return of the source text", (state) => importing(state, { "a.php": { x: "A" } })],
    ["the end of the string", (state) => importing(state, { "a.php": { n: { y: "Y" } } }, { mode: "sync" })],
    ["the end of its file", (state) => importing(state, { "a.php": {} }, { mode: "sync" })],
    ["being cleared", (state) => importing(state, { "a.php": { x: "C" } }, { clear: true })],
  ])("a translation is no longer stale after %s, and leaves no file", async (_, run) => {
    const after = await run(changed);
    expect(staleIn(after)).toEqual({});
    expect(after.markers.get(fr.code)?.size).toBe(0);
  });

  it("can have been made for an empty text", async () => {
    const hive = hiveOf({ files: { "a.php": { x: "" } }, translations: { fr: { "a.php": { x: "T" } } } });
    expect(staleIn(await importing({ ...emptyState, hive }, { "a.php": { x: "A" } }))).toEqual({
      "fr a.php x": "",
    });
  });
});

const withMarkers = (texts: Record<string, string>): StaleMarkers =>
  new Map([[fr.code, new Map([[file, new Map(Object.entries(texts))]])]]);

describe("a marker without a stale translation", () => {
  const stray = { ...start, markers: withMarkers({ x: "A", nope: "?", "n.y": "old" }) };

  it("a marker is ignored without a translation or source string, or with the current source text", () => {
    expect(staleIn(stray)).toEqual({ "fr a.php n.y": "old" });
  });

  it("goes with the next write of its file", async () => {
    const after = await importing(
      { ...start, markers: withMarkers({ nope: "?", "n.y": "old" }) },
      { "a.php": { x: "B" } },
    );
    expect(after.markers.get(fr.code)?.get(file)).toEqual(
      new Map([
        ["n.y", "old"],
        ["x", "A"],
      ]),
    );
  });

  it("is not revived by a string or a translation of its key", async () => {
    const orphan = { ...start, markers: withMarkers({ nope: "?" }) };
    const created = await importing(orphan, { "a.php": { nope: "N" } });
    expect(staleIn(await translating(created, { nope: "T" }))).toEqual({});
    const untranslated = await importing({ ...start, markers: new Map() }, { "a.php": { z: "Z" } });
    expect(
      staleIn(await translating({ ...untranslated, markers: withMarkers({ z: "?" }) }, { z: "T" })),
    ).toEqual({});
  });
});

describe("a confirmation", () => {
  it("removes markers, and counts keys that are not stale", () => {
    const { counts, writes } = planConfirmation(changed.hive, changed.markers, {
      locale: fr.code,
      file: "a.php",
      keys: ["x", "x", "n.y", "nope"],
    });
    expect(counts).toEqual({ confirmed: 1, unknown: 2 });
    expect(staleIn({ ...changed, markers: withValueWrites(changed.markers, writes) })).toEqual({});
  });

  it.each(["b.php", "../a.php", ""])("confirms nothing for the file %j", (name) => {
    const request = { locale: fr.code, file: name, keys: ["x"] };
    expect(planConfirmation(changed.hive, changed.markers, request)).toEqual({
      counts: { confirmed: 0, unknown: 1 },
      writes: [],
      confirmed: [],
    });
  });
});

/** What each translation was made for, by the plainest rule there is. */
function origins(before: State, after: State, known: ReadonlyMap<string, string>): Map<string, string> {
  const made = new Map<string, string>();
  for (const [code, files] of after.hive.translations) {
    for (const [name, texts] of files) {
      for (const [key, text] of texts) {
        const source = translatableTexts(after.hive.source.get(name)).get(key);
        if (source === undefined) continue;
        const id = `${code} ${name} ${key}`;
        const isKept =
          translatableTexts(before.hive.source.get(name)).has(key) &&
          before.hive.translations.get(code)?.get(name)?.get(key) === text;
        made.set(id, (isKept ? known.get(id) : undefined) ?? source);
      }
    }
  }
  return made;
}

it("markers mark exactly the translations that were made for another text, after any writes", async () => {
  await forAll(75, fc.array(change, { maxLength: 8 }), async (changes) => {
    let state = emptyState;
    let made: ReadonlyMap<string, string> = new Map();
    for (const one of changes) {
      const after = await followed(state, await planOf(state, one));
      made = origins(state, after, made);
      state = after;
      const expected = [...made].filter(([id, text]) => {
        const [, name = "", ...key] = id.split(" ");
        return translatableTexts(after.hive.source.get(fileNamed(name))).get(key.join(" ")) !== text;
      });
      expect(staleIn(state)).toEqual(Object.fromEntries(expected));
      for (const [locale, files] of state.markers) {
        for (const [name, markers] of files) {
          expect(markers.size).toBeGreaterThan(0);
          expect(countingIn(staleKind, state.hive, { locale, file: name }, markers)).toEqual(markers);
        }
      }
      expect(await updateStaleMarkers(state.hive, state.markers, await planOf(state, one))).toEqual([]);
    }
  });
});
