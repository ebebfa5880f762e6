/**
 * What Skep needs of CLDR, the Unicode consortium's locale data, as one small file. `npm run locales` writes it, and
 * `test/service/admin/world-locales.test.ts` holds the file to the installed `cldr-core`.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import { z } from "zod";

const { resolve } = createRequire(import.meta.url);

export const localeDataFile = fileURLToPath(
  new URL("../../src/service/admin/locale-data.json", import.meta.url),
);

const availableLocales = z.object({ availableLocales: z.object({ full: z.array(z.string()) }) });
/** Locales without content of their own, because their language alone means them: `de-DE` is `de`. */
const defaultContent = z.object({ defaultContent: z.array(z.string()) });
const coverageLevels = z.object({ effectiveCoverageLevels: z.record(z.string(), z.string()) });
const scriptMetadata = z.object({ scriptMetadata: z.record(z.string(), z.object({ rtl: z.string() })) });
const codeMappings = z.object({
  supplemental: z.object({
    codeMappings: z.record(z.string(), z.object({ _numeric: z.string().optional() })),
  }),
});
const territoryInfo = z.object({
  supplemental: z.object({
    territoryInfo: z.record(
      z.string(),
      z.object({
        _population: z.coerce.number(),
        languagePopulation: z
          .record(
            z.string(),
            z.object({ _populationPercent: z.coerce.number(), _officialStatus: z.string().optional() }),
          )
          .default({}),
      }),
    ),
  }),
});

/** From this number on, ISO 3166 leaves codes to their users: `XK` is 983. */
const userAssigned = 900;

/** The text of {@link localeDataFile}, as the installed `cldr-core` has it. */
export function makeLocaleData(): string {
  const { full } = readCldr("availableLocales", availableLocales).availableLocales;
  const defaults = readCldr("defaultContent", defaultContent).defaultContent;
  const levels = Object.entries(readCldr("coverageLevels", coverageLevels).effectiveCoverageLevels);
  const scripts = Object.entries(readCldr("scriptMetadata", scriptMetadata).scriptMetadata);
  const numbers = Object.entries(
    readCldr("supplemental/codeMappings", codeMappings).supplemental.codeMappings,
  );
  const data = {
    codes: [...full, ...defaults].filter(isLanguage),
    covered: levels.filter(([, level]) => level === "modern").map(([code]) => code),
    speakers: listSpeakers(),
    rightToLeft: scripts.filter(([, { rtl }]) => rtl === "YES").map(([script]) => script),
    countries: numbers.filter(([, { _numeric }]) => Number(_numeric) < userAssigned).map(([code]) => code),
  };
  return `${JSON.stringify(data)}\n`;
}

function listSpeakers(): readonly [language: string, region: string, people: number, isOfficial: boolean][] {
  const { territoryInfo: regions } = readCldr("supplemental/territoryInfo", territoryInfo).supplemental;
  return Object.entries(regions).flatMap(([region, { _population, languagePopulation }]) =>
    Object.entries(languagePopulation)
      .filter(([language]) => isLanguage(language))
      .map(([language, { _populationPercent, _officialStatus }]) => [
        language.replaceAll("_", "-"),
        region,
        Math.round((_population * _populationPercent) / 100),
        _officialStatus === "official" || _officialStatus === "de_facto_official",
      ]),
  );
}

/** `und`, undetermined, stands for what has no language: the root of all data, and Antarctica. */
function isLanguage(code: string): boolean {
  return code !== "und";
}

function readCldr<S extends z.ZodType>(name: string, schema: S): z.output<S> {
  return schema.parse(JSON.parse(readFileSync(resolve(`cldr-core/${name}.json`), "utf8")));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href)
  writeFileSync(localeDataFile, makeLocaleData());
