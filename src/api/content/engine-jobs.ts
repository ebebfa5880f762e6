/** Jobs that have an engine translate locales of a Hive. */
import { z } from "zod";
import { jobReasons, jobStates } from "../../domain/engines/job.ts";
import { jobWants, usualJobWant } from "../../domain/hives/locale-rule.ts";
import { count, jsonObject, listOf, named, nullableText, text } from "../objects.ts";
import { operations } from "../operation.ts";
import { flag } from "../page.ts";

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

const startedJob = named("StartedTranslation", {
  ...job.partial().shape,
  items: count.optional().meta({ description: "Of a dry run: how many strings would be asked for." }),
});

const common = { hasCommit: false, takesBranch: true } as const;

export const engineJobs = operations(
  {
    noun: "job",
    about: "Have engines translate locales of the Hive.",
    path: "/api/hives/:slug/translate",
    key: "job",
    entity: job,
    label: "engine",
    group: "Engines",
    ability: "read",
    columns: ["id", "state", "reason", "engine", "locales", "total", "saved", "refused", "left"],
  },
  (op) => ({
    startTranslation: op.changeAll("start", "POST", {
      ...common,
      summary: "Have an engine translate",
      description:
        "Starts a job, with which a server begins within seconds: it claims strings as `POST /work` does, asks the engine, checks what it gives, and stores it in the name of whoever started it, with a commit for each batch whose origin is `model`. Texts of people are never replaced. What does not pass is left to people, and is not asked for again until its text, its terms or the engine change. Needs `read` beside `write`; one job of a Hive runs at a time, and at most 20 wait (422, `limit_reached`).",
      query: z.strictObject({
        dry_run: flag(
          "With `true` or `1`, nothing is started, and the answer (a 200) has `items` and `characters` alone.",
        ),
      }),
      body: jobBody,
      example: { locales: ["fr"], engine: "mistral", max_items: 500 },
      response: startedJob,
      status: 202,
      repeatedStatus: 200,
      errors: ["quota"],
    }),
    listTranslations: op.list({
      ...common,
      summary: "List the jobs of engines",
      description: "The newest first; those that have ended are kept for 30 days.",
    }),
    getTranslation: op.show({ ...common, summary: "Get a job of an engine" }),
    stopTranslation: op.delete({
      ...common,
      summary: "Stop a job of an engine",
      description: "The batch that the engine is asked for now is the last one.",
    }),
  }),
);
