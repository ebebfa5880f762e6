/** `skep pull --missing fallback`: fills gaps with what a locale inherits. */
import { beforeEach, expect, it } from "vitest";
import { makeApp, type AppTree } from "../../../helpers/app-tree.ts";

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

let app: AppTree;
const austrian = () => JSON.parse(app.read("lang/de_AT.json"));
const pull = (...args: readonly string[]) =>
  app.run("pull", "--locale", "de_AT", "--missing", "fallback", ...args);

beforeEach(async () => {
  app = await makeApp({ patterns: ["lang/{locale}.json"], locales: ["de", "de-AT=de_AT"] });
  app.write({ "lang/en.json": json({ jan: "January", feb: "February", mar: "March" }) });
  expect(await app.run("push")).toMatchObject({ code: 0 });
  await app.manage("PATCH", "/locales/de_AT", { inherits: "de" });
  await app.translate("de", { "en.json": { jan: "Januar", feb: "Februar" } });
  await app.translate("de_AT", { "en.json": { jan: "Jänner" } });
});

it("writes the own text, what is inherited, or the source text, and the own alone without it", async () => {
  expect(await pull()).toMatchObject({ code: 0, stderr: "" });
  expect(austrian()).toEqual({ jan: "Jänner", feb: "Februar", mar: "March" });
  expect((await app.run("status", "--locale", "de_AT")).stdout).toContain("files as in the Hive");
  expect((await pull()).stdout).toContain("web: 0 files changed, 1 unchanged");
  app.write({ "lang/de_AT.json": "{}" });
  await app.run("pull", "--locale", "de_AT");
  expect(austrian()).toEqual({ jan: "Jänner" });
});

it("replaces what was inherited once, and keeps what only the file has", async () => {
  await pull();
  app.write({ "lang/de_AT.json": json({ ...austrian(), mar: "Lenz" }) });
  await app.translate("de", { "en.json": { feb: "Feber", mar: "März" } });
  const { code, stdout, stderr } = await pull();
  expect([code, stdout.split("\n")[0]]).toEqual([0, "lang/de_AT.json: 1 updated"]);
  expect(stderr).toContain("only here, and kept: mar");
  expect(austrian()).toEqual({ jan: "Jänner", feb: "Feber", mar: "Lenz" });
  await pull("--prune");
  expect(austrian()).toEqual({ jan: "Jänner", feb: "Feber", mar: "März" });
});

it("is not sent back by a push, unless the Hive has a text of the locale's own", async () => {
  await pull();
  app.write({ "lang/de_AT.json": json({ jan: "Januar", feb: "Februar", mar: "Lenz" }) });
  const { code, stdout } = await app.run("push", "--translations", "--overwrite");
  expect([code, stdout]).toEqual([
    0,
    expect.stringContaining("1 text not sent (de_AT): equal to what the locale inherits."),
  ]);
  expect(await app.texts("de_AT")).toEqual({ "en.json": { jan: "Januar", mar: "Lenz" } });
  expect((await app.run("status", "--json", "--locale", "de_AT")).stdout).toContain('"percent": 100');
});

it("is not sent either where both come with one push", async () => {
  app.write({ "lang/de.json": json({ mar: "März" }), "lang/de_AT.json": json({ mar: "März" }) });
  await app.run("push", "--translations");
  expect(await app.texts("de_AT")).toEqual({ "en.json": { jan: "Jänner" } });
});
