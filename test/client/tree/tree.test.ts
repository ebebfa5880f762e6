/** The files of a tree: their names in the Hive, their paths in other locales, and what is never read. */
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseConfig } from "../../../src/client/tree/config.ts";
import { readLocal } from "../../../src/client/tree/files.ts";
import type { HiveLocales } from "../../../src/client/api/hive-api.ts";
import { findTree, openFormat, treeFilter } from "../../../src/client/tree/tree.ts";
import { formatNamed } from "../../../src/formats/formats.ts";
import { bytesOf, editOf } from "../../helpers/format-properties.ts";
import { realFolder } from "../../helpers/storage.ts";

const locales = {
  source: { code: "en", canonical: "en" },
  targets: [
    { code: "fr", canonical: "fr" },
    { code: "pt_BR", canonical: "pt-BR" },
  ],
};

function write(folder: string, ...paths: readonly string[]): void {
  for (const path of paths) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), "{}\n");
  }
}

/** Finds the files of a folder by patterns, one a line of YAML. */
function find(folder: string, ...files: readonly string[]) {
  return findIn(locales, folder, ...files);
}

function findIn(known: HiveLocales, folder: string, ...files: readonly string[]) {
  const text = `files:\n${files.map((file) => `  - ${file.startsWith("*") ? `"${file}"` : file}\n`).join("")}`;
  return findTree(parseConfig(join(folder, "skep.yaml"), text), known);
}

async function found(folder: string, ...files: readonly string[]): Promise<Record<string, string>> {
  const tree = await find(folder, ...files);
  return Object.fromEntries(tree.files.map(({ name, source }) => [name, source.path]));
}

describe("a tree", () => {
  it("has the source files by their names in the Hive, and their paths in other locales", async () => {
    const folder = realFolder();
    write(folder, "lang/en/auth.json", "lang/en/admin/menu.json", "lang/en.json", "lang/fr/auth.json");
    const { files, strays } = await find(folder, "lang/{locale}/**/*.json", "lang/{locale}.json");
    expect(files.map(({ name, source, targets }) => [name, source.path, targets.get("pt_BR")?.path])).toEqual(
      [
        ["admin/menu.json", "lang/en/admin/menu.json", "lang/pt_BR/admin/menu.json"],
        ["auth.json", "lang/en/auth.json", "lang/pt_BR/auth.json"],
        ["en.json", "lang/en.json", "lang/pt_BR.json"],
      ],
    );
    expect(strays.size).toBe(0);
  });

  it("uses the codes of locales, by either code of the Hive", async () => {
    const folder = realFolder();
    write(folder, "a/english.json");
    const entry = "{ path: 'a/{locale}.json', locales: { en: english, pt-BR: pt } }";
    const [file] = (await find(folder, entry)).files;
    expect(file?.name).toBe("en.json");
    expect(file?.targets.get("pt_BR")).toMatchObject({ path: "a/pt.json", code: "pt" });
  });

  describe("a locale without files, whose code the Hive does not choose", () => {
    const target = (code: string, canonical = code) => ({ code, canonical });
    it.each([
      ["as its neighbours of the Hive", ["pt_BR=pt-BR"], [], {}, "pt_AO"],
      ["as its neighbours in the settings", ["pt-BR"], [], { "pt-BR": "pt_BR" }, "pt_AO"],
      ["as several neighbours", ["pt_BR=pt-BR", "zh_CN=zh-CN", "fr"], [], {}, "pt_AO"],
      ["in lower case", ["pt_br=pt-BR", "zh_cn=zh-CN"], [], {}, "pt_ao"],
      ["in lower case with a hyphen", ["pt-br=pt-BR"], [], {}, "pt-ao"],
      ["as it is, beside others", ["pt_BR=pt-BR", "zh-CN"], ["lang/zh-CN.json"], {}, "pt-AO"],
      ["as it is, without neighbours", ["fr"], [], {}, "pt-AO"],
      ["as its own files", ["pt_BR=pt-BR"], ["lang/pt-AO.json"], {}, "pt-AO"],
    ])("is written %s", async (_, others, files, codes, expected) => {
      const folder = realFolder();
      write(folder, "lang/en.json", ...files);
      const targets = others.map((other) => {
        const [code = "", canonical] = other.split("=");
        return target(code, canonical);
      });
      const known = { source: target("en"), targets: [...targets, target("pt-AO")] };
      const tree = await findIn(
        known,
        folder,
        `{ path: 'lang/{locale}.json', locales: ${JSON.stringify(codes)} }`,
      );
      expect(tree.files[0]?.targets.get("pt-AO")).toMatchObject({
        path: `lang/${expected}.json`,
        code: expected,
      });
    });
  });

  it("takes source files from elsewhere, but no file of a target locale", async () => {
    const folder = realFolder();
    write(
      folder,
      "res/values/strings.json",
      "res/values-fr/strings.json",
      "l/a.json",
      "l/x/b.json",
      "l/fr/a.json",
    );
    expect(
      await found(
        folder,
        "{ path: 'res/values-{locale}/*.json', source: 'res/values/*.json' }",
        "{ path: 'l/{locale}/**/*.json', source: 'l/**/*.json' }",
      ),
    ).toEqual({ "strings.json": "res/values/strings.json", "a.json": "l/a.json", "x/b.json": "l/x/b.json" });
  });

  it("names files of target locales that have no source file", async () => {
    const folder = realFolder();
    write(folder, "lang/en/a.json", "lang/fr/a.json", "lang/fr/old.json");
    expect((await find(folder, "lang/{locale}/*.json")).strays).toEqual(
      new Map([["fr", ["lang/fr/old.json"]]]),
    );
  });

  it.each<[string, string, readonly string[], readonly [string, string][]]>([
    [
      "folders",
      "lang/{locale}/*.json",
      ["lang/en/a.json", "lang/de/a.json", "lang/ber/a.json", "lang/de-AT/b.json", "lang/vendor/a.json"],
      [
        ["ber", "ber"],
        ["de", "de"],
      ],
    ],
    [
      "names",
      "i18n/*_{locale}.json",
      ["i18n/my_app_en.json", "i18n/my_app_pt_pt.json", "i18n/my_app_README.json", "i18n/other_de.json"],
      [["pt_pt", "pt-PT"]],
    ],
    [
      "both",
      "l/{locale}/x.{locale}.json",
      ["l/en/x.en.json", "l/sr@latin/x.sr@latin.json", "l/de/x.it.json"],
      [["sr@latin", "sr-latin"]],
    ],
    [
      "Android",
      "{ path: 'res/values-{locale}/strings.xml', source: 'res/values/strings.xml' }",
      [
        "res/values/strings.xml",
        "res/values-b+zh+Hans/strings.xml",
        "res/values-kn-rIN/strings.xml",
        "res/values-in/strings.xml",
        "res/values-night/strings.xml",
        "res/values-v21/strings.xml",
      ],
      [
        ["b+zh+Hans", "zh-Hans"],
        ["in", "id"],
        ["kn-rIN", "kn-IN"],
      ],
    ],
  ])("names codes that the Hive does not have, in %s", async (_, pattern, files, codes) => {
    const folder = realFolder();
    write(folder, ...files);
    const { foreign } = await find(folder, pattern);
    expect(foreign.map(({ code, canonical }) => [code, canonical]).toSorted()).toEqual(codes);
  });

  it("passes over hidden files and other people's folders unless they are named", async () => {
    const folder = realFolder();
    write(folder, "a/en/x.json", "node_modules/p/en/x.json", "vendor/p/en/x.json", ".git/en/x.json");
    write(folder, "lang/vendor/p/en/y.json");
    expect(await found(folder, "**/{locale}/*.json")).toEqual({ "a/x.json": "a/en/x.json" });
    expect(await found(folder, "lang/vendor/*/{locale}/*.json")).toEqual({
      "p/y.json": "lang/vendor/p/en/y.json",
    });
  });

  it("has nothing where folders are missing, or are files", async () => {
    const folder = realFolder();
    write(folder, "lang");
    expect(await found(folder, "lang/{locale}/*.json", "i18n/**/{locale}.json")).toEqual({});
  });

  it("names both files of one name", async () => {
    const folder = realFolder();
    write(folder, "a/en/x.json", "b/en/x.json");
    await expect(find(folder, "a/{locale}/*.json", "b/{locale}/*.json")).rejects.toThrow(
      "a/en/x.json (a/{locale}/*.json) and b/en/x.json (b/{locale}/*.json) would both be x.json in the Hive",
    );
    expect(
      await found(folder, "a/{locale}/*.json", "{ path: 'b/{locale}/*.json', name: 'b/*.json' }"),
    ).toEqual({ "x.json": "a/en/x.json", "b/x.json": "b/en/x.json" });
  });

  it("refuses a path that would be two files", async () => {
    const folder = realFolder();
    write(folder, "a/en.json");
    await expect(find(folder, "{ path: 'a/{locale}.json', locales: { fr: en } }")).rejects.toThrow(
      "a/en.json would be both en.json in the source and en.json in fr",
    );
    await expect(find(folder, "{ path: 'a/{locale}.json', locales: { fr: x, pt-BR: x } }")).rejects.toThrow(
      "a/x.json would be both en.json in fr and en.json in pt_BR",
    );
  });

  it("refuses a locale that the Hive does not have", async () => {
    await expect(find(realFolder(), "{ path: 'a/{locale}.json', locales: { de: ger } }")).rejects.toThrow(
      "locales: the Hive has no locale de; it has en, fr, pt_BR",
    );
  });

  it.each(["package", "app", "tsconfig", "node_modules", "EN_x", "zh_CN", "sr@latin"])(
    "takes the code %s of a server for that of a language, or has to be told that it is right",
    async (code) => {
      const folder = realFolder();
      write(folder, "en.json");
      const known = { ...locales, targets: [{ code, canonical: "fr" }] };
      const isLanguage = ["EN_x", "zh_CN", "sr@latin"].includes(code);
      const asIs = findIn(known, folder, "'{locale}.json'");
      if (isLanguage) expect((await asIs).files[0]?.targets.get(code)?.path).toBe(`${code}.json`);
      else await expect(asIs).rejects.toThrow(`the Hive has a locale ${code}, which is not a language code`);
      // Below a folder of the app's choice the code of any language can be right.
      const below = findIn(known, folder, "'lang/{locale}.json'");
      if (isLanguage || code === "app") await below;
      else await expect(below).rejects.toThrow("which is not a language code");
      const told = await findIn(known, folder, `{ path: '{locale}.json', locales: { '${code}': x } }`);
      expect(told.files[0]?.targets.get(code)?.path).toBe("x.json");
    },
  );

  it("refuses names that no Hive can have, and endings of no format", async () => {
    const folder = realFolder();
    write(folder, "a/en/con.json", "b/en/x.docx");
    await expect(find(folder, "a/{locale}/*.json")).rejects.toThrow(
      /con\.json: its name in the Hive, con\.json,/,
    );
    await expect(find(folder, "b/{locale}/*.docx")).rejects.toThrow(
      /x\.docx: its ending stands for no format/,
    );
  });
});

describe("symbolic links", () => {
  it.each([
    ["a folder of the pattern", "link/{locale}/*.json", "real", "link", "link"],
    ["a folder of a locale", "res/{locale}/*.json", "res/he", "res/fr", "res/fr"],
    ["a source file", "lang/{locale}/*.json", "real/en/x.json", "lang/en/x.json", "lang/en/x.json"],
    ["a link to nothing", "lang/{locale}/*.json", "nothing", "lang/fr", "lang/fr"],
  ])("are passed over and named when they lead inside: %s", async (_, pattern, target, link, named) => {
    const folder = realFolder();
    write(folder, "real/en/x.json", "lang/en/y.json", "res/en/z.json", "res/he/z.json");
    symlinkSync(join(folder, target), join(folder, link));
    const tree = await find(folder, pattern);
    expect(tree.links).toEqual([named]);
    for (const { source, targets } of tree.files) {
      for (const { path } of [source, ...targets.values()]) expect(path).not.toMatch(new RegExp(`^${link}`));
    }
  });

  it.each(["lang/en/x.json", "lang/fr", "lang/fr/y.json", "lang"])(
    "are refused where they lead out of the folder: %s",
    async (link) => {
      const [folder, outside] = [realFolder(), realFolder()];
      if (link !== "lang") write(folder, "lang/en/y.json");
      write(outside, "en/y.json");
      mkdirSync(dirname(join(folder, link)), { recursive: true });
      symlinkSync(outside, join(folder, link));
      await expect(find(folder, "lang/{locale}/*.json")).rejects.toThrow(
        `${link}: is a symbolic link that leads out of the folder`,
      );
    },
  );

  it("are not followed by **", async () => {
    const folder = realFolder();
    write(folder, "lang/en/a/x.json");
    symlinkSync(join(folder, "lang"), join(folder, "lang/en/a/again"));
    expect(await found(folder, "lang/{locale}/**/*.json")).toEqual({ "a/x.json": "lang/en/a/x.json" });
  });

  it("are refused where a file is read", async () => {
    const folder = realFolder();
    write(folder, "real/x.json");
    symlinkSync(join(folder, "real"), join(folder, "fr"));
    const local = { path: "fr/x.json", absolute: join(folder, "fr/x.json"), code: "fr" };
    await expect(readLocal(folder, local)).rejects.toThrow(/fr: is a symbolic link/);
    const absent = { path: "de/x.json", absolute: join(folder, "de/x.json"), code: "de" };
    expect(await readLocal(folder, absent)).toBeUndefined();
  });
});

it.each(["fluent", "po", "qt"])(
  "a file of %s is not read again where it has a place for all texts",
  async (name) => {
    const format = formatNamed(name);
    if (format === undefined) throw new Error(`no format ${name}`);
    const local = { path: "a", absolute: "/a", code: "fr" };
    const file = { name: "a", format, pattern: "a", notes: undefined, source: local, targets: new Map() };
    const { unplaced } = await openFormat(file, local);
    const edit = editOf({ template: bytesOf("<no file of any format"), texts: new Map([["a", "x"]]) });
    expect(unplaced(edit, new Map([["a", ""]]))).toEqual([]);
    expect(() => unplaced(edit, new Map())).toThrow("/a");
  },
);

describe("the filter of a tree", () => {
  const text = `files:
  - "{locale}.json"
  - path: res/values-{locale}/*.xml
    source: res/values/*.xml
  - path: app.xcstrings
  - path: lib/app_{locale}.arb
    locales: {fr: french}
exclude:
  - "de.json"
`;
  const has = treeFilter(parseConfig("/app/skep.yaml", text));
  const paths: Readonly<Record<string, boolean>> = {
    "fr.json": true,
    "pt_BR.json": true,
    "package.json": false,
    "de.json": false,
    "sub/fr.json": false,
    "../fr.json": false,
    "res/values/strings.xml": true,
    "res/values-fr/strings.xml": true,
    "res/values-fr/.strings.xml": false,
    "app.xcstrings": true,
    "lib/app_french.arb": true,
    "lib/app_french2.arb": false,
  };
  it.each(Object.entries(paths))("%s: %s", (path, expected) => {
    expect(has(path)).toBe(expected);
  });
});
