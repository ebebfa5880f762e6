/** `skep locale`: what its flags say, at a server and on a storage. */
import { describe, expect, it } from "vitest";
import { commandsOf } from "../../../src/api/command-table.ts";
import { locales } from "../../../src/api/locales.ts";
import { bodyOf } from "../../../src/commands/operations/members.ts";
import { realFolder } from "../../helpers/storage.ts";
import { acmeStorage, createToken, serveInProcess, skep, skepOk, skepWithin } from "../../helpers/process.ts";

it.each<[string, string, readonly string[], Readonly<Record<string, unknown>>, object]>([
  ["a code alone", "create", ["de"], {}, { code: "de" }],
  ["a custom code", "create", ["de-AT"], { customCode: "de_AT" }, { code: "de-AT", custom_code: "de_AT" }],
  ["no custom code", "edit", [], { customCode: "none" }, { custom_code: null }],
  [
    "a review by two people",
    "edit",
    [],
    { review: "all", twoPeople: true },
    { review: "all", two_people: true },
  ],
  ["another to inherit from", "edit", [], { inherits: "de" }, { inherits: "de" }],
  ["none to inherit from", "edit", [], { inherits: "none" }, { inherits: null }],
  [
    "an engine",
    "edit",
    [],
    { auto: "mistral", autoWant: ["missing", "failing"], autoBranches: true, autoReview: "never" },
    { auto: { engine: "mistral", want: ["missing", "failing"], branches: true, review: "never" } },
  ],
  ["no engine", "edit", [], { auto: "none" }, { auto: { engine: null } }],
  ["no review", "edit", [], { review: "none", twoPeople: false }, { review: null, two_people: false }],
])("flags are members of the request: %s", (_, name, args, flags, body) => {
  const command = commandsOf(locales).commands.find((one) => one.name === name);
  if (command === undefined) throw new Error("there is no command");
  expect(bodyOf(command, args, (flag) => flags[flag], 0)).toEqual(body);
});

const places = {
  storage: async () => {
    const storage = await acmeStorage();
    return { run: (...args: readonly string[]) => skep("locale", ...args, "--storage", storage), on: "" };
  },
  server: async () => {
    const storage = await acmeStorage();
    const { url } = await serveInProcess(storage);
    const env = { SKEP_TOKEN: await createToken(storage, ["admin"]), SKEP_SERVER: url };
    const run = (...args: readonly string[]) => skepWithin(realFolder(), env, "locale", ...args);
    return { run, on: ` on ${url}` };
  },
};

describe.each(Object.entries(places))("locales of a Hive on a %s", (kind, open) => {
  it("are created, listed, changed and deleted", async () => {
    const { run, on } = await open();
    expect((await run("create", "web", "pt-br", "--custom-code", "pt_BR")).stdout).toBe(
      `Created the locale pt-BR${on}.\n`,
    );
    expect(JSON.parse((await run("create", "web", "tl", "--json")).stdout)).toEqual({
      code: "fil",
      custom_code: "tl",
      review: null,
      two_people: false,
      inherits: null,
      auto: null,
    });
    expect((await run("edit", "web", "pt_BR", "--review", "all", "--two-people")).stdout).toBe(
      `Changed the locale pt-BR${on}.\n`,
    );
    expect((await run("list", "web")).stdout).toBe(
      [
        "CODE   CUSTOM CODE  IS SOURCE  REVIEW  TWO PEOPLE  INHERITS  AUTO",
        "en                  yes",
        "fr",
        "pt-BR  pt_BR                   all     yes",
        "fil    tl",
        "",
      ].join("\n"),
    );
    await run("edit", "web", "pt-BR", "--custom-code", "none", "--review", "none", "--no-two-people");
    expect(JSON.parse((await run("list", "web", "--json")).stdout)[2]).toEqual({
      code: "pt-BR",
      custom_code: null,
      review: null,
      two_people: false,
      inherits: null,
      auto: null,
      is_source: false,
    });
    const asked = await run("delete", "web", "tl");
    expect([asked.code, asked.stderr]).toEqual([2, `skep: Delete the locale tl${on}? Add --yes to do it.\n`]);
    expect((await run("delete", "web", "fr")).stderr).toBe(
      `skep: Delete the locale fr${on}? Add --yes to do it.\n`,
    );
    expect((await run("delete", "web", "tl", "--yes")).stdout).toBe(
      `Deleted the locale tl${on}. Translations deleted with it: 0.\n`,
    );
    expect(JSON.parse((await run("delete", "web", "fr", "--yes", "--json")).stdout)).toEqual({
      translations_deleted: 0,
    });
  });

  it("are refused with the flag and the argument at fault", async () => {
    const { run } = await open();
    const nothing = await run("edit", "web", "fr");
    expect([nothing.code, nothing.stderr]).toEqual([
      2,
      "skep: There is nothing to change: give --custom-code, --review, --two-people, --inherits, --auto, --auto-want, --auto-branches, --auto-review.\n",
    ]);
    const taken = await run("create", "web", "fr", "--json");
    expect([taken.code, JSON.parse(taken.stdout).error.errors]).toEqual([2, { code: [expect.any(String)] }]);
    expect((await run("create", "web", "x_y")).stderr).toMatch(/^skep: <code>: "x_y" is not a BCP 47 /);
    expect((await run("create", "web", "it", "--custom-code", "../x")).stderr).toMatch(
      /^skep: --custom-code: /,
    );
    expect((await run("edit", "web", "en", "--review", "all")).stderr).toMatch(
      /^skep: --review: "en" is the/,
    );
    expect((await run("edit", "web", "fr", "--review", "some")).code).toBe(2);
    expect((await run("delete", "web", "it", "--yes")).stderr).toMatch(/^skep: <locale>: this Hive has no/);
    const none = await run("list", "nope");
    expect([none.code, none.stderr]).toEqual([
      5,
      expect.stringContaining(kind === "storage" ? 'no Hive "nope"' : "no Hive nope"),
    ]);
    for (const args of [
      ["create", "nope", "de"],
      ["edit", "nope", "de", "--custom-code", "x"],
      ["delete", "nope", "de"],
      ["delete", "nope", "de", "--yes"],
    ])
      expect([args, (await run(...args)).code]).toEqual([args, 5]);
  });
});

it("a token that is limited to another Hive changes no locale", async () => {
  const storage = await acmeStorage({ web: [], app: [] });
  const { url } = await serveInProcess(storage);
  const env = { SKEP_TOKEN: await createToken(storage, ["admin"], "--hive", "app"), SKEP_SERVER: url };
  const run = (...args: readonly string[]) => skepWithin(realFolder(), env, "locale", ...args);
  expect((await run("create", "web", "de")).code).toBe(5);
  expect((await run("create", "app", "de")).code).toBe(0);
});

it("locales are added, set and removed as they were", async () => {
  const storage = await acmeStorage();
  const run = (...args: readonly string[]) => skepOk(storage, "locale", ...args);
  expect(await run("add", "web", "de", "pt-BR=pt_BR")).toBe("Added the locales de, pt-BR=pt_BR.");
  expect(await run("set", "web", "de=de_DE", "--review", "all", "--two-people")).toBe(
    "The locale is de=de_DE now, all its texts are reviewed, by another person than their writer.",
  );
  expect(await run("set", "web", "de", "--review", "writer", "--no-two-people")).toBe(
    "The locale is de=de_DE now.",
  );
  expect(await run("set", "web", "de")).toBe("The locale is de now.");
  expect((await skep("locale", "remove", "web", "de", "--storage", storage)).code).toBe(2);
  expect(await run("remove", "web", "de", "--yes")).toContain("Deleted the locale de");
});
