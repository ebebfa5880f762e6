/** The locales of the world, from the Unicode consortium's data. */
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { z } from "zod";
import {
  worldLocales,
  type LocaleData,
  type Speakers,
  type WorldLocale,
} from "../../domain/hives/world-locales.ts";

const { resolve } = createRequire(import.meta.url);

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

let known: Promise<readonly WorldLocale[]> | undefined;

/** See {@link worldLocales}; worked out once. */
export function listWorldLocales(): Promise<readonly WorldLocale[]> {
  known ??= readLocaleData().then(worldLocales);
  // What could not be read for want of a file descriptor may be read the next time.
  known.catch(() => (known = undefined));
  return known;
}

async function readLocaleData(): Promise<LocaleData> {
  const [available, defaults, coverage, scripts, codes, territories] = await Promise.all([
    readCldr("availableLocales", availableLocales),
    readCldr("defaultContent", defaultContent),
    readCldr("coverageLevels", coverageLevels),
    readCldr("scriptMetadata", scriptMetadata),
    readCldr("supplemental/codeMappings", codeMappings),
    readCldr("supplemental/territoryInfo", territoryInfo),
  ]);
  const levels = Object.entries(coverage.effectiveCoverageLevels);
  const numbers = Object.entries(codes.supplemental.codeMappings);
  return {
    codes: [...available.availableLocales.full, ...defaults.defaultContent].filter(isLanguage),
    covered: levels.filter(([, level]) => level === "modern").map(([code]) => code),
    speakers: toSpeakers(territories),
    rightToLeft: new Set(
      Object.entries(scripts.scriptMetadata)
        .filter(([, { rtl }]) => rtl === "YES")
        .map(([script]) => script),
    ),
    countries: new Set(
      numbers.filter(([, { _numeric }]) => Number(_numeric) < userAssigned).map(([code]) => code),
    ),
  };
}

function toSpeakers({ supplemental }: z.infer<typeof territoryInfo>): readonly Speakers[] {
  return Object.entries(supplemental.territoryInfo).flatMap(([region, { _population, languagePopulation }]) =>
    Object.entries(languagePopulation)
      .filter(([language]) => isLanguage(language))
      .map(([language, { _populationPercent, _officialStatus }]) => ({
        language: language.replaceAll("_", "-"),
        region,
        people: (_population * _populationPercent) / 100,
        isOfficial: _officialStatus === "official" || _officialStatus === "de_facto_official",
      })),
  );
}

/** `und`, undetermined, stands for what has no language: the root of all data, and Antarctica. */
function isLanguage(code: string): boolean {
  return code !== "und";
}

async function readCldr<S extends z.ZodType>(name: string, schema: S): Promise<z.output<S>> {
  return schema.parse(JSON.parse(await readFile(resolve(`cldr-core/${name}.json`), "utf8")));
}
