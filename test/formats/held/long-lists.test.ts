/** Lists that are longer than a call may have arguments, which lie on the stack: each row made one of what a file holds. */
import { expect, it } from "vitest";
import { wholeSource } from "../../../src/client/texts.ts";
import { recordOf } from "../../../src/domain/moves/recorded.ts";
import { formatNamed } from "../../../src/formats/formats.ts";
import { bytesOf } from "../../helpers/format-properties.ts";
import { fileNamed, hiveOf } from "../../helpers/hive.ts";

/** Node.js has room for about 125,000 arguments. */
const many = 140_000;
const context = { locale: "en", sourceLocale: "en" };
const numbers = Array.from({ length: many }, (_, i) => i);

async function read(name: string, file: string): Promise<ReadonlyMap<string, string>> {
  const format = await formatNamed(name)?.load();
  return format?.parse(bytesOf(file), context).texts ?? new Map();
}

it.each([
  [
    "lines of blanks in a block of YAML",
    "yaml",
    `a: |\n  x\n${"\n".repeat(many)}  y\n`,
    `x\n${"\n".repeat(many)}y\n`,
  ],
  ["lines of a Fluent message", "fluent", `a =\n${"    x\n".repeat(many)}`, Array(many).fill("x").join("\n")],
])("reads %s", async (_, format, file, text) => {
  expect((await read(format, file)).get("a") === text).toBe(true);
});

it("records moves", async () => {
  const file = fileNamed("a.json");
  const hive = hiveOf({ files: { "a.json": { x: "X" } } });
  const moves = numbers.map((i) => ({ from: { file, key: `a${i}` }, to: { file, key: `b${i}` } }));
  expect((await recordOf(moves, hive, [])).strings).toHaveLength(many);
});

it("joins the keys of files whose keys are the texts", async () => {
  const other = { path: "fr.json", locale: "fr", content: new Uint8Array() };
  const content = await wholeSource(
    { others: [other] as never },
    {},
    () => new Map(numbers.map((i) => [`k${i}`, ""])),
  );
  expect(Object.keys(content)).toHaveLength(many);
});
