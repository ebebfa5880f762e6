/** Starts jobs that have an engine translate locales of a Hive, lists and stops them. */
import { jobWants, usualJobWant, type JobWant } from "../../domain/hives/locale-rule.ts";
import { branchNameOf, mainBranch, slugOf, type HiveBranch } from "../../domain/commits/branch-name.ts";
import { serves, type Engine } from "../../domain/engines/engine.ts";
import { endedJob, isOpen as isOpenJob, maxWaitingJobs, type EngineJob } from "../../domain/engines/job.ts";
import { failure, invalid } from "../../domain/errors.ts";
import type { HiveSettings } from "../../domain/hives/hive-settings.ts";
import { codeOf, type Locale } from "../../domain/hives/locale.ts";
import { pageOf, type OffsetLimit, type Page } from "../../domain/pagination.ts";
import { toBits } from "../../domain/work/queue.ts";
import { randomId } from "../admin/tokens.ts";
import { requireAbility, type Caller } from "../access.ts";
import type { DeliveryStorage } from "../storage.ts";
import { walkQueue } from "../work/locale-queue.ts";
import { openQueue, workLocale } from "../work/open-queue.ts";
import { ClaimIndex } from "../work/claims.ts";
import { openForms, openTexts } from "./open-texts.ts";
import { engineNamed, requireEnginesAllowed } from "./suggestions.ts";
import { formsOf } from "../../domain/work/queue.ts";

export interface JobRequest {
  /** Codes as the caller gave them. */
  readonly locales: readonly string[];
  /** Left out if one engine of the team serves all the locales. */
  readonly engine?: string;
  /** {@link usualJobWant} where it is undefined. */
  readonly want?: readonly JobWant[];
  readonly maxItems?: number;
  readonly maxCharacters?: number;
}

/** What a job would do. */
export interface JobEstimate {
  /** Strings. */
  readonly items: number;
  /** Characters of their source texts. */
  readonly characters: number;
}

interface Checked {
  readonly settings: HiveSettings;
  readonly locales: readonly Locale[];
  readonly engine: Engine;
}

/**
 * Starts a job. A server begins with it within seconds.
 * @throws SkepError `forbidden` when the token lacks `read` or `write`, is limited to other locales, or the Hive forbids
 * engines (`engines_off`); `invalid` on `locales`, `engine`; `quota` (`limit_reached`) when too many jobs wait.
 */
export async function startJob(
  storage: DeliveryStorage,
  caller: Caller,
  branch: HiveBranch,
  request: JobRequest,
): Promise<EngineJob> {
  const { locales, engine } = await check(storage, caller, branch, request);
  const { total } = await countOpen(storage, caller, branch, { locales, want: request.want });
  const hive = slugOf(branch);
  const { token, person } = caller.principal;
  if (token === undefined && person === undefined)
    throw failure("forbidden", "A job is started by a person or a token, with whose rights it writes.");
  const job: EngineJob = {
    id: randomId(),
    hive,
    branch: branchNameOf(branch),
    by: { ...(token !== undefined && { token }), ...(person !== undefined && { person }) },
    engine: engine.name,
    locales: locales.map(({ code }) => code),
    ...(request.want !== undefined && { want: jobWants.filter((state) => request.want?.includes(state)) }),
    ...(request.maxItems !== undefined && { maxItems: request.maxItems }),
    ...(request.maxCharacters !== undefined && { maxCharacters: request.maxCharacters }),
    ...newJob,
    total,
    created: storage.now(),
  };
  return storage.engineJobs.change(caller.team.name, (before) => {
    if (before.jobs.filter((one) => one.hive === hive && isOpenJob(one)).length >= maxWaitingJobs)
      throw failure("quota", `${maxWaitingJobs} jobs of this Hive wait already.`, {
        publicCode: "limit_reached",
      });
    return [{ ...before, jobs: [...before.jobs, job] }, job];
  });
}

/** What every job begins with. */
export const newJob = {
  state: "waiting",
  saved: 0,
  refused: 0,
  characters: 0,
  tokens: 0,
  requests: 0,
} as const satisfies Partial<EngineJob>;

/** What a job would do now. @throws as {@link startJob}. */
export async function estimateJob(
  storage: DeliveryStorage,
  caller: Caller,
  branch: HiveBranch,
  request: JobRequest,
): Promise<JobEstimate> {
  const { locales } = await check(storage, caller, branch, request);
  const { total, characters } = await countOpen(storage, caller, branch, { locales, want: request.want });
  return { items: total, characters };
}

async function check(
  storage: DeliveryStorage,
  caller: Caller,
  branch: HiveBranch,
  { locales: codes, engine: wanted }: JobRequest,
): Promise<Checked> {
  for (const ability of ["read", "write"] as const) requireAbility(caller, ability);
  const { settings } = await storage.hives.at(branch).snapshot();
  requireEnginesAllowed(settings);
  const locales = [...new Set(codes)].map((code) => workLocale(caller, branch, settings, code));
  const own = storage.engines.lists.read(caller.team.name);
  const serving = own.filter((engine) => locales.every((locale) => serves(engine, locale)));
  const [first] = serving;
  const engine = wanted === undefined ? first : engineNamed(storage, caller, wanted);
  if (engine === undefined)
    throw invalid("engine", "there is none that translates into these locales", {
      publicCode: "unknown_engine",
    });
  if (wanted === undefined && serving.length > 1)
    throw invalid(
      "engine",
      `must be given, since several serve: ${serving.map(({ name }) => name).join(", ")}`,
    );
  const unserved = locales.find((locale) => !serves(engine, locale));
  if (unserved !== undefined) throw invalid("engine", `does not translate into ${codeOf(unserved)}`);
  return { settings, locales, engine };
}

/** How many strings there are to translate, and the characters of their source texts. */
export async function countOpen(
  storage: DeliveryStorage,
  caller: Caller,
  branch: HiveBranch,
  { locales, want = usualJobWant }: Pick<JobRequest, "want"> & Pick<Checked, "locales">,
): Promise<{ readonly total: number; readonly characters: number }> {
  let [total, characters] = [0, 0];
  for (const locale of locales) {
    const { queue } = await openQueue(storage, caller, branch, { locale: codeOf(locale), want });
    const isOpen = await openTexts(storage, branch, { locale, want });
    const place = { owner: "", branch: branchNameOf(branch), locale: locale.code };
    const held = new ClaimIndex({ claims: [], skipped: [] }, place);
    const names = [...queue.content.source.keys()];
    await walkQueue(queue, held, names, toBits(want), undefined, ({ name, file, key }) => {
      const open = openForms(isOpen, name, file, key);
      if (open.size > 0) total++;
      for (const form of formsOf(file, key) ?? []) if (open.has(form.key)) characters += form.source.length;
      return true;
    });
  }
  return { total, characters };
}

/** The jobs of a Hive, the newest first. */
export async function listJobs(
  storage: DeliveryStorage,
  { team }: Caller,
  branch: HiveBranch,
  paging: OffsetLimit,
): Promise<Page<EngineJob>> {
  const { jobs } = await storage.engineJobs.read(team.name);
  const hive = slugOf(branch);
  return pageOf(jobs.filter((job) => job.hive === hive).toReversed(), paging);
}

/** @throws SkepError `not-found` (`unknown_job`). */
export async function findJob(
  storage: DeliveryStorage,
  { team }: Caller,
  branch: HiveBranch,
  id: string,
): Promise<EngineJob> {
  const { jobs } = await storage.engineJobs.read(team.name);
  const found = jobs.find((job) => job.id === id && job.hive === slugOf(branch));
  if (found === undefined) throw unknownJob();
  return found;
}

/** Stops a job; the batch that an engine is asked for now is the last. One that has ended stays as it is. */
export async function stopJob(
  storage: DeliveryStorage,
  caller: Caller,
  branch: HiveBranch,
  id: string,
): Promise<EngineJob> {
  const before = await findJob(storage, caller, branch, id);
  const stopped = await storage.engineJobs.changeJob(caller.team.name, before.id, (job) =>
    isOpenJob(job) ? endedJob(job, "stopped", storage.now()) : job,
  );
  if (stopped === undefined) throw unknownJob();
  return stopped;
}

function unknownJob(): Error {
  return failure("not-found", "There is no such job; those that have ended are kept for 30 days.", {
    publicCode: "unknown_job",
  });
}

/** The place of a job. */
export function branchOf({ hive, branch }: Pick<EngineJob, "hive" | "branch">): HiveBranch {
  return branch === mainBranch ? hive : { slug: hive, branch };
}
