/** Plans translation imports: which string each text belongs to, and whether it is stored. */
import { BundleKeys, exportNames } from "../export/export-names.ts";
import { formats } from "../export/formats/formats.ts";
import { translationsOf, type HiveContent, type KeyChange, type Plan } from "../strings/hive-content.ts";
import { codeOf, findLocale, isCodeOf, type Locale, type LocaleCode } from "../hives/locale.ts";
import { AddressMap, type StringAddress } from "../move.ts";
import { isFileName, stemOf, storedEnding, type FileName } from "../names.ts";
import { isStepDone, pause } from "../../slices.ts";
import { LocalePlurals } from "../strings/plural-rules.ts";
import { isTooLong, translatableTexts, type Texts } from "../strings/string-file.ts";
import { contentWrites } from "../strings/translation-writes.ts";
import { explainUnknown, type UnmatchedKey, type SkippedKey, type UnknownKey } from "./unknown-keys.ts";
import type { SkepError } from "../errors.ts";
import { differenceConflict } from "./difference.ts";

export type OverwriteStrategy = "skip" | "overwrite";

export interface TranslationImport {
  readonly locale: Locale;
  /** Texts by flattened key, by file name as the caller gave it. An empty text is no translation. */
  readonly files: ReadonlyMap<string, Texts>;
  readonly overwriteStrategy: OverwriteStrategy;
}

export interface TranslationCounts {
  readonly created: number;
  readonly updated: number;
  readonly skipped: number;
  readonly unknown: number;
}

/** How a name of the payload was matched with a file, best match first: of two texts for one string the best wins. */
type NameMatch = "own-name" | "exported-name" | "locale-name";
const outcomesByRank = ["created", "updated", "skipped"] as const;
type Outcome = (typeof outcomesByRank)[number];

/** The outcome that counts for a text that was offered to several strings. */
function best(outcomes: readonly Outcome[]): Outcome | undefined {
  if (outcomes.length <= 1) return outcomes[0];
  const all = new Set(outcomes);
  return outcomesByRank.find((outcome) => all.has(outcome));
}
const matches: readonly NameMatch[] = ["own-name", "exported-name", "locale-name"];

interface Resolution {
  readonly match: NameMatch;
  /** The file of the Hive in which the payload's keys are looked up first. */
  readonly file: FileName | undefined;
  /** Whether other keys are looked up among the keys of an export of all locales. */
  readonly bundled: boolean;
}

/** A name of the payload, and the strings of the Hive that its keys mean. */
interface NamedStrings extends Resolution {
  /** The string of the file itself. */
  readonly own: (key: string) => readonly StringAddress[];
  /** The strings that have the key in an export of all locales. */
  readonly shared: (key: string) => readonly StringAddress[];
}

/** How many rejected keys of each kind are listed; all are counted. */
const maxReported = 1_000;
/** Longer names are shortened in lists, since each of their keys may be listed. */
const maxReportedName = 1_000;

export interface TranslationPlan extends Plan<TranslationCounts> {
  /** The first keys that were counted as `unknown`, and why. */
  readonly unknown: () => Promise<readonly UnknownKey[]>;
  /** The first that were counted as `skipped`. */
  readonly skipped: readonly SkippedKey[];
}

/**
 * Plans a translation import into one target locale; the second time it plans nothing. Every text of the payload is
 * counted once: created + updated + skipped + unknown is the number of texts sent.
 */
export async function planTranslationImport(
  hive: HiveContent,
  request: TranslationImport,
): Promise<TranslationPlan> {
  const resolve = resolverOf(hive, request.locale);
  const resolved = [...request.files].map(([name, texts]) => ({ name, texts, strings: resolve(name) }));
  const present = translationsOf(hive, request.locale.code);
  const counts = { created: 0, updated: 0, skipped: 0, unknown: 0 };
  const claimed = new AddressMap<true>();
  /** Shared keys of which every string has been claimed. */
  const sharedClaimed = new Set<string>();
  const changes: KeyChange[] = [];
  const unmatched: UnmatchedKey[] = [];
  const skipped: SkippedKey[] = [];

  const count = (outcome: Outcome, [id]: readonly StringAddress[]): void => {
    counts[outcome]++;
    if (outcome !== "skipped" || id === undefined || skipped.length >= maxReported) return;
    skipped.push({ ...id, text: present.get(id.file)?.get(id.key) });
  };

  const offer = ({ file, key }: StringAddress, text: string): Outcome => {
    if (text === "" || claimed.has({ file, key })) return "skipped";
    claimed.set({ file, key }, true);
    const before = present.get(file)?.get(key);
    if (before === text || (before !== undefined && request.overwriteStrategy === "skip")) return "skipped";
    const change = before === undefined ? "created" : "updated";
    const locale = request.locale.code;
    changes.push({ change, locale, file, key, before, after: text });
    return change;
  };

  const offerShared = (ids: readonly StringAddress[], key: string, text: string): Outcome | undefined => {
    if (ids.length > 1) {
      if (text === "" || sharedClaimed.has(key)) return "skipped";
      sharedClaimed.add(key);
    }
    return best(ids.map((id) => offer(id, text)));
  };

  const waiting: {
    readonly key: string;
    readonly text: string;
    readonly own: Outcome;
    readonly strings: NamedStrings;
  }[] = [];
  for (const match of matches) {
    for (const { name, texts, strings } of resolved) {
      if (strings.match !== match) continue;
      for (const [key, text] of texts) {
        if (isStepDone()) await pause();
        const owned = strings.own(key);
        const own = best(owned.map((id) => offer(id, text)));
        // In a file named after the locale, a text also goes to all strings that share its key, after their own texts.
        if (own !== undefined && match === "locale-name") waiting.push({ key, text, own, strings });
        else if (own !== undefined) count(own, owned);
        else {
          const shared = strings.shared(key);
          const outcome = offerShared(shared, key, text);
          if (outcome !== undefined) count(outcome, shared);
          else if (++counts.unknown <= maxReported)
            unmatched.push({ name: name.slice(0, maxReportedName), key, ...strings });
        }
      }
    }
  }
  for (const { key, text, own, strings } of waiting) {
    if (isStepDone()) await pause();
    const shared = offerShared(strings.shared(key), key, text);
    count(best(shared === undefined ? [own] : [own, shared]) ?? own, strings.own(key));
  }

  const writes = await contentWrites(hive, new Map(), changes);
  return { counts, writes, changes, skipped, unknown: () => explainUnknown(unmatched, hive) };
}

/**
 * Finds the strings that a key means in a file of the payload: the resolved file's own, and if an import would search
 * further, those that have the key in an export of all locales.
 */
export function stringsNamed(
  hive: HiveContent,
  locale: Locale,
): (name: string) => (key: string) => readonly StringAddress[] {
  const resolve = resolverOf(hive, locale);
  return (name) => {
    const { match, own, shared } = resolve(name);
    return (key) => {
      const owned = own(key);
      return owned.length > 0 && match !== "locale-name" ? owned : [...owned, ...shared(key)];
    };
  };
}

/**
 * Tells which translations a locale may have: of source strings, in plural forms of its language, and whatever it has
 * already, so that every export can be imported again, whichever languages the server knows.
 */
function takenBy(hive: HiveContent, { code }: Locale): (id: StringAddress) => boolean {
  const present = translationsOf(hive, code);
  const plurals = new LocalePlurals(code, hive.settings);
  return ({ file, key }) => {
    const source = hive.source.get(file);
    // A plural form may be a longer key than that of its string; only where a file is named before it may a key be so long.
    if (source === undefined || isTooLong(key)) return false;
    return (
      plurals.accepts(source, key) ||
      (translatableTexts(source).has(key) && present.get(file)?.has(key) === true)
    );
  };
}

/**
 * Finds the file that a name of the payload means: a source file of that name; else the file for which an export of
 * this locale gives that name, with or without `<code>/`; else the file that is stored under that name, with or without
 * `<code>/` or `locales/<code>/`; else, if its stem is a code of the locale or of the source
 * locale, the file whose stem is a code of the source locale; else the file, or its name in an export, that has a code of the
 * source locale where the name has one of the locale: `en/auth.json` for `fr/auth.json`.
 */
function resolverOf(hive: HiveContent, locale: Locale): (name: string) => NamedStrings {
  const files = [...hive.source.keys()];
  const exported = new Map<string, FileName>();
  for (const { extension } of Object.values(formats)) {
    for (const [file, name] of exportNames(files, extension)) exported.set(name, file);
  }
  const { sourceLocale } = hive.settings;
  const sourceNamed = files.filter((file) => isCodeOf(sourceLocale, stemOf(file)));
  const byExtension = new Map(sourceNamed.toReversed().map((file) => [extensionOf(file), file]));

  const stored = (name: string): FileName | undefined => {
    const file = name.endsWith(storedEnding) ? name.slice(0, -storedEnding.length) : "";
    return isFileName(file) && hive.source.has(file) ? file : undefined;
  };

  const fileFor = (name: string): Resolution => {
    const bundled = means(locale, stemOf(name)) || means(sourceLocale, stemOf(name));
    if (isFileName(name) && hive.source.has(name)) return { match: "own-name", file: name, bundled };
    const [, folder = "", below = ""] = /^(?:locales\/)?([^/]+)\/(.*)$/s.exec(name) ?? [];
    const names = means(locale, folder) ? [name, below] : [name];
    const file = firstOf(names, (one) => exported.get(one)) ?? firstOf(names, stored);
    if (file !== undefined) return { match: "exported-name", file, bundled };
    if (!bundled) return { match: "locale-name", file: translated(name), bundled };
    return { match: "locale-name", file: byExtension.get(extensionOf(name)) ?? sourceNamed[0], bundled };
  };

  let byMarked: ReadonlyMap<string, FileName | undefined> | undefined;
  const translated = (name: string): FileName | undefined => {
    byMarked ??= byMarkedName(sourceLocale, [...files.map((file) => [file, file] as const), ...exported]);
    return byMarked.get(withoutCodes(name, locale));
  };

  const isTaken = takenBy(hive, locale);
  const bundle = new BundleKeys(hive);
  return (name) => {
    const resolution = fileFor(name);
    const { file, bundled } = resolution;
    return {
      ...resolution,
      own: (key) => (file === undefined ? [] : [{ file, key }]).filter(isTaken),
      shared: (key) => (bundled ? bundle.stringsAt(key).filter(isTaken) : []),
    };
  };
}

/** Files by their names without the codes of the source locale; undefined for one that several have. */
function byMarkedName(
  sourceLocale: Locale,
  names: Iterable<readonly [name: string, file: FileName]>,
): ReadonlyMap<string, FileName | undefined> {
  const marked = new Map<string, FileName | undefined>();
  for (const [name, file] of names) {
    const bare = withoutCodes(name, sourceLocale);
    if (bare === name) continue;
    marked.set(bare, marked.has(bare) && marked.get(bare) !== file ? undefined : file);
  }
  return marked;
}

/** A name in which no code of a locale is left, where it stands as a part of its own: `fr` in `app_fr.json`. */
function withoutCodes(name: string, locale: Locale): string {
  const { code } = locale;
  const codes = [codeOf(locale), code, code.replaceAll("-", "_")].toSorted((a, b) => b.length - a.length);
  return name.replaceAll(new RegExp(`(?<![^./_-])(?:${codes.join("|")})(?![^./_-])`, "gi"), "\0");
}

function firstOf<T>(names: readonly string[], find: (name: string) => T | undefined): T | undefined {
  for (const name of names) {
    const found = find(name);
    if (found !== undefined) return found;
  }
  return undefined;
}

function means(locale: Locale, text: string): boolean {
  return findLocale([locale], text) !== undefined;
}

function extensionOf(name: string): string {
  return name.slice(stemOf(name).length);
}

/**
 * Compares stored translations with those that a caller expects.
 * @param expected by file name and flattened key as an import has them; an empty text stands for no translation.
 * @returns the error for what is not as expected: `text-conflict`, with the places.
 */
export async function expectedConflict(
  hive: HiveContent,
  locale: Locale,
  expected: ReadonlyMap<string, Texts>,
): Promise<SkepError | undefined> {
  const find = stringsNamed(hive, locale);
  const present = translationsOf(hive, locale.code);
  const conflicts: { readonly locale: LocaleCode; readonly file: string; readonly key: string }[] = [];
  for (const [name, texts] of expected) {
    const stringsOf = find(name);
    for (const [key, text] of texts) {
      if (isStepDone()) await pause();
      const strings = stringsOf(key);
      for (const { file, key: own } of strings) {
        if ((present.get(file)?.get(own) ?? "") !== text)
          conflicts.push({ locale: locale.code, file, key: own });
      }
      if (strings.length === 0 && text !== "") {
        conflicts.push({ locale: locale.code, file: name.slice(0, maxReportedName), key });
      }
    }
  }
  if (conflicts.length === 0) return undefined;
  const problem = "Translations are not as expected, so nothing was written";
  return differenceConflict(conflicts, hive.settings, problem, "expected_conflict");
}
