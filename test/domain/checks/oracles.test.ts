/** Programs that nobody here wrote: what they render must not be refused, and what they refuse must be. */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse as parseMessageFormat } from "@messageformat/parser";
import fc from "fast-check";
import i18next from "i18next";
import { IntlMessageFormat } from "intl-messageformat";
import { afterAll, describe, expect, it } from "vitest";
import { checkSource, checkTranslation } from "../../../src/domain/checks/check-text.ts";
import { forAllSync } from "../../helpers/runs.ts";

const folder = mkdtempSync(join(tmpdir(), "skep-oracles-"));
afterAll(() => rmSync(folder, { recursive: true }));

function errorsOf(
  syntax: "icu" | "i18next" | "printf",
  source: string,
  translation: string,
): readonly string[] {
  return checkTranslation(syntax, source, translation, { locale: "de" })
    .filter(({ severity }) => severity === "error")
    .map(({ check }) => check);
}

const pieces = fc.array(
  fc.constantFrom(
    "a",
    " ",
    "{name}",
    "{n}",
    "{n, number}",
    "{n, plural, one {# x} other {# y}}",
    "{n, plural, one {x}}",
    "{n, selectordinal, one {#st} two {#nd} few {#rd} other {#th}}",
    "{name, select, a {x} other {y}}",
    "{at, date, short}",
    "{",
    "}",
    "'{'",
    "''",
    "#",
    "{}",
    "{n,}",
    "{n, wrong}",
  ),
  { maxLength: 5 },
);

describe("icu", () => {
  const values = { a: "x", name: "a", n: 3, at: new Date(0) };

  function renders(text: string): boolean {
    try {
      new IntlMessageFormat(text, "en", undefined, { ignoreTag: true }).format(values);
      return true;
    } catch {
      return false;
    }
  }

  it("finds a fault exactly where FormatJS cannot render a text", () => {
    forAllSync(200, pieces, (parts) => {
      const text = parts.join("");
      expect(checkSource("icu", text).length === 0).toBe(renders(text));
    });
  });

  it("lets through nothing that the parser of messageformat refuses", () => {
    forAllSync(200, pieces, (parts) => {
      const text = parts.join("");
      if (checkSource("icu", text).length === 0) expect(() => parseMessageFormat(text)).not.toThrow();
    });
  });

  it("refuses every translation that FormatJS cannot render with the arguments of the source text", () => {
    const source = "{name} {n, plural, one {# x} other {# y}} {at, date, short}";
    forAllSync(200, pieces, (parts) => {
      const text = parts.join("");
      if (!renders(text)) expect(errorsOf("icu", source, text)).not.toEqual([]);
    });
  });
});

describe("i18next", () => {
  it("finds no error in a translation that leaves nothing of its arguments unfilled, and one elsewhere", async () => {
    const instance = i18next.createInstance();
    await instance.init({ lng: "de", resources: {} });
    const parts = fc.array(
      fc.constantFrom(
        "a",
        " ",
        "{{name}}",
        "{{ n }}",
        "{{name, uppercase}}",
        "{{other}}",
        "{{name}",
        "{name}}",
      ),
      {
        minLength: 1,
        maxLength: 4,
      },
    );
    forAllSync(200, parts, (all) => {
      const text = all.join("");
      const rendered = instance.services.interpolator.interpolate(text, { name: "A", n: 3 }, "de", {});
      const isWhole = !/[{}]/.test(rendered) && !text.includes("{{other}}");
      expect(errorsOf("i18next", "{{name}} {{n}}", text).length === 0).toBe(isWhole);
    });
  });
});

const hasGettext = isThere("msgfmt");

describe.skipIf(!hasGettext)("printf", () => {
  const sources = ["%s", "%d", "%s of %d", "%ld and %s", "%1$s %2$d", "%5.2f", "%%"];
  const translations = [
    "x",
    "%s",
    "%d",
    "%ld",
    "%s von %d",
    "%d von %s",
    "%2$d von %1$s",
    "%1$s",
    "%s %s",
    "%f",
    "%d%%",
    "%s %ld",
    "%%",
    "%1$s von %2$d %3$s",
  ];

  it("finds an error exactly where msgfmt --check-format finds one in C's texts", () => {
    const pairs = sources.flatMap((source) => translations.map((translation) => ({ source, translation })));
    const entries = pairs.map(
      ({ source, translation }, i) =>
        `#, c-format\nmsgctxt "${i}"\nmsgid "${source}"\nmsgstr "${translation}"\n`,
    );
    const path = join(folder, "de.po");
    const header = 'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=UTF-8\\n"\n';
    writeFileSync(path, [header, ...entries].join("\n"));
    const { stderr } = spawnSync("msgfmt", ["--check-format", "-o", "/dev/null", path], { encoding: "utf8" });
    const starts = [0];
    const lines = [header, ...entries].join("\n").split("\n");
    for (const [i, line] of lines.entries()) if (line.startsWith("msgctxt")) starts.push(i + 1);
    const wrong = new Set(
      Array.from(
        stderr.matchAll(/:(\d+): (?!warning)/g),
        ([, line]) => starts.findLastIndex((start) => start <= Number(line)) - 1,
      ),
    );
    const different = pairs.flatMap(({ source, translation }, i) => {
      const errors = errorsOf("printf", source, translation);
      // A position that is left out is only a warning here, since it moves and crashes nothing.
      const isLenient = source.includes("$") && errors.length === 0;
      return errors.length > 0 === wrong.has(i) || isLenient
        ? []
        : [`${source} -> ${translation}: ${errors.join()}`];
    });
    expect(wrong.size).toBeGreaterThan(20);
    expect(different).toEqual([]);
  });
});

describe.skipIf(!hasGettext)("gettext", () => {
  it("finds line breaks at the ends exactly where msgfmt does", () => {
    const texts = ["a", "a\n", "\na", "\na\n", "a\nb", "\n"];
    for (const source of texts) {
      for (const translation of texts.map((text) => text.replace("a", "b"))) {
        const path = join(folder, "ends.po");
        const header = 'msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n\n';
        writeFileSync(
          path,
          `${header}msgid ${JSON.stringify(source)}\nmsgstr ${JSON.stringify(translation)}\n`,
        );
        const { status } = spawnSync("msgfmt", ["--check-format", "-o", "/dev/null", path]);
        const found = checkTranslation("printf", source, translation, { locale: "de", isGettext: true });
        expect([source, translation, found.length > 0]).toEqual([source, translation, status !== 0]);
      }
    }
  });
});

const hasPhp = isThere("php");

/** Whether a program can be asked. `.ci/run` says that all are there. */
function isThere(program: string): boolean {
  return process.env.SKEP_TEST_DEPLOY === "required" || spawnSync(program, ["--version"]).status === 0;
}

describe.skipIf(!hasPhp)("printf in PHP", () => {
  it("finds an error wherever sprintf throws with the arguments of the source text", () => {
    const translations = [
      "%s %d",
      "%d",
      "%s %s %s",
      "%2$d %1$s",
      "%3$s",
      "%s %",
      "100%",
      "%s %d%%",
      "%1$s %1$s",
    ];
    const code =
      'foreach (json_decode($argv[1]) as $t) { try { sprintf($t, "a", 3); echo 1; } catch (\\Throwable $e) { echo 0; } }';
    const rendered = execFileSync("php", ["-r", code, JSON.stringify(translations)], { encoding: "utf8" });
    expect(rendered).toHaveLength(translations.length);
    for (const [i, translation] of translations.entries()) {
      if (rendered[i] === "0")
        expect([translation, errorsOf("printf", "%s: %d", translation)]).not.toEqual([translation, []]);
    }
    expect(rendered).toContain("0");
  });
});
