import { randomBytes } from "node:crypto";
import { deflateSync } from "node:zlib";
import { describe, expect, it, vi } from "vitest";
import { deflateBytes, inflateObject, toGitObject } from "../../../src/git/objects/git-object.ts";

describe("a large object", () => {
  const content = randomBytes(1_000_000).toString("hex");

  it("is inflated by another thread into one piece, which the main thread need not join", async () => {
    const deflated = await deflateBytes(toGitObject("blob", content).bytes);
    const concat = vi.spyOn(Buffer, "concat");
    expect(Buffer.from(await inflateObject(deflated, "blob")).toString()).toBe(content);
    // What runs beside the test may join small pieces of its own.
    const joined = concat.mock.calls.map(([parts]) => parts.reduce((sum, part) => sum + part.length, 0));
    expect(Math.max(0, ...joined)).toBeLessThan(content.length / 2);
  });

  it.each([
    ["a size that is not its own", `blob 12\0${content}`],
    ["an absurd size", `blob 9999999999\0${content}`],
    ["no size", content],
  ])("is refused with %s, and not inflated in tiny pieces", async (_, text) => {
    const concat = vi.spyOn(Buffer, "concat");
    await expect(inflateObject(deflateSync(text), "blob")).rejects.toThrow("not a whole blob object");
    expect(Math.max(...concat.mock.calls.map(([parts]) => parts.length))).toBeLessThan(1_000);
  });

  it("is refused when it is cut off", async () => {
    const deflated = await deflateBytes(toGitObject("blob", content).bytes);
    await expect(inflateObject(deflated.subarray(0, 600_000), "blob")).rejects.toThrow();
    await expect(inflateObject(Buffer.alloc(200_000), "blob")).rejects.toThrow();
  });
});
