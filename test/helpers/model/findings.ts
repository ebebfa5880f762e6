/** What the model knows of findings: an argument too few or too many, in texts that are no plural forms. */
import { placesOf, setCheck, type Check } from "./accepted.ts";
import { missing, type Answer, type Model } from "./model.ts";

/** Forms of plural strings may leave out what others must have. */
export function isPlain(key: string): boolean {
  return !/[._](?:zero|one|two|few|many|other)$/.test(key);
}

const argument = "{{x}}";
const pair = (source: string, text: string): string => JSON.stringify([source, text]);

function findingIn(source: string, text: string): Check | undefined {
  const [isAsked, isThere] = [source.includes(argument), text.includes(argument)];
  if (source === "" || isAsked === isThere) return undefined;
  return isAsked ? "argument-missing" : "argument-extra";
}

/** What is found in a translation, accepted or not. */
export function checkOf(
  model: Model,
  slug: string,
  { code, file, key }: { readonly code: string; readonly file: string; readonly key: string },
): Check | undefined {
  const hive = model.hives.get(slug);
  const text = hive?.translations.get(code)?.get(file)?.get(key);
  return text === undefined ? undefined : findingIn(hive?.files.get(file)?.get(key) ?? "", text);
}

/** The findings of a locale as `file key` → check. */
export function findings(model: Model, slug: string, locale: string): Answer {
  const hive = model.hives.get(slug);
  if (hive === undefined) return { status: 404 };
  if (!hive.translations.has(locale)) return { status: 422 };
  const found = [...(hive.translations.get(locale) ?? [])].flatMap(([file, texts]) =>
    [...texts].flatMap(([key, text]) => {
      const source = hive.files.get(file)?.get(key) ?? "";
      const check = isPlain(key) ? findingIn(source, text) : undefined;
      if (check === undefined || placesOf(hive, locale, check, pair(source, text)).length > 0) return [];
      return [[`${file} ${key}`, check]];
    }),
  );
  return { status: 200, body: Object.fromEntries(found) };
}

export interface Acceptance {
  readonly locale: string;
  readonly file: string;
  readonly key: string;
  readonly check: Check;
}

/** What it answers when a finding is accepted, or is to count again; changes the model. */
export function changeAccepted(
  model: Model,
  slug: string,
  what: "accept" | "withdraw",
  { locale, file, key, check }: Acceptance,
): Answer {
  const hive = model.hives.get(slug);
  if (hive === undefined) return missing(model, slug);
  const by = hive.translations.get(locale);
  if (by === undefined) return { status: 422 };
  const [source, text] = [hive.files.get(file)?.get(key), by.get(file)?.get(key)];
  const texts = source === undefined || text === undefined ? undefined : pair(source, text);
  const places = texts === undefined ? [] : placesOf(hive, locale, check, texts);
  if (what === "withdraw") {
    for (const id of places) setCheck(hive, id, check);
    const isThere = places.length > 0;
    return { status: 200, body: { withdrawn: Number(isThere), unknown: Number(!isThere) } };
  }
  if (places.length > 0) return { status: 200, body: { accepted: 0, unknown: 0 } };
  const isFound = texts !== undefined && findingIn(source ?? "", text ?? "") === check;
  if (isFound) setCheck(hive, `${locale} ${file} ${key}`, check, texts);
  return { status: 200, body: { accepted: Number(isFound), unknown: Number(!isFound) } };
}
