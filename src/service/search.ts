/** Finds Hives, languages and strings by parts of their names and texts, over all Hives that a caller can read. */
import { reachedOf } from "../domain/access/token.ts";
import { unlessFailed } from "../domain/errors.ts";
import { languageName } from "../domain/hives/language-name.ts";
import { codeOf, type Locale, type LocaleCode } from "../domain/hives/locale.ts";
import type { FileName, HiveSlug } from "../domain/names.ts";
import { searchStrings } from "../domain/queries/string-search.ts";
import { maxFound } from "../domain/queries/team-search.ts";
import { fold } from "../domain/strings/folded-texts.ts";
import type { Snapshot } from "../store/content/snapshot.ts";
import type { Caller } from "./access.ts";
import type { ContentStorage } from "./storage.ts";

/** In how many Hives source strings are searched, and translations: more would take longer than somebody who types waits. */
const maxHives = 20;
const maxTranslatedHives = 3;

export interface FoundHive {
  readonly slug: HiveSlug;
  readonly name: string;
}

export interface FoundLocale {
  readonly hive: FoundHive;
  readonly locale: Locale;
}

export interface FoundAnywhere {
  readonly hive: FoundHive;
  readonly file: FileName;
  readonly key: string;
  readonly source: string;
  /** A translation that has the text, where the source string has not. */
  readonly translation: { readonly locale: Locale; readonly text: string } | undefined;
}

export interface FoundOfTeam {
  readonly hives: readonly FoundHive[];
  readonly locales: readonly FoundLocale[];
  readonly strings: readonly FoundAnywhere[];
}

export interface TeamSearch {
  readonly text: string;
  /** The Hive whose strings come first. */
  readonly first?: string;
  /** Which languages may be found; all of the Hives if not given. */
  readonly hasLocale?: (locale: Locale) => boolean;
  readonly signal: AbortSignal;
}

/**
 * Searches the names of Hives and languages, keys and texts; upper and lower case and accents do not matter. Strings of the
 * first Hive come first, source strings before translations. A Hive that cannot be read is left out.
 * @returns at most {@link maxFound} of each kind.
 */
export async function searchTeam(
  storage: ContentStorage,
  { principal, team }: Caller,
  { text, first, hasLocale = () => true, signal }: TeamSearch,
): Promise<FoundOfTeam> {
  const needle = fold(text);
  const has = (...names: readonly string[]): boolean => names.some((name) => fold(name).includes(needle));
  const slugs = reachedOf(principal, team.hives);
  const order = [...slugs.filter((slug) => slug === first), ...slugs.filter((slug) => slug !== first)];
  const hives: FoundHive[] = [];
  const locales: FoundLocale[] = [];
  const readable: { readonly hive: FoundHive; readonly snapshot: Snapshot }[] = [];
  for (const slug of order) {
    signal.throwIfAborted();
    const { overview } = await storage.hives.at(slug).overview();
    const hive = { slug, name: overview?.settings.name ?? slug };
    if (has(slug, hive.name)) hives.push(hive);
    for (const locale of overview?.settings.targetLocales ?? [])
      if (hasLocale(locale) && has(languageName(locale), codeOf(locale))) locales.push({ hive, locale });
    if (readable.length === maxHives) continue;
    const snapshot = await unlessFailed(storage.hives.at(slug).snapshot(), "any", () => undefined);
    if (snapshot !== undefined) readable.push({ hive, snapshot });
  }
  const strings: FoundAnywhere[] = [];
  // All source strings first: most people look for what they have read in the app or in its code.
  for (const isSource of [true, false]) {
    for (const { hive, snapshot } of readable.slice(0, isSource ? maxHives : maxTranslatedHives)) {
      if (strings.length >= maxFound) break;
      const { settings } = snapshot;
      const codes = isSource
        ? []
        : settings.targetLocales
            .map(({ code }) => code)
            .filter((code) => principal.locales?.includes(code) !== false);
      if (!isSource && codes.length === 0) continue;
      const found = await unlessFailed(
        stringsOf(storage, snapshot, { text, codes, signal }),
        "any",
        () => [],
      );
      for (const { file, key, source, translations } of found) {
        const [translation] = translations.flatMap(({ locale: code, text: own }) => {
          const locale = settings.targetLocales.find((one) => one.code === code);
          return locale === undefined || own === undefined || !has(own) ? [] : [{ locale, text: own }];
        });
        if (isSource || translation !== undefined) strings.push({ hive, file, key, source, translation });
      }
    }
  }
  return {
    hives: hives.slice(0, maxFound),
    locales: locales.slice(0, maxFound),
    strings: withoutRepeats(strings).slice(0, maxFound),
  };
}

async function stringsOf(
  { folded }: ContentStorage,
  snapshot: Snapshot,
  {
    text,
    codes,
    signal,
  }: { readonly text: string; readonly codes: readonly LocaleCode[]; readonly signal: AbortSignal },
): Promise<Awaited<ReturnType<typeof searchStrings>>["strings"]> {
  const content = await snapshot.content(codes);
  const markers = await snapshot.values.stale.read(codes);
  const search = { text, locales: codes, offset: 0, limit: maxFound, signal };
  return (await searchStrings(content, markers, search, folded)).strings;
}

/** The first of each string: one of which both texts match is among the source strings already. */
function withoutRepeats(strings: readonly FoundAnywhere[]): readonly FoundAnywhere[] {
  const seen = new Set<string>();
  return strings.filter(({ hive, file, key }) => {
    const name = JSON.stringify([hive.slug, file, key]);
    return !seen.has(name) && seen.add(name);
  });
}
