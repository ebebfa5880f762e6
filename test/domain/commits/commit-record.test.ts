import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatCommitMessage } from "../../../src/domain/commits/commit-message.ts";
import { cleanLine } from "../../../src/domain/commits/commit-message.ts";
import { parseCommitMessage } from "../../../src/domain/commits/commit-record.ts";
import { anyText } from "../../helpers/arbitraries.ts";

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
    fc.assert(
      fc.property(words, words, fc.nat(), fc.boolean(), (message, ref, created, isNamed) => {
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
      }),
    );
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
