/** What the operations of the queue of work do. */
import type { z } from "zod";
import type { doneBody } from "../../api/content/work-schemas.ts";
import { work } from "../../api/content/work.ts";
import { toOffsetLimit, toPage } from "../../api/page.ts";
import type { HiveSettings } from "../../domain/hives/hive-settings.ts";
import type { WorkResult } from "../../domain/work/work.ts";
import { listClaims, releaseClaim } from "../../service/work/claims.ts";
import { completeWork, repeatWork, type WorkDone } from "../../service/work/complete-work.ts";
import { nextWork, type Work } from "../../service/work/next-work.ts";
import { implementOnHive } from "../operations/implement.ts";
import { converted } from "../responses/respond.ts";
import { withShownLocale } from "../schemas/check-schemas.ts";

export const workOperations = implementOnHive(
  work,
  {
    nextWork: async ({ storage, caller, branch, body, context }) => {
      await storage.writer.checkPreconditions(branch, context);
      const next = await nextWork(storage, caller, branch, {
        locale: body.locale,
        want: body.want,
        files: body.files,
        tags: body.tags,
        maxItems: body.max_items,
        maxTokens: body.max_tokens,
        claimSeconds: body.claim_seconds,
        otherLocales: body.other_locales,
        memory: body.memory,
      });
      return { result: toWork(next), commit: next.commit };
    },
    completeWork: async ({ storage, caller, branch, body, context }) => {
      const done = await completeWork(storage, caller, branch, toWorkDone(body), context);
      const { settings } = await storage.hives.at(branch).snapshot();
      return { ...done, result: { items: toResults(done.result, settings) } };
    },
    listClaims: async ({ storage, caller, branch, query }) => {
      const page = { ...toOffsetLimit(query), locale: query.locale };
      return converted(await listClaims(storage, caller, branch, page), (claims) =>
        toPage(claims, query, ({ id, expiresAt, ...given }) => ({
          ...given,
          claim: id,
          expiresAt: new Date(expiresAt).toISOString(),
        })),
      );
    },
    releaseClaim: async ({ storage, caller, branch, param, context }) => {
      await storage.writer.checkPreconditions(branch, context);
      return { result: { released: await releaseClaim(storage, caller, branch, param("claim")) } };
    },
  },
  {
    completeWork: {
      repeated: async ({ storage, hive, caller, branch, body, context }, commit) => {
        const results = await repeatWork(storage, caller, branch, toWorkDone(body), { commit, context });
        const { settings } = await storage.hives.at(hive.slug).snapshot();
        return { items: toResults(results, settings) };
      },
    },
  },
);

function toWorkDone({ locale, origin, message, items }: z.output<typeof doneBody>): WorkDone {
  return { locale, items, origin, message };
}

function toWork(next: Work) {
  const located = withShownLocale(next.settings);
  return {
    ...next,
    expiresAt: next.expiresAt === undefined ? null : new Date(next.expiresAt).toISOString(),
    items: next.items.map((item) => ({ ...item, findings: item.findings.map(located) })),
  };
}

/** What became of answers. @param settings of their Hive. */
function toResults(results: readonly WorkResult[], settings: HiveSettings) {
  return results.map((result) => ({ ...result, findings: result.findings?.map(withShownLocale(settings)) }));
}
