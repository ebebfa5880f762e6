/** Lists of messages with ids, as go-i18n had them. */
import { describe, expect, it } from "vitest";
import { idList } from "../../src/formats/id-list.ts";
import { makeApp } from "../helpers/app-tree.ts";
import { bytesOf, readAndWrite, textOf } from "../helpers/format-properties.ts";

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
