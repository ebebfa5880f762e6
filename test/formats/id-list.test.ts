/** Lists of messages with ids, as go-i18n had them. */
import { describe, expect, it } from "vitest";
import { idList } from "../../src/formats/id-list.ts";
import { makeApp } from "../helpers/app-tree.ts";
import type { Group } from "../../src/domain/strings/string-file.ts";
import { stringFile } from "../helpers/arbitraries.ts";
import { bytesOf, describeProperties, editOf, readAndWrite, textOf } from "../helpers/format-properties.ts";

const context = { locale: "fr", sourceLocale: "en" };
const { read } = readAndWrite(idList, context);

const source = `[
  {
    "id": "hi",
    "translation": "Hi"
  },
  {
    "id": "items.count",
    "translation": {
      "one": "{{.Count}} item",
      "other": "{{.Count}} items"
    }
  },
  {
    "id": "bye",
    "translation": "Bye"
  }
]
`;

function write(
  template: string,
  texts: Readonly<Record<string, string>>,
  removed: readonly string[] = [],
): string {
  const { content: shape } = idList.parse(bytesOf(source), context);
  const edit = {
    template: bytesOf(template),
    source: bytesOf(source),
    isSource: template === source,
    texts: new Map(Object.entries(texts)),
    removed: new Set(removed),
    shape,
  };
  return textOf(idList.write(edit, context));
}

describe("a list of messages with ids", () => {
  it("has the ids for keys", () => {
    expect(read(source)).toEqual({
      hi: "Hi",
      "items.count.one": "{{.Count}} item",
      "items.count.other": "{{.Count}} items",
      bye: "Bye",
    });
  });

  it("comes back as it was, and one text changes one line", () => {
    const all = read(source);
    expect(write(`${source} `, all)).toBe(`${source} `);
    expect(write(`${source} `, { ...all, bye: "Salut" })).toBe(`${source.replace('"Bye"', '"Salut"')} `);
  });

  it("gets messages where they are in the source, however many it lacks", () => {
    const one = '[\n  {\n    "id": "bye",\n    "translation": "Salut"\n  }\n]\n';
    const texts = { hi: "Allô", "items.count.one": "un", "items.count.other": "plusieurs", bye: "Salut" };
    expect(write(one, { hi: "Allô", bye: "Salut" })).toBe(
      `[\n  {\n    "id": "hi",\n    "translation": "Allô"\n  },\n${one.slice(2)}`,
    );
    expect(Object.entries(read(write(one, texts)))).toEqual(Object.entries(texts));
    expect(write(source, { bye: "Salut" })).toBe(one);
    expect(read(write("[]\n", texts))).toEqual(texts);
    expect(write('[{"id": "hi", "translation": "Allô"}]', { hi: "Allô", bye: "Salut" })).toBe(
      '[{"id": "hi", "translation": "Allô"}, { "id": "bye", "translation": "Salut" }]',
    );
  });

  it("loses messages that are removed", () => {
    const all = read(source);
    const keys = ["hi", "items.count.one", "items.count.other"];
    for (const key of keys) delete all[key];
    expect(read(write(`${source} `, all, keys))).toEqual({ bye: "Bye" });
  });

  it.each([
    ["{}", "is no list of messages with an id"],
    ['[{"translation": "A"}]', "has a message without an id"],
    ['["a"]', "has a message without an id"],
  ])("is refused where it has no ids: %s", (file, problem) => {
    expect(() => read(file)).toThrow(problem);
  });

  it("that lacks a message gives no later one its neighbour's text", async () => {
    const app = await makeApp({ patterns: ["{ path: 'i18n/{locale}.all.json', format: go-i18n }"] });
    const french = '[\n  {\n    "id": "bye",\n    "translation": "Salut"\n  }\n]\n';
    app.write({ "i18n/en.all.json": source, "i18n/fr.all.json": french });
    expect(await app.run("push", "--translations")).toMatchObject({ code: 0 });
    expect(await app.texts("fr")).toEqual({ "en.all.json": { bye: "Salut" } });
    expect(await app.run("pull")).toMatchObject({ code: 0, stderr: "" });
    expect(app.read("i18n/fr.all.json")).toBe(french);
  });
});

/** Lists have tests of their own, in YAML's. */
function isPlain(group: Group): boolean {
  return (
    !Array.isArray(group) && Object.values(group).every((node) => typeof node === "string" || isPlain(node))
  );
}

describe("a list of messages in YAML, as Hugo has it", () => {
  const content = stringFile.filter(({ group }) => isPlain(group));
  describeProperties("go-i18n", idList, { empties: ["", "# Texts\n", "\ufeff", "# Texts\r\n\r\n"], content });

  const file = [
    "# Texts of the theme",
    "",
    "# At the top",
    "- id: home",
    '  translation: "Home"',
    "",
    "- translation: About",
    "  id: about",
    "- id: readingTime",
    "  translation:",
    "    one: One minute",
    "    other: >-",
    "      {{ .Count }}",
    "      minutes",
    "- { id: tags, translation: Tags }",
    "",
  ].join("\n");

  it("has the ids for keys, and comments for notes", () => {
    expect(read(file)).toEqual({
      home: "Home",
      about: "About",
      "readingTime.one": "One minute",
      "readingTime.other": "{{ .Count }} minutes",
      tags: "Tags",
    });
    const { notes } = idList.parse(bytesOf(file), context);
    expect(Object.fromEntries(notes)).toEqual({ home: { note: "At the top" } });
  });

  it("changes what stands there, and gets and loses whole messages", () => {
    const { content: shape } = idList.parse(bytesOf(file), context);
    const edit = (
      texts: Record<string, string>,
      removed: readonly string[] = [],
      template = file,
    ): string => {
      const all = new Map(Object.entries(texts));
      const bytes = bytesOf(template);
      return textOf(
        idList.write(editOf({ template: bytes, texts: all, removed: new Set(removed), shape }), context),
      );
    };
    expect(edit(read(file))).toBe(file);
    expect(edit({ about: "À propos: nous", tags: "x, y", "readingTime.other": "{{ .Count }} min" })).toBe(
      file
        .replace("translation: About", 'translation: "À propos: nous"')
        .replace("translation: Tags", 'translation: "x, y"')
        .replace("      {{ .Count }}\n      minutes", "      {{ .Count }} min"),
    );
    expect(edit({ tags: "Tags" }, ["home", "readingTime.one", "readingTime.other"])).toBe(
      "# Texts of the theme\n\n\n- translation: About\n  id: about\n- { id: tags, translation: Tags }\n",
    );
    const french = "- id: about\n  translation: À propos\n";
    const texts = {
      home: "Accueil",
      about: "À propos",
      "readingTime.one": "une",
      "readingTime.other": "des",
    };
    expect(edit(texts, [], french)).toBe(
      `- id: home\n  translation: Accueil\n${french}- id: readingTime\n  translation:\n    one: une\n    other: des\n`,
    );
  });

  it.each<[string, string, number]>([
    ["a: b\n", "must be a list of messages with an id", 1],
    ["- id: a\n  translation: A\n- b\n", "has a message without an id", 3],
    ["- id: 1\n  translation: A\n", "has a message without an id", 1],
    ["- id: a\n", "has a message without a translation", 1],
    ["- id: a\n  translation: &x A\n- id: b\n  translation: *x\n", "has an alias", 4],
  ])("is refused by its line: %j", (wrong, message, line) => {
    const error = { message: expect.stringContaining(message), line };
    expect(() => read(wrong)).toThrow(expect.objectContaining(error));
  });
});
