import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { onOneLine, paintFor, wordDiff } from "../../../src/commands/output/terminal.ts";
import { toPrintableJson } from "../../../src/domain/text.ts";
import { anyText } from "../../helpers/arbitraries.ts";

const paint = paintFor({ isTTY: true }, {});

describe("colours", () => {
  it("are used on terminals only, and not if NO_COLOR is set", () => {
    expect(paint?.("red", "x")).toBe("\u001b[31mx\u001b[0m");
    expect(paintFor({ isTTY: true }, { NO_COLOR: "" })).toBeDefined();
    expect(paintFor({ isTTY: true }, { NO_COLOR: "1" })).toBe(undefined);
    expect(paintFor({ isTTY: true }, { TERM: "dumb" })).toBe(undefined);
    expect(paintFor({}, {})).toBe(undefined);
  });
});

describe("a text", () => {
  it("has no control characters, printed or as JSON, and JSON parses to the same text", () => {
    const text = fc.oneof(
      anyText(),
      fc.constantFrom("\u001b[2J", "\u009b31m", "\u202eabc", "a\r\nb", "\u2028", "\u{e0001}", "\u0007"),
    );
    const obeyed = /(?!\u200c|\u200d)[\p{Cc}\p{Cf}\u2028\u2029]/u;
    fc.assert(
      fc.property(text, text, (before, after) => {
        expect(onOneLine(before)).not.toMatch(obeyed);
        expect(onOneLine(before)).not.toContain("\n");
        expect(wordDiff(before, after, undefined)).not.toMatch(obeyed);
        const json = toPrintableJson({ [before]: after });
        expect(json).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}\u2028\u2029]/u);
        expect(JSON.parse(json)).toEqual({ [before]: after });
      }),
    );
  });

  it("keeps the joiners of its script", () => {
    expect(onOneLine("می\u200cخواهم 👩\u200d💻")).toBe("می\u200cخواهم 👩\u200d💻");
  });
});

describe("a change", () => {
  it("is shown word by word", () => {
    expect(wordDiff("Wrong password.", "Wrong pass phrase.", undefined)).toBe(
      "Wrong [-password-]{+pass phrase+}.",
    );
    expect(wordDiff("a b", "a c", paint)).toBe("a \u001b[31mb\u001b[0m\u001b[32mc\u001b[0m");
    expect(wordDiff(null, "new", undefined)).toBe("{+new+}");
    expect(wordDiff("old", null, undefined)).toBe("[-old-]");
    expect(wordDiff(null, "", undefined)).toBe("{++}");
    expect(wordDiff("", null, undefined)).toBe("[--]");
  });
});
