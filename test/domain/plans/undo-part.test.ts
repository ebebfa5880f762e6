/** The content before a commit, as if it had changed one string alone, or one translation. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { withValues, type HiveState } from "../../../src/domain/notes/hive-state.ts";
import { staleKind } from "../../../src/domain/sidecars/stale.ts";
import { translatableTexts } from "../../../src/domain/strings/string-file.ts";
import { sidecars } from "../../../src/domain/plans/sidecars.ts";
import { SidecarValues } from "../../../src/domain/sidecars/sidecar.ts";
import { toLocale } from "../../../src/domain/hives/locale.ts";
import { beforeOfPart } from "../../../src/domain/plans/undo.ts";
import { fileNamed, hiveOf } from "../../helpers/hive.ts";
import { forAllSync } from "../../helpers/runs.ts";

const keys = ["a", "b", "n_one", "n_other", "m.x", "m.y"];
const texts = fc.dictionary(fc.constantFrom(...keys), fc.constantFrom("A", "B", "C"), {
  noNullPrototype: true,
});
const files = fc.dictionary(fc.constantFrom("f.json", "g.json"), texts, { noNullPrototype: true });
const marked = fc.record({ source: files, fr: files, values: fc.tuple(...sidecars.map(() => files)) });

/** All texts and values, by their places. */
function cells({ content, values }: HiveState): Record<string, string> {
  const all: Record<string, string> = {};
  const add = (what: string, of: ReadonlyMap<string, ReadonlyMap<string, string>>): void => {
    for (const [file, own] of of) for (const [key, text] of own) all[`${what} ${file} ${key}`] = text;
  };
  add("en", new Map(Array.from(content.source, ([file, strings]) => [file, strings.texts])));
  for (const [code, own] of content.translations) add(code, own);
  for (const kind of sidecars) {
    for (const [code, own] of values?.of(kind) ?? []) {
      const shown = Array.from(own, ([file, keyed]): [string, Map<string, string>] => [
        file,
        new Map(Array.from(keyed, ([key, value]) => [key, JSON.stringify(value)])),
      ]);
      add(`${kind.folder} ${code}`, new Map(shown));
    }
  }
  return all;
}

function toMarked({
  source,
  fr,
  values,
}: typeof marked extends fc.Arbitrary<infer T> ? T : never): HiveState {
  const hive = (translations: object) =>
    hiveOf({ files: { ...source }, translations: { fr: { ...translations } } });
  const all = sidecars.map((kind, i) => ({ kind, all: hive({ ...values[i] }).translations }));
  return { content: hive(fr), ...withValues(new SidecarValues(all)) };
}

const french = toLocale("fr").code;

it("is that of the part before the commit, and of all others after it", () => {
  const parts = fc.record({
    key: fc.constantFrom(...keys),
    locale: fc.option(fc.constant(french), { nil: undefined }),
  });
  forAllSync(75, marked, marked, parts, (left, former, { key, locale }) => {
    const [after, before] = [toMarked(left), toMarked(former)];
    const at = { file: fileNamed("f.json"), key, locale };
    const place = locale === undefined ? ` f.json ${key}` : ` ${locale} f.json ${key}`;
    const isOwn = (name: string): boolean => ` ${name}`.endsWith(place);
    const expected: Record<string, string> = Object.fromEntries([
      ...Object.entries(cells(after)).filter(([name]) => !isOwn(name)),
      ...Object.entries(cells(before)).filter(([name]) => isOwn(name)),
    ]);
    if (locale !== undefined) {
      // It is stale where it was made for another source text than the one that stays.
      const marker = `${staleKind.folder}${place}`;
      const source = ({ content }: HiveState): string | undefined =>
        translatableTexts(content.source.get(at.file)).get(key);
      const stored = cells(before)[marker];
      const madeFor: string | undefined = stored === undefined ? source(before) : JSON.parse(stored);
      const isThere = cells(before)[`${locale} f.json ${key}`] !== undefined;
      if (isThere && madeFor !== undefined && madeFor !== source(after))
        expected[marker] = JSON.stringify(madeFor);
      else Reflect.deleteProperty(expected, marker);
    }
    expect(cells(beforeOfPart(after, before, at))).toEqual(expected);
  });
});
