import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { proposePatterns } from "../../src/client/propose.ts";
import { settingsText } from "../../src/client/settings-text.ts";
import { parseConfig } from "../../src/client/tree/config.ts";
import { findTree } from "../../src/client/tree/tree.ts";
import { realFolder } from "../helpers/storage.ts";

function tree(files: readonly string[]): string {
  const folder = realFolder();
  for (const file of files) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), "{}");
  }
  return folder;
}

const layouts: Readonly<Record<string, readonly [files: readonly string[], patterns: readonly unknown[]]>> = {
  "the default locale of a tree without English": [
    ["locales/de.json", "locales/fr/a.json", "locales/de/a.json"],
    ["locales/{locale}.json", "locales/{locale}/**/*.json"],
  ],
  "i18next, by folders": [
    [
      "public/locales/en/common.json",
      "public/locales/en/admin/menu.json",
      "public/locales/pt-BR/common.json",
    ],
    ["public/locales/{locale}/**/*.json"],
  ],
  "i18next, by files": [["src/i18n/en.json", "src/i18n/zh-Hans.json"], ["src/i18n/{locale}.json"]],
  "folders of translations in two parts of an app": [
    ["apps/web/locales/en/a.json", "apps/shop/locales/en/a.json", "apps/shop/locales/fr/a.json"],
    [
      "apps/shop/locales/{locale}/**/*.json",
      { path: "apps/web/locales/{locale}/**/*.json", name: "apps/web/**/*.json" },
    ],
  ],
  "a code in the folder and in the name": [
    ["locales/en/en.json", "locales/fr/fr.json"],
    ["locales/{locale}/{locale}.json"],
  ],
  "files in folders of their own below the folder of translations": [
    ["locale/admin/en.json", "locale/shop/en.json", "locale/shop/fr.json"],
    ["locale/**/{locale}.json"],
  ],
  "names before the code": [
    ["i18n/errors.en.json", "i18n/menu.en.json", "i18n/menu.pt_BR.json"],
    ["i18n/*.{locale}.json"],
  ],
  "one name before the code": [
    ["i18n/my_app_en.json", "i18n/my_app_pt_BR.json"],
    ["i18n/my_app_{locale}.json"],
  ],
};

it.each(Object.entries(layouts))("proposes patterns for %s", async (_, [files, patterns]) => {
  const folder = tree(files);
  const proposal = await proposePatterns(folder);
  const config = parseConfig(
    join(folder, "skep.yaml"),
    settingsText({ server: undefined, hive: "web" }, proposal),
  );
  expect(config.entries).toEqual(
    patterns.map((pattern) => (typeof pattern === "string" ? { path: pattern } : pattern)),
  );
  expect(config).toMatchObject({ hive: "web", server: undefined, source: proposal.source });
  // What is proposed finds every file of the source, each under a name of its own.
  const source = { code: proposal.source, canonical: proposal.source };
  const found = await findTree(config, { source, targets: [] });
  const expected = files.filter((file) => file.split(/[/._-]/).includes(proposal.source));
  expect(found.files.map((file) => file.source.path).toSorted()).toEqual(expected.toSorted());
});

it("proposes Android's folders, whose source has no code", async () => {
  const folder = tree([
    "app/src/main/res/values/strings.xml",
    "app/src/main/res/values/colors.xml",
    "app/src/main/res/values-pt-rBR/strings.xml",
    "app/src/main/res/values-b+zh+Hans/strings.xml",
    "app/src/main/res/values-night/strings.xml",
    "app/src/main/res/layout/en.xml",
    "locales/en.xml",
  ]);
  expect(await proposePatterns(folder)).toEqual({
    source: "en",
    patterns: [
      {
        path: "app/src/main/res/values-{locale}/strings.xml",
        source: "app/src/main/res/values/strings.xml",
        sourceFiles: 1,
        locales: ["b+zh+Hans", "pt-rBR"],
      },
    ],
    withoutSource: [],
  });
});

describe("what is no translation", () => {
  it("is not proposed", async () => {
    const folder = tree([
      "package.json",
      "tsconfig.json",
      "src/en.json",
      "config/en/settings.json",
      "node_modules/other/locales/en.json",
      ".cache/locales/en.json",
      "vendor/other/lang/en/auth.json",
    ]);
    symlinkSync(tree(["en.json"]), join(folder, "locales"));
    expect(await proposePatterns(folder)).toEqual({ source: "en", patterns: [], withoutSource: [] });
  });

  it("a folder without the source locale is named", async () => {
    const folder = tree(["locales/en.json", "legacy/lang/de.json", "legacy/lang/fr.json"]);
    expect(await proposePatterns(folder)).toMatchObject({
      patterns: [{ path: "locales/{locale}.json", sourceFiles: 1, locales: [] }],
      withoutSource: ["legacy/lang/{locale}.json"],
    });
    expect(await proposePatterns(folder, "fr")).toMatchObject({
      source: "fr",
      patterns: [{ path: "legacy/lang/{locale}.json", sourceFiles: 1, locales: ["de"] }],
    });
  });
});

it("leaves what is not known yet to be filled in", () => {
  const text = settingsText(
    { server: undefined, hive: undefined },
    {
      source: "no",
      patterns: [{ path: "lang/{locale}.json", sourceFiles: 1, locales: [] }],
      withoutSource: [],
    },
  );
  expect(text).toContain("# server: https://skep.example.org # or SKEP_SERVER\n# hive: web # or SKEP_HIVE\n");
  expect(parseConfig("skep.yaml", text)).toMatchObject({ source: "no", server: undefined, hive: undefined });
});
