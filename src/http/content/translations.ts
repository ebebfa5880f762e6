/** What the operations of translations do. */
import { translations } from "../../api/content/translations.ts";
import { toOffsetLimit, toPage } from "../../api/page.ts";
import { shownLeftOut } from "../../domain/export/completeness.ts";
import type { ExportedFiles } from "../../domain/export/export.ts";
import { pseudoLocales } from "../../domain/export/pseudo-locales.ts";
import { codeOf, findLocale } from "../../domain/hives/locale.ts";
import { skipNonTextValues } from "../../domain/strings/non-text-values.ts";
import { toKeyLists, toTranslationFiles } from "../../domain/strings/payload.ts";
import { importTranslations } from "../../service/content/imports.ts";
import { exportFiles } from "../../service/content/queries.ts";
import { confirmStale, listStale } from "../../service/content/stale.ts";
import { removeTranslations } from "../../service/content/translation-edit.ts";
import { findUntranslated } from "../../service/content/untranslated.ts";
import { implementOnHive } from "../operations/implement.ts";
import { joinMembers, joinObject, textPieces } from "../responses/json-bytes.ts";
import { converted } from "../responses/respond.ts";

/** The texts of files as JSON, by name. */
async function encodeFiles(files: ExportedFiles): Promise<Readonly<Record<string, readonly Uint8Array[]>>> {
  const members: [name: string, pieces: readonly Uint8Array[]][] = [];
  for (const [name, content] of files) {
    members.push([name, await textPieces(content)]);
  }
  return Object.fromEntries(members);
}

export const translationOperations = implementOnHive(
  translations,
  {
    exportTranslations: async ({ storage, responses, branch, query, signal }) => {
      const { format, shape, tag: tags, min_complete: minComplete } = query;
      const wanted = { ...query, tags, minComplete, signal };
      return converted(await exportFiles(storage, branch, wanted), async ({ parts, leftOut }) => {
        // Of an export of all locales most are as they were when one has changed.
        const bodies = parts.map(async ({ version, read }) => {
          const make = async (): Promise<Buffer> => joinObject(await encodeFiles(await read()));
          return parts.length === 1 ? make() : responses.part(`${format} ${shape} ${version}`, make);
        });
        const members = { files: joinMembers(await Promise.all(bodies)) };
        if (leftOut === undefined) return joinObject(members);
        const left = JSON.stringify(leftOut.map(shownLeftOut));
        return joinObject({ ...members, left_out: [Buffer.from(left)] });
      });
    },
    importTranslations: async ({ storage, branch, param, query: { leaves, strict }, body, context }) => {
      const left: { files: unknown; skipped?: number } =
        leaves === "skip" ? await skipNonTextValues(body.files, "translations") : { files: body.files };
      const expected =
        body.expected === undefined ? undefined : await toTranslationFiles(body.expected, "expected");
      const request = {
        locale: param("locale"),
        files: await toTranslationFiles(left.files),
        expected,
        overwriteStrategy: body.overwrite_strategy,
        leavesSkipped: left.skipped,
        isStrict: strict,
      };
      const { review = context.caller.review } = body;
      const caller = { ...context.caller, review };
      return importTranslations(storage, branch, request, { ...context, caller });
    },
    removeTranslations: async ({ storage, branch, param, body, context }) => {
      const request = { locale: param("locale"), files: toKeyLists(body.files) };
      return removeTranslations(storage, branch, request, context);
    },
    listUntranslated: async ({ storage, branch, query, signal }) => {
      const { locale, state, file, tag: tags, include, at } = query;
      const question = { ...toOffsetLimit(query), locale, states: new Set(state), file, tags, at, signal };
      return converted(await findUntranslated(storage, branch, question), ({ notes, ...texts }) =>
        toPage(texts, query, ({ source, translatedFrom, ...shown }, i) => ({
          ...shown,
          sourceValue: source,
          oldSourceValue: translatedFrom,
          notes: include && (notes[i] ?? null),
        })),
      );
    },
    listStale: async ({ storage, branch, query }) => {
      const result = await listStale(storage, branch, { ...toOffsetLimit(query), locale: query.locale });
      return converted(result, (found) =>
        toPage(found, query, ({ locale, translatedFrom, source, ...stale }) => ({
          ...stale,
          locale: codeOf(locale),
          oldSourceValue: translatedFrom,
          sourceValue: source,
        })),
      );
    },
    confirmStale: ({ storage, branch, body, context }) => confirmStale(storage, branch, body, context),
  },
  {
    exportTranslations: {
      isSlow: ({ at, locale }) =>
        at !== undefined ||
        locale === undefined ||
        (typeof locale === "string" && findLocale(pseudoLocales, locale) !== undefined),
    },
  },
);
