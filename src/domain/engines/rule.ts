/** When the rule of a locale has its engine translate. */
import { nextDay } from "./engine-use.ts";
import { isOpen, type BegunRule, type EngineJob, type EngineJobs } from "./job.ts";

/** Why a job of a rule ended that goes on the next day. */
const endsForToday = new Set<EngineJob["reason"]>(["budget", "engine"]);

function isSameRule(one: BegunRule, other: BegunRule): boolean {
  return one.hive === other.hive && one.branch === other.branch && one.rule === other.rule;
}

/** Whether a job was started by a rule at a branch. */
function isOf(job: EngineJob, { hive, branch, rule }: BegunRule): boolean {
  return job.ruleId === rule && job.hive === hive && job.branch === branch;
}

/**
 * When a rule starts a job, in milliseconds since 1970; undefined while its last one goes on, and where there is nothing new.
 * @param quietAt gives when the Hive has been quiet for long enough; it is called where its source strings are new.
 */
export function ruleDueAt(
  { jobs, begun }: Pick<EngineJobs, "jobs" | "begun">,
  at: BegunRule,
  quietAt: () => number,
): number | undefined {
  const last = jobs.findLast((job) => isOf(job, at));
  if (last !== undefined && isOpen(last)) return undefined;
  const known = begun.find((one) => isSameRule(one, at));
  if (known?.source !== at.source) return quietAt();
  if (last?.ended === undefined || !endsForToday.has(last.reason)) return undefined;
  return nextDay(last.ended);
}

/**
 * The jobs after a rule has begun.
 * @param at the rule, with the source strings that it has begun with.
 * @param job undefined where there was nothing to do.
 */
export function withBegun(before: EngineJobs, at: BegunRule, job: EngineJob | undefined): EngineJobs {
  const others = before.begun.filter((one) => !isSameRule(one, at));
  return {
    ...before,
    jobs: job === undefined ? before.jobs : [...before.jobs, job],
    begun: [...others, at],
  };
}
