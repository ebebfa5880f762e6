/** Searching strings, one string in all locales, and translation memory. */
import { createHash } from "node:crypto";
import type { HiveBranch } from "../../../domain/commits/branch-name.ts";
import { shownCodes, type HiveSettings } from "../../../domain/hives/hive-settings.ts";
import type { StringAddress } from "../../../domain/move.ts";
import type { StringNotes } from "../../../domain/notes/note.ts";
import type { Translation } from "../../../domain/strings/string-search.ts";
import { atHead, type Versioned } from "../../../service/content/queries.ts";
import { hiveOutline, searchHive, showString } from "../../../service/content/string-search.ts";
import type { Storage } from "../../../service/storage.ts";
import { readTerms } from "../../../service/terms.ts";
import { hiveGroup, type HiveRoute } from "../../pipeline/route.ts";
import {
  searchQuery,
  searchResponse,
  stringQuery,
  stringResponse,
  memoryQuery,
  memoryResponse,
} from "../../schemas/context/search-schemas.ts";
import { toMeta, toOffsetLimit } from "../../schemas/page.ts";
import { openMemory } from "../../../service/memory/memory.ts";

interface Shown extends StringAddress {
  readonly source: string;
  readonly notes: StringNotes | undefined;
  readonly translations: readonly Translation[];
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
  storage: Storage,
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

const { hiveRead } = hiveGroup("Source strings", "read", { takesBranch: true });

export const searchRoutes: readonly HiveRoute[] = [
  hiveRead("searchStrings", "/api/hives/:slug/search", {
    isSlow: () => true,
    summary: "Search strings and their translations",
    description:
      "By what they say, by their keys, and by the state of their translations. Files are sorted by name; keys are in the order of their file.",
    query: searchQuery,
    response: searchResponse,
    handler({ storage, hive, branch, query, signal }) {
      const { text, locale, state, file, tag: tags } = query;
      const search = { ...toOffsetLimit(query), text, locale, state, file, tags, signal };
      return withTerms(storage, branch, hive.slug, async () => {
        const { settings } = await hiveOutline(storage, branch);
        const { strings, total } = await searchHive(storage, branch, search);
        return { data: strings.map((string) => toMembers(string, settings)), meta: toMeta(query, total) };
      });
    },
  }),
  hiveRead("getString", "/api/hives/:slug/string", {
    summary: "Get a string with all its translations",
    query: stringQuery,
    response: stringResponse,
    handler({ storage, hive, branch, query }) {
      return withTerms(storage, branch, hive.slug, async () => {
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
      });
    },
  }),
  hiveGroup("Translations", "read", { takesBranch: true }).hiveRead(
    "lookUpMemory",
    "/api/hives/:slug/memory",
    {
      isSlow: () => true,
      summary: "Look up how equal and similar texts were translated",
      description:
        "Looks in the Hive and in each other Hive that the token can read and that has the same source locale and the target locale. " +
        "Equal source texts come first, then similar ones by their score; of both, former source texts after the present ones. " +
        "Of equal hits, approved translations come before those that wait for a review. Two hits never have the same source text and translation.",
      query: memoryQuery,
      response: memoryResponse,
      async handler({ storage, hive, branch, query: { locale, text, limit }, signal }) {
        const { find, ...memory } = await openMemory(storage, { hive, branch, locale, signal });
        return { ...memory, read: async () => ({ data: [...(await find(text, limit))] }) };
      },
    },
  ),
];
