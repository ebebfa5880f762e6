/** Comments on a string: how they are added and changed, how branches bring them together, and how they are stored. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toLocale } from "../../../src/domain/hives/locale.ts";
import { notesKind } from "../../../src/domain/notes/notes-kind.ts";
import {
  isFull,
  isOpen,
  mergedThread,
  openQuestion,
  threadLimits,
  withChange,
  withComment,
  withholdsIn,
  without,
  withOpenQuestion,
  withQuestion,
  type Comment,
  type Thread,
  type Voice,
} from "../../../src/domain/notes/thread.ts";
import { forAllSync } from "../../helpers/runs.ts";

const fr = toLocale("fr").code;
const de = toLocale("de").code;
const now = Date.parse("2026-01-02T03:04:05Z");

let count = 0;
const voice: Voice = { by: "anna", at: now, newId: () => `c${++count}` };

function say(thread: Thread | undefined, text: string, more: Partial<Comment> = {}): Thread {
  return withComment(thread, { id: `c${++count}`, by: "anna", text, ...more, at: now });
}

const textsOf = (thread: Thread): readonly string[] => thread.map(({ text }) => text);

describe("a thread", () => {
  it("has its comments in their order, though they were made at the same time", () => {
    let thread: Thread = [];
    for (let i = 0; i < 9; i++) thread = say(thread, String(i));
    expect(textsOf(mergedThread({ base: [], ours: [], theirs: thread }, { text: "ours" }))).toEqual([
      "0",
      "1",
      "2",
      "3",
      "4",
      "5",
      "6",
      "7",
      "8",
    ]);
    expect(thread[8]?.at).toBe("2026-01-02T03:04:05.008Z");
  });

  it("loses the oldest comments that are not open questions when there is no room", () => {
    let thread = say(undefined, "Open?", { ask: true });
    thread = say(thread, "Settled?", { ask: true, settled: true });
    for (let i = 0; i < threadLimits.comments - 1; i++) thread = say(thread, String(i));
    expect(thread).toHaveLength(threadLimits.comments);
    expect(textsOf(thread).slice(0, 3)).toEqual(["Open?", "0", "1"]);
  });

  it("takes no more when all are open questions", () => {
    let thread: Thread = [];
    for (let i = 0; i < threadLimits.comments; i++) thread = say(thread, String(i), { ask: true });
    expect(isFull(thread)).toBe(true);
    expect(() => say(thread, "More")).toThrow("open questions");
    expect(say(withChange(thread, thread[3]?.id ?? "", { settled: true }), "More")).toHaveLength(
      threadLimits.comments,
    );
  });

  it("withholds its string for a question of a writer alone, in its language or all", () => {
    const asked = { ask: true, withholds: true } as const;
    expect(withholdsIn(say(undefined, "?", { ask: true }), fr)).toBe(false);
    expect(withholdsIn(say(undefined, "?", asked), fr)).toBe(true);
    const inFrench = say(undefined, "?", { ...asked, locale: fr });
    expect([withholdsIn(inFrench, fr), withholdsIn(inFrench, de)]).toEqual([true, false]);
    const settled = withChange(inFrench, inFrench[0]?.id ?? "", { settled: true });
    expect(withholdsIn(settled, fr)).toBe(false);
    expect(withChange(settled, inFrench[0]?.id ?? "", { settled: false })).toEqual(inFrench);
    expect([openQuestion(inFrench, de), openQuestion(inFrench, fr)?.text]).toEqual([undefined, "?"]);
  });

  it.each([
    ["none", undefined, [], undefined],
    ["none", "A?", ["A? open"], "A?"],
    ["A?", "A?", ["A? open"], "A?"],
    ["A?", undefined, ["A? settled"], undefined],
    ["A?", "B?", ["A? settled", "B? open"], "B?"],
    ["A?", "A?\n\nB?", ["A? open", "B? open"], "A?"],
    ["A?", "A?\n", ["A? open"], "A?"],
  ])("whose open question is %j has, when that is to be %j, %j", (before, wanted, all, open) => {
    const thread = before === "none" ? undefined : withQuestion(undefined, before, voice);
    const after = withOpenQuestion(thread, wanted, voice);
    expect(after.map((one) => `${one.text} ${isOpen(one) ? "open" : "settled"}`)).toEqual(all);
    expect(openQuestion(after)?.text).toBe(open);
  });
});

/** What is done with a thread on one side: comments are added, changed and deleted. */
const acts = fc.array(
  fc.record({
    what: fc.constantFrom("say", "ask", "settle", "open", "edit", "delete"),
    at: fc.nat(20),
    text: fc.constantFrom("A", "B", "C"),
  }),
  { maxLength: 8 },
);

function after(thread: Thread, done: readonly Act[]): Thread {
  let now = thread;
  for (const { what, at, text } of done) {
    const id = now[at % Math.max(now.length, 1)]?.id ?? "";
    if (what === "say") now = say(now, text);
    else if (what === "ask") now = isFull(now) ? now : say(now, text, { ask: true });
    else if (what === "edit") now = withChange(now, id, { text });
    else if (what === "delete") now = without(now, id);
    else now = withChange(now, id, { settled: what === "settle" });
  }
  return now;
}

interface Act {
  readonly what: string;
  readonly at: number;
  readonly text: string;
}

const sides = fc.record({ base: acts, ours: acts, theirs: acts }).map((all) => {
  const base = after([], all.base);
  return { base, ours: after(base, all.ours), theirs: after(base, all.theirs) };
});

const idsOf = (thread: Thread): ReadonlySet<string> => new Set(thread.map(({ id }) => id));
const find = (thread: Thread, wanted: string): Comment | undefined => thread.find(({ id }) => id === wanted);

describe("threads of two branches", () => {
  it("come together without a conflict and without a loss", () => {
    forAllSync(300, sides, ({ base, ours, theirs }) => {
      const merged = mergedThread({ base, ours, theirs }, { text: "ours" });
      for (const id of new Set([...idsOf(ours), ...idsOf(theirs)])) {
        const [start, our, their, one] = [base, ours, theirs, merged].map((all) => find(all, id));
        const left = our ?? their;
        const isDeleted = start !== undefined && (our === undefined || their === undefined);
        const isChanged = JSON.stringify(left) !== JSON.stringify(start);
        // Only what one side deleted and the other left as it was is gone.
        expect(one !== undefined).toBe(!isDeleted || isChanged);
        if (one === undefined || our === undefined || their === undefined) continue;
        expect([our.text, their.text]).toContain(one.text);
        if (our.text === start?.text) expect(one.text).toBe(their.text);
        const isSettled = our.settled === start?.settled ? their.settled : our.settled;
        expect(one.settled).toBe(isSettled);
      }
      for (const id of idsOf(merged)) expect(idsOf(ours).has(id) || idsOf(theirs).has(id)).toBe(true);
    });
  });

  it("are the same whichever is merged into the other", () => {
    forAllSync(300, sides, ({ base, ours, theirs }) => {
      const there = mergedThread({ base, ours: theirs, theirs: ours }, { text: "theirs" });
      expect(mergedThread({ base, ours, theirs }, { text: "ours" })).toEqual(there);
    });
  });

  it("keep what the other side may not change", () => {
    forAllSync(100, sides, ({ base, ours, theirs }) => {
      expect(mergedThread({ base, ours, theirs }, { text: "theirs", mayChange: () => false })).toEqual(ours);
    });
  });

  it("keep open questions although there is no room for all", () => {
    let [ours, theirs]: [Thread, Thread] = [[], []];
    for (let i = 0; i < threadLimits.comments; i++) {
      ours = say(ours, `our ${i}`, { ask: true });
      theirs = say(theirs, `their ${i}`, i % 2 === 0 ? { ask: true } : {});
    }
    const merged = mergedThread({ base: undefined, ours, theirs }, { text: "ours" });
    expect(merged.filter(isOpen)).toHaveLength(75);
    expect(merged).toHaveLength(75);
  });
});

describe("stored notes", () => {
  const read = (team: object) => notesKind.parse({ team });

  it("of a Hive without comments have their question as the oldest", () => {
    const notes = read({ note: "N", ask: "Why?" });
    expect(notes.team).toEqual({ note: "N", ask: "Why?" });
    expect(notes.thread).toEqual([{ id: "ask", text: "Why?", ask: true, withholds: true }]);
    const again = notesKind.parse(JSON.parse(JSON.stringify(notesKind.toJson(notes))));
    expect(notesKind.isSame(again, notes)).toBe(true);
    expect(notesKind.toJson(notes)).not.toHaveProperty("team.ask");
  });

  const comment = { id: "1", by: "anna", at: "2026-01-02T03:04:05.678Z", text: "x" };
  it.each([
    ["no list", {}],
    ["an empty list", []],
    ["an unknown member", [{ ...comment, votes: 1 }]],
    ["no text", [{ ...comment, text: "" }]],
    ["a text that is too long", [{ ...comment, text: "x".repeat(threadLimits.text + 1) }]],
    ["half a pair", [{ ...comment, text: "\ud800" }]],
    ["no time", [{ ...comment, at: "today" }]],
    ["no locale", [{ ...comment, locale: "../fr" }]],
    ["an id twice", [comment, comment]],
    ["an id of two lines", [{ ...comment, id: "a\nb" }]],
    ["too many", Array.from({ length: threadLimits.stored + 1 }, (_, i) => ({ ...comment, id: String(i) }))],
  ])("with a thread that has %s are not read", (_, thread) => {
    expect(() => read({ thread })).toThrow();
  });
});
