/** Questions about a Hive that change nothing. Answers carry a version, under which the outside may keep them. */
import { bundleLines, type BundleLines } from "../../domain/export/bundle-lines.ts";
import { exportBundled, exportLocale, type FileContent } from "../../domain/export/export.ts";
import type { FormatName, Shape } from "../../domain/export/formats/formats.ts";
import type { HiveContent } from "../../domain/strings/hive-content.ts";
import { localeNamed, localesOf, unknownLocale } from "../../domain/hives/hive-settings.ts";
import type { Locale } from "../../domain/hives/locale.ts";
import type { HiveSlug, Oid } from "../../domain/names.ts";
import { toRevision } from "../../domain/commits/revision.ts";
import type { Steps } from "../../domain/steps.ts";
import type { SourceString, StringQuery } from "../../store/content/source-index.ts";
import { Semaphore } from "../../disk/semaphore.ts";
import type { HiveStore } from "../../store/hives/hive-store.ts";
import { asInvalid } from "../../store/history/revision-store.ts";
import { inSlices } from "../../slices.ts";
import type { Snapshot } from "../../store/content/snapshot.ts";
import type { TagTarget } from "../../git/refs/tags.ts";
import type { Storage } from "../storage.ts";

/** An answer that is worked out when it is read; equal versions of one question have equal answers. */
export interface Versioned<T> {
  readonly version: string;
  readonly read: () => T | Promise<T>;
}

/** Where an answer comes from. */
export interface AtCommit {
  readonly commit: Oid;
  /** Of an answer that is not about HEAD. */
  readonly past?: PastAnswer;
}

export interface PastAnswer {
  /** Where HEAD was, if the answer rests on nothing else that moves. */
  readonly head: Oid | undefined;
  /** The tag that it rests on too, if there is a head. */
  readonly tag?: TagTarget | undefined;
  /** Whether the question has this answer for ever: the commit is named in full and all follows from it. */
  readonly isFixed: boolean;
}

export interface StringPage {
  readonly strings: readonly SourceString[];
  /** Of all strings that the query finds, on this page or not. */
  readonly total: number;
}

export interface ListQuery extends StringQuery {
  /** A revision; HEAD when undefined. */
  readonly at?: string | undefined;
  /** Ends it. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * A part of a Hive's source strings.
 * @throws SkepError `invalid` on `at`.
 */
export async function listStrings(
  { hives }: Storage,
  slug: HiveSlug,
  { at, signal, ...query }: ListQuery,
): Promise<Versioned<StringPage> & AtCommit> {
  const { snapshot, past } = await snapshotOf(hives, slug, at, signal);
  const read = (): StringPage => snapshot.index.list(query);
  return { ...atCommit(snapshot.commit.oid, past), version: snapshot.version(), read };
}

export interface ExportQuery {
  /** A code as the caller gave it; all locales when undefined. */
  readonly locale?: string | undefined;
  readonly format: FormatName;
  /** Of a JSON export of one locale. */
  readonly shape?: Shape | undefined;
  /** A revision; HEAD when undefined. */
  readonly at?: string | undefined;
  /** Ends it, and what reads its parts. */
  readonly signal?: AbortSignal | undefined;
}

/** How many parts of an export are made at once. */
const parallelParts = 4;

/** An export in parts that change by themselves: one for each locale. */
export interface Export extends AtCommit {
  readonly parts: readonly Versioned<ReadonlyMap<string, FileContent>>[];
}

/**
 * The files of one locale or of all. A locale is looked up as it was called at the commit, then as it is called now:
 * what a build asks for goes on working when a code changes, and a locale that is new has empty files.
 * @throws SkepError `invalid` on `at`, or on `locale` when the Hive does not have it.
 */
export async function exportFiles(
  { hives }: Storage,
  slug: HiveSlug,
  { locale: text, format, shape, at, signal }: ExportQuery,
): Promise<Export> {
  const { snapshot, past } = await snapshotOf(hives, slug, at, signal);
  const { settings } = snapshot;
  const then = text === undefined ? undefined : localeNamed(settings, text);
  const isElsewhere = text !== undefined && then === undefined && at !== undefined;
  const named = isElsewhere ? await localeToday(hives, slug, text) : then;
  if (text !== undefined && named === undefined) throw unknownLocale(settings, text);
  let bundle: { readonly lines: BundleLines | undefined } | undefined;
  function* lines(): Steps<BundleLines | undefined> {
    bundle ??= { lines: yield* bundleLines(snapshot.index) };
    return bundle.lines;
  }
  const parts = new Semaphore(parallelParts);
  const part = (locale: Locale): Versioned<ReadonlyMap<string, FileContent>> => ({
    // Locales without a translation are the same but for their names.
    version: `${locale.code}:${snapshot.version([locale.code])}`,
    read: () =>
      // Not all at once: those that wait are never begun when their caller leaves.
      parts.run(async () => {
        signal?.throwIfAborted();
        const content = await contentOf(snapshot, locale, at);
        return inSlices<ReadonlyMap<string, FileContent>>(
          named === undefined
            ? exportBundled(content, locale, format, lines)
            : exportLocale(content, locale, format, shape),
          signal,
        );
      }),
  });
  const isFixed = past?.isFixed === true && named === then;
  return {
    ...atCommit(snapshot.commit.oid, past && { ...past, isFixed }),
    parts: (named === undefined ? localesOf(settings) : [named]).map(part),
  };
}

function atCommit(commit: Oid, past: PastAnswer | undefined): AtCommit {
  return past === undefined ? { commit } : { commit, past };
}

async function snapshotOf(
  hives: HiveStore,
  slug: HiveSlug,
  at: string | undefined,
  signal: AbortSignal | undefined,
): Promise<{ readonly snapshot: Snapshot; readonly past?: PastAnswer }> {
  if (at === undefined) return { snapshot: await hives.snapshot(slug) };
  const revision = toRevision(at);
  const { commit, head, tag } = await hives.revisions(slug).resolve(revision, "at", signal);
  signal?.throwIfAborted();
  const past = { head, tag, isFixed: revision.oid !== undefined };
  return { snapshot: await hives.snapshotAt(slug, commit, "at"), past };
}

/** Of an earlier commit only what is asked for is read, and so only then known to be readable. */
async function contentOf(snapshot: Snapshot, { code }: Locale, at: string | undefined): Promise<HiveContent> {
  try {
    return await snapshot.content([code]);
  } catch (error) {
    throw at === undefined ? error : asInvalid(error, "at");
  }
}

async function localeToday(hives: HiveStore, slug: HiveSlug, text: string): Promise<Locale | undefined> {
  return localeNamed((await hives.snapshot(slug)).settings, text);
}
