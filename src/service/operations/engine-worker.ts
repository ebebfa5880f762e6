/** Works on the jobs of engines while a server runs. It has no state: what is due follows from the stored jobs. */
import { failure } from "../../domain/errors.ts";
import type { HiveSlug, TeamName } from "../../domain/names.ts";
import { openJobs, runJobs } from "../engines/run-jobs.ts";
import { HiveWorker, type HiveWork, type WorkerOptions } from "./hive-worker.ts";

/** How soon after a batch of jobs the next ones are looked for. */
const restMs = 1_000;
const busyRestMs = 5_000;
/** How soon jobs are found that another server has taken for a team that had none. */
const idleMs = 10_000;
/** How many Hives are worked on at once: each waits for its engine nearly all the time. */
const maxRuns = 8;

/** Makes the worker. */
export function engineWorker(options: WorkerOptions): HiveWorker {
  const { storage } = options;
  let due: ReadonlyMap<HiveSlug, readonly [team: TeamName, at: number]> = new Map();
  /** When the jobs of a team were read that had none which goes on. */
  const idle = new Map<TeamName, number>();
  const work: HiveWork = {
    restMs,
    busyRestMs,
    maxRuns,
    problems: { list: "could not list the jobs of engines", run: "could not work on the jobs of a Hive" },
    hiveOf: (slug) => slug,
    begin: (worker) =>
      storage.engineJobs.onChange((team) => {
        idle.delete(team);
        worker.wakeIn(0);
      }),
    units: async () => {
      const found = new Map<HiveSlug, readonly [TeamName, number]>();
      for (const team of await storage.engines.lists.names()) {
        const since = storage.now() - (idle.get(team) ?? -Infinity);
        if (since >= 0 && since < idleMs) continue;
        const jobs = await openJobs(storage, team);
        if (jobs.size === 0) idle.set(team, storage.now());
        for (const [slug, at] of jobs) found.set(slug, [team, at]);
      }
      due = found;
      return [...found.keys()];
    },
    dueAt: (slug) => Promise.resolve(due.get(slug)?.[1] ?? Infinity),
    run: async (slug, signal) => {
      const [team] = due.get(slug) ?? [];
      if (team === undefined) throw failure("not-found", `There are no jobs of the Hive ${slug}.`);
      await runJobs(storage, team, slug, signal);
    },
  };
  return new HiveWorker(work, options);
}
