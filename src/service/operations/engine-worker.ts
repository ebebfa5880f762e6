/**
 * Works on the jobs of engines while a server runs, and starts those of rules. It has no state that matters: what is due
 * follows from the stored jobs and from the Hives.
 */
import { failure } from "../../domain/errors.ts";
import { branchNameOf, slugOf, type HiveBranch } from "../../domain/commits/branch-name.ts";
import type { HiveSlug, Oid, TeamName } from "../../domain/names.ts";
import { openJobs, runJobs } from "../engines/run-jobs.ts";
import { hasRules, rulesDueAt, startRules, type Quiet } from "../engines/rules.ts";
import { quietMs, QuietChanges } from "./quiet-changes.ts";
import { HiveWorker, type HiveWork, type WorkerOptions } from "./hive-worker.ts";

/** How soon after a batch of jobs the next ones are looked for. */
const restMs = 1_000;
const busyRestMs = 5_000;
/** How soon jobs are found that another server has taken for a team that had none. */
const idleMs = 10_000;
/** How many Hives are worked on at once: each waits for its engine nearly all the time. */
const maxRuns = 8;

function keyOf(branch: HiveBranch): string {
  return `${slugOf(branch)} ${branchNameOf(branch)}`;
}

/** Makes the worker. */
export function engineWorker(options: WorkerOptions): HiveWorker {
  const { storage } = options;
  let due: ReadonlyMap<HiveSlug, { readonly team: TeamName; readonly job: number }> = new Map();
  /** When the jobs of a team were read that had none which goes on. */
  const idle = new Map<TeamName, number>();
  const changes = new QuietChanges<string>(storage.now);
  /** Whether a Hive has rules, by the commit that its settings were read at. */
  const ruled = new Map<HiveSlug, { readonly head: Oid; readonly hasRules: boolean }>();

  const quiet: Quiet = {
    at: (branch, version) => changes.quietAt(keyOf(branch), version),
    over: (branch) => changes.delete(keyOf(branch)),
  };

  /** Whether a Hive has rules; one that cannot be read has none. */
  async function isRuled(slug: HiveSlug): Promise<boolean> {
    try {
      // A rule comes by a commit, and the copy of a database only gets those of other servers when somebody asks.
      await storage.hives.recorded(slug).catchUp();
      const hive = storage.hives.at(slug);
      const head = hive.head("recent");
      const known = ruled.get(slug);
      if (known?.head === head) return known.hasRules;
      const { settings, commit } = await hive.snapshot();
      const found = { head: commit.oid, hasRules: hasRules(settings) };
      ruled.set(slug, found);
      return found.hasRules;
    } catch {
      return false;
    }
  }

  const work: HiveWork = {
    restMs,
    busyRestMs,
    maxRuns,
    problems: { list: "could not list the jobs of engines", run: "could not work on the jobs of a Hive" },
    hiveOf: (slug) => slug,
    begin: (worker) => {
      const ends = [
        storage.engineJobs.onChange((team) => {
          idle.delete(team);
          worker.wakeIn(0);
        }),
        storage.onCommit((slug) => {
          // The first commit with a rule is found by looking at all.
          if (ruled.get(slug)?.hasRules === true) worker.checkNow(slug);
          else worker.wakeIn(quietMs);
        }),
      ];
      return () => {
        for (const end of ends) end();
      };
    },
    units: async () => {
      const found = new Map<HiveSlug, { readonly team: TeamName; readonly job: number }>();
      for (const team of await storage.engines.lists.names()) {
        for (const slug of (await storage.registry.team(team))?.hives ?? [])
          if (await isRuled(slug)) found.set(slug, { team, job: Infinity });
        const since = storage.now() - (idle.get(team) ?? -Infinity);
        if (since >= 0 && since < idleMs) continue;
        const jobs = await openJobs(storage, team);
        if (jobs.size === 0) idle.set(team, storage.now());
        for (const [slug, job] of jobs) found.set(slug, { team, job });
      }
      due = found;
      return [...found.keys()];
    },
    dueAt: async (slug) => {
      const known = due.get(slug);
      if (known === undefined) return Infinity;
      const { team, job } = known;
      const isWaiting = ruled.get(slug)?.hasRules === true && job > storage.now();
      return isWaiting ? Math.min(job, await rulesDueAt(storage, team, slug, quiet)) : job;
    },
    run: async (slug, signal) => {
      const known = due.get(slug);
      if (known === undefined) throw failure("not-found", `There are no jobs of the Hive ${slug}.`);
      if (ruled.get(slug)?.hasRules === true) await startRules(storage, known.team, slug, quiet);
      await runJobs(storage, known.team, slug, signal);
    },
  };
  return new HiveWorker(work, options);
}
