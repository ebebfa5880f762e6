/** The content before a commit, as if it had changed one string alone. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { beforeOfString } from "../../../src/domain/plans/undo.ts";
import { fileNamed, hiveOf } from "../../helpers/hive.ts";
import { forAllSync } from "../../helpers/runs.ts";

const keys = ["a", "b", "n_one", "n_other", "m.x", "m.y"];
const texts = fc.dictionary(fc.constantFrom(...keys), fc.constantFrom("A", "B", "C"), {
  noNullPrototype: true,
});
const files = fc.dictionary(fc.constantFrom("f.json", "g.json"), texts, { noNullPrototype: true });
const marked = fc.record({ source: files, fr: files, stale: files });

/** All texts and markers, by their places. */
function cells({ content, markers }: ReturnType<typeof toMarked>): Record<string, string> {
  const all: Record<string, string> = {};
  const add = (what: string, of: ReadonlyMap<string, ReadonlyMap<string, string>>): void => {
    for (const [file, own] of of) for (const [key, text] of own) all[`${what} ${file} ${key}`] = text;
  };
  add("en", new Map(Array.from(content.source, ([file, strings]) => [file, strings.texts])));
  for (const [code, own] of content.translations) add(code, own);
  for (const [code, own] of markers) add(`stale ${code}`, own);
  return all;
}

function toMarked({ source, fr, stale }: { source: object; fr: object; stale: object }) {
  const hive = (translations: object) =>
    hiveOf({ files: { ...source }, translations: { fr: { ...translations } } });
  return { content: hive(fr), markers: hive(stale).translations };
}

it("is that of the string before the commit, and of all others after it", () => {
  forAllSync(75, marked, marked, fc.constantFrom(...keys), (left, former, key) => {
    const [after, before] = [toMarked(left), toMarked(former)];
    const at = { file: fileNamed("f.json"), key };
    const { content, markers } = beforeOfString(after, before, at);
    const isOwn = (name: string): boolean => name.endsWith(` f.json ${key}`);
    const expected = Object.fromEntries([
      ...Object.entries(cells(after)).filter(([name]) => !isOwn(name)),
      ...Object.entries(cells(before)).filter(([name]) => isOwn(name)),
    ]);
    expect(cells({ content, markers })).toEqual(expected);
  });
});
