/** Searching strings, and one string in all locales. */
import { createHash } from "node:crypto";
import type { z } from "zod";
import type { HiveBranch } from "../../../domain/commits/branch-name.ts";
import { shownCodes, type HiveSettings } from "../../../domain/hives/hive-settings.ts";
import type { StringAddress } from "../../../domain/move.ts";
import type { StringNotes } from "../../../domain/notes/note.ts";
import type { Translation } from "../../../domain/strings/string-search.ts";
import { atHead, type Versioned } from "../../../service/content/queries.ts";
import { hiveOutline, searchHive, showString } from "../../../service/content/string-search.ts";
import type { Storage } from "../../../service/storage.ts";
import { readTerms } from "../../../service/terms.ts";
import { withExample } from "../../openapi/route-docs.ts";
import { hiveRead, type HiveRoute } from "../../pipeline/route.ts";
import {
  searchQuery,
  searchResponse,
  stringQuery,
  stringResponse,
} from "../../schemas/context/search-schemas.ts";
import { toFindings } from "../../schemas/finding-schemas.ts";
import { toIncludedNotes } from "../../schemas/note-fields.ts";
import { metaExample, toMeta, toOffsetLimit } from "../../schemas/page.ts";

type StringMembers = Pick<
  z.input<typeof stringResponse>,
  "file" | "key" | "source_value" | "notes" | "translations"
>;

const example: StringMembers = {
  file: "auth.php",
  key: "failed",
  source_value: "Wrong password.",
  notes: { app: { note: "Shown above the form." }, team: null },
  translations: [
    {
      locale: "fr",
      text: "Mot de passe faux.",
      state: "translated",
      old_source_value: null,
      waiting: false,
      findings: [],
    },
  ],
};

interface Shown extends StringAddress {
  readonly source: string;
  readonly notes: StringNotes | undefined;
  readonly translations: readonly Translation[];
}

function toMembers({ file, key, source, notes, translations }: Shown, settings: HiveSettings): StringMembers {
  const shown = shownCodes(settings);
  return {
    file,
    key,
    source_value: source,
    notes: toIncludedNotes(notes),
    translations: translations.map(
      ({ locale, text = null, state, translatedFrom = null, review, checked }) => ({
        locale: shown(locale),
        text,
        state,
        old_source_value: translatedFrom,
        waiting: review !== undefined,
        findings: toFindings(
          (checked?.findings ?? []).map((one) =>
            Object.assign({}, one, { file, key, locale: shown(locale) }),
          ),
        ),
      }),
    ),
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

export const searchRoutes: readonly HiveRoute[] = [
  hiveRead({
    id: "searchStrings",
    path: "/api/hives/:slug/search",
    takesBranch: true,
    isSlow: () => true,
    group: "Source strings",
    summary: "Search strings and their translations",
    description:
      "By what they say, by their keys, and by the state of their translations. Files are sorted by name; keys are in the order of their file.",
    query: searchQuery,
    response: withExample(searchResponse, { data: [example], meta: metaExample }),
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
  hiveRead({
    id: "getString",
    path: "/api/hives/:slug/string",
    takesBranch: true,
    group: "Source strings",
    summary: "Get a string with all its translations",
    query: stringQuery,
    response: withExample(stringResponse, {
      ...example,
      forms: [],
      terms: ["password"],
      previous: null,
      next: { file: "auth.php", key: "nav.home" },
    }),
    handler({ storage, hive, branch, query }) {
      return withTerms(storage, branch, hive.slug, async () => {
        const {
          translations,
          settings,
          forms,
          terms,
          previous = null,
          next = null,
          ...string
        } = await showString(storage, branch, query);
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
];
