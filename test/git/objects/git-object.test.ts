import { randomBytes } from "node:crypto";
import { deflateSync } from "node:zlib";
import { afterEach, describe, expect, it, vi } from "vitest";
import { deflateObject, inflateObject, toGitObject } from "../../../src/git/objects/git-object.ts";

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
});
