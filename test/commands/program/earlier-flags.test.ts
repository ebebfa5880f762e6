/** Flags and commands that have another name now do the same by both. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import { expect, it } from "vitest";
import { commands } from "../../../src/commands/table.ts";
import { png } from "../../domain/pictures/images.ts";
import { makeApp, type AppTree } from "../../helpers/app-tree.ts";
import { git, skepWithin } from "../../helpers/process.ts";

/** An app with a commit that was pushed, one that was not, and a translation that waits for a review. */
async function prepare(): Promise<AppTree> {
  const app = await makeApp({
    patterns: ["lang/{locale}.json"],
    locales: ["fr"],
    abilities: ["read", "write", "approve"],
  });
  await git(app.folder, "init", "-q", "-b", "main");
  const commit = async (texts: object): Promise<void> => {
    app.write({ "lang/en.json": JSON.stringify(texts), "lang/fr.json": '{"a": "A"}' });
    await git(app.folder, "add", ".");
    await git(app.folder, "commit", "-qm", "Texts");
  };
  await commit({ a: "A", b: "B" });
  await app.run("push");
  await commit({ a: "A", b: "B", c: "C" });
  await app.translate("fr", { "en.json": { a: "approved", b: "stays" } });
  await app.manage("PATCH", "/locales/fr", { review: "all" });
  await app.translate("fr", { "en.json": { a: "waits" } });
  writeFileSync(join(app.folder, "a.png"), png(80, 40));
  app.write({ "shots.json": '[{"file": "a.png", "strings": ["en.json:a"]}]' });
  await app.run("glossary create", "other", "--translation", "fr=autre");
  await app.run("picture create", join(app.folder, "a.png"), "en.json:b");
  return app;
}

/** What differs between two apps: addresses, commits, ids, times. */
function withoutNames(text: string, app: AppTree): string {
  return text
    .replaceAll(app.folder, "FOLDER")
    .replaceAll(app.url, "URL")
    .replaceAll(/\b[0-9a-f]{7,64}\b/g, "HASH")
    .replaceAll(/"id": "\w+"/g, '"id": "ID"');
}

async function idOf(app: AppTree, list: string): Promise<string> {
  const [one] = JSON.parse((await app.run(list, "--json")).stdout);
  return one.id ?? one.hash;
}

/** All that the command could have changed. */
async function stateOf(app: AppTree): Promise<readonly string[]> {
  const hive = await Promise.all(
    ["glossary list", "picture list", "review list", "note list", "style show fr"].map((list) =>
      app.run(list, "--json"),
    ),
  );
  const texts = await Promise.all(["en", "fr"].map((locale) => app.texts(locale)));
  const files = ["lang/en.json", "lang/fr.json"].map((path) => app.read(path));
  return [...hive.map(({ stdout }) => stdout), JSON.stringify(texts), ...files];
}

// The earlier line, the present one, and what one of them shows. ID and HASH are those of what is there.
// oxfmt-ignore
const rows: readonly (readonly [earlier: string, present: string, says: string])[] = [
  ["glossary add file --locale fr=fichier --locale fr=x", "glossary create file --translation fr=fichier --translation fr=x", "1 term created"],
  ["glossary remove ID", "glossary delete ID", "Deleted the term."],
  ["picture add --from shots.json", "picture create --list shots.json", "Added 1 picture"],
  ["picture remove HASH", "picture delete HASH", "Deleted the picture."],
  ["note en.json:a --max-length 5", "note edit en.json:a --max-length 5", "max_length: 5"],
  ["note en.json:a", "note show en.json:a", "Nothing is said"],
  ["style fr Vous", "style edit fr Vous", "Set the style of fr."],
  ["style fr", "style show fr", "It has no style."],
  ["push --since", "push --base", "Changes since"],
  ["push --since HEAD", "push --base HEAD", "Changes since"],
  ["push --since HEAD --prune", "push --base HEAD --prune", "cannot be used with"],
  ["pull --approved --theirs", "pull --state approved --theirs", "1 file changed"],
  ["check --source en", "check --source-locale en", "checked"],
  ["translate fr --with true --review --dry-run", "translate fr --with true --want review --dry-run", "1 text to do"],
  ["init --yes --server https://skep.example.org --source fr", "init --yes --server https://skep.example.org --source-locale fr", "--source-locale fr"],
];

it.each(rows)("skep %s is skep %s", async (earlier, present, says) => {
  const run = async (line: string) => {
    const app = await prepare();
    const ids = [await idOf(app, "glossary list"), await idOf(app, "picture list")];
    const words = line
      .replace("ID", ids[0] ?? "")
      .replace("HASH", ids[1] ?? "")
      .split(" ");
    const args = words.map((word) => (word === "shots.json" ? join(app.folder, word) : word));
    const name = args
      .splice(0, /^(create|add|delete|remove|show|edit)$/.test(args[1] ?? "") ? 2 : 1)
      .join(" ");
    app.write({ "sub/locales/en.json": "{}", "sub/locales/fr.json": "{}" });
    const ended =
      name === "init"
        ? await skepWithin(join(app.folder, "sub"), {}, name, ...args)
        : await app.run(name, ...args);
    const state = await stateOf(app);
    const printed = [ended.stdout, ended.stderr].map((text) => withoutNames(text, app));
    return { code: ended.code, printed, state: state.map((text) => withoutNames(text, app)) };
  };
  const now = await run(present);
  expect(now.printed.join("\n")).toContain(says);
  expect(await run(earlier)).toEqual(now);
});

it("no flag that help does not show is missing here", async () => {
  const found: string[] = [];
  const visit = (command: CommandUnknownOpts, name: string): void => {
    for (const { long, hidden } of command.options) if (hidden) found.push(`${name} ${long ?? ""}`);
    for (const inner of command.commands) visit(inner, `${name} ${inner.name()}`);
  };
  for (const { name, group, load } of commands) if (group === "app") visit(await load(), name);
  const known = new Set(
    rows.flatMap(([earlier]) => {
      const [words = "", ...flags] = earlier.split(/ (?=--)/);
      const name = words
        .split(" ")
        .slice(0, /^(glossary|picture)/.test(words) ? 2 : 1)
        .join(" ");
      return flags.map((flag) => `${name} ${flag.split(" ")[0]}`);
    }),
  );
  expect(
    found
      .map((each) => each.replace(/^(glossary|picture) create/, "$1 add"))
      .filter((each) => !known.has(each)),
  ).toEqual([]);
});
