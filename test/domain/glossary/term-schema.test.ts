/** A term with all members that its schema has, in every form that a term has. */
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { planTerms, type GlossaryPlan } from "../../../src/domain/glossary/glossary-plan.ts";
import {
  givenTermSchema,
  termAnswer,
  termSchema,
  translationSchema,
} from "../../../src/domain/glossary/term-schema.ts";
import type { Glossary } from "../../../src/domain/glossary/term.ts";
import { toLocale } from "../../../src/domain/hives/locale.ts";
import { encode } from "../../../src/domain/json-codec.ts";
import { readTermsCsv, writeTermsCsv } from "../../../src/formats/exchange/term-csv.ts";
import { readTermsTbx, writeTermsTbx } from "../../../src/formats/exchange/term-tbx.ts";
import { toTerms } from "../../../src/http/content/glossary.ts";
import { formatGlossary, parseGlossary } from "../../../src/store/content/stored-glossary.ts";

const translation = { text: "fichier", accepted: ["doc"], forbidden: ["archive"], keep: true };
/** No member is as if it were not given. */
const full = {
  id: "a1",
  source: "file",
  part_of_speech: "noun",
  meaning: "A document",
  case: true,
  match: "prefix" as const,
  keep: true,
  translations: { fr: translation },
};
const { id, ...withoutId } = full;
const least = { id: "a2", source: "folder" };

const stored = (terms: readonly object[]): string => `${JSON.stringify({ terms }, null, 2)}\n`;
const french = toLocale("fr").code;
const locales = { source: "en", targets: ["fr"] };

/** Merges what a request says into a glossary. */
async function merge(before: Glossary, given: object): Promise<GlossaryPlan> {
  const [sent] = await toTerms([given]);
  if (sent === undefined) throw new Error("no term");
  const translations = Object.values(sent.translations ?? {}).map((each) => [french, each] as const);
  return planTerms(before, [{ ...sent, translations: new Map(translations) }], "merge", () => id);
}

describe("a term", () => {
  it("is tried here with all of its members", () => {
    expect(Object.keys(full)).toEqual(Object.keys(termSchema.shape));
    expect(Object.keys(translation)).toEqual(Object.keys(translationSchema.shape));
    expect(encode(termSchema, termSchema.parse(full))).toEqual(full);
  });

  it("is stored as it was read, without members that are as if they were not given", async () => {
    const text = stored([full, least]);
    expect(formatGlossary(await parseGlossary(Buffer.from(text)))).toBe(text);
    const spelt = stored([full, { ...least, case: false, match: "word", keep: false, translations: {} }]);
    expect(formatGlossary(await parseGlossary(Buffer.from(spelt)))).toBe(text);
  });

  it("is stored with all members that a request gives", async () => {
    expect(formatGlossary((await merge([], withoutId)).terms)).toBe(stored([full]));
  });

  it("differs by each of its members", async () => {
    const before = await parseGlossary(Buffer.from(stored([full])));
    const others = { part_of_speech: null, meaning: null, case: false, match: "word", keep: false };
    const otherTranslation = { text: null, accepted: [], forbidden: [], keep: false };
    expect(["id", "source", ...Object.keys(others), "translations"]).toEqual(Object.keys(full));
    expect(Object.keys(otherTranslation)).toEqual(Object.keys(translation));
    const changes = [
      ...Object.entries(others).map(([name, value]) => ({ [name]: value })),
      ...Object.entries(otherTranslation).map(([name, value]) => ({
        translations: { fr: { [name]: value } },
      })),
      { source: "folder" },
    ];
    for (const change of changes) {
      const { counts } = await merge(before, { id, source: full.source, ...change });
      expect([change, counts.updated]).toEqual([change, 1]);
    }
    expect((await merge(before, full)).counts.unchanged).toBe(1);
  });

  it("has all members in a response, null where nothing is said", async () => {
    const [whole, bare] = await parseGlossary(Buffer.from(stored([full, least])));
    expect(whole && encode(termAnswer, whole)).toEqual(full);
    expect(bare && encode(termAnswer, bare)).toEqual({
      ...least,
      part_of_speech: null,
      meaning: null,
      case: false,
      match: "word",
      keep: false,
      translations: {},
    });
  });

  it("comes back from files with all members but its id", () => {
    expect(readTermsCsv(Buffer.from(writeTermsCsv([full], locales.targets)))).toEqual([withoutId]);
    expect(readTermsTbx(Buffer.from(writeTermsTbx([full], locales)), locales).terms).toEqual([withoutId]);
  });

  it("has no default in a request, and null for what need not be there", () => {
    expect(givenTermSchema.parse({ source: " file " })).toEqual({ source: "file" });
    const removed = { source: "file", part_of_speech: null, meaning: null, translations: { fr: null } };
    expect(givenTermSchema.parse(removed)).toEqual(removed);
    expect(z.safeParse(givenTermSchema, { source: "file", case: null }).success).toBe(false);
  });
});
