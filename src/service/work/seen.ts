/** What somebody has seen of a string, as a form carries it: hashes, since the texts would double the size of a list. */
import { hash } from "node:crypto";
import { z } from "zod";
import { jsonOrUndefined } from "../../domain/json.ts";
import { ownMember } from "../../domain/record.ts";
import { recordSchema } from "../../domain/record-schema.ts";
import { maxForms, type Seen, type SeenTexts } from "../../domain/work/work.ts";

/** Enough that nobody finds two texts with the same hash. */
const hashLength = 22;

/** The hash of a text, whatever its line ends: browsers send them all alike. */
export function hashOf(text: string): string {
  return hash("sha256", text.replaceAll(/\r\n?/g, "\n"), "base64url").slice(0, hashLength);
}

/** The hashes of texts for a field of a form; see {@link seenIn}. */
export function seenToken({ source, translation }: SeenTexts): string {
  const forms = Object.entries(source).map(([form, text]) => {
    const { [form]: translated = null } = translation;
    return [form, [hashOf(text), translated === null ? null : hashOf(translated)]] as const;
  });
  return JSON.stringify(Object.fromEntries(forms));
}

const hashed = z.string().max(hashLength);
const token = recordSchema(z.string(), z.tuple([hashed, hashed.nullable()])).refine(
  (forms) => Object.keys(forms).length <= maxForms,
);

/** What a form says was seen, as {@link seenToken} has it; undefined for another text. */
export function seenIn(text: string): Seen | undefined {
  const { data: forms } = token.safeParse(jsonOrUndefined(text));
  if (forms === undefined) return undefined;
  return {
    // A form that is not among these had the source text of `other`, and no translation.
    isSource: (form, source) => (ownMember(forms, form) ?? ownMember(forms, "other"))?.[0] === hashOf(source),
    isTranslation: (form, translation) =>
      (ownMember(forms, form)?.[1] ?? undefined) ===
      (translation === undefined ? undefined : hashOf(translation)),
  };
}
