/** `skep format` and `skep merge-driver` on files as a clone has them. */
import { mkdirSync, readFileSync, readdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { formatFiles } from "../../../src/service/clone/format-files.ts";
import { git, skep } from "../../helpers/process.ts";
import { realFolder } from "../../helpers/storage.ts";

const settings =
  "name: web\nsource_locale: en\nlocales:\n  - code: en\n  - code: fr\n    custom_code: fr_FR\n";
const source = '{\n  "title": "Hello",\n  "nav": {\n    "home": "Home",\n    "back": "Back"\n  }\n}\n';

function cloneWith(files: Readonly<Record<string, string>>): string {
  const folder = realFolder();
  for (const [path, text] of Object.entries({
    "hive.yaml": settings,
    "locales/en/app.json.json": source,
    ...files,
  })) {
    mkdirSync(join(folder, path, ".."), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

/** The files below a folder with their contents. */
function readTree(folder: string): readonly string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .map((path) => `${path}: ${readFileSync(path, "utf8")}`);
}

const fr = "locales/fr/app.json.json";
const all = { files: [], check: false };

describe("skep format", () => {
  it("gives a translation file the shape and order of its source", async () => {
    const folder = cloneWith({ [fr]: '\ufeff{"nav.back":"Retour","nav":{"home":""},"title":"Salut"}\r\n' });
    expect(await formatFiles({ folder, ...all, check: true })).toMatchObject({ changed: [fr] });
    expect(readFileSync(join(folder, fr), "utf8")).toContain("\r\n");
    expect(await formatFiles({ folder, ...all })).toEqual({ changed: [fr], removed: [], problems: [] });
    const formatted = '{\n  "title": "Salut",\n  "nav": {\n    "back": "Retour"\n  }\n}\n';
    expect(readFileSync(join(folder, fr), "utf8")).toBe(formatted);
    expect(await formatFiles({ folder, ...all })).toEqual({ changed: [], removed: [], problems: [] });
    expect(readdirSync(join(folder, "locales/fr"))).toEqual(["app.json.json"]);
  });

  it("formats source files, and removes files without texts", async () => {
    const folder = cloneWith({ "locales/en/b.json.json": '{"b":"B","1":"one"}', [fr]: '{"title":""}' });
    expect(await formatFiles({ folder, ...all })).toEqual({
      changed: ["locales/en/b.json.json"],
      removed: [fr],
      problems: [],
    });
    expect(readFileSync(join(folder, "locales/en/b.json.json"), "utf8")).toBe(
      '{\n  "1": "one",\n  "b": "B"\n}\n',
    );
    expect(readdirSync(join(folder, "locales/fr"))).toEqual([]);
  });

  it.each<[string, string, string]>([
    ["a key without a source string", '{"title":"Salut","nope":"?"}', `${fr}:1: nope: has no source string`],
    ["what is not JSON", '{\n"title": "Salut",\n}', `${fr}:3: is not JSON`],
    ["what is no text", '{"title": 1}', `${fr}:1: title: must be text, not number`],
  ])("leaves a file as it is with %s", async (_, text, problem) => {
    const folder = cloneWith({ [fr]: text, "locales/en/b.json.json": '{"b":"B"}' });
    const report = await formatFiles({ folder, ...all });
    expect(report).toEqual({ changed: ["locales/en/b.json.json"], removed: [], problems: [problem] });
    expect(readFileSync(join(folder, fr), "utf8")).toBe(text);
  });

  it("follows no link, and changes only locale files", async () => {
    const folder = cloneWith({});
    const outside = join(realFolder(), "outside");
    writeFileSync(outside, '{"title":"x"}');
    mkdirSync(join(folder, "locales/fr"));
    symlinkSync(outside, join(folder, fr));
    expect((await formatFiles({ folder, ...all })).problems).toEqual([
      `${fr}: is not a plain file, or lies behind a symbolic link`,
    ]);
    expect(readFileSync(outside, "utf8")).toBe('{"title":"x"}');
    for (const path of ["hive.yaml", "locales/it/app.json.json", "../x.json", outside]) {
      await expect(formatFiles({ folder, files: [path], check: false })).rejects.toThrow(
        "is not a file of a locale",
      );
    }
    await expect(formatFiles({ folder: realFolder(), ...all })).rejects.toThrow("no clone of a Hive");
  });

  it.each(["locales", "locales/en", "locales/fr", "locales/fr/sub"])(
    "changes nothing behind a link at %s",
    async (link) => {
      const outside = realFolder();
      const text = '{"title":""}';
      const folder = cloneWith({
        "locales/fr/sub/app.json.json": text,
        "locales/en/sub/app.json.json": source,
      });
      renameSync(join(folder, link), join(outside, "moved"));
      symlinkSync(join(outside, "moved"), join(folder, link));
      const before = readTree(outside);
      for (const files of [[], ["locales/fr/sub/app.json.json"]]) {
        const report = await formatFiles({ folder, files, check: false }).then(
          ({ problems }) => problems.join(),
          (error: unknown) => String(error),
        );
        expect(report).toContain("locales/");
        expect(readTree(outside)).toEqual(before);
      }
    },
  );

  it("prints its changes, and exits with 1 if a file would change or has a fault", async () => {
    const folder = cloneWith({ [fr]: '{"title":"Salut"}' });
    const before = process.cwd();
    process.chdir(join(folder, "locales/fr"));
    onTestFinished(() => process.chdir(before));
    expect(await skep("format", "--check")).toEqual({
      code: 1,
      stdout: "would format app.json.json\n",
      stderr: "",
    });
    expect(await skep("format", "app.json.json")).toEqual({
      code: 0,
      stdout: "formatted app.json.json\n",
      stderr: "",
    });
    expect(await skep("format", "--check")).toEqual({ code: 0, stdout: "", stderr: "" });
    writeFileSync("app.json.json", "{");
    expect(await skep("format")).toEqual({ code: 1, stdout: "", stderr: "app.json.json:1: is not JSON\n" });
  });
});

describe("skep format where git converts line ends", () => {
  it.each([
    ["true", ""],
    ["input", ""],
    ["false", "would format locales/en/app.json.json\n"],
  ])("with core.autocrlf=%s checks what git would commit", async (autocrlf, stdout) => {
    const crlf = source.replaceAll("\n", "\r\n");
    const folder = cloneWith({ "locales/en/app.json.json": crlf });
    await git(folder, "init", "--quiet");
    await git(folder, "config", "core.autocrlf", autocrlf);
    const before = process.cwd();
    process.chdir(folder);
    onTestFinished(() => process.chdir(before));
    expect((await skep("format", "--check")).stdout).toBe(stdout);
    await skep("format");
    expect(readFileSync("locales/en/app.json.json", "utf8")).toBe(stdout === "" ? crlf : source);
  });
});

describe("skep merge-driver", () => {
  it("writes the merge into the second file, and exits with 1 for conflicts", async () => {
    const folder = realFolder();
    const [base = "", ours = "", theirs = ""] = ["O", "A", "B"].map((name) => join(folder, name));
    writeFileSync(base, '{"a":"A","b":"B"}');
    writeFileSync(ours, '{"a":"A1","b":"B"}');
    writeFileSync(theirs, '{"a":"A","b":"B1"}');
    expect(await skep("merge-driver", base, ours, theirs)).toEqual({ code: 0, stdout: "", stderr: "" });
    expect(readFileSync(ours, "utf8")).toBe('{\n  "a": "A1",\n  "b": "B1"\n}\n');
    writeFileSync(theirs, '{"a":"A2","b":"B"}');
    const { code, stderr } = await skep("merge-driver", base, ours, theirs);
    expect([code, stderr]).toEqual([1, "skep merge-driver: 1 conflict to settle\n"]);
    expect(readFileSync(ours, "utf8")).toMatch(
      /<<<<<<< ours\n {2}"a": "A1",\n=======\n {2}"a": "A2",\n>>>>>>> theirs/,
    );
    expect((await skep("merge-driver", base, ours, join(folder, "none"))).code).not.toBe(0);
  });
});
