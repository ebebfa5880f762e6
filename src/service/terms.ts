/** The terms that the translations of a Hive are to have: its own, and the terms of the Hive whose glossary it uses. */
import { invalid, unlessInvalid, unlessFailed } from "../domain/errors.ts";
import { noTerms, type Glossary, maxGlossaryBytes } from "../domain/glossary/term.ts";
import { TermIndex } from "../domain/glossary/term-index.ts";
import { ancestorsOf, localeNamed } from "../domain/hives/hive-settings.ts";
import type { Locale, LocaleCode } from "../domain/hives/locale.ts";
import type { HiveSlug, Oid } from "../domain/names.ts";
import type { Snapshot } from "../store/content/snapshot.ts";
import type { HiveStore } from "../store/hives/hive-store.ts";
import type { Registry } from "../store/settings/registry.ts";
import { stylePath, formatGlossary, glossaryPath } from "../store/content/stored-glossary.ts";
import type { HiveChange } from "../store/hives/hive-commit.ts";
import { moduleCache, WeakCache } from "../module-caches.ts";

export interface HiveTerms {
  readonly own: Glossary;
  /** The glossary that it uses, and the commit at which that was read. */
  readonly used?: { readonly slug: HiveSlug; readonly head: Oid; readonly terms: Glossary };
  /** Whether it uses the glossary of a Hive that cannot be read now. */
  readonly isMissing: boolean;
  /** Undefined where there is no term. */
  readonly index: TermIndex | undefined;
  /** As long as it is the same, the terms are. */
  readonly version: string;
}

interface Stores {
  readonly hives: HiveStore;
  readonly registry: Pick<Registry, "teams">;
}

/** Indexes by the Hive's own glossary, the other Hive's, and the locale. */
const indexes = moduleCache(new WeakCache<Glossary, WeakMap<Glossary, Map<LocaleCode, TermIndex>>>());

/**
 * The terms of a Hive as it is now. A glossary that cannot be read, and that of a Hive which is not there or of another
 * team, counts as empty: what is wrong with one is no fault of a translation.
 */
export async function readTerms({ hives, registry }: Stores, slug: HiveSlug): Promise<HiveTerms> {
  const snapshot = await hives.at(slug).snapshot();
  const { settings, glossary } = snapshot;
  const own = await readable(glossary);
  const used = settings.glossary && (await readUsed({ hives, registry }, slug, settings.glossary, snapshot));
  const version = `${glossary.version}:${used?.version ?? ""}`;
  const index = indexOf(own, used?.terms ?? noTerms, settings.sourceLocale.code);
  return { own, used, isMissing: settings.glossary !== undefined && used === undefined, index, version };
}

/** The terms that a Hive had at an earlier commit; the terms of other Hives are not known for it. */
export async function termsAt({ glossary, settings }: Snapshot): Promise<HiveTerms> {
  const own = await readable(glossary);
  const index = indexOf(own, noTerms, settings.sourceLocale.code);
  return { own, isMissing: false, index, version: glossary.version };
}

async function readUsed(
  { hives, registry }: Stores,
  slug: HiveSlug,
  other: HiveSlug,
  { settings }: Snapshot,
): Promise<(NonNullable<HiveTerms["used"]> & { readonly version: string }) | undefined> {
  if (!(await areOfOneTeam(registry, slug, other))) return undefined;
  const reading = hives.at(other).snapshot();
  const snapshot = await unlessFailed(reading, ["content-invalid", "not-found"], () => undefined);
  if (snapshot?.settings.sourceLocale.code !== settings.sourceLocale.code) return undefined;
  const { glossary, commit } = snapshot;
  return { slug: other, head: commit.oid, terms: await readable(glossary), version: glossary.version };
}

/** What {@link styleInForce} says; empty where there is no style. */
export async function shownStyle(
  stores: Pick<Stores, "hives">,
  slug: HiveSlug,
  code: string,
): Promise<string> {
  return (await styleInForce(stores, slug, code))?.text ?? "";
}

/**
 * The style of a locale, or of the nearest that it inherits from, for people: a style that cannot be read is not shown, nor
 * a style of a missing locale.
 */
export async function styleInForce(
  { hives }: Pick<Stores, "hives">,
  slug: HiveSlug,
  code: string,
): Promise<{ readonly locale: Locale; readonly text: string } | undefined> {
  const { settings, glossary } = await hives.at(slug).snapshot();
  const named = localeNamed(settings, code);
  if (named === undefined) return undefined;
  for (const locale of [named, ...ancestorsOf(settings, named)]) {
    const text = (await unlessInvalid(glossary.style(locale.code))) ?? "";
    if (text !== "") return { locale, text };
  }
  return undefined;
}

/** Whether two Hives belong to the same team. */
export async function areOfOneTeam(
  registry: Pick<Registry, "teams">,
  slug: HiveSlug,
  other: HiveSlug,
): Promise<boolean> {
  const teams = await registry.teams();
  return teams.some(({ hives }) => hives.includes(slug) && hives.includes(other));
}

async function readable(glossary: Snapshot["glossary"]): Promise<Glossary> {
  return (await unlessInvalid(glossary.terms())) ?? noTerms;
}

function indexOf(own: Glossary, used: Glossary, locale: LocaleCode): TermIndex | undefined {
  if (own.length + used.length === 0) return undefined;
  const byUsed = indexes.get(own) ?? new WeakMap<Glossary, Map<LocaleCode, TermIndex>>();
  const byLocale = byUsed.get(used) ?? new Map<LocaleCode, TermIndex>();
  const index = byLocale.get(locale) ?? new TermIndex([own, used], locale);
  indexes.set(own, byUsed.set(used, byLocale.set(locale, index)));
  return index;
}

/** The file of some terms. @throws SkepError `invalid` on a field, `terms`, when it would be too large. */
export function glossaryText(terms: Glossary, field = "terms"): NonNullable<HiveChange["texts"]> {
  if (terms.length === 0) return new Map([[glossaryPath, undefined]]);
  const text = formatGlossary(terms);
  if (Buffer.byteLength(text) > maxGlossaryBytes) {
    throw invalid(field, `the glossary would be larger than ${maxGlossaryBytes / 1_048_576} MiB`);
  }
  return new Map([[glossaryPath, text]]);
}

/** The change of a Hive's files that sets the style of a locale; an empty text removes it. */
export function styleText(locale: LocaleCode, text: string): NonNullable<HiveChange["texts"]> {
  return new Map([[stylePath(locale), text === "" ? undefined : `${text}\n`]]);
}
