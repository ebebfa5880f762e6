/** The locales of the world, from the Unicode consortium's data. */
import { readFile } from "node:fs/promises";
import { z } from "zod";
import { worldLocales, type WorldLocale } from "../../domain/hives/world-locales.ts";

/** Generated from `cldr-core` by `npm run locales`. */
const file = new URL("locale-data.json", import.meta.url);

const names = z.array(z.string());
const speakers = z
  .tuple([z.string(), z.string(), z.number(), z.boolean()])
  .transform(([language, region, people, isOfficial]) => ({ language, region, people, isOfficial }));
const localeData = z.object({
  codes: names,
  covered: names,
  speakers: z.array(speakers),
  rightToLeft: names.transform((scripts) => new Set(scripts)),
  countries: names.transform((codes) => new Set(codes)),
});

let known: Promise<readonly WorldLocale[]> | undefined;

/** See {@link worldLocales}; computed once. */
export function listWorldLocales(): Promise<readonly WorldLocale[]> {
  known ??= readFile(file, "utf8").then((text) => worldLocales(localeData.parse(JSON.parse(text))));
  // A failed read, for lack of a file descriptor for example, is tried again next time.
  known.catch(() => (known = undefined));
  return known;
}
