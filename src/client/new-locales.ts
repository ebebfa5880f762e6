/** The locales that a tree has and the Hive has not: which to add, and how files have to name them. */
import { isPseudoCode, pseudoLocales } from "../domain/export/pseudo-locales.ts";
import type { HiveLocale, HiveLocales } from "./api/hive-api.ts";
import { canonicalCode } from "./tree/language-code.ts";
import { findTree, type Tree, type TreeSettings } from "./tree/tree.ts";

/** A code that the files of a pattern have for a locale which the Hive calls otherwise. */
export interface OtherCode {
  /** The path of the entry in `skep.yaml`. */
  readonly pattern: string;
  /** The code of the locale in the Hive. */
  readonly locale: string;
  readonly code: string;
}

export interface NewLocales {
  readonly missing: readonly HiveLocale[];
  /** Codes that `locales` of the patterns must name. */
  readonly otherCodes: readonly OtherCode[];
  /** Codes that the Hive cannot tell from another one of the same pattern, such as `pt_BR` from `pt-BR`. */
  readonly ambiguous: readonly OtherCode[];
}

/** Divides the locales of an app's files into those that the Hive has under another code, lacks, or cannot tell apart. */
export function planLocales(
  { foreign, present }: Pick<Tree, "foreign" | "present">,
  { source, targets }: HiveLocales,
): NewLocales {
  const locales = new Map([source, ...targets].map((locale) => [locale.canonical, locale]));
  const missing: HiveLocale[] = [];
  const otherCodes: OtherCode[] = [];
  const ambiguous: OtherCode[] = [];
  const taken = new Set<string>();
  // The BCP 47 code itself comes before other names of it.
  const sorted = foreign.toSorted((a, b) => Number(b.code === b.canonical) - Number(a.code === a.canonical));
  for (const { pattern, code, canonical, ofFormat } of sorted) {
    const locale = locales.get(canonical) ?? { code: ofFormat === undefined ? code : canonical, canonical };
    const other = { pattern, locale: locale.code, code };
    const name = `${pattern}\0${canonical}`;
    if (taken.has(name) || present.get(pattern)?.has(locale.code) === true) {
      const regional = ofFormat === undefined ? withRegion(canonical) : undefined;
      const isTaken = foreign.some((one) => one.pattern === pattern && one.canonical === regional);
      if (regional === undefined || isTaken || taken.has(`${pattern}\0${regional}`)) ambiguous.push(other);
      else {
        taken.add(`${pattern}\0${regional}`);
        const own = locales.get(regional) ?? { code: regional, canonical: regional };
        if (!locales.has(regional)) missing.push(own);
        locales.set(regional, own);
        otherCodes.push({ ...other, locale: own.code });
      }
      continue;
    }
    taken.add(name);
    if (!locales.has(canonical)) missing.push(locale);
    locales.set(canonical, locale);
    if ((ofFormat ?? locale.code) !== code) otherCodes.push(other);
  }
  return { missing: missing.toSorted(byCode), otherCodes: otherCodes.toSorted(byCode), ambiguous };
}

/**
 * The locale of a language in its main region: under this code a Hive can keep the files of a second code of the language,
 * such as `tl` beside `fil`. Undefined for a code with a script or region.
 */
function withRegion(canonical: string): string | undefined {
  if (canonical.includes("-")) return undefined;
  const { region } = new Intl.Locale(canonical).maximize();
  return region === undefined ? undefined : `${canonical}-${region}`;
}

function byCode(a: { readonly code: string }, b: { readonly code: string }): number {
  return a.code < b.code ? -1 : 1;
}

/** The pseudo-locales beside the locales of a Hive. */
export function pseudoLocalesBeside({ source, targets }: HiveLocales): readonly HiveLocale[] {
  const known = new Set([source, ...targets].flatMap(({ code, canonical }) => [code, canonical]));
  return pseudoLocales.flatMap(({ code }) =>
    known.has(code) ? [] : { code, canonical: code, isPseudo: true as const },
  );
}

/** The locales of a Hive after more were added. */
export function withLocales(locales: HiveLocales, more: readonly HiveLocale[]): HiveLocales {
  return { ...locales, targets: [...locales.targets, ...more] };
}

/** The locales that `skep.yaml` names or the tree has files of, and the Hive lacks. */
export async function localesToAdd(
  config: TreeSettings,
  locales: HiveLocales,
): Promise<readonly HiveLocale[]> {
  const known = new Set(
    [locales.source, ...locales.targets].flatMap(({ code, canonical }) => [code, canonical]),
  );
  const codes = config.entries.flatMap((entry) => Object.keys(entry.locales ?? {}));
  const named = [...new Set(codes)].flatMap((code) => {
    const canonical = canonicalCode(code);
    const isNew = !known.has(code) && canonical !== undefined && !isPseudoCode(canonical);
    return isNew ? [{ code, canonical }] : [];
  });
  const all = withLocales(locales, named);
  return [...named, ...planLocales(await findTree(config, all), all).missing];
}

/** A locale as `skep hive create` takes it: `fr`, `pt-BR=pt_BR`. */
export function localeToGive({ code, canonical }: HiveLocale): string {
  return code === canonical ? code : `${canonical}=${code}`;
}
