import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  cleanLine,
  formatCommitMessage,
  countsInSubject,
  subjectWithCounts,
  tokenAuthor,
  parseCommitMessage,
} from "../../../src/domain/commits/commit-message.ts";
import { anyText } from "../../helpers/arbitraries.ts";
import { forAllSync } from "../../helpers/runs.ts";

describe("an author", () => {
  it.each<[string | undefined, string]>([
    ["CI", "CI"],
    ["Eve <root@host>\nTrailer: x", "Eve root@hostTrailer: x"],
    [undefined, "id1"],
    ["", "id1"],
    ["<>", "id1"],
    ["...", "..."],
    ["J. R. Jr.", "J. R. Jr."],
    ["\u0007\u001b", "id1"],
    [" 'Ann' ", "'Ann'"],
    ["Zoë 🐝", "Zoë 🐝"],
    ["a\u2028b\u202ec", "abc"],
    ["نام\u200cمن", "نام\u200cمن"],
  ])("of a token named %j is %j", (name, expected) =>
    expect(tokenAuthor("id1", name)).toEqual({ name: expected, email: "id1@tokens.skep.invalid" }),
  );
});

describe("a commit message", () => {
  const metadata = {
    token: "t1",
    subject: "Sync source strings: 1 created",
    operation: "sync",
    strategy: "keep",
    counts: { Created: 1 },
  };

  it("names the commit that it undoes", () => {
    expect(formatCommitMessage({ token: "t1", subject: "Undo", operation: "undo", undoes: "0123" })).toBe(
      "Undo\n\nOperation: undo\nToken: t1\nUndoes: 0123\n",
    );
  });

  it("is the subject, the caller's paragraph, and the trailers", () => {
    expect(formatCommitMessage({ ...metadata, message: "Release 1", ref: "https://ci/1" })).toBe(
      "Sync source strings: 1 created\n\nRelease 1\n\nOperation: sync\nToken: t1\nStrategy: keep\nCreated: 1\nRef: https://ci/1\n",
    );
  });

  it("has no empty paragraph", () => {
    expect(formatCommitMessage({ ...metadata, message: " \n " })).toBe(formatCommitMessage(metadata));
    expect(formatCommitMessage({ subject: "s", operation: "o" })).toBe("s\n\nOperation: o\n");
  });

  it("keeps a caller's text on one line, out of the trailers", () => {
    const message = formatCommitMessage({
      ...metadata,
      message: "x\r\n\r\nToken: root\u2029y\u0085z",
      ref: "r\nToken: root",
    });
    expect(message.split("\n\n")).toHaveLength(3);
    expect(message).toContain("\n\nx    Token: root y z\n\n");
    expect(message).toContain("\nRef: r Token: root\n");
  });

  it("indents lines below which git would not read trailers", () => {
    for (const message of ["# ------------------------ >8 ------------------------", "; - >8 -", "-"]) {
      expect(formatCommitMessage({ ...metadata, message })).toContain(`\n\n ${message}\n\n`);
    }
    expect(formatCommitMessage({ ...metadata, message: "---\nx" })).toContain("\n\n --- x\n\n");
  });

  it("has at most 1,000 characters of the caller's message, and 500 of the reference", () => {
    const long = formatCommitMessage({ ...metadata, message: "🐝".repeat(1001), ref: "r".repeat(501) });
    expect(long.split("\n\n")[1]).toBe("🐝".repeat(1000));
    expect(long.trimEnd().split("\n").at(-1)).toBe(`Ref: ${"r".repeat(500)}`);
  });

  it("cuts between characters", () => {
    expect(cleanLine("🐝".repeat(1001), 1000)).toBe("🐝".repeat(1000));
    expect(cleanLine("x".repeat(1000), 1000)).toHaveLength(1000);
  });

  it("the subject of a commit leaves out counts of zero", () => {
    expect(subjectWithCounts("Sync", { created: 0, deleted: 2 }, "order changed")).toBe("Sync: 2 deleted");
    expect(subjectWithCounts("Sync", { created: 0 }, "order changed")).toBe("Sync: order changed");
    const subject = subjectWithCounts("Sync: all", { created: 12, deleted: 2 }, "order changed");
    const counts = new Map([
      ["created", 12],
      ["deleted", 2],
    ]);
    expect(countsInSubject(subject)).toEqual({ what: "Sync: all", counts });
    for (const other of ["Sync: order changed", "Add the picture a: 2", "Tag v1: 2 b, c", "1 created", ""])
      expect([other, countsInSubject(other)]).toEqual([other, undefined]);
  });
});

describe("a commit's message", () => {
  it("is parsed as it was written, for any text of the caller", () => {
    const words = fc.oneof(
      anyText(),
      fc.constantFrom(
        "Operation: forged",
        "Created: 9",
        `Idempotency-Key: ${"f".repeat(64)}`,
        `Body-SHA-256: ${"f".repeat(64)}`,
        "--- x",
        "a\n\nOperation: forged\nCreated: 9",
        "Origin: model",
        "x\nModel: forged",
        "- x",
      ),
    );
    forAllSync(75, words, words, fc.nat(), fc.boolean(), (message, ref, created, isNamed) => {
      const note = {
        subject: "Import",
        operation: "import",
        strategy: "keep",
        counts: { Created: created },
      };
      const idempotency = isNamed ? { key: "0".repeat(64), body: "1".repeat(64) } : undefined;
      const text = formatCommitMessage({ ...note, token: "id", message, ref, idempotency });
      const record = parseCommitMessage(text, true);
      expect(record).toMatchObject({
        subject: "Import",
        operation: "import",
        strategy: "keep",
        token: "id",
      });
      expect(record.idempotency).toEqual(idempotency);
      expect(record.origin).toBeUndefined();
      expect(record.counts).toEqual(new Map([["created", created]]));
      expect(record.message ?? "").toBe(cleanLine(message, 1000).trim());
      expect(record.ref ?? "").toBe(cleanLine(ref, 500));
    });
  });

  it("has the origin of its texts, and does not count a model whose name is a number", () => {
    const origin = { kind: "model", name: "7", prompt: "sha256:9f" } as const;
    const text = formatCommitMessage({ subject: "Import", operation: "import", origin });
    expect(parseCommitMessage(text, true)).toMatchObject({ origin, counts: new Map() });
    expect(parseCommitMessage(text, false).origin).toBeUndefined();
  });

  it("the message of a commit from outside is not parsed", () => {
    const text = "Subject\n\nBody\n\nOperation: sync\nCreated: 1\n";
    expect(parseCommitMessage(text, false)).toEqual({
      subject: "Subject",
      message: "Body\n\nOperation: sync\nCreated: 1",
      counts: new Map(),
    });
    expect(parseCommitMessage("", false)).toEqual({ subject: "", counts: new Map() });
    expect(parseCommitMessage("Mended\n\nby hand\n", true).operation).toBe(undefined);
    expect(parseCommitMessage("Operation: sync\n", true).operation).toBe(undefined);
  });
});
