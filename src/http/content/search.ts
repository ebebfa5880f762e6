/** What the operations of searches do. */
import { createHash } from "node:crypto";
import { searches } from "../../api/content/search.ts";
import { toMeta, toOffsetLimit } from "../../api/page.ts";
import type { HiveBranch } from "../../domain/commits/branch-name.ts";
import { shownCodes, type HiveSettings } from "../../domain/hives/hive-settings.ts";
import type { StringAddress } from "../../domain/move.ts";
import type { StringNotes } from "../../domain/notes/note.ts";
import { atHead, type Versioned } from "../../service/content/queries.ts";
import type { AnswerableTranslation } from "../../service/content/string-marks.ts";
import { hiveOutline, searchHive, showString } from "../../service/content/string-search.ts";
import { openMemory } from "../../service/memory/memory.ts";
import type { StorageBase } from "../../service/storage.ts";
import { readTerms } from "../../service/terms.ts";
import { implementOnHive, slow } from "../operations/implement.ts";

interface Shown extends StringAddress {
  readonly source: string;
  readonly notes: StringNotes | undefined;
  readonly translations: readonly AnswerableTranslation[];
}

function toMembers({ file, key, source, notes, translations }: Shown, settings: HiveSettings) {
  const shown = shownCodes(settings);
  return {
    file,
    key,
    sourceValue: source,
    notes: notes ?? null,
    translations: translations.map(({ locale, translatedFrom, review, checked, ...translation }) => ({
      ...translation,
      locale: shown(locale),
      oldSourceValue: translatedFrom,
      waiting: review !== undefined,
      findings: (checked?.findings ?? []).map((one) =>
        Object.assign({}, one, { file, key, locale: shown(locale) }),
      ),
    })),
  };
}

/** A read of a Hive that shows what checks find, which the terms of another Hive may decide. */
async function withTerms<T>(
  storage: StorageBase,
  branch: HiveBranch,
  slug: Parameters<typeof readTerms>[1],
  read: () => Promise<T>,
): Promise<Versioned<T>> {
  const snapshot = await storage.hives.at(branch).snapshot();
  const { commit } = atHead(branch, snapshot);
  const basis = [commit, snapshot.storedSettings.commit, (await readTerms(storage, slug)).version];
  // Not on the fast path, which does not know the head of the other Hive.
  return { commit, version: createHash("sha1").update(basis.join(":")).digest("hex"), read };
}

export const searchOperations = implementOnHive(
  searches,
  {
    searchStrings: ({ storage, hive, branch, query, signal }) => {
      const { text, locale, state, file, tag: tags } = query;
      const search = { ...toOffsetLimit(query), text, locale, state, file, tags, signal };
      return withTerms(storage, branch, hive.slug, async () => {
        const { settings } = await hiveOutline(storage, branch);
        const { strings, total } = await searchHive(storage, branch, search);
        return { data: strings.map((string) => toMembers(string, settings)), meta: toMeta(query, total) };
      });
    },
    getString: ({ storage, hive, branch, query }) =>
      withTerms(storage, branch, hive.slug, async () => {
        const { translations, settings, forms, terms, previous, next, ...string } = await showString(
          storage,
          branch,
          query,
        );
        const shown = { ...string, translations: translations.map(({ translation }) => translation) };
        return {
          ...toMembers(shown, settings),
          forms: forms.map(({ category, key }) => ({ form: category, key })),
          terms: [...new Set(terms.flatMap((found) => found.terms.map(({ source }) => source)))],
          previous,
          next,
        };
      }),
    lookUpMemory: async ({ storage, hive, branch, query: { locale, text, limit }, signal }) => {
      const { find, ...memory } = await openMemory(storage, { hive, branch, locale, signal });
      return { ...memory, read: async () => ({ data: [...(await find(text, limit))] }) };
    },
  },
  { searchStrings: slow, lookUpMemory: slow },
);
