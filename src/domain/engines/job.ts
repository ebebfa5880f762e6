/** Jobs that have an engine translate locales of a Hive. */
import { z } from "zod";
import { reviewRules } from "../access/token.ts";
import { jobWants } from "../hives/locale-rule.ts";
import {
  branchName,
  count,
  hiveSlug,
  localeCode,
  personId,
  positive,
  textThat,
} from "../hives/stored-fields.ts";
import type { Decoded } from "../json-codec.ts";
import { isTokenId, type HiveSlug } from "../names.ts";
import { isEngineName } from "./engine.ts";

/** `waiting` for others of the Hive; `stopped` by somebody. */
export const jobStates = ["waiting", "running", "done", "failed", "stopped"] as const;
export type JobState = (typeof jobStates)[number];

/**
 * Why a job has ended: everything was asked for (`complete`), its own limit was reached (`limit`) or that of the engine
 * (`budget`), somebody stopped it (`stopped`), the engine failed again and again, refused its key or gave texts that do not
 * pass for {@link maxJobRefused} strings (`engine`), or whoever started it may not do this any more (`access`).
 */
export const jobReasons = ["complete", "limit", "budget", "stopped", "engine", "access"] as const;
export type JobReason = (typeof jobReasons)[number];

const storedRule = z.strictObject({
  engine: z.string(),
  want: z.array(z.enum(jobWants)),
  branches: z.literal(true).optional(),
  review: z.enum(reviewRules).optional(),
});

export const storedJob = z.strictObject({
  id: z.string(),
  hive: hiveSlug,
  branch: branchName,
  /** Who started it, with whose rights it writes: the engine itself, where a rule did. */
  by: z.strictObject({
    token: textThat(isTokenId).optional(),
    person: personId.optional(),
    engine: textThat(isEngineName).optional(),
  }),
  /** The rule that started it; undefined where somebody did. */
  rule: storedRule.optional(),
  /** Stands for the rule and the locales that had it. */
  ruleId: z.string().optional(),
  engine: textThat(isEngineName),
  locales: z.array(localeCode),
  /** `usualJobWant` where it is undefined. */
  want: z.array(z.enum(jobWants)).optional(),
  maxItems: positive.optional(),
  maxCharacters: positive.optional(),
  state: z.enum(jobStates),
  reason: z.enum(jobReasons).optional(),
  /** Why the engine did not answer last, or the job has failed. */
  error: z.string().optional(),
  /** How many strings there were to translate when it was started. */
  total: count,
  /** Strings whose texts were stored. */
  saved: count,
  /** Strings for which the engine gave no text, or none that passes; they are left to people. */
  refused: count,
  characters: count,
  tokens: count,
  requests: count,
  /** When it was started and when it ended, in milliseconds since 1970. */
  created: positive,
  ended: positive.optional(),
  /** Until when it may hold strings in the queue of work, because an engine is asked for them. */
  holds: positive.optional(),
  /** How many requests have failed, one after the other, and when the next one is made. */
  failures: positive.optional(),
  retry: positive.optional(),
});
export type EngineJob = Decoded<z.output<typeof storedJob>>;

/** How many jobs may wait in a Hive. */
export const maxWaitingJobs = 20;
/** After so many failed requests one after the other a job gives up. */
export const maxJobFailures = 10;
const keptMs = 30 * 24 * 3_600_000;
/** After so many strings for which an engine gave no text that passes, a job gives up: it would ask for the rest in vain. */
export const maxJobRefused = 10_000;
/**
 * How many jobs of a team are kept, and how many strings that engines could not translate: those of several jobs, since one
 * that forgets its own asks for them without end.
 */
const maxKept = 500;
const maxTried = 5 * maxJobRefused;
/** How many rules at branches are known to have begun, of a team; one that is forgotten looks once more. */
const maxBegun = 5_000;

/** What a rule has begun with: until the source strings change, there is nothing new to do. */
export const begunRule = z.strictObject({
  hive: hiveSlug,
  branch: branchName,
  /** Stands for the rule and the locales that have it. */
  rule: z.string(),
  /** The version of the source strings. */
  source: z.string(),
});
export type BegunRule = Readonly<z.output<typeof begunRule>>;

/** The jobs of a team, the oldest first, and what engines could not translate. */
export interface EngineJobs {
  readonly jobs: readonly EngineJob[];
  readonly begun: readonly BegunRule[];
  /** Hashes of strings with all that an engine was told of them: nobody asks for them again. */
  readonly tried: readonly string[];
}

/** Whether a job goes on. */
export function isOpen({ state }: Pick<EngineJob, "state">): boolean {
  return state === "waiting" || state === "running";
}

/** The job of a Hive that is worked on, or is next; undefined where there is none. */
export function nextJob(jobs: readonly EngineJob[], hive: HiveSlug): EngineJob | undefined {
  const own = jobs.filter((job) => job.hive === hive && isOpen(job));
  return own.find(({ state }) => state === "running") ?? own[0];
}

/** Jobs and tried strings as far as they are kept. @param now in milliseconds since 1970. */
export function kept({ jobs, begun, tried }: EngineJobs, now: number): EngineJobs {
  const living = jobs.filter(({ ended }) => ended === undefined || now - ended < keptMs);
  const ended = living.filter((job) => !isOpen(job)).slice(-maxKept);
  const left = new Set(ended);
  return {
    jobs: living.filter((job) => isOpen(job) || left.has(job)),
    begun: begun.slice(-maxBegun),
    tried: tried.slice(-maxTried),
  };
}

/** A job that has ended. */
export function endedJob(job: EngineJob, reason: JobReason, now: number, error?: string): EngineJob {
  const { holds: _, failures: __, retry: ___, ...others } = job;
  const isFailed = reason === "engine" || reason === "access";
  const state: JobState = reason === "stopped" ? "stopped" : isFailed ? "failed" : "done";
  return { ...others, state, reason, ended: now, ...(error !== undefined && { error }) };
}
