/** Makes terms for tests. */
import type { GivenTermTranslation } from "../../../src/domain/glossary/glossary-plan.ts";
import type { Term } from "../../../src/domain/glossary/term.ts";
import { toLocale } from "../../../src/domain/hives/locale.ts";

/** A term with what is given, and what terms have by default. */
export function term(
  given: Omit<Partial<Term>, "translations"> & { readonly fr?: GivenTermTranslation | string },
): Term {
  const { fr, ...members } = given;
  const {
    text,
    accepted = [],
    forbidden = [],
    keep = false,
  } = typeof fr === "string" ? { text: fr } : (fr ?? {});
  const translation = { text: text ?? undefined, accepted, forbidden, keep };
  return {
    id: given.source ?? "",
    source: "",
    case: false,
    match: "word",
    keep: false,
    ...members,
    translations: new Map(fr === undefined ? [] : [[toLocale("fr").code, translation]]),
  };
}
