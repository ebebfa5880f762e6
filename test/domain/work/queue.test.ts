/** Which strings are to be worked on, and what answers to them do. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { keptIn } from "../../../src/domain/notes/note-tags.ts";
import type { StringNotes } from "../../../src/domain/notes/note.ts";
import { LocalePlurals } from "../../../src/domain/strings/plural-rules.ts";
import { applyAnswers, type AnswerContext } from "../../../src/domain/work/answers.ts";
import {
  countStates,
  countWanted,
  formsOf,
  openStrings,
  seenAs,
  seenTexts,
  statesOf,
  toBits,
  type QueueFile,
} from "../../../src/domain/work/queue.ts";
import type { CheckName } from "../../../src/domain/checks/message.ts";
import { workStates, type AnsweredItem, type WorkResult } from "../../../src/domain/work/work.ts";
import { listUntranslated } from "../../../src/domain/queries/untranslated.ts";
import { fileNamed, hiveOf } from "../../helpers/hive.ts";
import { forAll, forAllSync } from "../../helpers/runs.ts";
import { translatableTexts } from "../../../src/domain/strings/string-file.ts";

const name = fileNamed("a.json");

const source = {
  a: "One",
  empty: "",
  b_one: "{{count}} file",
  b_other: "{{count}} files",
  c: { one: "A day", other: "Days" },
  d: "Two",
};
const hive = hiveOf({ locales: ["fr"], files: { "a.json": source } });
const [locale = expect.fail()] = hive.settings.targetLocales;
const strings = hive.source.get(name) ?? expect.fail();
const keys = ["a", "empty", "b_one", "b_many", "b_other", "c.one", "c.many", "c.other", "d"];
const items = ["a", "empty", "b_other", "c.other", "d"];
const plurals = new LocalePlurals(locale.code, hive.settings);

const texts = fc.constantFrom("A", "B", "C");
const byKey = <T>(value: fc.Arbitrary<T>) =>
  fc.dictionary(fc.constantFrom(...keys), value).map((found) => new Map(Object.entries(found)));
const question = { id: "1", text: "Why?", ask: true, withholds: true } as const;
const note = fc.constantFrom<StringNotes>(
  { team: { ask: "Why?" }, thread: [question] },
  { app: { keep: true } },
  { app: { note: "N" } },
);

const queueFile: fc.Arbitrary<QueueFile> = fc
  .record({
    texts: byKey(texts),
    staleMarkers: byKey(fc.constantFrom("Old", "One", "Two")),
    reviews: byKey(texts.map((text) => ({ text, approved: undefined, by: "somebody" }))),
    failing: fc.option(
      byKey(texts).map((found) => new Set(found.keys())),
      { nil: undefined },
    ),
    notes: fc.oneof(fc.constant(new Map<string, StringNotes>()), byKey(note)),
  })
  .map((parts) => Object.assign({ strings, plurals, kept: keptIn(parts.notes, strings, plurals) }, parts));

describe("the queue", () => {
  it("has each string once, in the order of the source, and counts them by their states", () => {
    forAllSync(100, queueFile, (file) => {
      const open = [...openStrings(file)];
      expect(open).toEqual(
        items.map((key) => [key, statesOf(file, key)]).filter(([, states]) => states !== 0),
      );
      for (const state of workStates) {
        const wanted = toBits([state]);
        const found = open.filter(([, states]) => (states & wanted) !== 0);
        expect(countWanted(countStates(file), wanted)).toBe(found.length);
      }
    });
  });

  it("has withheld strings in their places, in no other state", () => {
    const some = fc.subarray(items).map((withheld) => new Set(withheld));
    forAllSync(100, fc.tuple(queueFile, some), ([file, withheld]) => {
      const skipped = toBits(["skipped"]);
      const states = items.map((key) => [key, withheld.has(key) ? skipped : statesOf(file, key)] as const);
      expect([...openStrings(file, withheld)]).toEqual(states.filter(([, bits]) => bits !== 0));
      for (const [key, bits] of states) expect(statesOf(file, key, withheld)).toBe(bits);
    });
  });

  it("has the strings of lists of untranslated texts, except strings that somebody asked about", async () => {
    await forAll(100, queueFile, async (file) => {
      const content = {
        ...hive,
        translations: new Map([[locale.code, new Map([[name, file.texts]])]]),
      };
      const markers = new Map([[locale.code, new Map([[name, file.staleMarkers]])]]);
      const stemOf = (key: string): string => key.replace(/(one|many|other)$/, "");
      const isKept = (key: string): boolean =>
        [...file.notes].some(([one, { app }]) => app?.keep === true && stemOf(one) === stemOf(key));
      const kept = new Map([[name, new Set([...translatableTexts(strings).keys()].filter(isKept))]]);
      for (const state of ["missing", "stale"] as const) {
        const query = { offset: 0, limit: 100, states: new Set([state]) };
        const listed = (await listUntranslated(content, locale, { markers, kept }, query)).entries;
        const inItems = items.filter((key) => {
          const forms = formsOf(file, key) ?? [];
          const isAsked = forms.some((form) => file.notes.get(form.key)?.team?.ask !== undefined);
          return !isAsked && forms.some((form) => listed.some((one) => one.key === form.key));
        });
        const open = [...openStrings(file)].filter(([, states]) => (states & toBits([state])) !== 0);
        expect(open.map(([key]) => key)).toEqual(inItems);
      }
    });
  });
});

describe("an answer", () => {
  const seenBy = fc.record({
    source: fc.dictionary(fc.constantFrom("one", "other"), fc.constantFrom("One", "Two", "A day", "Days")),
    translation: fc.dictionary(fc.constantFrom("one", "other", "many"), fc.option(texts)),
  });
  const forms = fc
    .dictionary(fc.constantFrom("one", "many", "other"), texts, { minKeys: 1 })
    .map((found) => new Map(Object.entries(found)));

  it("replaces only a text that its writer has seen, for the source text that they have seen", async () => {
    const answered = fc.tuple(queueFile, fc.constantFrom(...items), forms, fc.option(seenBy), fc.boolean());
    await forAll(200, answered, async ([file, key, given, seen, approve]) => {
      const present = formsOf(file, key) ?? [];
      const expected = seen ?? seenTexts(file, present);
      const item: AnsweredItem = {
        file: name,
        key,
        answer: { kind: "forms", forms: given, approve },
        expected: seenAs(expected),
      };
      const context: AnswerContext = {
        locale,
        fileOf: async () => file,
        by: "me",
        allowFindings: false,
        findingsOf: () => [],
        sinceClaim: () => undefined,
        isWithheld: () => false,
        isAccepted: () => false,
      };
      const { saved, results, unseen } = await applyAnswers(context, [item]);
      expect(unseen).toEqual([]);
      for (const change of saved) {
        const form = present.find((one) => one.key === change.key);
        const was = Object.entries(expected.translation).find(([one]) => one === form?.form)?.[1];
        const of = new Map(Object.entries(expected.source));
        expect(was ?? undefined).toBe(change.before);
        expect(of.get(form?.form ?? "") ?? of.get("other")).toBe(form?.source);
        expect(given.get(form?.form ?? "")).toBe(change.after);
      }
      const [result] = results;
      const isStored = result?.status === "saved" || result?.status === "approved";
      const all = new Map(file.texts);
      for (const { key: changed, after } of saved) all.set(changed, after ?? "");
      const isThere = present
        .filter(({ form }) => given.has(form))
        .every((one) => all.get(one.key) === given.get(one.form));
      if (isStored) expect(isThere).toBe(true);
      else expect(saved).toEqual([]);
    });
  });

  const empty: QueueFile = {
    strings,
    plurals,
    texts: new Map(),
    staleMarkers: new Map(),
    reviews: new Map(),
    failing: undefined,
    notes: new Map(),
    kept: new Set(),
  };
  const context: AnswerContext = {
    locale,
    fileOf: async () => empty,
    by: "me",
    allowFindings: false,
    findingsOf: () => [],
    sinceClaim: ({ key }) => (key === "a" ? "nothing" : undefined),
    isWithheld: ({ key }) => key === "a",
    isAccepted: () => false,
  };

  it("is reported as unseen where there is neither a claim nor expected texts", async () => {
    const answer = { kind: "forms", forms: new Map([["other", "X"]]), approve: false } as const;
    const { unseen } = await applyAnswers(context, [
      { file: name, key: "a", answer },
      { file: name, key: "d", answer },
      { file: name, key: "d", answer: { kind: "skip" } },
      { file: name, key: "d", answer: { kind: "unskip" } },
    ]);
    expect(unseen).toEqual([1]);
  });

  it.each<[readonly CheckName[], WorkResult["status"], readonly string[]]>([
    [["length"], "accepted", ["b_one length", "b_other length"]],
    [["length", "length"], "accepted", ["b_one length", "b_other length"]],
    [["blanks"], "accepted", ["b_other blanks"]],
    [["blanks", "length"], "accepted", ["b_one length", "b_other blanks", "b_other length"]],
    [["ends"], "accepted", []],
    [["ends", "blanks"], "accepted", ["b_other blanks"]],
    [["syntax"], "unknown", []],
    [["length", "syntax"], "unknown", []],
  ])("accepts findings of %j: %s", async (checks, status, accepted) => {
    const texts = new Map([
      ["b_one", "A"],
      ["b_other", "B"],
    ]);
    const found = { b_one: ["length", "length"], b_other: ["length", "blanks"] } as const;
    const findingsOf: AnswerContext["findingsOf"] = (_, __, [form]) =>
      (form?.key === "b_one" || form?.key === "b_other" ? found[form.key] : []).map((check) => ({
        locale: locale.code,
        file: name,
        key: form?.key ?? "",
        check,
        severity: "warning",
        message: "",
      }));
    const isAccepted: AnswerContext["isAccepted"] = ({ check }, { translation }) =>
      check === "ends" && translation === "A";
    const fileOf = async () => ({ ...empty, texts });
    const forms = formsOf(empty, "b_other") ?? expect.fail();
    const answer = { kind: "accept", checks } as const;
    const item = { file: name, key: "b_other", answer, expected: seenAs(seenTexts({ texts }, forms)) };
    const given = { ...context, fileOf, findingsOf, isAccepted };
    const applied = await applyAnswers(given, [item]);
    expect(applied.results).toEqual([{ file: name, key: "b_other", status }]);
    const shown = applied.accepted.map(({ key, check, texts: { translation } }) => [key, check, translation]);
    const expected = accepted.map((one) => [...one.split(" "), texts.get(one.split(" ")[0] ?? "")]);
    expect(shown.toSorted()).toEqual(expected.toSorted());
    expect(applied.counts.accepted).toBe(accepted.length);
    const late = { ...item, expected: seenAs(seenTexts({ texts: new Map([["b_one", "Z"]]) }, forms)) };
    const missed = await applyAnswers(given, [late]);
    expect([missed.results[0]?.status, missed.accepted]).toEqual(["conflict", []]);
  });

  it.each([
    ["a", "skip", "skipped"],
    ["a", "unskip", "unskipped"],
    ["d", "skip", "skipped"],
    ["d", "unskip", "unknown"],
    ["none", "skip", "unknown"],
    ["none", "unskip", "unknown"],
  ] as const)("about %s of which a is withheld, %s: %s", async (key, kind, status) => {
    const { results, saved, skipped } = await applyAnswers(context, [{ file: name, key, answer: { kind } }]);
    expect(results).toEqual([{ file: name, key, status }]);
    expect([saved, skipped.map((one) => one.key)]).toEqual([[], status === "skipped" ? [key] : []]);
  });
});
