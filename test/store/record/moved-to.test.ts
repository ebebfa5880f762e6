/** A storage that is moved into a database. */
import { expect, it } from "vitest";
import { setUpWeb } from "../../helpers/storage.ts";

const to = "postgres://db1/skep";
const changes = [
  ["POST", "/api/hives/web/strings", { files: { "a.json": { a: "A" } } }],
  ["POST", "/api/hives/web/tags", { name: "v1" }],
  ["POST", "/api/hives/web/branches", { name: "fix" }],
  ["POST", "/api/hives/web/locales", { code: "it" }],
  ["POST", "/api/hives", { slug: "app", source_locale: "en", locales: [] }],
  ["POST", "/api/tokens", { abilities: ["read"] }],
  ["DELETE", "/api/hives/web", undefined],
] as const;

it("a storage that is moved, or was moved, into a database refuses changes in its folder, and answers reads", async () => {
  const { storage, call } = await setUpWeb({ token: { abilities: ["read", "write", "admin"] } });
  for (const isComplete of [false, true]) {
    await storage.moved.write({ to, isComplete });
    for (const [method, path, body] of changes) {
      const { status, json } = await call(method, path, { body });
      expect([path, status, json.code, json.message]).toEqual([
        path,
        503,
        "read_only",
        expect.stringContaining(to),
      ]);
    }
    expect(await call("GET", "/api/hives/web/strings")).toMatchObject({ status: 200 });
  }
  expect(() => storage.moved.requireHere()).toThrow(`moved to ${to}: use --database`);
  await storage.moved.remove();
  expect(await call("POST", "/api/hives/web/tags", { body: { name: "v1" } })).toMatchObject({ status: 201 });
});
