import { expect, test } from "vitest";
import { keepTickObject } from "../../src/http/server.ts";

test("keeps the object that node made for a call of process.nextTick, and no more than one", async () => {
  const kept = await keepTickObject();
  expect(Object.keys(kept)).toEqual(["callback", "args"]);
  expect(await keepTickObject()).toBe(kept);
});
