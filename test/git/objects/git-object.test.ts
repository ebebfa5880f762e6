import { randomBytes } from "node:crypto";
import { deflateSync } from "node:zlib";
import { afterEach, describe, expect, it, vi } from "vitest";
import { deflateObject, inflateObject, toBlob, toGitObject } from "../../../src/git/objects/git-object.ts";

afterEach(() => vi.restoreAllMocks());

describe("a large object", () => {
  const content = randomBytes(1_000_000).toString("hex");

  it("is inflated by another thread into one piece, which the main thread need not join", async () => {
    const deflated = await deflateObject(toGitObject("blob", content));
    const concat = vi.spyOn(Buffer, "concat");
    expect(Buffer.from(await inflateObject(deflated, "blob")).toString()).toBe(content);
    expect(concat).not.toHaveBeenCalled();
  });

  it.each([
    ["a size that is not its own", `blob 12\0${content}`],
    ["an absurd size", `blob 9999999999\0${content}`],
    ["no size", content],
  ])("is refused with %s", (_, text) =>
    expect(inflateObject(deflateSync(text), "blob")).rejects.toThrow("not a whole blob object"),
  );

  it("is refused when it is cut off", async () => {
    const deflated = await deflateObject(toGitObject("blob", content));
    await expect(inflateObject(deflated.subarray(0, 600_000), "blob")).rejects.toThrow();
    await expect(inflateObject(Buffer.alloc(200_000), "blob")).rejects.toThrow();
  });

  it("is made from pieces of text in steps, and is the same as from one text", () => {
    const pieces = Array.from({ length: 10 }, (_, i) => content.slice(i * 200_000, (i + 1) * 200_000));
    const steps = toBlob(pieces);
    const copy = vi.spyOn(Uint8Array.prototype, "set");
    const copied: number[] = [];
    let step = steps.next();
    for (; step.done !== true; step = steps.next()) copied.push(copy.mock.calls.length);
    // The header is copied with the first piece.
    expect(copied.slice(-9)).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10]);
    const { oid, bytes } = toGitObject("blob", content);
    expect(step.value.oid).toBe(oid);
    expect(Buffer.compare(step.value.bytes, bytes)).toBe(0);
  });
});
