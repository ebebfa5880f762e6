/** Commands that read and write the glossary of a Hive and the styles of its locales. */
import fc from "fast-check";
import * as glossaries from "../glossary-answers.ts";
import { command, expectSame, guarded, type Real } from "../real.ts";
import { locale, slug } from "./arbitraries.ts";

interface TermItem {
  readonly id: string;
  readonly source: string;
  readonly translations: Readonly<Record<string, { readonly text?: string | null }>>;
}

async function termsIn(real: Real, hive: string) {
  const { status, json } = await real.call("GET", `${hive}/glossary?per_page=500`);
  const items: readonly TermItem[] = status === 200 ? json.data : [];
  return { status, items };
}

/** Spellings that no text of the model has, so that they make no findings. */
const sources = ["zebra", "Zebra", "yak"];
const sent = fc.uniqueArray(
  fc.record(
    { source: fc.constantFrom(...sources), text: fc.constantFrom("zèbre", "yack") },
    { requiredKeys: ["source"], noNullPrototype: true },
  ),
  { maxLength: 3, selector: ({ source }) => source },
);

export const term = fc.tuple(slug, sent, fc.nat({ max: 3 })).map(([hive, terms, n]) =>
  command(`${n === 0 ? "sync" : "merge"} terms ${hive} ${JSON.stringify(terms)}`, async (m, real) => {
    const method = n === 0 ? "PUT" : "POST";
    const body = {
      terms: terms.map(({ source, text }) => ({ source, ...(text && { translations: { fr: { text } } }) })),
    };
    const { status, json } = await guarded(real, method, `${hive}/glossary`, body);
    const { items } = await termsIn(real, hive);
    const ids = new Map(items.map(({ source, id }) => [source, id]));
    expectSame({ status, json }, glossaries.setTerms(m, hive, terms, n === 0, ids));
  }),
);

export const termDeletion = fc.tuple(slug, fc.nat({ max: 5 })).map(([hive, pick]) =>
  command(`delete term ${hive} ${pick}`, async (m, real) => {
    const { items } = await termsIn(real, hive);
    const id = items[pick % Math.max(items.length, 1)]?.id ?? "none";
    const { status, json } = await real.call("DELETE", `${hive}/glossary/${id}`);
    expectSame({ status, json }, glossaries.deleteTerm(m, hive, id));
  }),
);

export const style = fc
  .tuple(slug, locale, fc.constantFrom("Say vous.", "Say tu.", ""))
  .map(([hive, code, text]) =>
    command(`style ${hive} ${code} ${text}`, async (m, real) => {
      const { status } = await real.call("PUT", `${hive}/style/${code}`, { text });
      expectSame({ status, json: undefined }, glossaries.setStyle(m, hive, code, text));
    }),
  );

export const glossary = fc.tuple(slug, locale).map(([hive, code]) =>
  command(`glossary ${hive} ${code}`, async (m, real) => {
    const { status, items } = await termsIn(real, hive);
    const terms = items.map(({ id, source, translations: { fr } }) => {
      return [id, { source, ...(fr?.text && { text: fr.text }) }] as const;
    });
    const { json } = await real.call("GET", `${hive}/style/${code}`);
    const read = { terms: Object.fromEntries(terms), style: json?.text };
    expectSame({ status, json: read }, glossaries.glossaryOf(m, hive, code));
  }),
);
