/** `skep picture`: adds, lists and removes pictures. */
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import { png } from "../../domain/pictures/images.ts";
import { makeApp, type AppTree } from "../../helpers/app-tree.ts";

let app: AppTree;

beforeEach(async () => {
  app = await makeApp({ patterns: ["locales/{locale}/*.json"], locales: ["fr"] });
  app.write({ "locales/en/auth.json": '{ "title": "Log in", "out": "Log out" }' });
  expect(await app.run("push")).toMatchObject({ code: 0 });
  writeFileSync(join(app.folder, "login.png"), png(4, 4));
});

it("adds a picture of strings, lists it, and removes it by the beginning of its hash", async () => {
  expect(await app.run("picture add", join(app.folder, "login.png"), "auth.json:*")).toMatchObject({
    code: 0,
  });
  const { stdout } = await app.run("picture list");
  expect(stdout).toMatch(/login\.png +4 × 4 +auth\.json:\*/);
  const [hash = ""] = /^[0-9a-f]{10}/m.exec(stdout) ?? [];
  expect(await app.run("picture remove", "nope")).toMatchObject({ code: 1 });
  expect(await app.run("picture remove", hash)).toMatchObject({ code: 0 });
  expect(JSON.parse((await app.run("picture list", "--json")).stdout)).toEqual([]);
});

it("names a string that the Hive does not have, and what a picture must be", async () => {
  expect((await app.run("picture add", join(app.folder, "login.png"), "auth.json:no")).stderr).toContain(
    "auth.json:no",
  );
  writeFileSync(join(app.folder, "page.png"), "<html>");
  expect((await app.run("picture add", join(app.folder, "page.png"), "auth.json:out")).stderr).toContain(
    "must be a PNG",
  );
  writeFileSync(join(app.folder, "large.png"), png(4, 4, "x".repeat(300_001)));
  expect((await app.run("picture add", join(app.folder, "large.png"), "auth.json:out")).stderr).toContain(
    "larger than 300000",
  );
  expect(await app.run("picture add", join(app.folder, "login.png"))).toMatchObject({ code: 2 });
});

it("adds the pictures of a list, and none from outside its folder", async () => {
  const shots = join(app.folder, "shots");
  mkdirSync(shots);
  writeFileSync(join(shots, "a.png"), png(5, 5));
  symlinkSync(join(app.folder, "login.png"), join(shots, "link.png"));
  const add = async (list: unknown) => {
    writeFileSync(join(shots, "shots.json"), JSON.stringify(list));
    return app.run("picture add", "--from", join(shots, "shots.json"));
  };
  const strings = ["auth.json:title"];
  const boxes = [{ string: "auth.json:title", x: 1, y: 1, width: 2, height: 2 }];
  expect(await add([{ file: "a.png", strings, boxes }])).toMatchObject({ code: 0 });
  for (const file of ["../login.png", join(shots, "a.png"), "link.png"]) {
    expect((await add([{ file, strings }])).stderr).toContain("not below the folder");
  }
  expect((await add([{ file: "a.png" }])).stderr).toContain("0.strings");
  expect((await add({ shots: [] })).code).toBe(2);
  expect((await app.run("picture list")).stdout).toContain("5 × 5");
});
