/** Merging and syncing terms, and taking that back. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { planGlossaryUndo, planTerms, type GivenTerm } from "../../../src/domain/glossary/glossary-plan.ts";
import { maxTerms, type Glossary } from "../../../src/domain/glossary/term.ts";
import { toLocale } from "../../../src/domain/hives/locale.ts";
import { term } from "./terms.ts";
import { forAll } from "../../helpers/runs.ts";

const fr = toLocale("fr").code;

function ids(): () => string {
  let last = 0;
  return () => `n${++last}`;
}

const given = fc.record(
  {
    source: fc.constantFrom("a", "b", "c", "A"),
    meaning: fc.constantFrom(null, "x", "y"),
    partOfSpeech: fc.constantFrom(null, "noun"),
    keep: fc.boolean(),
    translations: fc
      .option(fc.record({ text: fc.constantFrom("t", "u"), accepted: fc.constant(["v"]) }))
      .map((one) => new Map([[fr, one]])),
  },
  { requiredKeys: ["source", "meaning", "partOfSpeech"] },
);
/** Terms of which no two are the same one. */
const terms = fc.uniqueArray(given, {
  maxLength: 6,
  selector: ({ source, meaning, partOfSpeech }) => JSON.stringify([source, meaning, partOfSpeech]),
});

async function planned(before: Glossary, list: readonly GivenTerm[], mode: "merge" | "sync" = "merge") {
  return planTerms(before, list, mode, ids());
}

describe("merging and syncing terms", () => {
  it("changes nothing the second time", async () => {
    await forAll(
      300,
      terms,
      terms,
      fc.constantFrom("merge" as const, "sync" as const),
      async (first, second, mode) => {
        const before = (await planned([], first)).terms;
        const { terms: after, counts } = await planTerms(before, second, mode, ids2());
        expect(counts.created + counts.updated + counts.unchanged).toBe(second.length);
        expect(after).toHaveLength(before.length + counts.created - counts.deleted);
        const again = await planTerms(after, second, mode, ids2());
        expect(again.counts).toEqual({ created: 0, updated: 0, deleted: 0, unchanged: second.length });
        expect(again.terms).toEqual(after);
      },
    );
  });

  it("keeps what is not given, and a sync keeps nothing else", async () => {
    await forAll(300, terms, terms, async (first, second) => {
      const before = (await planned([], first)).terms;
      const merged = (await planTerms(before, second, "merge", ids2())).terms;
      for (const { id } of before) expect(merged.map((each) => each.id)).toContain(id);
      const synced = (await planTerms(before, second, "sync", ids2())).terms;
      expect(synced.map(({ source }) => source).toSorted()).toEqual(
        second.map(({ source }) => source).toSorted(),
      );
    });
  });

  it("is taken back exactly", async () => {
    await forAll(300, terms, terms, async (first, second) => {
      const before = (await planned([], first)).terms;
      const { terms: after, counts } = await planTerms(before, second, "sync", ids2());
      const undo = planGlossaryUndo(after, after, before);
      expect(undo.terms).toEqual(before);
      expect(undo).toMatchObject({
        conflicts: [],
        restored: counts.deleted,
        updated: counts.updated,
        deleted: counts.created,
      });
    });
  });

  const [verb, state] = [
    term({ id: "1", source: "Open", meaning: "verb", fr: "Ouvrir" }),
    term({ id: "2", source: "Open", meaning: "state", fr: { text: "Ouvert", forbidden: ["Libre"] } }),
  ];

  it("finds a term by its spelling where that is enough, else by its meaning or id", async () => {
    const translations = new Map([[fr, { text: "X" }]]);
    const textsAfter = async (before: Glossary, one: GivenTerm): Promise<unknown> =>
      (await planned(before, [one])).terms.map((each) => each.translations.get(fr)?.text);
    expect(await textsAfter([verb], { source: "Open", translations })).toEqual(["X"]);
    expect(await textsAfter([verb, state], { source: "Open", meaning: "state", translations })).toEqual([
      "Ouvrir",
      "X",
    ]);
    expect(await textsAfter([verb, state], { id: "1", source: "Open", translations })).toEqual([
      "X",
      "Ouvert",
    ]);
    expect(await textsAfter([verb], { source: "Open", meaning: "new", translations })).toEqual([
      "Ouvrir",
      "X",
    ]);
    await expect(planned([verb, state], [{ source: "Open", translations }])).rejects.toThrow(
      /there are 2 terms "Open"/,
    );
    await expect(planned([verb], [{ id: "9", source: "Open" }])).rejects.toThrow(
      /terms\.0: there is no term with the id "9"/,
    );
  });

  it("merges the members of a translation, and removes what is null", async () => {
    const merge = async (one: Parameters<typeof planned>[1][number]) =>
      (await planned([state], [one])).terms[0]?.translations.get(fr);
    expect(await merge({ source: "Open", translations: new Map([[fr, { accepted: ["Dispo"] }]]) })).toEqual({
      text: "Ouvert",
      accepted: ["Dispo"],
      forbidden: ["Libre"],
      keep: false,
    });
    expect(await merge({ source: "Open", translations: new Map([[fr, null]]) })).toBeUndefined();
  });

  it.each([
    ["a term that is given twice", [{ source: "x" }, { source: "x" }], /"x" would be there twice/],
    [
      "a stored term that is given twice",
      [{ source: "Open" }, { id: "1", source: "Open" }],
      /terms\.1: is given twice/,
    ],
    [
      "a spelling that is right and forbidden",
      [{ source: "x", translations: new Map([[fr, { text: "a", forbidden: ["a"] }]]) }],
      /forbids what it accepts/,
    ],
    [
      "too many meanings of one spelling",
      Array.from({ length: 21 }, (_, i) => ({ source: "x", meaning: String(i) })),
      /more than 20 meanings/,
    ],
    [
      "too many terms",
      Array.from({ length: maxTerms }, (_, i) => ({ source: `x${i}` })),
      /at most 20000 terms/,
    ],
  ])("refuses %s", async (_, list, problem) => {
    await expect(planned([verb], list)).rejects.toThrow(problem);
  });

  it("takes back nothing of a term that has changed since", async () => {
    const changed = { ...verb, meaning: "other" };
    expect(planGlossaryUndo([changed], [verb], [])).toMatchObject({
      terms: [changed],
      conflicts: ["1"],
      deleted: 0,
    });
    expect(planGlossaryUndo([], [verb], [])).toMatchObject({ terms: [], conflicts: [], deleted: 0 });
  });

  it("takes no rename back to a spelling that has as many meanings as it may", () => {
    const others = Array.from({ length: 20 }, (_, i) =>
      term({ id: `o${i}`, source: "file", meaning: `${i}` }),
    );
    const [was, left] = [
      term({ id: "1", source: "File", meaning: "x" }),
      term({ id: "1", source: "Document", meaning: "x" }),
    ];
    expect(() => planGlossaryUndo([left, ...others], [left], [was])).toThrow("more than 20 meanings");
    expect(planGlossaryUndo([left, ...others], [left], [])).toMatchObject({ deleted: 1, conflicts: [] });
    expect(planGlossaryUndo([left, ...others.slice(1)], [left], [was])).toMatchObject({ updated: 1 });
  });

  const file = (id: string, meaning?: string) => term({ source: "file", id, meaning });
  it.each<[string, now: Glossary, left: Glossary, was: Glossary, conflicts: readonly string[]]>([
    ["a term that came again", [file("2")], [], [file("1")], ["1"]],
    ["a meaning that another one has now", [file("1", "x"), file("2")], [file("1", "x")], [file("1")], ["1"]],
    [
      "a meaning, where another one stays in the way",
      [file("1", "x"), file("2", "y"), file("3", "z")],
      [file("1", "x"), file("2", "y")],
      [file("1", "y"), file("2", "z")],
      ["2", "1"],
    ],
  ])("takes back nothing that could not be told from others: %s", (_, now, left, was, conflicts) => {
    expect(planGlossaryUndo(now, left, was)).toEqual({
      terms: now,
      restored: 0,
      updated: 0,
      deleted: 0,
      conflicts,
    });
  });

  it("takes terms back that change places", () => {
    const [now, was] = [
      [file("1", "x"), file("2", "y")],
      [file("1", "y"), file("2", "x")],
    ];
    const { terms: after, conflicts } = planGlossaryUndo(now, now, was);
    expect(after).toHaveLength(2);
    expect(after).toEqual(expect.arrayContaining(was));
    expect(conflicts).toEqual([]);
  });

  it.each([
    ["terms", Array.from({ length: maxTerms }, (_, i) => term({ source: `x${i}` }))],
    ["meanings of one spelling", Array.from({ length: 20 }, (_, i) => file(`x${i}`, String(i)))],
  ])("brings back no more %s than there may be", (_, now) => {
    expect(() => planGlossaryUndo(now, [], [file("1")])).toThrow(/20/);
  });
});

/** Identifiers that those of {@link ids} do not have. */
function ids2(): () => string {
  const next = ids();
  return () => `m${Math.random().toString(36).slice(2)}${next()}`;
}
