/** What the operations of findings do. */
import { checks } from "../../api/content/checks.ts";
import { toOffsetLimit, toPage } from "../../api/page.ts";
import { codeOf } from "../../domain/hives/locale.ts";
import { changeAcceptance, listFindings } from "../../service/content/checks.ts";
import { converted } from "../responses/respond.ts";
import { withShownLocale } from "../schemas/check-schemas.ts";
import { implementOnHive, slow } from "../operations/implement.ts";

export const checkOperations = implementOnHive(
  checks,
  {
    listFindings: async ({ storage, branch, query, signal }) => {
      const result = await listFindings(storage, branch, { ...query, ...toOffsetLimit(query), signal });
      return converted(result, ({ counts, settings, ...findings }) => ({
        ...toPage(findings, query, withShownLocale(settings)),
        counts: new Map(Array.from(counts, ([locale, counted]) => [codeOf(locale), counted])),
      }));
    },
    acceptFinding: async ({ storage, branch, body, context }) => {
      const { result, commit } = await changeAcceptance(storage, branch, body, "accept", context);
      return { result: { accepted: result.changed, unknown: result.unknown }, commit };
    },
    withdrawAcceptance: async ({ storage, branch, body, context }) => {
      const { result, commit } = await changeAcceptance(storage, branch, body, "withdraw", context);
      return { result: { withdrawn: result.changed, unknown: result.unknown }, commit };
    },
  },
  { listFindings: slow },
);
