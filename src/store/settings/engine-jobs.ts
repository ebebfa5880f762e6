/** The jobs of engines of each team, `engine-jobs/<team>.json`. A job that is lost was not finished; nothing else is. */
import { z } from "zod";
import { begunRule, kept, storedJob, type EngineJob, type EngineJobs } from "../../domain/engines/job.ts";
import type { TeamName } from "../../domain/names.ts";
import type { Documents } from "../record/record.ts";
import { VolatileFiles, withoutFormat, type VolatileChange } from "./volatile-files.ts";

const jobsFile = z
  .strictObject({
    format: z.literal(1),
    jobs: z.array(storedJob),
    begun: z.array(begunRule).default([]),
    tried: z.array(z.string()),
  })
  .transform(withoutFormat);

export class EngineJobStore extends VolatileFiles<TeamName, EngineJobs> {
  readonly #changed = new Set<(team: TeamName) => void>();

  /** @param now the time in milliseconds since 1970. */
  constructor(documents: Documents, now: () => number) {
    super(documents, {
      pathOf: (team) => `engine-jobs/${team}.json`,
      schema: jobsFile,
      empty: { jobs: [], begun: [], tried: [] },
      living: (jobs) => kept(jobs, now()),
      toJson: (jobs) => ({ format: 1, ...jobs }),
    });
  }

  /** Has a function called after each change by this process. @returns a function that ends that. */
  onChange(listener: (team: TeamName) => void): () => void {
    this.#changed.add(listener);
    return () => void this.#changed.delete(listener);
  }

  override async change<R>(team: TeamName, change: VolatileChange<EngineJobs, R>): Promise<R> {
    const result = await super.change(team, change);
    for (const listener of this.#changed) listener(team);
    return result;
  }

  /** Changes one job. @returns the job after it; undefined where it is no more. */
  changeJob(
    team: TeamName,
    id: string,
    change: (before: EngineJob) => EngineJob,
    tried: readonly string[] = [],
  ): Promise<EngineJob | undefined> {
    return this.change(team, (before) => {
      const found = before.jobs.find((one) => one.id === id);
      if (found === undefined) return [before, undefined];
      const changed = change(found);
      const jobs = before.jobs.map((one) => (one === found ? changed : one));
      return [{ ...before, jobs, tried: [...before.tried, ...tried] }, changed];
    });
  }
}
