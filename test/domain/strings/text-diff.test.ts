import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { textAt, diffTexts } from "../../../src/domain/strings/text-diff.ts";
import { diffWords } from "../../../src/domain/strings/word-diff.ts";
import { contentOf } from "../../helpers/hive.ts";
import { anyText } from "../../helpers/arbitraries.ts";
import { forAllSync } from "../../helpers/runs.ts";

const texts = fc
  .dictionary(fc.constantFrom("a", "b", "c", "__proto__", ""), fc.constantFrom("x", "y", ""))
  .map((object) => new Map(Object.entries(object)));

describe("two contents of a file", () => {
  it("the differences of two contents turn one into the other", () => {
    forAllSync(75, texts, texts, (before, after) => {
      const made = new Map<string, string>(before);
      for (const { key, before: old, after: text } of diffTexts(before, after)) {
        expect(old).toBe(before.get(key));
        expect(text).not.toBe(old);
        if (text === undefined) made.delete(key);
        else made.set(key, text);
      }
      expect(Object.fromEntries(made)).toEqual(Object.fromEntries(after));
    });
  });
});

describe("the text at a key", () => {
  it("equals that of the flattened file", () => {
    const name = fc.constantFrom("a", "b", "a.b", "", "0", "length", "__proto__", "constructor");
    const { node } = fc.letrec((tie) => ({
      node: fc.oneof(
        { maxDepth: 3 },
        fc.dictionary(name, fc.oneof(fc.constantFrom("x", "y"), tie("node"))),
        fc.array(fc.oneof(fc.constantFrom("x", "y"), tie("node")), { maxLength: 3 }),
      ),
    }));
    forAllSync(75, node, fc.array(name, { minLength: 1, maxLength: 4 }), (value, path) => {
      let file;
      try {
        file = contentOf(value);
      } catch {
        return;
      }
      const key = path.join(".");
      expect(textAt(file.group, key)).toBe(file.texts.get(key));
      for (const [known, text] of file.texts) expect(textAt(file.group, known)).toBe(text);
    });
  });
});

describe("the word differences of two texts", () => {
  it("word differences keep the words that stay", () => {
    expect(diffWords("Your password is wrong.", "Your pass phrase is wrong.")).toEqual([
      { kind: "same", text: "Your " },
      { kind: "gone", text: "password" },
      { kind: "new", text: "pass phrase" },
      { kind: "same", text: " is wrong." },
    ]);
    expect(diffWords("", "x")).toEqual([{ kind: "new", text: "x" }]);
    expect(diffWords("x", "x")).toEqual([{ kind: "same", text: "x" }]);
  });

  it("word differences show a phrase that another replaces as one change", () => {
    expect(diffWords("Votre mot de passe !", "Votre code\u00a0secret !")).toEqual([
      { kind: "same", text: "Votre " },
      { kind: "gone", text: "mot de passe" },
      { kind: "new", text: "code\u00a0secret" },
      { kind: "same", text: " !" },
    ]);
    expect(diffWords("one two three", "1 2 3")).toEqual([
      { kind: "gone", text: "one two three" },
      { kind: "new", text: "1 2 3" },
    ]);
    // What is only added, and only taken away, is not replaced.
    expect(diffWords("a b c", "x a b").map(({ kind }) => kind)).toEqual(["new", "same", "gone"]);
    expect(diffWords("one and two", "1 and 2").map(({ text }) => text)).toEqual([
      "one",
      "1",
      " and ",
      "two",
      "2",
    ]);
  });

  it("word differences keep arguments whole", () => {
    for (const [before, after] of [
      ["{name}", "{nom}"],
      ["{{ user.name }}", "{{ user.id }}"],
      ["%1$s", "%2$s"],
      ["%(first)s", "%(last)s"],
      ["%{first}", "%{last}"],
      [":first", ":last"],
      ["$FIRST$", "$LAST$"],
    ] as const) {
      expect(diffWords(`Hi ${before} there`, `Hi ${after} there`)).toEqual([
        { kind: "same", text: "Hi " },
        { kind: "gone", text: before },
        { kind: "new", text: after },
        { kind: "same", text: " there" },
      ]);
    }
  });

  it("word differences show both texts in full, however long", () => {
    const text = fc.oneof(
      fc
        .array(fc.constantFrom("a", "b", " ", "c", "日", "."), { maxLength: 30 })
        .map((words) => words.join("")),
      anyText(),
    );
    const joined = (runs: ReturnType<typeof diffWords>, without: string) =>
      runs
        .filter(({ kind }) => kind !== without)
        .map((run) => run.text)
        .join("");
    forAllSync(75, text, text, (before, after) => {
      const runs = diffWords(before, after);
      expect([joined(runs, "new"), joined(runs, "gone")]).toEqual([before, after]);
      expect(runs.every((run) => run.text !== "")).toBe(true);
    });
    const end = fc.constantFrom("", "x ", "word", "😀", "日本").map((piece) => piece.repeat(1_500));
    forAllSync(25, end, text, text, end, (start, before, after, rest) => {
      const runs = diffWords(start + before + rest, start + after + rest);
      expect(joined(runs, "new")).toBe(start + before + rest);
      expect(joined(runs, "gone")).toBe(start + after + rest);
      expect(runs.every((run) => run.text.isWellFormed())).toBe(`${before}${after}`.isWellFormed());
    });
    const long = "a b c d e f g h i j"
      .split(" ")
      .map((letter) => `${letter} `.repeat(400))
      .join("");
    expect(joined(diffWords(`1 ${long}`, `${long.slice(6)} 2`), "new")).toBe(`1 ${long}`);
  });

  it("are found in long texts that differ in little, and not looked for in those that differ in much", () => {
    const words = (length: number, from: number): string =>
      Array.from({ length }, (_, i) => `w${i + from}`).join(" ");
    const page = words(10_000, 0);
    const changed = page.replace(" w5000 ", " five ");
    expect(diffWords(page, changed).filter(({ kind }) => kind !== "same")).toEqual([
      { kind: "gone", text: "w5000" },
      { kind: "new", text: "five" },
    ]);
    for (const [before, after] of [
      [words(600, 0), words(600, 600)],
      [`${page}${page}`, `${changed}${page}`],
      [words(60, 0), words(60, 60)],
    ] as const) {
      const kinds = diffWords(before, after).filter(({ kind }) => kind !== "same");
      expect([before.length, kinds.length]).toEqual([before.length, 2]);
    }
  });
});
