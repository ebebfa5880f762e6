/** The glossary of a Hive: reads and changes it. All branches use the glossary of main. */
import { subjectWithCounts } from "../../domain/commits/commit-message.ts";
import { failure, Issues } from "../../domain/errors.ts";
import {
  planTerms,
  type GivenTerm,
  type GivenTermTranslation,
  type GlossaryCounts,
  type SentTerm,
} from "../../domain/glossary/glossary-plan.ts";
import type { Glossary, Term } from "../../domain/glossary/term.ts";
import { localeNamed, type HiveSettings, requireLocale } from "../../domain/hives/hive-settings.ts";
import { type Locale, type LocaleCode, codeOf } from "../../domain/hives/locale.ts";
import type { HiveSlug } from "../../domain/names.ts";
import { pageOf, type OffsetLimit, type Page } from "../../domain/pagination.ts";
import { excerpt, counted } from "../../domain/text.ts";
import type { CommitResult, WriteContext } from "../../store/hives/write-context.ts";
import type { ContentStorage, StorageBase } from "../storage.ts";
import { atHead, type Versioned } from "../content/queries.ts";
import { glossaryText, styleText } from "../terms.ts";
import { toStyle } from "../../domain/glossary/style.ts";

export interface TermQuery extends OffsetLimit {
  /** What one of the texts of a term contains; all terms when undefined. */
  readonly search?: string;
}

export interface TermPage extends Page<Term> {
  readonly settings: HiveSettings;
}

/** A part of a Hive's own terms, in the order of their spellings. @throws SkepError `content-invalid`. */
export async function listTerms(
  { hives }: StorageBase,
  slug: HiveSlug,
  { search, ...paging }: TermQuery,
): Promise<Versioned<TermPage>> {
  const snapshot = await hives.at(slug).snapshot();
  const { settings, glossary } = snapshot;
  const read = async (): Promise<TermPage> => {
    const all = findTerms(await glossary.terms(), search);
    return { ...pageOf(all, paging), settings };
  };
  return { ...atHead(slug, snapshot), version: `${snapshot.version()}:${glossary.version}`, read };
}

/** The terms of which a text contains another, whatever its case. */
function findTerms(terms: Glossary, search: string | undefined): Glossary {
  const wanted = search?.trim().normalize("NFC").toLowerCase() ?? "";
  if (wanted === "") return terms;
  return terms.filter(({ id, source, meaning = "", translations }) => {
    const texts = [source, meaning];
    for (const { text = "", accepted, forbidden } of translations.values())
      texts.push(text, ...accepted, ...forbidden);
    return id === wanted || texts.some((text) => text.toLowerCase().includes(wanted));
  });
}

/**
 * Merges terms into a Hive's glossary, or makes it what they are, as one commit.
 * @throws SkepError `invalid` on `terms`; see {@link planTerms}.
 */
export function changeTerms(
  storage: ContentStorage,
  slug: HiveSlug,
  sent: readonly SentTerm[],
  mode: "merge" | "sync",
  context: WriteContext,
): Promise<CommitResult<GlossaryCounts>> {
  return storage.writer.commit(slug, context, async ({ settings, glossary }) => {
    const before = await glossary.terms();
    const { terms, counts } = await planTerms(before, toGiven(sent, settings), mode, newTermId);
    const { created, updated, deleted } = counts;
    if (created + updated + deleted === 0) return { result: counts };
    const metadata = {
      subject: subjectWithCounts(
        mode === "merge" ? "Import terms" : "Sync terms",
        { created, updated, deleted },
        "",
      ),
      operation: mode === "merge" ? "import-glossary" : "sync-glossary",
      counts: { ...counts, deleted: mode === "sync" ? deleted : undefined },
    };
    return { result: counts, change: { metadata, texts: glossaryText(terms) } };
  });
}

/**
 * Removes a term, as one commit.
 * @throws SkepError `not-found` when there is none with the identifier.
 */
export function deleteTerm(
  storage: ContentStorage,
  slug: HiveSlug,
  id: string,
  context: WriteContext,
): Promise<CommitResult<{ readonly deleted: number }>> {
  return storage.writer.commit(slug, context, async ({ glossary }) => {
    const all = await glossary.terms();
    const terms = all.filter((term) => term.id !== id);
    if (terms.length === all.length) throw unknownTerm();
    const metadata = {
      subject: "Delete a term",
      operation: "delete-term",
      counts: { deleted: 1 },
    };
    return { result: { deleted: 1 }, change: { metadata, texts: glossaryText(terms) } };
  });
}

/** One of a Hive's own terms. @throws SkepError `not-found`; `content-invalid`. */
export async function termNamed({ hives }: StorageBase, slug: HiveSlug, id: string): Promise<Term> {
  const { glossary } = await hives.at(slug).snapshot();
  const found = (await glossary.terms()).find((term) => term.id === id);
  if (found === undefined) throw unknownTerm();
  return found;
}

function unknownTerm(): Error {
  return failure("not-found", "The glossary of this Hive has no such term.", { publicCode: "unknown_term" });
}

/** 60 random bits: terms are told apart by them inside one glossary. */
function newTermId(): string {
  return globalThis.crypto.getRandomValues(new BigUint64Array(1))[0]?.toString(36).slice(0, 12) ?? "";
}

/** @throws SkepError `invalid` on locales that the Hive does not have. */
function toGiven(sent: readonly SentTerm[], settings: HiveSettings): readonly GivenTerm[] {
  const issues = new Issues();
  const known = new Map<string, Locale | undefined>();
  const given = sent.map(({ translations, ...term }, i): GivenTerm => {
    const all = new Map<LocaleCode, GivenTermTranslation | null>();
    for (const [code, translation] of Object.entries(translations ?? {})) {
      if (!known.has(code)) known.set(code, localeNamed(settings, code));
      const locale = known.get(code);
      const field = `terms.${i}.translations.${excerpt(code)}`;
      if (locale === undefined) issues.add(field, "this Hive has no such locale");
      else if (locale === settings.sourceLocale) issues.add(field, "is the source locale");
      else if (all.has(locale.code)) issues.add(field, "is given by two codes");
      else all.set(locale.code, translation);
    }
    return { ...term, translations: all };
  });
  issues.throwIfAny(undefined, "unknown_locale");
  return given;
}

/** The style of a locale; empty where there is none. @throws SkepError `invalid` on `locale`; `content-invalid`. */
export async function readStyle(
  { hives }: StorageBase,
  slug: HiveSlug,
  code: string,
): Promise<Versioned<{ readonly locale: Locale; readonly text: string }>> {
  const snapshot = await hives.at(slug).snapshot();
  const { settings, glossary } = snapshot;
  const locale = requireLocale(settings, code);
  const read = async () => ({ locale, text: await glossary.style(locale.code) });
  const version = `${snapshot.version()}:${glossary.styleVersion(locale.code)}`;
  return { ...atHead(slug, snapshot), version, read };
}

/** Sets the style of a locale, or removes it by an empty text, as one commit. @throws as {@link readStyle}. */
export function changeStyle(
  storage: ContentStorage,
  slug: HiveSlug,
  code: string,
  given: string,
  context: WriteContext,
): Promise<CommitResult<{ readonly locale: Locale; readonly text: string }>> {
  const text = toStyle(given);
  return storage.writer.commit(slug, context, async ({ settings, glossary }) => {
    const locale = requireLocale(settings, code);
    const result = { locale, text };
    // A style that cannot be read is replaced.
    const before = await glossary.style(locale.code).catch(() => undefined);
    if (before === text) return { result };
    const metadata = {
      subject: `Change the style of ${codeOf(locale)}: ${text === "" ? "removed" : counted(text.length, "character")}`,
      operation: "change-style",
    };
    return { result, change: { metadata, texts: styleText(locale.code, text) } };
  });
}
