/** Searching strings, one string in all locales, and translation memory. */
import { createHash } from "node:crypto";
import type { HiveBranch } from "../../../domain/commits/branch-name.ts";
import { shownCodes, type HiveSettings } from "../../../domain/hives/hive-settings.ts";
import type { StringAddress } from "../../../domain/move.ts";
import type { StringNotes } from "../../../domain/notes/note.ts";
import { maxSearchText, searchedStates } from "../../../domain/queries/string-search.ts";
import { atHead, type Versioned } from "../../../service/content/queries.ts";
import { hiveOutline, searchHive, showString } from "../../../service/content/string-search.ts";
import type { AnswerableTranslation } from "../../../service/content/string-marks.ts";
import type { StorageBase } from "../../../service/storage.ts";
import { readTerms } from "../../../service/terms.ts";
import { hiveGroup, type HiveRoute } from "../../pipeline/route.ts";
import { toMeta, toOffsetLimit, pageQuery, asInteger, positiveInteger } from "../../../api/page.ts";
import { openMemory } from "../../../service/memory/memory.ts";
import { z } from "zod";
import { finding } from "../../../api/content/findings.ts";
import { includedNotes, tagField } from "../../../api/content/notes.ts";
import { named, nullableText, pageOf, count, stringAddress, once, queryParam } from "../../../api/objects.ts";
import { seenTexts, workForm } from "../../../api/content/work-texts.ts";

export const searchQuery = pageQuery.extend({
  text: once
    .pipe(z.string().max(maxSearchText, `must be at most ${maxSearchText} characters`).optional())
    .meta({
      description:
        "What the key, the source text or a translation contains, without regard to case, accents and the kind of blanks.",
      examples: ["password"],
    }),
  locale: queryParam(
    "The target locale whose translations are searched and shown; `*` for all, and none if it is not given.",
    "pt_BR",
  ),
  state: z.enum(searchedStates).optional().meta({ description: "Of a translation into the locale." }),
  file: queryParam("Only strings of this file.", "auth.php"),
  tag: tagField,
});

export const stringQuery = z.strictObject({
  file: z.string("must be given, and once").meta({ description: "The file.", examples: ["auth.php"] }),
  key: z.string("must be given, and once").meta({ description: "The key.", examples: ["failed"] }),
});

const stringTranslation = named("StringTranslation", {
  locale: z.string(),
  text: nullableText,
  state: z
    .enum(["translated", "stale", "missing", "none"])
    .meta({ description: "`none` where there is nothing to translate." }),
  old_source_value: nullableText.meta({
    description: "The source text that a stale translation was made for.",
  }),
  waiting: z.boolean().meta({ description: "Whether it waits for a review." }),
  findings: z.array(finding).meta({ description: "What checks find in it." }),
  forms: z.array(workForm).meta({
    description: "All forms of a plural string in the locale, this one included; empty for other strings.",
  }),
  expected: seenTexts.meta({
    description:
      "To be sent back as it is with an answer in `POST /work/done`, which names a plural string by the key of its form `other`.",
  }),
});

const members = {
  ...stringAddress,
  source_value: z.string(),
  notes: includedNotes.meta({ description: "`null` if there are none." }),
  translations: z.array(stringTranslation),
};

const searchResponse = pageOf("FoundStringPage", named("FoundString", members));

const neighbour = named("StringNeighbour", stringAddress).nullable();

const stringResponse = named("StringInAllLocales", {
  ...members,
  forms: z
    .array(named("StringForm", { form: z.string(), key: z.string() }))
    .meta({ description: "The keys of the same plural string; empty for other strings." }),
  terms: z.array(z.string()).meta({ description: "The terms of the glossary that the source text has." }),
  previous: neighbour,
  next: neighbour,
});

/** The longest text that is looked up, in characters. */
const maxText = 5_000;

const maxHits = 50;

const memoryQuery = z.strictObject({
  locale: z
    .string("must be given, and once")
    .meta({ description: "The target locale, by its canonical or its custom code.", examples: ["pt_BR"] }),
  text: z
    .string("must be given, and once")
    .min(1, "must not be empty")
    .max(maxText, `must be at most ${maxText} characters`)
    .meta({ description: "The source text, as the Hive has it.", examples: ["Wrong password."] }),
  limit: positiveInteger
    .transform((limit) => Math.min(limit, maxHits))
    .default(10)
    .meta({
      ...asInteger,
      default: 10,
      description: `The number of hits, at most ${maxHits}; a larger value counts as ${maxHits}.`,
    }),
});

export const memoryHit = named("MemoryHit", {
  source: z.string(),
  text: z.string().meta({ description: "Its translation." }),
  hive: z.string(),
  ...stringAddress,
  score: count.max(100).meta({
    description:
      "100 for an equal source text; for a similar one, how many per cent of the trigrams are the same.",
  }),
  approved: z.boolean().meta({ description: "Whether the translation does not wait for a review." }),
  former: z.boolean().meta({
    description:
      "Whether this is of the past: the string has another source text now, or is no more. Its translation may be replaced.",
  }),
});

const memoryResponse = named("MemoryHits", { data: z.array(memoryHit) });

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
