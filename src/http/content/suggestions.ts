/** What the operations of suggestions do. */
import { suggestions } from "../../api/content/suggestions.ts";
import { suggest } from "../../service/engines/suggestions.ts";
import { implementOnHive } from "../operations/implement.ts";
import { withShownLocale } from "../schemas/check-schemas.ts";

export const suggestionOperations = implementOnHive(suggestions, {
  suggestTranslations: async ({ event, storage, caller, branch, body }) => {
    const found = await suggest(storage, caller, branch, { ...body, signal: event.req.signal });
    const { settings } = await storage.hives.at(branch).snapshot();
    const located = withShownLocale(settings);
    const shown = found.map(({ engine, model, forms, findings, error }) => {
      return { engine, model, forms, findings: findings.map(located), error };
    });
    return { result: { suggestions: shown } };
  },
});
