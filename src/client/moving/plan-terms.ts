/** Plans which terms of an export a glossary gets: each finds the one that the Hive has of it. */
import { emptyRecord } from "../../domain/record.ts";
import { givenTermSchema } from "../../domain/glossary/term-schema.ts";
import type { ExchangeTerm, ExchangeTranslation } from "../../formats/exchange/exchange-term.ts";
import type { Moved } from "../../formats/moving/moved.ts";
import type { HiveTerm, SentTerm } from "../api/glossary-api.ts";

/**
 * The terms that a glossary can hold, each once.
 * @param rules.overwrite whether translations of the Hive are replaced that are others than those of the export.
 */
export function planTerms(
  moved: Moved,
  present: readonly HiveTerm[],
  { overwrite }: { readonly overwrite: boolean },
): readonly SentTerm[] {
  const terms = new Map<string, ExchangeTerm>();
  for (const term of moved.terms) {
    const { error } = givenTermSchema.safeParse(term);
    if (error !== undefined) {
      const [issue] = error.issues;
      const reason = `${issue?.path.join(".") ?? ""} ${issue?.message ?? "cannot be stored"}`;
      moved.leave("term", reason, term.source);
      continue;
    }
    const id = idOf(term);
    const before = terms.get(id);
    terms.set(id, { ...before, ...term, translations: { ...before?.translations, ...term.translations } });
  }
  const planned: SentTerm[] = [];
  const taken = new Set<string>();
  for (const term of [...terms.values()].toSorted((a, b) => detailsOf(b) - detailsOf(a))) {
    const own = matchOf(term, present);
    if (own === undefined) planned.push(term);
    else if (taken.has(own.id))
      moved.leave("term", "another one of the export has its spelling", term.source);
    else {
      taken.add(own.id);
      const translations = overwrite ? term.translations : kept(term, own, moved);
      planned.push({ ...term, translations, id: own.id });
    }
  }
  return planned;
}

/** What tells a term from others: its spelling, what it means, and the part of speech. */
function idOf({ source, meaning, part_of_speech: part }: ExchangeTerm | HiveTerm): string {
  return JSON.stringify([source.trim().normalize("NFC"), meaning ?? null, part ?? null]);
}

/** How much a term says that tells it from others: the one that says most finds its own first. */
function detailsOf({ meaning, part_of_speech: part }: ExchangeTerm): number {
  return (meaning == null ? 0 : 1) + (part == null ? 0 : 1);
}

/** The term of the Hive that a term is: the very same, or else one of its spelling that says nothing else. */
function matchOf(term: ExchangeTerm, present: readonly HiveTerm[]): HiveTerm | undefined {
  const source = term.source.trim().normalize("NFC");
  const alike = present.filter((one) => one.source === source);
  return (
    alike.find((one) => idOf(one) === idOf(term)) ??
    alike.find((one) => says(term.meaning, one.meaning) && says(term.part_of_speech, one.part_of_speech))
  );
}

/** Whether what is given of a term is nothing, or what the other has. */
function says(given: string | null | undefined, has: string | null | undefined): boolean {
  return given == null || given === has;
}

/** The translations of a term without those that the Hive has otherwise. */
function kept(
  { source, translations }: ExchangeTerm,
  { translations: present }: HiveTerm,
  moved: Moved,
): Readonly<Record<string, ExchangeTranslation>> {
  const left = emptyRecord<ExchangeTranslation>();
  for (const [code, translation] of Object.entries(translations)) {
    const { text: before, forbidden = [] } = present[code] ?? {};
    const { text } = translation;
    const isOther = text != null && ((before != null && text !== before) || forbidden.includes(text));
    if (isOther)
      moved.leave(
        "translation of a term",
        "the Hive has another one; --overwrite replaces it",
        `${code}: ${source}`,
      );
    else left[code] = translation;
  }
  return left;
}
