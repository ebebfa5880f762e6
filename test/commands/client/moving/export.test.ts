/** `skep export`, and its way back into a new Hive: nobody is locked in. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readTmx } from "../../../../src/formats/moving/tmx.ts";
import { png } from "../../../domain/pictures/images.ts";
import { makeApp, type AppTree } from "../../../helpers/app-tree.ts";
import { request } from "../../../helpers/process.ts";
import { forAll } from "../../../helpers/runs.ts";
import { realFolder } from "../../../helpers/storage.ts";

const open = (): Promise<AppTree> =>
  makeApp({ patterns: ["{ path: 'i18n/{locale}.json' }"], abilities: ["read", "write", "approve"] });

const send = async (app: AppTree, method: string, path: string, body: object): Promise<void> => {
  const { status, json } = await request(app, app.token, method, `/api/hives/web${path}`, body);
  if (status >= 300) throw new Error(`${path}: ${status} ${JSON.stringify(json)}`);
};
const ask = async (app: AppTree, path: string) =>
  (await request(app, app.token, "GET", `/api/hives/web${path}`)).json;

/** All that a Hive has and an export is to bring back, whatever commits it took. */
async function contentOf(app: AppTree): Promise<object> {
  const nested = async (code: string) =>
    (await ask(app, `/export?locale=${code}&names=hive&shape=nested`)).files;
  const { data: waiting } = await ask(app, "/review");
  const { data: notes } = await ask(app, "/notes");
  const { data: terms } = await ask(app, "/glossary");
  const { data: pictures } = await ask(app, "/pictures");
  return {
    source: await nested("en"),
    fr: await nested("fr"),
    pt: await nested("pt-BR"),
    waiting: waiting.map(({ locale, file, key, translation }: Record<string, string>) => [
      locale,
      file,
      key,
      translation,
    ]),
    notes: notes.map(({ file, key, app: own, team }: Record<string, object | null>) => [
      file,
      key,
      { ...own, ...team },
    ]),
    terms: terms.map((term: object) => Object.assign(term, { id: "" })),
    pictures,
  };
}

async function exported(app: AppTree): Promise<string> {
  const folder = join(realFolder(), "out");
  const { code, stderr } = await app.run("export", folder);
  expect([code, stderr]).toEqual([0, ""]);
  return folder;
}

describe("skep export", () => {
  it("writes each kind in a format that others read", async () => {
    const app = await open();
    app.write({ "i18n/en.json": '{\n    "hello": "Hello",\n    "bye": "Bye"\n}\n' });
    await app.run("push");
    await app.translate("fr", { "en.json": { hello: "Bonjour" } });
    await app.sync({ "en.json": { hello: "Hello", bye: "Bye" }, "b.json": { x: "X < Y" } });
    await app.translate("fr", { "b.json": { x: "X & Y" } });
    await send(app, "PATCH", "/notes", {
      files: { "en.json": { hello: { note: "A greeting", max_length: 9 } } },
    });
    await send(app, "POST", "/comments", { file: "en.json", key: "bye", text: "To whom?", ask: true });
    await send(app, "PUT", "/style/fr", { text: "Say vous." });
    const picture = { name: "home.png", content: png(80, 40).toString("base64"), strings: ["en.json:*"] };
    await send(app, "POST", "/pictures", picture);
    const folder = await exported(app);
    const read = (path: string): string => readFileSync(join(folder, path), "utf8");
    expect(readdirSync(folder).toSorted()).toEqual([
      "comments.json",
      "files",
      "glossary.tbx",
      "locales",
      "memory.tmx",
      "notes.json",
      "pictures",
      "skep-export.json",
      "styles",
      "xliff",
    ]);
    // As the app writes its files.
    expect(read("files/i18n/en.json")).toBe(app.read("i18n/en.json"));
    expect(read("files/i18n/fr.json")).toBe('{\n    "hello": "Bonjour"\n}\n');
    expect(JSON.parse(read("locales/fr/b.json.json"))).toEqual({ x: "X & Y" });
    expect(read("xliff/fr.xlf")).toContain('<target state="final">Bonjour</target>');
    expect(read("xliff/fr.xlf")).toContain("<note>A greeting</note>");
    expect(read("xliff/fr.xlf")).toContain('<target state="new"></target>');
    const units = readTmx(readFileSync(join(folder, "memory.tmx")));
    expect(units.map(({ id, texts }) => [id, Object.fromEntries(texts)])).toEqual([
      ["b.json:x", { en: "X < Y", fr: "X & Y" }],
      ["en.json:hello", { en: "Hello", fr: "Bonjour" }],
    ]);
    expect(JSON.parse(read("comments.json"))).toMatchObject([{ text: "To whom?", ask: true }]);
    expect(read("styles/fr.md")).toBe("Say vous.\n");
    const [{ file }] = JSON.parse(read("pictures/pictures.json"));
    expect(readFileSync(join(folder, "pictures", file))).toEqual(png(80, 40));
    // The list is one that skep picture takes.
    const added = await app.run("picture create", "--list", join(folder, "pictures/pictures.json"));
    expect(added.code).toBe(0);
  });

  it("writes into no folder that has something in it", async () => {
    const app = await open();
    const folder = realFolder();
    writeFileSync(join(folder, "mine.txt"), "mine");
    const { code, stderr } = await app.run("export", folder);
    expect([code, stderr]).toEqual([2, expect.stringContaining("is not empty")]);
    mkdirSync(join(folder, "new"));
    expect((await app.run("export", join(folder, "new"))).code).toBe(0);
    expect(existsSync(join(folder, "mine.txt"))).toBe(true);
  });

  it("is not taken back where it was cut off, or is of another source locale", async () => {
    const app = await open();
    const folder = await exported(app);
    const index = join(folder, "skep-export.json");
    writeFileSync(index, readFileSync(index, "utf8").replace('"source": "en"', '"source": "fr"'));
    expect((await app.run("import", "--from", "skep", folder, "--yes")).stderr).toContain(
      "has the source locale fr",
    );
    rmSync(index);
    expect((await app.run("import", "--from", "skep", folder, "--yes")).stderr).toContain("cut off");
  });
});

const text = fc.oneof(
  fc.constantFrom("Open", "a < b & c", "\u{1F600} déjà", "line\nline", "{n} files", "  blanks  ", '"quoted"'),
  fc.string({ minLength: 1, maxLength: 12 }).filter((one) => one.isWellFormed() && !/[\0\r]/.test(one)),
);
const key = fc.stringMatching(/^[a-z]{1,4}$/);
const string = fc.record({
  source: text,
  fr: fc.option(text),
  pt: fc.option(text),
  waits: fc.boolean(),
  note: fc.option(
    fc.record({
      note: fc.constantFrom("On the form", "A verb\nnot a noun"),
      tags: fc.constantFrom(["a"], ["b", "c"]),
    }),
  ),
});
const file = fc.dictionary(key, fc.oneof(string, fc.dictionary(key, string, { minKeys: 1, maxKeys: 2 })), {
  minKeys: 1,
  maxKeys: 4,
});
type Made = typeof string extends fc.Arbitrary<infer T> ? T : never;

function isString(value: Made | Readonly<Record<string, Made>>): value is Made {
  return typeof value.source === "string";
}

function flatOf(content: Readonly<Record<string, Made | Readonly<Record<string, Made>>>>): Map<string, Made> {
  const strings = Object.entries(content).flatMap(([name, value]) =>
    isString(value)
      ? [[name, value] as const]
      : Object.entries(value).map(([inner, made]) => [`${name}.${inner}`, made] as const),
  );
  return new Map(strings);
}

describe("an export comes back", () => {
  it("with the plural forms that the source language lacks", async () => {
    const from = await open();
    await from.sync({ "en.json": { n_one: "{{count}} file", n_other: "{{count}} files" } });
    const forms = {
      n_one: "{{count}} fichier",
      n_many: "{{count}} de fichiers",
      n_other: "{{count}} fichiers",
    };
    await from.translate("fr", { "en.json": forms });
    const to = await open();
    const { code, stdout } = await to.run("import", "--from", "skep", await exported(from), "--yes");
    expect([code, stdout]).toEqual([0, expect.stringContaining("fr: 3 new")]);
    expect(await contentOf(to)).toEqual(await contentOf(from));
  });

  it("as the same texts, states, notes, pictures and terms, and changes nothing the second time", async () => {
    const files = fc.record({ "en.json": file, "fr/menu.php": file });
    await forAll(12, files, async (made) => {
      const from = await open();
      const group = Object.fromEntries(
        Object.entries(made).map(([name, content]) => [
          name,
          Object.fromEntries(
            Object.entries(content).map(([own, value]) => [
              own,
              isString(value)
                ? value.source
                : Object.fromEntries(Object.entries(value).map(([inner, { source }]) => [inner, source])),
            ]),
          ),
        ]),
      );
      await from.sync(group);
      const strings = Object.entries(made).flatMap(([name, content]) =>
        Array.from(flatOf(content), ([own, value]) => ({ name, key: own, ...value })),
      );
      for (const locale of ["fr", "pt"] as const) {
        for (const waits of [false, true]) {
          const body: Record<string, Record<string, string>> = {};
          for (const one of strings)
            if (one.waits === waits && one[locale] !== null) (body[one.name] ??= {})[one.key] = one[locale];
          const review = waits ? { review: "always" } : {};
          await send(from, "POST", `/translations/${locale === "pt" ? "pt-BR" : "fr"}`, {
            files: body,
            ...review,
          });
        }
      }
      const notes: Record<string, Record<string, object>> = {};
      for (const one of strings) if (one.note !== null) (notes[one.name] ??= {})[one.key] = one.note;
      await send(from, "PATCH", "/notes", { files: notes });
      await send(from, "POST", "/glossary", {
        terms: [
          {
            source: "file",
            meaning: "A document",
            translations: { fr: { text: "fichier", forbidden: ["archive"] } },
          },
        ],
      });
      const [first] = strings;
      await send(from, "POST", "/pictures", {
        name: "home.png",
        content: png(80, 40).toString("base64"),
        strings: [`${first?.name}:${first?.key}`],
        boxes: [{ string: `${first?.name}:${first?.key}`, x: 1, y: 2, width: 3, height: 4 }],
      });
      const folder = await exported(from);
      const to = await open();
      const sent = await to.run("import", "--from", "skep", folder, "--yes");
      expect([sent.code, sent.stderr]).toEqual([0, ""]);
      expect(await contentOf(to)).toEqual(await contentOf(from));
      const again = await to.run("import", "--from", "skep", folder, "--yes");
      expect([again.code, again.stdout]).toEqual([0, expect.stringMatching(/Nothing was sent\.\n$/)]);
    });
  });
});
