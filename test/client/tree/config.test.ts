/** `skep.yaml`: what it may say, and what is said of mistakes in it. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseConfig, readConfig } from "../../../src/client/tree/config.ts";
import { realFolder } from "../../helpers/storage.ts";

function parse(text: string) {
  return parseConfig("/app/skep.yaml", text);
}

describe("skep.yaml", () => {
  it.each(["https://skep.example.org/ ", " https://skep.example.org", "https://skep.example.org\\n"])(
    "takes the server without blanks and slashes around it: %j",
    (server) =>
      expect(parse(`server: "${server}"\nfiles:\n  - a/{locale}.json`).server).toBe(
        "https://skep.example.org",
      ),
  );

  it("names the server, the Hive, the source locale and the files", () => {
    const text = `server: https://skep.example.org/
hive: web
branch: auto
default_branch: develop
source: en
files:
  - lang/{locale}/**/*.json
  - path: config/{locale}.json
    source: config/base.json
    name: settings.json
    locales: { pt-BR: pt, no: nb }
exclude: ["lang/*/generated.json"]
`;
    expect(parse(text)).toEqual({
      path: "/app/skep.yaml",
      folder: "/app",
      server: "https://skep.example.org",
      hive: "web",
      branch: "auto",
      defaultBranch: "develop",
      source: "en",
      entries: [
        { path: "lang/{locale}/**/*.json" },
        {
          path: "config/{locale}.json",
          source: "config/base.json",
          name: "settings.json",
          locales: { "pt-BR": "pt", no: "nb" },
        },
      ],
      exclude: ["lang/*/generated.json"],
    });
  });

  it("needs nothing but files", () => {
    expect(parse("files:\n  - a/{locale}.json")).toEqual({
      path: "/app/skep.yaml",
      folder: "/app",
      entries: [{ path: "a/{locale}.json" }],
      exclude: [],
    });
  });

  it.each([
    ["", "1:1: files: must be a list of paths"],
    ["fils: [a.json]", "1:1: fils: is not a setting"],
    ["- a", "1:1: must hold names and values"],
    ["files: []", "1:1: files: must have a path"],
    ["files: [a.json]", "1:9: files[0]: must have {locale} in it"],
    ["hive: web\nfiles:\n  - lang/{lang}.json", "3:5: files[0]: has {: only {locale}"],
    ["files:\n  - path: ../{locale}.json", "2:5: files[0].path: must not lead out"],
    ["files:\n  - format: json", "2:5: files[0].path: must be text"],
    ["files:\n  - 7", "2:5: files[0]: must be a path, or an object with path"],
    ["files:\n  - path: a/{locale}.json\n    formt: json", "3:5: files[0].formt: is not a setting"],
    ["files:\n  - path: a/{locale}.json\n    format: docx", "3:5: files[0].format: must be one of"],
    ["files:\n  - path: a/{locale}/*.json\n    name: x.json", "3:5: files[0].name: must have the wildcards"],
    [
      "files:\n  - path: a/{locale}.json\n    source: '*.json'",
      "3:5: files[0].source: must have the wildcards",
    ],
    [
      "files:\n  - path: a/{locale}.json\n    locales:\n      fr: ../fr",
      "4:7: files[0].locales.fr: must be a code",
    ],
    [
      "files:\n  - path: a/{locale}.json\n    note: x",
      "3:5: files[0].note: is not a setting; known: path, format, source, name, locales, notes",
    ],
    [
      "files:\n  - a/{locale}.json\nchecks:\n  level: warn",
      "4:3: checks.level: is not a setting; known: syntax",
    ],
    [
      "files:\n  - a/{locale}.json\nchecks:\n  syntax:\n    - {files: a, syntax: icu, level: warn}",
      "5:31: checks.syntax[0].level: is not a setting; known: files, syntax",
    ],
    [
      "files:\n  - a/{locale}.json\nport: 4488",
      "3:1: port: is not a setting; known: server, hive, branch, default_branch, source, files, checks, exclude",
    ],
    [
      "files:\n  - a/{locale}.json\nexclude: ['a/{locale}.json']",
      "3:11: exclude[0]: must not have {locale} in it",
    ],
    ["files:\n  - a/{locale}.json\nexclude: a/b.json", "3:1: exclude: must be a list of paths"],
    ["files:\n  - a/{locale}.json\nexclude: [../b.json]", "3:11: exclude[0]: must not lead out"],
    ["files:\n  - a/{locale}.json\ntoken: skep_x", "3:1: token: must not be here"],
    ["files:\n  - a/{locale}.json\nserver: example.org", "3:1: server: must be the URL"],
    ["files:\n  - a/{locale}.json\nserver: https://me:pw@example.org", "3:1: server: must be the URL"],
    ["files:\n  - a/{locale}.json\nhive: My Web", "3:1: hive: must be the slug"],
    ["files:\n  - {locale}/a.json", "2:13: is not YAML: Unexpected scalar"],
    ["files:\n  - **/{locale}.json", "begins with { or *"],
    ["files:\n  - a/{locale}.json\nfiles: []", "3:1: is not YAML: Map keys must be unique"],
  ])("%j is refused with its place", (text, message) => {
    expect(() => parse(text)).toThrow(expect.objectContaining({ kind: "misuse" }));
    expect(() => parse(text)).toThrow(message);
  });

  it("does not repeat a secret in its error", () => {
    expect(() => parse("files:\n  - a/{locale}.json\ntoken: skep_secret")).not.toThrow(/skep_secret/);
  });

  it("refuses a text that stands for very much", () => {
    const levels = Array.from({ length: 12 }, (_, i) => `a${i + 1}: &a${i + 1} [${`*a${i},`.repeat(9)}]`);
    expect(() => parse(`a0: &a0 [x]\n${levels.join("\n")}`)).toThrow(/cannot be read: Excessive alias count/);
  });
});

describe("the file", () => {
  it("is the nearest one upwards", async () => {
    const folder = realFolder();
    mkdirSync(join(folder, "packages/app/src"), { recursive: true });
    writeFileSync(join(folder, "skep.yaml"), "hive: outer\nfiles:\n  - a/{locale}.json\n");
    writeFileSync(join(folder, "packages/app/skep.yaml"), "hive: inner\nfiles:\n  - a/{locale}.json\n");
    expect(await readConfig(join(folder, "packages/app/src"))).toMatchObject({
      hive: "inner",
      folder: join(folder, "packages/app"),
    });
    expect(await readConfig(join(folder, "packages"))).toMatchObject({ hive: "outer" });
    expect(await readConfig(join(folder, "packages"), "app/skep.yaml")).toMatchObject({ hive: "inner" });
  });

  it("is an error where there is none, or where it cannot be read", async () => {
    const folder = realFolder();
    await expect(readConfig(folder)).rejects.toThrow("There is no skep.yaml in this folder or one above it");
    await expect(readConfig(folder, "other.yaml")).rejects.toThrow("other.yaml: cannot be read");
    writeFileSync(join(folder, "latin.yaml"), Buffer.from([0x66, 0xe9]));
    await expect(readConfig(folder, "latin.yaml")).rejects.toThrow("latin.yaml: cannot be read");
  });
});
