/** Lists full of faults, or longer than makes sense, keep the server from nobody else. */
import { describe, expect, it } from "vitest";
import { harness, makeHive, makeToken, memoryStorage } from "../helpers/storage.ts";

const faulty = Array.from({ length: 100_000 }, () => 1);

async function admin() {
  const storage = memoryStorage();
  await makeHive(storage, "web");
  return harness(storage, await makeToken(storage, { abilities: ["admin"] }));
}

describe("a list", () => {
  it.each([
    ["/api/tokens", { abilities: faulty }, "abilities"],
    ["/api/hives/web/stale/confirm", { locale: "fr", file: "a.php", keys: faulty }, "keys"],
  ])("of many faults at %s is checked up to the twentieth", async (path, body, field) => {
    const { call } = await admin();
    const { status, json } = await call("POST", path, { body });
    expect(status).toBe(422);
    expect(Object.keys(json.errors)).toEqual(Array.from({ length: 20 }, (_, i) => `${field}.${i}`));
    expect(json.message).toMatch(/ \(and 19 more\): /);
  });

  it("of many faulty Hives is a fault as a whole", async () => {
    const { call } = await admin();
    const { status, json } = await call("POST", "/api/tokens", { body: { hives: faulty } });
    expect([status, json.errors]).toEqual([422, { hives: ["hives: must be all or a list of slugs"] }]);
  });

  it("of more locales than a Hive may have is refused, and so is one more than that", async () => {
    const { call } = await admin();
    const locales = Array.from({ length: 1_001 }, (_, i) => `en-x-${i}`);
    const tooMany = await call("POST", "/api/hives", { body: { slug: "app", locales } });
    expect([tooMany.status, tooMany.json.errors]).toEqual([
      422,
      { locales: ["locales: must have at most 1000 elements"] },
    ]);
    const made = await call("POST", "/api/hives", { body: { slug: "app", locales: locales.slice(1) } });
    expect(made.status).toBe(201);
    const { status, json } = await call("POST", "/api/hives/app/locales", { body: { code: "fr" } });
    expect([status, Object.keys(json.errors)]).toEqual([422, ["code"]]);
  });
});
