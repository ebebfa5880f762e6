/** Preconditions where a write checks none are refused: who sends one relies on it. */
import { describe, expect, it } from "vitest";
import { setUpWeb } from "../helpers/storage.ts";

describe("a precondition of a write that checks none", () => {
  it.each([
    ["POST", "/api/tokens", {}],
    ["DELETE", "/api/tokens/abcdefghijkl", undefined],
    ["POST", "/api/hives", { slug: "app" }],
    ["POST", "/api/trash/web/restore", undefined],
  ])(
    "a precondition on a write that checks none is refused by %s %s, and nothing is done",
    async (method, path, body) => {
      const { call } = await setUpWeb({ token: { abilities: ["admin"] } });
      const state = async () => [
        (await call("GET", "/api/tokens")).json.meta.total,
        (await call("GET", "/api/hives")).json.data.length,
      ];
      const before = await state();
      for (const name of ["If-Match", "Idempotency-Key"]) {
        const headers = { [name]: `"${"0".repeat(40)}"` };
        const { status, json } = await call(method, path, { body, headers });
        expect([status, Object.keys(json.errors)]).toEqual([422, [name]]);
      }
      expect(await state()).toEqual(before);
    },
  );
});
