/** Exports of each tool: what is read of them, and what is left out. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { localeFinder, placerFor } from "../../../src/client/moving/places.ts";
import type { ExchangeTerm } from "../../../src/formats/exchange/exchange-term.ts";
import type { Moved, MovedString } from "../../../src/formats/moving/moved.ts";
import { toolNames } from "../../../src/formats/moving/tool-names.ts";
import { readExport } from "../../../src/client/moving/tools.ts";
import type { AppNote } from "../../../src/domain/notes/note.ts";
import { readableKey } from "../../../src/domain/text.ts";
import { forAll } from "../../helpers/runs.ts";
import { exportsOfTools } from "../../helpers/exports/tools.ts";

const locale = (code: string) => ({ code, canonical: code });
const locales = { source: locale("en"), targets: [locale("fr"), locale("pt-BR")] };

function read(
  tool: (typeof toolNames)[number],
  files: Readonly<Record<string, string | Uint8Array>>,
): Promise<Moved> {
  const bytes = new Map(Object.entries(files).map(([path, content]) => [path, Buffer.from(content)]));
  const context = {
    source: "en",
    targets: ["fr", "pt-BR"],
    localeOf: localeFinder(locales),
    place: placerFor({ entries: [], locales, names: [], paths: bytes.keys(), as: undefined }),
  };
  return readExport(tool, bytes, context);
}

function noteText({ note, tags = [], max_length: length, keep }: AppNote): string {
  const parts = [note, ...tags.map((tag) => `#${tag}`), length && `<${length}`, keep && "keep"];
  return parts.filter((part) => part !== undefined).join(" ");
}

function stringText(file: string, key: string, { source, translations, note }: MovedString): string {
  const texts = Array.from(translations, ([code, { text, state = "none" }]) => `${code}=${text} (${state})`);
  return [`${file} ${readableKey(key)}: ${source}`, ...texts, ...(note ? [noteText(note)] : [])].join(" | ");
}

function termText({
  source,
  meaning,
  part_of_speech: part,
  keep,
  case: hasCase,
  translations,
}: ExchangeTerm): string {
  const texts = Object.entries(translations).map(
    ([code, each]) => `${code}=${each.text ?? `not ${each.forbidden?.join(", ")}`}`,
  );
  const more = [meaning, part, keep === true ? "keep" : undefined, hasCase === true ? "case" : undefined];
  return `${source}: ${[...texts, more.filter((one) => one !== undefined).join(" ")].filter((one) => one !== "").join(" | ")}`;
}

describe("an export is read", () => {
  it.each(exportsOfTools.map((one) => [one.what, one] as const))("%s", async (_, made) => {
    const moved = await read(made.tool, made.files);
    const strings = [...moved.files].flatMap(([file, own]) =>
      Array.from(own, ([key, string]) => stringText(file, key, string)),
    );
    expect(strings).toEqual(made.strings);
    expect(moved.terms.map(termText)).toEqual(made.terms ?? []);
    const pictures = moved.pictures.map(({ name, strings: shown }) => `${name} ${shown.join(" ")}`);
    expect(pictures).toEqual(made.pictures ?? []);
    expect(moved.memory).toHaveLength(made.memory ?? 0);
    expect(moved.left.map(({ count, what, reason }) => `${count} ${what}: ${reason}`)).toEqual(
      made.left ?? [],
    );
  });

  it.each<[string, (keys: readonly object[]) => unknown]>([
    ["a list", (keys) => keys],
    ["a member", (keys) => ({ version: 1, keys })],
    [
      "objects of their own",
      (keys) => keys.map((key) => ({ key, translations: Reflect.get(key, "translations") })),
    ],
  ])("of Phrase's JSON whose keys are %s", async (_, wrap) => {
    const keys = [{ name: "a", translations: [{ locale: "en", content: "A" }] }];
    const moved = await read("phrase", { "app.json": JSON.stringify(wrap(keys)) });
    expect(moved.files.get("app.json")?.get("a")?.source).toBe("A");
  });

  it.each<[string, string]>([
    ["json", '{"a": "A", "n": {"on": true, "two": 2, "no": null}}'],
    ["yaml", "a: A\nn:\n  on: true\n  two: 2\n  no: null\n"],
    ["php", "<?php return ['a' => 'A', 'n' => ['on' => true, 'two' => 2, 'no' => null]];"],
  ])("of the app's own files, with what is no text in their %s", async (ending, content) => {
    const moved = await read("crowdin", { [`en.${ending}`]: content });
    expect(Array.from(moved.files.values(), (own) => Array.from(own.keys()))).toEqual([["a"]]);
    expect(moved.left).toMatchObject([
      { what: "value", reason: "it is no text, or none that is finished", count: 3 },
    ]);
    expect(moved.left[0]?.places[1]).toMatch(/: n\.two$/);
  });

  it("without mixing components of Weblate that have files of one name", async () => {
    const component = (slug: string, text: string) => ({
      [`components/${slug}.json`]: JSON.stringify({
        component: { slug, template: "i18n/en.json", source_language: "en", repo: "https://example.org" },
        translations: [{ id: 1, language_code: "en", filename: "i18n/en.json" }],
        units: [],
        screenshots: [],
      }),
      [`vcs/${slug}/i18n/en.json`]: JSON.stringify({ a: text }),
    });
    const files = { "weblate-backup.json": "{}", ...component("one", "A"), ...component("two", "B") };
    const moved = await read("weblate", files);
    const texts = Array.from(moved.files, ([file, own]) => `${file}: ${own.get("a")?.source}`);
    expect(texts).toEqual(["i18n/en.json: A", "two/i18n/en.json: B"]);
  });

  it("or refused with a message for people, whatever a stranger has changed of it", async () => {
    const change = fc.record({
      export: fc.constantFrom(...exportsOfTools),
      file: fc.nat(20),
      at: fc.double({ min: 0, max: 1, noNaN: true }),
      by: fc.constantFrom(
        "",
        "null",
        "[]",
        '{"__proto__": 1}',
        '"\u0000"',
        "<",
        "]]>",
        "\n",
        "9",
        '"',
        "\u001E\u001E",
      ),
      cut: fc.nat(30),
    });
    await forAll(300, change, async ({ export: made, file, at, by, cut }) => {
      const names = Object.keys(made.files);
      const name = names[file % names.length] ?? "";
      const content = Buffer.from(made.files[name] ?? "");
      const start = Math.floor(at * content.length);
      const parts = [content.subarray(0, start), Buffer.from(by), content.subarray(start + cut)];
      const files = { ...made.files, [name]: Buffer.concat(parts) };
      await read(made.tool, files).catch((error: unknown) => {
        expect(error).toMatchObject({ name: "FormatError" });
      });
    });
  });

  it("of every tool that the command takes", () => {
    expect(new Set(exportsOfTools.map(({ tool }) => tool))).toEqual(new Set(toolNames));
  });
});
