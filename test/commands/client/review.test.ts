/** `skep review`, in an app's tree. */
import { beforeEach, describe, expect, it } from "vitest";
import { makeApp, type AppTree } from "../../helpers/app-tree.ts";

let app: AppTree;

beforeEach(async () => {
  app = await makeApp({
    patterns: ["{ path: 'lang/{locale}.json' }"],
    abilities: ["read", "write", "approve"],
  });
  await app.sync({ "a.json": { x: "X", y: "Y" }, "b.json": { z: "Z" } });
  await app.translate("fr", { "a.json": { x: "old x" } });
  for (const locale of ["fr", "pt-BR"]) await app.manage("PATCH", `/locales/${locale}`, { review: "all" });
  await app.translate("fr", { "a.json": { x: "new x", y: "y" }, "b.json": { z: "z" } });
  await app.translate("pt-BR", { "b.json": { z: "pt" } });
});

const waiting = async (): Promise<string[]> =>
  JSON.parse((await app.run("review list", "--json")).stdout).map(
    ({ locale, file, key }: Record<string, string>) => `${locale} ${file}:${key}`,
  );

describe("skep review list", () => {
  it("shows what waits, and how it differs from what was approved", async () => {
    const all = await app.run("review list");
    expect([all.code, all.stderr]).toEqual([0, "4 translations wait.\n"]);
    const one = await app.run("review list", "--locale", "fr", "a.json");
    expect(one.stdout).toMatch(
      /^LOCALE +FILE +KEY +AUTHOR +SOURCE +TRANSLATION\nfr +a.json +x +\S.* +X +\[-old-\]\{\+new\+\} x\nfr +a.json +y +\S.* +Y +y\n$/,
    );
    expect((await app.run("review list", "c.json", "a.json:x")).stderr).toBe(
      "skep: c.json: does not wait for a review\n1 translation waits.\n",
    );
    expect((await app.run("review list", "--locale", "xx")).code).toBe(1);
  });
});

describe("skep review approve", () => {
  it("approves files and keys, as they were listed", async () => {
    const { code, stdout } = await app.run("review approve", "--locale", "fr", "a.json:x", "b.json");
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/^2 fr translations approved, at [0-9a-f]{7}\.\n$/),
    ]);
    expect(await waiting()).toEqual(["fr a.json:y", "pt_BR b.json:z"]);
    const again = await app.run("review approve", "--locale", "fr", "a.json:x", "--json");
    expect([again.code, JSON.parse(again.stdout)]).toEqual([
      0,
      { commit: null, approved: 0, unknown: ["a.json:x"] },
    ]);
  });

  it("approves a whole locale only with --all and --yes", async () => {
    expect(await app.run("review approve", "--locale", "fr")).toMatchObject({ code: 2 });
    expect(await app.run("review approve", "--locale", "fr", "--all", "a.json")).toMatchObject({ code: 2 });
    expect(await app.run("review approve", "--all", "--yes")).toMatchObject({ code: 2 });
    const asked = await app.run("review approve", "--locale", "fr", "--all");
    expect([asked.code, asked.stderr]).toEqual([2, expect.stringContaining("--yes")]);
    expect(await waiting()).toHaveLength(4);
    expect((await app.run("review approve", "--locale", "fr", "--all", "--yes")).code).toBe(0);
    expect(await waiting()).toEqual(["pt_BR b.json:z"]);
  });
});

describe("skep review reject", () => {
  it("gives the approved texts back, and needs a reason", async () => {
    expect((await app.run("review reject", "--locale", "fr", "a.json")).code).toBe(2);
    const flags = ["--locale", "fr", "--reason", "Too familiar", "--json"];
    const { stdout } = await app.run("review reject", "a.json", "c.json", ...flags);
    expect(JSON.parse(stdout)).toMatchObject({ rejected: 2, unknown: ["c.json"] });
    expect(await app.texts("fr")).toEqual({ "a.json": { x: "old x" }, "b.json": { z: "z" } });
    expect((await app.run("review reject", "--locale", "fr", "--all", "--yes", "--reason", "no")).code).toBe(
      0,
    );
    expect(await app.texts("fr")).toEqual({ "a.json": { x: "old x" }, "b.json": {} });
  });
});

it("needs the ability to approve", async () => {
  const reader = await makeApp({ patterns: ["{ path: 'lang/{locale}.json' }"], abilities: ["read"] });
  await reader.sync({ "a.json": { x: "X" } });
  expect((await reader.run("review list")).code).toBe(0);
  await reader.manage("PATCH", "/locales/fr", { review: "all" });
  await reader.translate("fr", { "a.json": { x: "x" } });
  expect((await reader.run("review approve", "--locale", "fr", "a.json")).code).toBe(5);
});
