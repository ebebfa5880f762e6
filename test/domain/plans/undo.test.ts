import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { translationAt, diffContent } from "../../../src/domain/strings/content-diff.ts";
import type { HiveContent, KeyChange } from "../../../src/domain/strings/hive-content.ts";
import { toLocale, type LocaleCode } from "../../../src/domain/hives/locale.ts";
import type { FileName } from "../../../src/domain/names.ts";
import { planSourceImport, type SourceImport } from "../../../src/domain/plans/source-import.ts";
import { differenceConflict } from "../../../src/domain/plans/difference.ts";
import { planUndo, type UndoPlan } from "../../../src/domain/plans/undo.ts";
import { fromGroup, translatableTexts } from "../../../src/domain/strings/string-file.ts";
import { applied, contentOf, fileNamed, hiveOf, type HiveFixture } from "../../helpers/hive.ts";
import {
  change,
  staleIn,
  stateAfter,
  statesOf,
  undoing,
  written,
  type Change,
  type State,
} from "../../helpers/states.ts";
import type { Move } from "../../../src/domain/move.ts";
import { file } from "./merging.ts";
import { toSourceFiles } from "../../../src/domain/strings/payload.ts";
import { forAll } from "../../helpers/runs.ts";
import { staleKind } from "../../../src/domain/sidecars/stale.ts";

/** An undo in a Hive without stale markers. */
async function undoOf({
  now,
  before,
  after,
}: Record<"now" | "before" | "after", HiveContent>): Promise<UndoPlan> {
  const markers = new Map();
  const [ours, base, theirs] = [now, after, before].map((content) => ({ content, markers }));
  if (ours === undefined || base === undefined || theirs === undefined) throw new Error("a side is missing");
  return await planUndo({ ours, base, theirs });
}

function textsOf(hive: HiveContent): Record<string, string> {
  const texts: Record<string, string> = {};
  for (const [code, files] of hive.translations) {
    for (const [file, keys] of files) for (const [key, text] of keys) texts[`${code} ${file} ${key}`] = text;
  }
  return texts;
}

function textAt(hive: HiveContent, locale: LocaleCode, file: FileName, key: string): string | undefined {
  return locale === hive.settings.sourceLocale.code
    ? hive.source.get(file)?.texts.get(key)
    : translationAt(hive, locale, file, key);
}

const isSource = ({ locale }: KeyChange) => locale === "en";

/** The keys that translations of a file could have with some changes of source strings taken back. */
function keysWithout(now: HiveContent, file: FileName, changes: readonly KeyChange[]): ReadonlySet<string> {
  const texts = new Map(now.source.get(file)?.texts);
  for (const { key, before } of changes) {
    if (before === undefined) texts.delete(key);
    else texts.set(key, before);
  }
  return new Set(translatableTexts(contentOf(Object.fromEntries(texts))).keys());
}

/** What cannot be taken back, each change judged by itself and slowly. */
async function blockedSlowly(
  now: HiveContent,
  before: HiveContent,
  after: HiveContent,
): Promise<KeyChange[]> {
  const changes = [...(await diffContent(before, after))];
  const stays = (one: KeyChange): boolean => {
    if (textAt(now, one.locale, one.file, one.key) !== one.after) return true;
    if (!isSource(one) || one.change === "updated") return false;
    const left = keysWithout(now, one.file, [one]);
    const gone = [...translatableTexts(now.source.get(one.file)).keys()].filter((key) => !left.has(key));
    return now.settings.targetLocales.some(({ code }) =>
      [...gone, ...(one.change === "created" ? [one.key] : [])].some((key) => {
        const text = translationAt(now, code, one.file, key);
        return text !== undefined && text !== translationAt(after, code, one.file, key);
      }),
    );
  };
  return changes.filter((one) => {
    if (stays(one)) return true;
    if (isSource(one)) return false;
    const own = changes.find((other) => isSource(other) && other.file === one.file && other.key === one.key);
    if (own !== undefined && own.change !== "updated" && stays(own)) return true;
    if (one.before === undefined) return false;
    const taken = changes.filter((other) => isSource(other) && other.file === one.file && !stays(other));
    return !keysWithout(now, one.file, taken).has(one.key);
  });
}

const history = fc.array(change, { minLength: 1, maxLength: 6 });
const same = async (a: State, b: State) => (await diffContent(a.hive, b.hive)).length === 0;

const isSameTree = (a: State, b: State) =>
  JSON.stringify([...a.blobs].toSorted()) === JSON.stringify([...b.blobs].toSorted());

describe("an undo of the last commit", () => {
  it("the undo of the last commit restores the tree before it, and its own undo the tree after", async () => {
    await forAll(100, history, async (changes) => {
      const states = await statesOf(changes);
      const [before, after] = states.slice(-2);
      if (before === undefined || after === undefined || isSameTree(before, after)) return;
      const { plan, undone } = await undoing({ now: after, before: before, after: after });
      expect(plan.conflicts).toEqual([]);
      expect(undone.blobs).toEqual(before.blobs);
      const again = await undoing({ now: undone, before: after, after: undone });
      expect(again.plan.conflicts).toEqual([]);
      expect(again.undone.blobs).toEqual(after.blobs);
      const { restored, updated, deleted } = plan.counts;
      expect(again.plan.counts).toEqual({ restored: deleted, updated, deleted: restored, skipped: 0 });
    });
  });
});

const placeOf = ({ locale, file, key }: KeyChange) => JSON.stringify([locale, file, key]);
const placesOf = (changes: readonly KeyChange[]) => changes.map(placeOf).toSorted();

describe("an undo of any commit", () => {
  it("undoes exactly the changes whose keys are as it left them, and touches no other key", async () => {
    await forAll(150, history, fc.nat(), async (changes, pick) => {
      const states = await statesOf(changes);
      const at = pick % (states.length - 1);
      const [before, after, now] = [states[at], states[at + 1], states.at(-1)];
      if (before === undefined || after === undefined || now === undefined || (await same(before, after)))
        return;
      const { plan, undone } = await undoing({ now: now, before: before, after: after });
      expect(placesOf(plan.conflicts)).toEqual(
        placesOf(await blockedSlowly(now.hive, before.hive, after.hive)),
      );
      const { restored, updated, deleted, skipped } = plan.counts;
      expect(skipped).toBe(plan.conflicts.length);
      const all = await diffContent(before.hive, after.hive);
      expect(restored + updated + deleted + skipped).toBe(all.length);
      const blocked = new Set(placesOf(plan.conflicts));
      const expected = all
        .filter((one) => !blocked.has(placeOf(one)))
        .map(({ locale, file, key, before: text }) => [locale, file, key, text]);
      for (const [locale, file, key, text] of expected) {
        expect(textAt(undone.hive, locale as LocaleCode, file as FileName, key ?? "")).toBe(text);
      }
      expect(await diffContent(now.hive, undone.hive)).toHaveLength(expected.length);
      if (expected.length === 0) return;
      const again = await undoing({ now: undone, before: now, after: undone });
      expect(again.plan.conflicts).toEqual([]);
      expect(textsOf(again.undone.hive)).toEqual(textsOf(now.hive));
      expect(staleIn(again.undone)).toEqual(staleIn(now));
    });
  });
});

/** The state with every stale translation of a locale confirmed. */
function confirmed(state: State, locale: LocaleCode): State {
  const files = new Map(state.markers).get(locale) ?? new Map<FileName, ReadonlyMap<string, string>>();
  const writes = [...files.keys()].map((file) => ({ kind: staleKind, locale, file, values: new Map() }));
  return written(state, { counts: undefined, writes: [], changes: [] }, writes);
}

describe("an undo of confirmations", () => {
  const of = (locale: LocaleCode, state: State) =>
    Object.entries(staleIn(state)).filter(([place]) => place.startsWith(`${locale} `));

  it("makes stale what was, where the translation is still what was confirmed", async () => {
    const source = (suffix: string): Change => ({
      kind: "source",
      mode: "import",
      clear: false,
      files: new Map([
        [fileNamed("a.php"), fromGroup({ a: `A${suffix}`, b: `B${suffix}`, c: { d: `D${suffix}`, e: "E" } })],
      ]),
    });
    const all = (locale: string): Change => {
      return { kind: "translations", locale, overwrite: true, picks: [1], texts: ["t", "u"] };
    };
    const stale = [source(""), all("fr"), all("ru"), source("2")];
    const some = fc.array(fc.oneof(change, fc.constantFrom("", "2", "3").map(source)), { maxLength: 2 });
    await forAll(75, some, fc.constantFrom("fr", "ru"), some, async (earlier, code, later) => {
      const locale = toLocale(code).code;
      const before = await stateAfter([...stale, ...earlier]);
      const was = of(locale, before);
      if (was.length === 0) return;
      const after = confirmed(before, locale);
      expect(of(locale, after)).toEqual([]);
      const last = await undoing({ now: after, before: before, after: after });
      expect(last.plan.counts).toMatchObject({ updated: 0, skipped: 0, confirmations: was.length });
      expect(staleIn(last.undone)).toEqual(staleIn(before));

      const now = await stateAfter(later, after);
      const { plan, undone } = await undoing({ now: now, before: before, after: after });
      const blocked = plan.conflicts.map((one) => `${one.locale} ${one.file} ${one.key}`);
      const rest = was.filter(([place]) => !blocked.includes(place));
      // A source text that is again the one that the translation was made for makes it fresh.
      const isStale = new Set(Object.keys(staleIn(undone)));
      for (const [place, translatedFrom] of rest)
        if (isStale.has(place)) expect(staleIn(undone)[place]).toBe(translatedFrom);
      expect(await diffContent(now.hive, undone.hive)).toEqual([]);
      expect(plan.counts.skipped).toBe(blocked.length);
    });
  });
});

async function imported(
  hive: HiveContent,
  files: unknown,
  mode: SourceImport["mode"] = "sync",
): Promise<HiveContent> {
  return applied(
    hive,
    await planSourceImport(hive, { files: await toSourceFiles(files), mode, conflictStrategy: "keep" }),
  );
}

const hiveWith = (files: unknown, rest: Omit<HiveFixture, "files"> = {}) =>
  hiveOf({ ...rest, files: { "a.php": files } });
const groupIn = (hive: HiveContent) => hive.source.get(fileNamed("a.php"))?.group;

async function undone(before: HiveContent, after: HiveContent, now: HiveContent): Promise<HiveContent> {
  return applied(now, await undoOf({ now, before, after }));
}

describe("the undo of a deletion", () => {
  const order = async (before: object, after: object, now: object) =>
    JSON.stringify(groupIn(await undone(hiveWith(before), hiveWith(after), hiveWith(now))));

  it.each<[string, object, object, object, object]>([
    [
      "behind the one before it",
      { a: "A", b: "B", c: "C" },
      { a: "A", c: "C" },
      { c: "C", a: "A", d: "D" },
      { c: "C", a: "A", b: "B", d: "D" },
    ],
    [
      "in its old order among others that do",
      { a: "A", b: "B", c: "C", d: "D" },
      { a: "A", d: "D" },
      { a: "A", x: "X", d: "D" },
      { a: "A", b: "B", c: "C", x: "X", d: "D" },
    ],
    [
      "behind the nearest that is left",
      { a: "A", b: "B", c: "C", d: "D" },
      { a: "A", b: "B", d: "D" },
      { d: "D", a: "A" },
      { d: "D", a: "A", c: "C" },
    ],
    ["first when none is", { a: "A", b: "B" }, { b: "B" }, { b: "B", c: "C" }, { a: "A", b: "B", c: "C" }],
    [
      "in its group",
      { n: { a: "A", b: "B", c: "C" }, z: "Z" },
      { n: { a: "A", c: "C" }, z: "Z" },
      { z: "Z", n: { a: "A", c: "C", d: "D" } },
      { z: "Z", n: { a: "A", b: "B", c: "C", d: "D" } },
    ],
    [
      "with its group",
      { a: "A", n: { b: "B" }, z: "Z" },
      { a: "A", z: "Z" },
      { a: "A", z: "Z", y: "Y" },
      { a: "A", n: { b: "B" }, z: "Z", y: "Y" },
    ],
    [
      "beside a text that has the name of its group",
      { n: { a: "A" } },
      { x: "X" },
      { x: "X", n: "N" },
      { "n.a": "A", n: "N" },
    ],
    [
      "to a list",
      { n: ["A", "B", "C"] },
      { n: ["A", "B"] },
      { n: ["A", "B"], x: "X" },
      { n: ["A", "B", "C"], x: "X" },
    ],
  ])("a restored string goes %s", async (_, before, after, now, expected) => {
    expect(await order(before, after, now)).toBe(JSON.stringify(expected));
  });

  it("an undo restores the shape of a file that is as the commit left it", async () => {
    const before = { z: "Z", empty: [], n: { b: "B", a: "A" } };
    const after = { "n.a": "A", empty: { now: "full" } };
    expect(await order(before, after, after)).toBe(JSON.stringify(before));
  });

  it("a restored string gets its translations back, in the shape of the source, and no orphaned ones", async () => {
    const before = hiveWith(
      { a: "A", n: { b: "B" } },
      { translations: { fr: { "a.php": { a: "AA", "n.b": "BB" } } } },
    );
    const after = hiveWith({ a: "A" }, { translations: { fr: { "a.php": { a: "AA" } } } });
    const now = hiveWith(
      { z: "Z", a: "A" },
      {
        translations: { fr: { "a.php": { a: "AA", z: "ZZ" } }, de: { "a.php": { "n.b": "orphan" } } },
        locales: ["fr", "de"],
      },
    );
    const plan = await undoOf({ now, before, after });
    expect(plan.writes.map(({ locale, content }) => [locale, JSON.stringify(content?.group)])).toEqual([
      ["en", '{"z":"Z","a":"A","n":{"b":"B"}}'],
      ["fr", '{"z":"ZZ","a":"AA","n":{"b":"BB"}}'],
      ["de", undefined],
    ]);
    expect(plan.counts).toEqual({ restored: 2, updated: 0, deleted: 0, skipped: 0 });
  });
});

describe("a change that cannot be undone", () => {
  const conflicts = async (before: HiveContent, after: HiveContent, now: HiveContent) =>
    (await undoOf({ now, before, after })).conflicts.map(
      ({ locale, file, key }) => `${locale} ${file} ${key}`,
    );
  const translated = (texts: Record<string, string>, locales = ["fr"]) => ({
    locales,
    translations: { fr: { "a.php": texts } },
  });

  it("an undo cannot remove a string that has been translated since", async () => {
    const now = hiveWith({ a: "A", b: "B" }, translated({ a: "AA" }));
    expect(await conflicts(hiveWith({ z: "Z" }), hiveWith({ z: "Z", a: "A", b: "B" }), now)).toEqual([
      "en a.php a",
    ]);
  });

  it("an undo cannot restore a translation into a removed locale, or of a removed string", async () => {
    const before = hiveWith({ a: "A", b: "B" }, translated({ a: "AA", b: "BB" }));
    const after = hiveWith({ a: "A", b: "B" });
    expect(await conflicts(before, after, hiveWith({ a: "A", b: "B" }, { locales: ["de"] }))).toEqual([
      "fr a.php a",
      "fr a.php b",
    ]);
    expect(await conflicts(before, after, hiveWith({ a: "A" }))).toEqual(["fr a.php b"]);
  });

  it("an undo cannot restore a string that was created again, with its translations", async () => {
    const before = hiveWith({ a: "A", b: "B" }, translated({ a: "AA" }));
    expect(await conflicts(before, hiveWith({ b: "B" }), hiveWith({ b: "B", a: "A" }))).toEqual([
      "en a.php a",
      "fr a.php a",
    ]);
  });

  it("an undo cannot restore a file that clashes with present ones", async () => {
    const hive = (...names: string[]) =>
      hiveOf({ files: Object.fromEntries(names.map((name) => [name, { a: "A" }])) });
    expect(await conflicts(hive("a.php"), hiveOf({}), hive("A.php"))).toEqual(["en a.php a"]);
    expect(await conflicts(hive("a.php"), hive("A.php"), hive("A.php"))).toEqual([]);
    expect(await conflicts(hive("a.php.json/b.php"), hiveOf({}), hive("a.php"))).toEqual([
      "en a.php.json/b.php a",
    ]);
  });

  it("conflicts of an undo are named: the first in the message, a hundred in a list", async () => {
    const many = Array.from({ length: 150 }, (__, i) => ({ locale: "fr", file: "a.php", key: `k${i}` }));
    const keys = Object.fromEntries(many.map(({ key }) => [key, "x"]));
    const { conflicts: found } = await undoOf({
      now: hiveWith({ z: "Z" }),
      before: hiveWith({ z: "Z" }),
      after: hiveWith({ z: "Z", ...keys }),
    });
    const error = differenceConflict(found, hiveWith({}).settings, "Nothing was undone", "undo_conflict");
    expect(error.message).toBe("Nothing was undone: en: a.php: k0 (and 149 more)");
    expect(error.data).toMatchObject({ total: 150 });
    expect(error.data).toHaveProperty("conflicts.length", 100);
  });
});

describe("a commit that cannot be undone", () => {
  it.each<[string, HiveContent, HiveContent]>([
    ["changed no", hiveWith({ a: "A", b: "B" }), hiveWith({ a: "A", b: "B" })],
    ["source locale", hiveWith({ a: "A" }, { source: "de" }), hiveWith({ a: "A" })],
  ])("a commit cannot be undone: %s", async (why, before, after) => {
    await expect(undoOf({ now: after, before, after })).rejects.toThrow(why);
  });
});

it("an undo does not restore the order of a file that has been changed since, and says so", async () => {
  const before = hiveWith({ a: "A", b: "B", c: "C" });
  const after = hiveWith({ b: "B", a: "A", c: "C" });
  const now = hiveWith({ b: "B", a: "A", c: "C2" });
  await expect(undoOf({ now, before, after })).rejects.toThrow("have changed again since");
});

it("an undo does not touch a file that the commit did not", async () => {
  const before = hiveOf({ files: { "a.php": { a: "A" }, "b.php": { b: "B" } } });
  const after = await imported(before, { "a.php": { a: "A2" } });
  const { writes } = await undoOf({ now: after, before, after });
  expect(writes.map(({ file }) => file)).toEqual(["a.php"]);
});

describe("an undo of strings with plural forms that only translations have", () => {
  const z = { z: "Z" };
  const source = { i_one: "{{count}} item", i_other: "{{count}} items" };
  const others = { i_one: "{{count}} good", i_other: "{{count}} goods" };
  const forms = { i_one: "1", i_few: "2", i_many: "3", i_other: "4" };
  const none: readonly Move[] = [];
  const a = fileNamed("a.json");
  const back = ["one", "other"].map((form) => ({
    from: { file: a, key: `c_${form}` },
    to: { file: a, key: `i_${form}` },
  }));
  const elsewhere = (all: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(all).map(([key, text]) => [key.replace("i", "c"), text]));

  it.each([
    [
      "keeps them with a string that has changed since",
      { before: file(z), after: file({ ...z, ...source }, forms), now: file({ ...z, ...others }, forms) },
      none,
      forms,
    ],
    [
      "brings none back to another string at the same place",
      { before: file({ ...z, ...source }, forms), after: file(z), now: file({ ...z, ...others }) },
      none,
      {},
    ],
    [
      "moves none to another string, and removes none where they were moved to",
      {
        before: file({ ...z, ...source }, forms),
        after: file({ ...z, ...elsewhere(source) }, elsewhere(forms)),
        now: file({ ...z, ...elsewhere(source), ...others }, elsewhere(forms)),
      },
      back,
      elsewhere(forms),
    ],
  ])("%s", async (_, states, inTheirs, expected) => {
    const { plan, undone } = await undoing(states, { inOurs: [], inTheirs });
    expect(plan.counts.skipped).toBeGreaterThan(0);
    const translated = undone.hive.translations.get(toLocale("fr").code)?.get(a) ?? new Map();
    expect(Object.fromEntries(translated)).toEqual(expected);
  });
});

describe("an undo after moves to where a string was deleted", () => {
  const at = (key: string) => ({ file: fileNamed("a.json"), key });
  const inOurs = [{ from: at("b"), to: at("c") }];

  it("is in conflict at the places alone that the commit has changed", async () => {
    const states = {
      before: file({ b: "B", c: "C", z: "Z" }),
      after: file({ b: "B", c: "C1", z: "Z" }),
      now: file({ c: "B", z: "Z" }),
    };
    const { plan } = await undoing(states, { inOurs, inTheirs: [] });
    expect(plan.conflicts.map(({ key }) => key)).toEqual(["c"]);
  });

  it("brings back what was there if the moved string was deleted, too", async () => {
    const states = {
      before: file({ b: "B", c: "C", z: "Z" }),
      after: file({ b: "B", z: "Z" }),
      now: file({ z: "Z" }),
    };
    const { plan, undone } = await undoing(states, { inOurs, inTheirs: [] });
    expect(plan.conflicts).toEqual([]);
    expect([...(undone.hive.source.get(fileNamed("a.json"))?.texts ?? [])]).toEqual([
      ["c", "C"],
      ["z", "Z"],
    ]);
  });
});
