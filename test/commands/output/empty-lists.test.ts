/** Lists of which there is nothing yet. */
import { expect, it } from "vitest";
import { makeApp } from "../../helpers/app-tree.ts";
import { acmeStorage, skep } from "../../helpers/process.ts";

it.each([
  ["branch list", "There is no branch besides main; skep branch create makes one."],
  ["tag list", "There is no tag; skep tag create makes one."],
  ["note list", "There is no note; skep note edit makes one."],
  ["picture list", "There is no picture; skep picture create adds one."],
  ["glossary list", "The glossary is empty; skep glossary create adds a term."],
  ["glossary list --search file", "No term has the text file."],
  ["review list", "No translation waits for a review."],
  ["untranslated fr", "No text is missing or stale in fr."],
  ["untranslated fr --state stale --tag menu", "No text with the tag menu is stale in fr."],
])("skep %s says what there is none of, on stderr", async (command, empty) => {
  const app = await makeApp({ patterns: ["lang/{locale}.json"], locales: ["fr"] });
  app.write({ "lang/en.json": "{}" });
  expect(await app.run(command)).toEqual({ code: 0, stdout: "", stderr: `${empty}\n` });
  const { code, stdout } = await app.run(command, "--json");
  expect([code, JSON.parse(stdout)]).toMatchObject([0, command.startsWith("un") ? { texts: [] } : []]);
});

it("a list of a storage does, too", async () => {
  const list = ["hive", "list", "--storage", await acmeStorage({})];
  expect(await skep(...list)).toEqual({
    code: 0,
    stdout: "",
    stderr: "There is no Hive; skep hive create makes one.\n",
  });
  expect(await skep(...list, "--json")).toEqual({ code: 0, stdout: "[]\n", stderr: "" });
});
