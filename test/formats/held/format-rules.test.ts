/** What the server knows of files that it never sees: which texts no file of a format can hold. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { defaultChecks } from "../../../src/domain/checks/check-settings.ts";
import { formatNames } from "../../../src/domain/files/file-formats.ts";
import { formats } from "../../../src/formats/formats.ts";
import { toLocale } from "../../../src/domain/hives/locale.ts";
import { FileChecker } from "../../../src/domain/plans/check-content.ts";
import { textProblem } from "../../../src/domain/text.ts";
import { canHold } from "../../../src/formats/held/can-hold.ts";
import { formatRulesOf } from "../../../src/formats/held/format-rules.ts";
import { contentOf, fileNamed, hiveOf } from "../../helpers/hive.ts";
import { runs } from "../../helpers/runs.ts";
import { nastyText, pieces, smallFileOf, withSmallFiles } from "./small-files.ts";

/** Some of Unicode's blanks, which JavaScript's `\s` takes for blanks and most formats do not. */
const blanks = ["\u00A0", "\u2029", "\uFEFF"];

describe.each(withSmallFiles)("the rules of $what", ({ name, what, extensions, load }) => {
  /** Compares what the rules say of a text with what a file does with it. */
  async function comparison(): Promise<{
    readonly keys: readonly string[];
    readonly compare: (key: string, text: string) => void;
  }> {
    const format = await load();
    const { template, context } = smallFileOf(what);
    const rules = formatRulesOf(`a${extensions[0] ?? ""}`);
    const compare = (key: string, text: string): void => {
      const reason = canHold(format, { template, key, context }, text);
      const problem = format.problemIn?.(text, key, context.sourceTexts);
      if (problem !== undefined) expect(reason, text).toBeDefined();
      // How a file has its quotes decides what INI can hold, and whether a line of TOML looks like a merge conflict.
      else if (name !== "ini" && reason?.includes("merge conflict") !== true)
        expect(reason, JSON.stringify(text)).toBeUndefined();
      if (name === "po") return;
      expect(rules?.problemIn?.(text, key, context.sourceTexts ?? new Map())).toBe(problem);
      if (problem !== undefined) expect(text).toMatch(rules?.mayFail ?? "");
    };
    return { keys: [...format.parse(template, context).texts.keys()], compare };
  }

  it("tell what a file cannot hold, and let pass what it can", async () => {
    const { keys, compare } = await comparison();
    fc.assert(
      fc.property(fc.constantFrom(...keys), nastyText, (key, text) => {
        fc.pre(textProblem(text) === undefined);
        compare(key, text);
      }),
      { numRuns: runs(150) },
    );
  });

  it("take a blank of Unicode before or after anything for a character", async () => {
    const { keys, compare } = await comparison();
    const [key = ""] = keys;
    expect.hasAssertions();
    for (const piece of pieces)
      for (const blank of blanks)
        for (const text of [blank + piece, piece + blank])
          if (textProblem(text) === undefined) compare(key, text);
  });
});

it("all formats can be named", () => {
  expect(formats.map(({ name }) => name)).toEqual(formatNames);
});

describe("a translation that its file cannot hold is found", () => {
  it.each([
    ["a.xlf", "one", "un", []],
    ["a.xlf", "&lt;b>one&lt;/b>", "<b>un</b>", ["format error"]],
    ["a.xlf", "&lt;b>one&lt;/b>", "&lt;b>un&lt;/b>", []],
    ["a.xlf", '<x id="1"/> one', 'un <x id="1"/>', []],
    ["a.xlf", '<x id="1"/> one', 'un <x id="1"/> &amp; x', ["format error"]],
    ["a.xlf", "one", "<!-- un -->", ["format error"]],
    ["a.xlf", "one", "<?php un ?>", ["format error"]],
    ["a.xlf", "one", "<![CDATA[un]]>", []],
    ["a.xlf", '<g id="1"/> one', '<g id="1"><![CDATA[un]]></g>', ["format error"]],
    ["a.xlf", "one", "un\u000Bdeux", ["format error"]],
    ["a.xlf", '<ph id="0" equiv="X"/> one', '<ph id="0" equiv="X"/> un', []],
    ["a.xlf", '<ph id="0" equiv="X"/> one', '<ph id="1" equiv="X"/> un', ["format error"]],
    ["a.xlf", '<pc id="0">one</pc>', '<pc id="0">un', ["format error"]],
    ["values/strings.xml", "<b>one</b>", "<b>un</b>", []],
    ["values/strings.xml", "<b>one</b>", "<b>un</b> < &nbsp;", ["format error"]],
    ["values/strings.xml", "one", "<![CDATA[un <i>deux</i>]]>", []],
    ["values/strings.xml", "one", "un\u000Bdeux", []],
    ["a.resx", "one", "un\u000Bdeux", ["format error"]],
    ["a.stringsdict", "one", "un\u000Bdeux", ["format error"]],
    ["a.ftl", "one", " un", ["format error"]],
    // Fluent's own check says so already.
    ["a.ftl", "one", "{ un", ["syntax error"]],
    ["a.ini", "one", "un\ndeux", ["format error"]],
    ["a.json", "one", "un\u000Bdeux", []],
    ["a.json", "one", "<!-- un -->", []],
  ])("in %s, for %j: %j: %j", async (name, source, text, found) => {
    const { settings } = hiveOf({});
    const locale = toLocale("fr").code;
    const file = contentOf({ a: source });
    const checker = new FileChecker({ rulesOf: formatRulesOf, settings }, fileNamed(name), file);
    const ofFormat: string[] = [];
    const take = ({ check, severity }: { check: string; severity: string }): void => {
      if (check === "format" || check === "syntax") ofFormat.push(`${check} ${severity}`);
    };
    await checker.checkAll(locale, new Map([["a", text]]), take);
    checker.check({ locale, key: "a" }, text, take);
    for (const each of checker.checkInto({ locale, key: "a" }, text)?.findings ?? []) take(each);
    expect(ofFormat).toEqual([...found, ...found, ...found]);
  });

  it.each(formats)("in a file of another ending, as in one of $name", async ({ name, extensions }) => {
    const { settings } = hiveOf({});
    const source = contentOf({ a: "&lt;b>One&lt;/b>" });
    const findingsIn = async (file: string, checks = defaultChecks) => {
      const found: unknown[] = [];
      const options = { rulesOf: formatRulesOf, settings: { ...settings, checks } };
      const checker = new FileChecker(options, fileNamed(file), source);
      for (const text of [" <b>un</b>", "un\n", "{ un\u000B", "<!-- un -->"])
        await checker.checkAll(toLocale("fr").code, new Map([["a", text]]), (one) =>
          found.push({ ...one, file: "" }),
        );
      return found;
    };
    const syntax = [{ files: "*", syntax: "icu" as const }];
    const own = await findingsIn(`a${extensions[0] ?? ".json"}`, { level: "warn", syntax });
    for (const file of ["a.json", "a.xlf", "b/a.po", "a"]) {
      const rules = [
        { files: "*", format: "json" as const },
        { files: file, format: name },
      ];
      expect(await findingsIn(file, { level: "warn", syntax, formats: rules })).toEqual(own);
    }
  });

  it("but not in a source text, which came from its file, nor where a file has no syntax", () => {
    const { settings } = hiveOf({});
    const none = { level: "refuse" as const, syntax: [{ files: "*.resx", syntax: "none" as const }] };
    for (const [locale, checks] of [
      [settings.sourceLocale.code, undefined],
      [toLocale("fr").code, none],
    ] as const) {
      const options = { rulesOf: formatRulesOf, settings: { ...settings, checks } };
      const checker = new FileChecker(options, fileNamed("a.resx"), contentOf({ a: "one" }));
      checker.check({ locale, key: "a" }, "\u000B", ({ check }) => expect(check).not.toBe("format"));
    }
  });
});
