/** `skep replace`, at a server. */
import { beforeEach, expect, it } from "vitest";
import { makeApp, type AppTree } from "../../helpers/app-tree.ts";

let app: AppTree;

beforeEach(async () => {
  app = await makeApp({ patterns: ["{ path: 'lang/{locale}.json' }"] });
  await app.sync({ "a.json": { x: "The board {{n}}", y: "Boards" }, "b.json": { z: "Board" } });
  await app.translate("fr", {
    "a.json": { x: "Le tableau {{n}}", y: "tableaux" },
    "b.json": { z: "Tableau" },
  });
  await app.translate("pt-BR", { "b.json": { z: "tableau" } });
});

it("shows what would be replaced, word by word, and replaces nothing with --dry-run", async () => {
  const { code, stdout, stderr } = await app.run(
    "replace",
    "tableau",
    "panneau",
    "--dry-run",
    "--whole-word",
  );
  expect([code, stdout.split("\n"), stderr]).toEqual([
    0,
    [
      "~ fr, a.json: x: Le [-tableau-]{+panneau+} {{n}}",
      "~ fr, b.json: z: [-Tableau-]{+panneau+}",
      "~ pt_BR, b.json: z: [-tableau-]{+panneau+}",
      "Nothing was replaced.",
      "",
    ],
    "",
  ]);
  expect(await app.texts("pt_BR")).toMatchObject({ "b.json": { z: "tableau" } });
});

it("replaces after it was confirmed, as one commit", async () => {
  const flags = ["--locale", "fr", "--file", "a.json"];
  const asked = await app.run("replace", "tableau", "panneau", ...flags);
  expect([asked.code, asked.stderr]).toEqual([2, expect.stringContaining("--yes")]);
  const { code, stdout } = await app.run("replace", "tableau", "panneau", ...flags, "--yes");
  expect([code, stdout.split("\n").at(-2)]).toEqual([
    0,
    expect.stringMatching(/^Replaced in 2 translations, at [0-9a-f]{7}\.$/),
  ]);
  expect(await app.texts("fr")).toEqual({
    "a.json": { x: "Le panneau {{n}}", y: "panneaux" },
    "b.json": { z: "Tableau" },
  });
});

it("names what stays, and why", async () => {
  const { code, stdout, stderr } = await app.run("replace", "le tableau", "{{x}}", "--yes");
  expect([code, stdout, stderr]).toEqual([
    0,
    "Nothing was replaced.\n",
    "stays: fr, a.json: x: The arguments or tags of the text would be others.\n",
  ]);
  expect(await app.run("replace", "absent", "x", "--yes")).toMatchObject({
    code: 0,
    stdout: "Nothing was replaced.\n",
    stderr: "Nothing was found.\n",
  });
});

it("prints all of it as JSON", async () => {
  const json = async (...flags: string[]) =>
    JSON.parse((await app.run("replace", "Tableau", "panneau", "--json", "--case", ...flags)).stdout);
  const item = { locale: "fr", file: "b.json", key: "z", before: "Tableau", after: "panneau" };
  expect(await json("--dry-run")).toMatchObject({ commit: null, replaced: 0, more: false, items: [item] });
  expect(await json("--yes")).toMatchObject({
    commit: expect.stringMatching(/^[0-9a-f]{40}$/),
    replaced: 1,
    changed: 0,
    items: [item],
  });
});

it("says what is wrong with its flags", async () => {
  expect(await app.run("replace", "tableau")).toMatchObject({ code: 2 });
  expect(await app.run("replace", "tableau", "x", "--state", "new")).toMatchObject({ code: 2 });
  const { code, stderr } = await app.run("replace", "", "x", "--yes");
  expect([code, stderr]).toEqual([1, expect.stringContaining("find")]);
  expect(await app.run("replace", "x", "y", "--locale", "xx", "--yes")).toMatchObject({ code: 1 });
});
