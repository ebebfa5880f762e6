/** Files that were written here, as the programs read them that they are for. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { FileContext, FileFormat } from "../../../src/formats/format.ts";
import { writeHeld } from "../../../src/formats/held/can-hold.ts";
import { php } from "../../../src/formats/php.ts";
import { po } from "../../../src/formats/po.ts";
import { bytesOf, editOf, fixturesOf, textOf, textsOf } from "../../helpers/format-properties.ts";
import { nastyText, smallFileOf, withSmallFiles } from "./small-files.ts";
import { runs } from "../../helpers/runs.ts";

const context = { locale: "fr", sourceLocale: "en" };
const header = 'msgid ""\nmsgstr ""\n"Plural-Forms: nplurals=2; plural=n > 1;\\n"\n';

function written({ write }: FileFormat, file: string, texts: Record<string, string>): string {
  return textOf(write(editOf({ template: bytesOf(file), texts: new Map(Object.entries(texts)) }), context));
}

/** Whether a program is missing. `.ci/run` says that none is. */
function isMissing(program: string): boolean {
  return spawnSync(program, ["--version"]).status !== 0 && process.env.SKEP_TEST_DEPLOY !== "required";
}

describe("PHP", () => {
  it("is an array of the same texts to PHP itself", (test) => {
    test.skip(isMissing("php"));
    const hostile = [
      "'",
      '"',
      "\\",
      "\\'",
      "?>",
      "<?php",
      "*/",
      "/*",
      "//",
      "#",
      "${x}",
      "{$x}",
      "$x",
      "$x[0]",
      "`id`",
      "\u2028",
      "\u0001",
      "\u001b[0m",
      "\r\n",
      "\n",
      "\t",
      "\u{1f41d}",
      "EOT;",
      "{$a->b()}",
      "\\$x",
      "\\\\'",
    ];
    const texts = Object.fromEntries(
      hostile.flatMap((one, i) => [
        [`s${i}`, `${one}x${one}`],
        [`d${i}`, `${one}x${one}`],
        [`${one}k${i}`, one],
      ]),
    );
    const names = hostile.flatMap((_, i) => [`'s${i}' => ''`, `"d${i}" => ""`]);
    const code = written(php, `<?php return [${names.join(", ")}];`, texts);
    const folder = mkdtempSync(join(tmpdir(), "skep-php-"));
    try {
      writeFileSync(join(folder, "a.php"), code);
      const { stdout } = spawnSync("php", ["-r", `echo json_encode(include '${join(folder, "a.php")}');`], {
        encoding: "utf8",
      });
      expect(JSON.parse(stdout)).toEqual(texts);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe("gettext", () => {
  it("writes files that msgfmt takes, whatever the texts are", (test) => {
    test.skip(isMissing("msgfmt"));
    const hostile = ['"', "\\", "\\n", "\n", "a\nb\n", "\t\r\u001b", "🐝\u2028", "?>", "#~", "msgid"];
    const texts = Object.fromEntries(hostile.map((one, i) => [`k${i}${one}k`, `x${one}x`]));
    const file = written(po, `${header}"Content-Type: text/plain; charset=UTF-8\\n"\n`, texts);
    const { status, stderr } = spawnSync("msgfmt", ["-o", "/dev/null", "-"], {
      input: file,
      encoding: "utf8",
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(Object.fromEntries(textsOf(po.parse(bytesOf(file), context)))).toEqual(texts);
  });

  it("writes fixtures for msgfmt to take", (test) => {
    test.skip(isMissing("msgfmt"));
    for (const { source, targets } of fixturesOf("po")) {
      for (const { context, bytes } of targets) {
        const shape = po.parse(source.bytes, source.context).content;
        const texts = textsOf(po.parse(bytes, context));
        const made = po.write(editOf({ template: source.bytes, isSource: true, texts, shape }), context);
        const { status, stderr } = spawnSync("msgfmt", ["-c", "-o", "/dev/null", "-"], {
          input: made,
          encoding: "utf8",
        });
        expect({ status, stderr: stderr.replaceAll(/.*header field.*\n/g, "") }).toEqual({
          status: 0,
          stderr: "",
        });
      }
    }
  });
});

/** A run of a program that takes the files of a format, and fails at one that it cannot read. */
const accepts: Readonly<Record<string, readonly string[]>> = {
  php: [
    "php",
    "-r",
    "foreach (array_slice($argv, 1) as $file) json_encode(include $file, JSON_THROW_ON_ERROR);",
    "--",
  ],
  ini: [
    "php",
    "-r",
    "foreach (array_slice($argv, 1) as $file) json_encode(parse_ini_file($file, true, INI_SCANNER_RAW), JSON_THROW_ON_ERROR);",
    "--",
  ],
  po: ["sh", "-c", 'for file; do msgfmt -o /dev/null "$file" || exit; done', "sh"],
  ...Object.fromEntries(
    ["android", "qt", "resx", "stringsdict", "xliff", "xliff 2"].map((name) => [
      name,
      ["xmllint", "--noout"],
    ]),
  ),
};

describe.each(Object.entries(accepts))("a file of %s", (name, [program = "", ...args]) => {
  it("is accepted whatever texts it was given", async (test) => {
    test.skip(isMissing(name === "po" ? "msgfmt" : program));
    const format = await withSmallFiles.find(({ what }) => what === name)?.load();
    const { template, context } = smallFileOf(name);
    const keys = [...(format?.parse(template, context).texts.keys() ?? [])];
    const examples = fc.sample(fc.tuple(fc.constantFrom(...keys), nastyText), runs(300));
    const folder = mkdtempSync(join(tmpdir(), "skep-held-"));
    try {
      const files = examples.flatMap(([key, text], i) => {
        const held =
          format && writeHeld(format, editOf({ template, texts: new Map([[key, text]]) }), context);
        if (held === undefined || held.unheld.length > 0) return [];
        const file = join(folder, String(i));
        writeFileSync(file, held.bytes);
        return file;
      });
      expect(files.length).toBeGreaterThan(examples.length / 3);
      const { status, stderr } = spawnSync(program, [...args, ...files], { encoding: "utf8" });
      expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe("comments of gettext", () => {
  it("are the same before and after msgcat", (test) => {
    test.skip(isMissing("msgcat"));
    // msgcat sorts flags and places.
    const notesOf = (file: Uint8Array, own: FileContext) =>
      Array.from(po.parse(file, own).notes, ([key, note]) => [
        key,
        { ...note, tags: note.tags?.toSorted(), where: note.where?.toSorted() },
      ]).toSorted();
    for (const { name, bytes, context: own } of fixturesOf("po").flatMap(({ targets }) => targets)) {
      const source = { ...own, locale: own.sourceLocale };
      const { status, stdout } = spawnSync("msgcat", ["--no-wrap", "-"], { input: bytes });
      expect(status, name).toBe(0);
      expect(notesOf(stdout, source), name).toEqual(notesOf(bytes, source));
    }
  });

  it("come to a new file from its template, as msgmerge keeps them", (test) => {
    test.skip(isMissing("msgmerge"));
    const template = `${header}\n#. About a\n#: src/a.c:3\n#, c-format\nmsgid "%d a"\nmsgstr ""\n`;
    const { content: shape } = po.parse(bytesOf(template), { locale: "en", sourceLocale: "en" });
    const edit = { template: bytesOf(template), isSource: true, texts: new Map([["%d a", "%d à"]]), shape };
    const folder = mkdtempSync(join(tmpdir(), "skep-po-"));
    try {
      const [made, pot] = [join(folder, "fr.po"), join(folder, "a.pot")];
      writeFileSync(made, po.write(editOf(edit), context));
      writeFileSync(pot, template);
      const { stdout, status } = spawnSync("msgmerge", ["--quiet", "--no-wrap", made, pot]);
      expect(status).toBe(0);
      const note = { note: "About a", where: ["src/a.c:3"], tags: ["c-format"] };
      for (const file of [po.write(editOf(edit), context), stdout])
        expect(Object.fromEntries(po.parse(file, context).notes)).toEqual({ "%d a": note });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
