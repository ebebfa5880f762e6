/**
 * What a form says of a suggestion that it was filled with: signed, so that a text which is stored unchanged is known to be a
 * machine's.
 */
import { z } from "zod";
import type { HiveBranch } from "../../domain/commits/branch-name.ts";
import { branchNameOf, slugOf } from "../../domain/commits/branch-name.ts";
import { maxOriginLength, type Origin } from "../../domain/commits/origin.ts";
import type { LocaleCode } from "../../domain/hives/locale.ts";
import type { StringAddress } from "../../domain/move.ts";
import { recordSchema } from "../../domain/record-schema.ts";
import { toOneLine } from "../../domain/text.ts";
import { maxForms } from "../../domain/work/work.ts";
import { signValue, verifiedValue } from "../signed-values.ts";
import type { Storage } from "../storage.ts";
import { hashOf } from "../work/seen.ts";
import type { Suggestion } from "./suggestions.ts";

const purpose = "suggestion";
/** How long a suggestion is kept: as long as somebody may think about it. */
const keptMs = 24 * 3_600_000;

/** The text that a suggestion is for. */
export interface SuggestedFor extends StringAddress {
  readonly branch: HiveBranch;
  readonly locale: LocaleCode;
}

const signed = z.object({
  place: z.string(),
  model: z.string(),
  forms: recordSchema(z.string(), z.string()).refine((forms) => Object.keys(forms).length <= maxForms),
});

/** What made a suggestion, as commits name it: `mistral/mistral-small-latest`. */
export function modelNameOf({ engine, model }: Pick<Suggestion, "engine" | "model">): string {
  return toOneLine(model === undefined ? engine : `${engine}/${model}`, maxOriginLength - 1);
}

/** A field that {@link originOf} reads. */
export async function suggestedField(
  { sessionKey, now }: Pick<Storage, "sessionKey" | "now">,
  at: SuggestedFor,
  suggestion: Suggestion,
): Promise<string> {
  const forms = Object.fromEntries(Array.from(suggestion.forms, ([form, text]) => [form, hashOf(text)]));
  const value = { place: placeOf(at), model: modelNameOf(suggestion), forms };
  return signValue(await sessionKey.readOrCreate(), purpose, value, now() + keptMs);
}

/**
 * What made the texts of a form: a model, where each is as it was suggested.
 * @param texts by form.
 * @returns undefined where somebody has changed one, or nothing was suggested.
 */
export function originOf(
  { sessionKey, now }: Pick<Storage, "sessionKey" | "now">,
  at: SuggestedFor,
  field: string,
  texts: ReadonlyMap<string, string>,
): Origin | undefined {
  if (field === "" || texts.size === 0) return undefined;
  const { data } = signed.safeParse(verifiedValue(sessionKey.read(), purpose, field, now()));
  if (data === undefined || data.place !== placeOf(at)) return undefined;
  const suggested = new Map(Object.entries(data.forms));
  const isAll = Array.from(texts).every(([form, text]) => suggested.get(form) === hashOf(text));
  return isAll ? { kind: "model", name: data.model } : undefined;
}

function placeOf({ branch, locale, file, key }: SuggestedFor): string {
  return hashOf(JSON.stringify([slugOf(branch), branchNameOf(branch), locale, file, key]));
}
