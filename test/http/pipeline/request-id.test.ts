/** The id that each request has, in its answer and in the log. */
import { describe, expect, it } from "vitest";
import { harness, memoryStorage } from "../../helpers/storage.ts";

describe("an id of a request", () => {
  const storage = memoryStorage();
  const { call } = harness(storage, undefined);

  it.each([
    "a",
    "3f2c6a1e-8d0b-4c53-9b1a-0d9b8e7f6a5c",
    "Root=1-67891233-abcdef012345678912345678",
    "x".repeat(128),
  ])("is the caller's: %s", async (id) => {
    for (const path of ["/healthz", "/nothing/here", "/api/hives/web/strings"]) {
      expect((await call("GET", path, { headers: { "x-request-id": id } })).headers.get("x-request-id")).toBe(
        id,
      );
    }
  });

  it.each([
    "",
    "x".repeat(129),
    "a b",
    'a"b',
    "a{b}",
    "<script>",
    "\u00e4",
    "-rf",
    `skep_abcdefghijkl_${"A".repeat(32)}`,
    `run_skep_abcdefghijkl_${"A".repeat(32)}`,
  ])("is generated if the caller's could do harm: %s", async (id) => {
    const made = (await call("GET", "/healthz", { headers: { "x-request-id": id } })).headers.get(
      "x-request-id",
    );
    expect(made).toMatch(/^[0-9a-f]{18}-[0-9a-z]+$/);
  });

  it("each request gets a different id", async () => {
    const ids = await Promise.all(
      Array.from({ length: 50 }, async () => (await call("GET", "/healthz")).headers.get("x-request-id")),
    );
    expect(new Set(ids).size).toBe(50);
  });
});
