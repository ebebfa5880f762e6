/** What the operations of jobs of engines do. */
import { hash } from "node:crypto";
import { engineJobs } from "../../api/content/engine-jobs.ts";
import { toOffsetLimit, toPage } from "../../api/page.ts";
import type { HiveBranch } from "../../domain/commits/branch-name.ts";
import type { EngineJob } from "../../domain/engines/job.ts";
import { usualJobWant } from "../../domain/hives/locale-rule.ts";
import { shownCodes } from "../../domain/hives/hive-settings.ts";
import { nameOf } from "../../service/access.ts";
import { estimateJob, findJob, listJobs, startJob, stopJob } from "../../service/engines/jobs.ts";
import type { StorageBase } from "../../service/storage.ts";
import { implementOnHive } from "../operations/implement.ts";

/** Makes answers of jobs, with the codes and names that the Hive shows. */
async function jobsOf(storage: StorageBase, branch: HiveBranch, jobs: readonly EngineJob[]) {
  const { settings } = await storage.hives.at(branch).snapshot();
  const shown = shownCodes(settings);
  return Promise.all(
    jobs.map(async ({ by, locales, created, ended, ...one }) => {
      const { reason = null, error = null, want = usualJobWant } = one;
      const { id, state, engine, total, saved, refused, characters, tokens, requests } = one;
      return {
        id,
        state,
        reason,
        error,
        by: by.engine ?? (await nameOf(storage, by.person ?? by.token ?? "")),
        engine,
        locales: locales.map(shown),
        want: [...want],
        branch: one.branch,
        total,
        saved,
        refused,
        left: Math.max(0, total - saved - refused),
        characters,
        tokens,
        requests,
        created: new Date(created).toISOString(),
        ended: ended === undefined ? null : new Date(ended).toISOString(),
      };
    }),
  );
}

async function jobOf(storage: StorageBase, branch: HiveBranch, one: EngineJob) {
  const [shown] = await jobsOf(storage, branch, [one]);
  if (shown === undefined) throw new Error("a job has an answer");
  return shown;
}

export const engineJobOperations = implementOnHive(engineJobs, {
  startTranslation: async ({ storage, caller, branch, body, query, context }) => {
    await storage.writer.checkPreconditions(branch, context);
    const { locales, engine, want, max_items: maxItems, max_characters: maxCharacters } = body;
    const request = { locales, engine, want, maxItems, maxCharacters };
    if (query.dry_run) return { result: await estimateJob(storage, caller, branch, request), status: 200 };
    return { result: await jobOf(storage, branch, await startJob(storage, caller, branch, request)) };
  },
  listTranslations: async ({ storage, caller, branch, query }) => {
    const { entries, total } = await listJobs(storage, caller, branch, toOffsetLimit(query));
    const shown = await jobsOf(storage, branch, entries);
    return versioned(
      storage,
      branch,
      toPage({ entries: shown, total }, query, (one) => one),
    );
  },
  getTranslation: async ({ storage, caller, branch, param }) => {
    const found = await findJob(storage, caller, branch, param("job"));
    return versioned(storage, branch, await jobOf(storage, branch, found));
  },
  stopTranslation: async ({ storage, caller, branch, param, context }) => {
    await storage.writer.checkPreconditions(branch, context);
    return { result: await jobOf(storage, branch, await stopJob(storage, caller, branch, param("job"))) };
  },
});

/** An answer that does not depend on the repository alone. */
async function versioned<T extends object>(storage: StorageBase, branch: HiveBranch, answer: T) {
  const { commit } = await storage.hives.at(branch).snapshot();
  const version = hash("sha256", JSON.stringify(answer), "hex");
  return { commit: commit.oid, version, read: () => Promise.resolve(answer) };
}
