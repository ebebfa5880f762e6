/** Jobs that have an engine translate locales of a Hive. */
import { jobWants } from "../../../domain/hives/locale-rule.ts";
import { hash } from "node:crypto";
import { z } from "zod";
import { jobReasons, jobStates, usualJobWant, type EngineJob } from "../../../domain/engines/job.ts";
import { shownCodes } from "../../../domain/hives/hive-settings.ts";
import { count, jsonObject, listOf, named, nullableText, pageOf, text } from "../../../api/objects.ts";
import { withExample } from "../../../api/operation.ts";
import { flag, pageQuery, toOffsetLimit, toPage } from "../../../api/page.ts";
import { nameOf } from "../../../service/access.ts";
import { estimateJob, findJob, listJobs, startJob, stopJob } from "../../../service/engines/jobs.ts";
import type { StorageBase } from "../../../service/storage.ts";
import type { HiveBranch } from "../../../domain/commits/branch-name.ts";
import { hiveGroup, type HiveRoute } from "../../pipeline/route.ts";

const path = "/api/hives/:slug/translate";
const time = z.iso.datetime();
const limit = z.int("must be a whole number").min(1, "must be at least 1").max(1_000_000_000, "is too large");

const jobBody = jsonObject({
  locales: listOf(text, { max: 200 })
    .refine((codes) => codes.length > 0, "must not be empty")
    .meta({ description: "Target locales, by their canonical or their custom codes." }),
  engine: text.optional().meta({
    description: "May be left out if one engine of the team translates into all of the locales.",
    examples: ["mistral"],
  }),
  want: listOf(z.enum(jobWants, `must be one of ${jobWants.join(", ")}`), { max: jobWants.length })
    .refine((states) => states.length > 0, "must not be empty")
    .optional()
    .meta({
      default: usualJobWant,
      description:
        "Which strings. Of those that are `stale` or `failing`, only texts that a model was the last to write and that wait for a review are replaced: neither texts of people nor approved ones.",
    }),
  max_items: limit.optional().meta({ description: "The most strings; all if not given." }),
  max_characters: limit
    .optional()
    .meta({ description: "The most characters of source texts that are sent; all if not given." }),
}).meta({ id: "TranslationJobRequest" });

const job = named("TranslationJob", {
  id: z.string(),
  state: z.enum(jobStates),
  reason: z.enum(jobReasons).nullable().meta({
    description:
      "Why it has ended. `complete`: all was asked for. `limit`: its own limit. `budget`: that of the engine. `stopped`: by somebody. `engine`: the engine failed. `access`: whoever started it may not do it any more.",
  }),
  error: nullableText.meta({ description: "Why the engine did not answer last, or why the job has failed." }),
  by: z.string().meta({
    description: "Who started it, with whose rights it writes; the engine, where the rule of a locale did.",
  }),
  engine: z.string(),
  locales: z.array(z.string()),
  want: z.array(z.enum(jobWants)),
  branch: z.string(),
  total: count.meta({ description: "How many strings there were to translate when it was started." }),
  saved: count.meta({ description: "Strings whose texts were stored." }),
  refused: count.meta({
    description:
      "Strings for which the engine gave no text, or none that passes the checks: they are left to people.",
  }),
  left: count,
  characters: count.meta({ description: "Characters of source texts that were sent." }),
  tokens: count,
  requests: count,
  created: time,
  ended: time.nullable(),
});

const jobResponse = named("StartedTranslation", {
  ...job.partial().shape,
  items: count.optional().meta({ description: "Of a dry run: how many strings would be asked for." }),
});

const { hiveRead, hiveWrite } = hiveGroup("Engines", "write", { takesBranch: true, hasCommit: false });

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

export const engineJobRoutes: readonly HiveRoute[] = [
  hiveWrite("startTranslation", "POST", path, {
    summary: "Have an engine translate",
    description:
      "Starts a job, with which a server begins within seconds: it claims strings as `POST /work` does, asks the engine, checks what it gives, and stores it in the name of whoever started it, with a commit for each batch whose origin is `model`. Texts of people are never replaced. What does not pass is left to people, and is not asked for again until its text, its terms or the engine change. Needs `read` beside `write`; one job of a Hive runs at a time, and at most 20 wait (422, `limit_reached`).",
    query: z.strictObject({
      dry_run: flag(
        "With `true` or `1`, nothing is started, and the answer (a 200) has `items` and `characters` alone.",
      ),
    }),
    body: withExample(jobBody, { locales: ["fr"], engine: "mistral", max_items: 500 }),
    response: jobResponse,
    status: 202,
    repeatedStatus: 200,
    errors: ["quota"],
    async handler({ storage, caller, branch, body, query, context }) {
      await storage.writer.checkPreconditions(branch, context);
      const { locales, engine, want, max_items: maxItems, max_characters: maxCharacters } = body;
      const request = { locales, engine, want, maxItems, maxCharacters };
      if (query.dry_run) return { result: await estimateJob(storage, caller, branch, request), status: 200 };
      return { result: await jobOf(storage, branch, await startJob(storage, caller, branch, request)) };
    },
  }),
  hiveRead("listTranslations", path, {
    summary: "List the jobs of engines",
    description: "The newest first; those that have ended are kept for 30 days.",
    query: pageQuery,
    response: pageOf("TranslationJobPage", job),
    async handler({ storage, caller, branch, query }) {
      const { entries, total } = await listJobs(storage, caller, branch, toOffsetLimit(query));
      const shown = await jobsOf(storage, branch, entries);
      return versioned(
        storage,
        branch,
        toPage({ entries: shown, total }, query, (one) => one),
      );
    },
  }),
  hiveRead("getTranslation", `${path}/:job`, {
    summary: "Get a job of an engine",
    response: job,
    async handler({ storage, caller, branch, param }) {
      const found = await findJob(storage, caller, branch, param("job"));
      return versioned(storage, branch, await jobOf(storage, branch, found));
    },
  }),
  hiveWrite("stopTranslation", "DELETE", `${path}/:job`, {
    summary: "Stop a job of an engine",
    description: "The batch that the engine is asked for now is the last one.",
    response: job,
    async handler({ storage, caller, branch, param, context }) {
      await storage.writer.checkPreconditions(branch, context);
      return { result: await jobOf(storage, branch, await stopJob(storage, caller, branch, param("job"))) };
    },
  }),
];

/** An answer that does not depend on the repository alone. */
async function versioned<T extends object>(storage: StorageBase, branch: HiveBranch, answer: T) {
  const { commit } = await storage.hives.at(branch).snapshot();
  const version = hash("sha256", JSON.stringify(answer), "hex");
  return { commit: commit.oid, version, read: () => Promise.resolve(answer) };
}
