import { randomBytes } from "node:crypto";
import { deflateSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { deflateBytes, inflateObject, toGitObject } from "../../../src/git/objects/git-object.ts";

describe("a large object", () => {
  const content = randomBytes(1_000_000).toString("hex");

  it("is inflated as it was deflated", async () => {
    const deflated = await deflateBytes(toGitObject("blob", content).bytes);
    expect(Buffer.from(await inflateObject(deflated, "blob")).toString()).toBe(content);
  });

  it.each([
    ["a size that is not its own", `blob 12\0${content}`],
    ["no size", content],
  ])("is refused with %s", async (_, text) => {
    await expect(inflateObject(deflateSync(text), "blob")).rejects.toThrow("not a whole blob object");
  });

  it("is refused when it is cut off", async () => {
    const deflated = await deflateBytes(toGitObject("blob", content).bytes);
    await expect(inflateObject(deflated.subarray(0, 600_000), "blob")).rejects.toThrow();
    await expect(inflateObject(Buffer.alloc(200_000), "blob")).rejects.toThrow();
  });
});
