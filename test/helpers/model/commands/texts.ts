/** Commands that write source strings and translations. */
import fc from "fast-check";
import { expect } from "vitest";
import * as model from "../model.ts";
import * as moving from "../moves.ts";
import * as past from "../past.ts";
import { command, expectSame, guarded, type Real } from "../real.ts";
import type { Writer } from "../reviews.ts";
import { files, locale, place, pluralFiles, sent, sentForms, target, text, writer } from "./arbitraries.ts";

export const write = fc
  .tuple(
    target,
    fc.oneof(files, pluralFiles),
    fc.constantFrom("import" as const, "sync" as const),
    fc.boolean(),
    fc.option(fc.constantFrom("A", "B"), { nil: undefined }),
  )
  .map(([hive, content, mode, clear, note]) =>
    command(`${mode} ${hive} ${JSON.stringify(content)}${clear ? " clear" : ""} ${note}`, async (m, real) => {
      const said = note === undefined ? {} : firstKeys(content, note);
      const notes = Object.fromEntries(
        Object.entries(said).map(([file, keys]) => [file, mapValues(keys, (text) => ({ note: text }))]),
      );
      const body = { files: content, notes, conflict_strategy: clear ? "clear" : "keep" };
      const reply = await guarded(real, mode === "sync" ? "PUT" : "POST", `${hive}/strings`, body);
      expectSame(reply, model.importSource(m, hive, content, mode, clear, said));
    }),
  );

/** Something to say about the first key of each file. */
function firstKeys(content: model.Files, text: string): model.Files {
  const keys = Object.entries(content).map(
    ([file, texts]) => [file, Object.keys(texts).slice(0, 1)] as const,
  );
  return Object.fromEntries(keys.map(([file, [own]]) => [file, own === undefined ? {} : { [own]: text }]));
}

function mapValues<T>(
  record: Readonly<Record<string, string>>,
  map: (value: string) => T,
): Record<string, T> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)]));
}

const someFiles = {
  "a.php": { x: "one", y: "two", "n.x": "three", p_one: "one p", p_other: "many p" },
  "en.json": { z: "two", "g.one": "one g", "g.other": "many g" },
};
const someTexts = {
  x: "un",
  y: "deux",
  z: "deux",
  p_one: "1",
  p_few: "2",
  p_many: "5",
  p_other: "9",
  "g.few": "3",
};

export interface Change {
  readonly content: model.Files;
  readonly mode: "import" | "sync";
  readonly code: string;
  readonly texts: model.Files;
  readonly writer?: Writer;
}

/** Imports source strings and translations. */
export async function change(m: model.Model, real: Real, hive: string, sending: Change): Promise<void> {
  const { content, mode, code, texts, writer } = sending;
  const source = await real.call(mode === "sync" ? "PUT" : "POST", `${hive}/strings`, { files: content });
  expectSame(source, model.importSource(m, hive, content, mode, false));
  const there = m.hives.get(hive);
  if (there === undefined) return;
  past.record(there, await real.head(hive));
  const translated = await real.call("POST", `${hive}/translations/${code}`, { files: texts }, { writer });
  const named = code === "fr" ? texts : withoutFrench(texts);
  expectSame(translated, model.importTranslations(m, hive, code, named, false, writer));
  past.record(there, await real.head(hive));
}

/** Gives a Hive that is empty strings and translations: moves of nothing would show nothing. */
export async function fill(m: model.Model, real: Real, hive: string): Promise<void> {
  if (m.hives.get(hive)?.files.size !== 0) return;
  const texts = { "a.php": someTexts, "en.json": someTexts };
  for (const code of ["fr", "ru"])
    await change(m, real, hive, { content: someFiles, mode: "import", code, texts });
}

export function stringAt(m: model.Model, hive: string, pick: number): model.Place {
  const strings = Object.keys(model.strings(m, hive) ?? {});
  const [file = "a.php", own = "x"] = strings[pick % strings.length]?.split(" ") ?? [];
  return { file, key: own };
}

/** Most random places have no string, so most moves are made to begin at one that there is. */
export const move = fc
  .tuple(
    target,
    fc.array(fc.record({ from: fc.option(place, { freq: 10 }), pick: fc.nat({ max: 20 }), to: place }), {
      minLength: 1,
      maxLength: 3,
    }),
  )
  .map(([hive, some]) =>
    command(`move ${hive} ${JSON.stringify(some)}`, async (m, real) => {
      await fill(m, real, hive);
      const moves = some.map(({ from, pick, to }) => ({ from: from ?? stringAt(m, hive, pick), to }));
      const reply = await guarded(real, "POST", `${hive}/keys/move`, { moves });
      expectSame(reply, moving.moveStrings(m, hive, moves));
    }),
  );

/** What the Hive has, with some keys and files renamed, and some other texts. */
export const movingSync = fc
  .tuple(
    target,
    fc.array(fc.record({ pick: fc.nat({ max: 9 }), to: place, text }), { maxLength: 3 }),
    fc.boolean(),
  )
  .map(([hive, changes, withFile]) =>
    command(`moving sync ${hive} ${JSON.stringify(changes)} ${withFile}`, async (m, real) => {
      await fill(m, real, hive);
      const content: Record<string, Record<string, string>> = {};
      const put = (file: string, own: string, value: string) => {
        content[file] = { ...content[file], [own]: value };
      };
      for (const [i, [name, value]] of Object.entries(model.strings(m, hive) ?? {}).entries()) {
        const [file = "", own = ""] = name.split(" ");
        const renamed = withFile && file === "a.php" ? "b.yaml" : file;
        content[file] ??= {};
        const changed = changes.find(({ pick }) => pick === i);
        if (changed === undefined) put(renamed, own, value);
        else put(changed.to.file, changed.to.key, i % 3 === 0 ? changed.text : value);
      }
      const path = `${hive}/strings?detect_moves=true`;
      const dry = await real.call("PUT", `${path}&dry_run=true`, { files: content });
      const { status, json } = await real.call("PUT", path, { files: content });
      if (status === 200) expect(dry.json).toMatchObject(json);
      const { ambiguous_moves: _, ...counts } = json;
      expectSame({ status, json: counts }, moving.movingSync(m, hive, content, dry.json.moves ?? []));
    }),
  );

export const translate = fc
  .tuple(target, locale, fc.oneof(sent, sentForms), fc.boolean(), writer)
  .map(([hive, code, content, overwrite, by]) =>
    command(
      `translate ${hive} ${code} ${JSON.stringify(content)}${overwrite ? " overwrite" : ""} by ${by}`,
      async (m, real) => {
        const strategy = overwrite ? "overwrite" : "skip";
        const reply = await guarded(
          real,
          "POST",
          `${hive}/translations/${code}`,
          { files: content, overwrite_strategy: strategy },
          { writer: by },
        );
        const named = code === "fr" ? content : withoutFrench(content);
        expectSame(reply, model.importTranslations(m, hive, code, named, overwrite, by));
      },
    ),
  );

/** Names with `fr` mean something to French alone; for other locales the model takes them for unknown names. */
function withoutFrench(content: model.Files): model.Files {
  return Object.fromEntries(
    Object.entries(content).map(([name, texts]) => [name.startsWith("fr") ? `no/${name}` : name, texts]),
  );
}
