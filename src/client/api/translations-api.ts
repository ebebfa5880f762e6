/** The requests about the translations of a Hive. */
import { z } from "zod";
import { findingMembers } from "../../api/content/findings.ts";
import { groupBy } from "../../domain/group-by.ts";
import { once } from "../../on-demand.ts";
import { ClientError } from "./client-error.ts";
import type { ApiResponse } from "./http.ts";
import type { Read } from "./as-read.ts";
import type { SentFiles, WriteOptions } from "./write-options.ts";
import { HivePart } from "./hive-part.ts";

/** Translations as they are expected to be, by the names of the Hive's files and by flattened keys. */
export type ExpectedTexts = Readonly<Record<string, Readonly<Record<string, string | null>>>>;

export interface ImportOptions extends WriteOptions {
  readonly overwrite: boolean;
  /** Refuses all when one has no source string. */
  readonly strict: boolean;
  /** The commit that the Hive must still be at. */
  readonly ifAt?: string;
  /** The translations that the Hive must have before; null for none. */
  readonly expected?: ExpectedTexts;
  /** Whether what changes waits for a review, whoever sends it. */
  readonly waits?: boolean;
}

/**
 * The declared request, and a text in which something was found as the client reads it: what was seen is sent back as
 * it is.
 */
const declared = once(async () => {
  const { replacements } = await import("../../api/content/replace.ts");
  const { replaceText } = replacements.operations;
  const item = replaceText.response.shape.items.unwrap().element.extend({ expected: z.unknown() });
  return { ...replaceText, response: replaceText.response.extend({ items: z.array(item).optional() }) };
});
type Declared = Awaited<ReturnType<typeof declared>>;

/** What is to be replaced, as the API names it. */
export type ReplaceQuery = Omit<z.input<NonNullable<Declared["body"]>["schema"]>, "items">;
export type ReplaceResult = Read<z.output<Declared["response"]>>;

/** A translation as a dry run of a replacement gives it. */
export interface SeenTranslation {
  readonly locale: string;
  readonly file: string;
  readonly key: string;
  /** What was seen, which is sent back as it is. */
  readonly expected: unknown;
}

/** The declared writes of translations, and what an import did as the client reads it. */
const writes = once(async () => {
  const { translations } = await import("../../api/content/translations.ts");
  const { previewMembers } = await import("../../api/content/preview.ts");
  const { importTranslations, removeTranslations } = translations.operations;
  const imported = importTranslations.response.omit({ leaves_skipped: true });
  const { warnings } = previewMembers;
  return {
    importTranslations: { ...importTranslations, response: imported.extend({ ...findingMembers, warnings }) },
    removeTranslations: {
      ...removeTranslations,
      response: removeTranslations.response.pick({ deleted: true }),
    },
  };
});
type Writes = Awaited<ReturnType<typeof writes>>;

export type TranslationsResult = Read<z.output<Writes["importTranslations"]["response"]>>;

/** A text that is missing or stale, as it is declared. */
export const openTexts = once(async () => {
  const { translations } = await import("../../api/content/translations.ts");
  return translations.operations.listUntranslated.response.shape.data.element;
});

export type UntranslatedText = Read<z.output<Awaited<ReturnType<typeof openTexts>>>>;

export class TranslationsApi extends HivePart {
  /**
   * Sends translations of one locale; in several requests where the server takes only less at once. An import never takes
   * anything back, so one that fails after its first request can be repeated.
   */
  async import(
    locale: string,
    files: SentFiles,
    options: ImportOptions,
  ): Promise<ApiResponse<TranslationsResult>> {
    try {
      return await this.#importOnce(locale, files, options);
    } catch (error) {
      const halves = error instanceof ClientError && error.status === 413 ? inHalves(files) : undefined;
      if (halves === undefined) throw error;
      const [first, second] = halves;
      const checksAll = options.strict || options.expected !== undefined;
      // If one half is refused, the other must not be imported.
      if (checksAll && !options.dryRun) await this.import(locale, files, { ...options, dryRun: true });
      const { data, commit } = await this.import(locale, first, options);
      const ifAt = options.ifAt === undefined ? undefined : commit;
      const rest = await this.import(locale, second, { ...options, ifAt });
      return { data: sumOf(data, rest.data), commit: rest.commit };
    }
  }

  /** Removes translations of one locale. @param files keys by the names of the Hive's files. */
  async remove(
    locale: string,
    files: Readonly<Record<string, readonly string[]>>,
    { ref, ifAt }: { readonly ref: string | undefined; readonly ifAt: string },
  ): Promise<ApiResponse<unknown>> {
    const { removeTranslations } = await writes();
    return this.call(removeTranslations, { params: { locale }, ref, ifAt, body: { files } });
  }

  /** Lists the translations in which text would be replaced, and what would become of them. */
  async previewReplacement(query: ReplaceQuery): Promise<ReplaceResult> {
    return (await this.call(await declared(), { body: query, dryRun: true })).data;
  }

  /**
   * Replaces text in some translations, as one commit.
   * @param items those that are to change, if they are as they were seen.
   */
  async replace(query: ReplaceQuery, items: readonly SeenTranslation[]): Promise<ApiResponse<ReplaceResult>> {
    return this.call(await declared(), { body: { ...query, items } });
  }

  async #importOnce(
    locale: string,
    files: SentFiles,
    options: ImportOptions,
  ): Promise<ApiResponse<TranslationsResult>> {
    const { dryRun, ref, overwrite, strict, ifAt, expected, waits } = options;
    const { importTranslations } = await writes();
    return this.call(importTranslations, {
      params: { locale },
      query: { strict: strict ? "true" : undefined },
      dryRun,
      ref,
      ifAt,
      body: {
        files,
        expected: expected && expectedOf(expected, files),
        overwrite_strategy: overwrite ? "overwrite" : "skip",
        review: waits === true ? "always" : undefined,
      },
    });
  }
}

/** The files in two halves; undefined for a single text. */
export function inHalves(files: SentFiles): readonly [SentFiles, SentFiles] | undefined {
  const texts = Object.entries(files).flatMap(([name, group]) =>
    Object.entries(group).map(([key, text]) => ({ name, key, text })),
  );
  if (texts.length < 2) return undefined;
  const toFiles = (part: typeof texts): SentFiles =>
    Object.fromEntries(
      Array.from(
        groupBy(part, ({ name }) => name),
        ([name, own]) => [name, Object.fromEntries(own.map(({ key, text }) => [key, text]))],
      ),
    );
  const middle = Math.ceil(texts.length / 2);
  return [toFiles(texts.slice(0, middle)), toFiles(texts.slice(middle))];
}

function expectedOf(expected: ExpectedTexts, files: SentFiles): ExpectedTexts {
  const own = Object.entries(expected).flatMap(([name, texts]) => {
    const sent = files[name] ?? {};
    const kept = Object.entries(texts).filter(([key]) => Object.hasOwn(sent, key));
    return kept.length === 0 ? [] : [[name, Object.fromEntries(kept)] as const];
  });
  return Object.fromEntries(own);
}

function sumOf(a: TranslationsResult, b: TranslationsResult): TranslationsResult {
  return {
    created: a.created + b.created,
    updated: a.updated + b.updated,
    skipped: a.skipped + b.skipped,
    unknown: a.unknown + b.unknown,
    warnings: [...(a.warnings ?? []), ...(b.warnings ?? [])],
    unknown_keys: [...(a.unknown_keys ?? []), ...(b.unknown_keys ?? [])],
    findings: [...(a.findings ?? []), ...(b.findings ?? [])],
    findings_total: (a.findings_total ?? 0) + (b.findings_total ?? 0),
  };
}
