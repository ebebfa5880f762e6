/** What the search of all Hives does. */
import { teamSearches } from "../../api/team/search.ts";
import { languageName } from "../../domain/hives/language-name.ts";
import { codeOf } from "../../domain/hives/locale.ts";
import { searchTeam } from "../../service/search.ts";
import { implement } from "./implement.ts";

export const teamSearchOperations = implement(teamSearches, {
  searchTeam: async ({ storage, caller, query: { q: text, hive: first }, runSlowRead }) => {
    const found = await runSlowRead((signal) => searchTeam(storage, caller, { text, first, signal }));
    return {
      result: {
        hives: found.hives,
        locales: found.locales.map((one) => ({
          hive: one.hive.slug,
          code: codeOf(one.locale),
          name: languageName(one.locale),
        })),
        strings: found.strings.map(({ translation, file, key, source, ...one }) => ({
          file,
          key,
          source,
          hive: one.hive.slug,
          locale: translation ? codeOf(translation.locale) : null,
          text: translation?.text ?? null,
        })),
      },
    };
  },
});
