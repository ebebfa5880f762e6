/**
 * Works on the jobs of engines, a batch after the other: strings are claimed as any caller claims them, and what the engine
 * gives is stored as any answer to work. Each batch is one commit, and is noted before the next one begins, so that whoever
 * goes on after a kill loses at most one batch.
 */
import type { EngineFault } from "../../domain/engines/engine-use.ts";
import { engineFacts } from "../../domain/engines/engine.ts";
import {
  endedJob,
  isOpen,
  maxJobFailures,
  maxJobRefused,
  nextJob,
  type EngineJob,
  type JobReason,
} from "../../domain/engines/job.ts";
import { isFailure, isSkepError } from "../../domain/errors.ts";
import { principalOfEngine } from "../../domain/access/principal.ts";
import { codeOf, type Locale } from "../../domain/hives/locale.ts";
import type { HiveSlug, TeamName } from "../../domain/names.ts";
import { seenAs } from "../../domain/work/queue.ts";
import type { AnsweredItem, WorkForm, WorkItem, WorkResult } from "../../domain/work/work.ts";
import { authorizeHive, currentPrincipal, hiveWriteContext, type Caller } from "../access.ts";
import type { ContentStorage, DeliveryStorage, Storage } from "../storage.ts";
import { releaseClaim } from "../work/claims.ts";
import { completeWork } from "../work/complete-work.ts";
import { claimedIn, claimSeconds, type Claimed, type Running } from "./claimed-strings.ts";
import { engineItem } from "./engine-items.ts";
import { EngineFailure } from "./engine-request.ts";
import { branchOf } from "./jobs.ts";
import { requireEnginesAllowed } from "./suggestions.ts";
import { sendable } from "./sent-strings.ts";
import { modelNameOf } from "./suggested-text.ts";
import { charactersOf, translateItems } from "./translate-items.ts";

/** How many characters of source texts one batch has. */
const batchCharacters = 10_000;
/** How long one request may take. */
const timeoutMs = 60_000;

/** The Hives of a team with jobs that go on, and when. @returns milliseconds since 1970 by Hive. */
export async function openJobs(
  storage: Pick<Storage, "engineJobs" | "now">,
  team: TeamName,
): Promise<ReadonlyMap<HiveSlug, number>> {
  const { jobs } = await storage.engineJobs.read(team);
  const due = new Map<HiveSlug, number>();
  for (const { hive } of jobs) {
    const job = due.has(hive) ? undefined : nextJob(jobs, hive);
    if (job !== undefined) due.set(hive, job.retry ?? storage.now());
  }
  return due;
}

/**
 * Works on the jobs of a Hive, one after the other, until none is left, the engine has to be left alone, or the signal says so.
 * @throws SkepError `busy` when another server works on them.
 */
export async function runJobs(
  storage: Storage,
  team: TeamName,
  hive: HiveSlug,
  signal: AbortSignal,
): Promise<void> {
  await storage.record.jobs.hold(
    `engine-${hive}`,
    async (lock) => {
      while (!signal.aborted) {
        const job = nextJob((await storage.engineJobs.read(team)).jobs, hive);
        if (job === undefined || (job.retry ?? 0) > storage.now()) return;
        await lock.assertHeld();
        await runBatch(storage, team, job, signal);
      }
    },
    [hive],
  );
}

/** One batch of a job: it is begun, goes on, or has ended after it. */
async function runBatch(
  storage: ContentStorage & DeliveryStorage,
  team: TeamName,
  job: EngineJob,
  signal: AbortSignal,
): Promise<void> {
  const end = (reason: JobReason, error?: string): Promise<unknown> =>
    changeOpen(storage, team, job, (now) => endedJob(now, reason, storage.now(), error));
  try {
    const running = await opened(storage, team, job, signal);
    if (running === undefined) return void (await end("engine", "the engine is no more"));
    // The rule was changed: one that begins anew has a job of its own.
    if (job.rule !== undefined && running.locales.length === 0) return void (await end("stopped"));
    if (job.refused >= maxJobRefused)
      return void (await end("engine", `it gave no text that passes for ${maxJobRefused} strings`));
    const asked = job.saved + job.refused;
    if (job.maxItems !== undefined && asked >= job.maxItems) return void (await end("limit"));
    if (job.state === "waiting")
      await changeOpen(storage, team, job, (now) => ({ ...now, state: "running" }));
    const claimed = await claimedIn(storage, running);
    if (claimed !== undefined) {
      if (!(await translateBatch(storage, running, claimed))) await end("limit");
      return;
    }
    const { holds = 0 } = job;
    if (holds <= storage.now()) return void (await end("complete"));
    // Whoever was killed holds some strings still.
    await changeOpen(storage, team, job, (now) => ({ ...now, retry: holds }));
  } catch (error) {
    if (signal.aborted) return;
    if (isFailure(error, "engine-failed")) return failed(storage, team, job, error);
    const isRefused = ["unauthenticated", "forbidden", "invalid", "not-found"].some(
      (code) => isSkepError(error) && error.code === code,
    );
    if (!isRefused || !isSkepError(error)) throw error;
    await end("access", error.message);
  }
}

/** Changes a job unless it has ended: somebody may stop it at any moment. */
function changeOpen(
  { engineJobs }: Pick<Storage, "engineJobs">,
  team: TeamName,
  { id }: EngineJob,
  change: (before: EngineJob) => EngineJob,
): Promise<unknown> {
  return engineJobs.changeJob(team, id, (before) => (isOpen(before) ? change(before) : before));
}

/** Notes that an engine did not answer, and when it is asked again; a job that it can never answer ends. */
async function failed(storage: DeliveryStorage, team: TeamName, job: EngineJob, error: Error): Promise<void> {
  const fault: EngineFault =
    error.cause instanceof EngineFailure ? error.cause.fault : { kind: "down", error: error.message };
  const now = storage.now();
  const failures = (job.failures ?? 0) + 1;
  const reason: JobReason | undefined =
    fault.kind === "budget" || fault.kind === "spent"
      ? "budget"
      : fault.kind === "access" || failures >= maxJobFailures
        ? "engine"
        : undefined;
  const retry = now + Math.max(fault.retryAfterMs ?? 0, 1_000 * 2 ** Math.min(failures, 9));
  await changeOpen(storage, team, job, (before) =>
    reason === undefined
      ? { ...before, failures, retry, error: fault.error }
      : endedJob(before, reason, now, fault.error),
  );
}

/** @returns undefined where the engine is no more. @throws SkepError where whoever started it may not do it any more. */
async function opened(
  storage: DeliveryStorage,
  team: TeamName,
  job: EngineJob,
  signal: AbortSignal,
): Promise<Running | undefined> {
  const known = await storage.registry.team(team);
  const engine = storage.engines.lists.read(team).find(({ name }) => name === job.engine);
  if (known === undefined || engine === undefined) return undefined;
  const { rule } = job;
  const principal = rule
    ? principalOfEngine(rule.engine, rule.review)
    : await currentPrincipal(storage, job.by);
  const caller = { principal, team: known };
  authorizeHive(caller, job.hive, "write");
  const snapshot = await storage.hives.at(branchOf(job)).snapshot();
  requireEnginesAllowed(snapshot.settings);
  const { source } = await snapshot.content([]);
  const isRuled = ({ auto }: Locale): boolean =>
    rule === undefined || JSON.stringify(auto) === JSON.stringify(rule);
  const locales = snapshot.settings.targetLocales.filter(
    (locale) => job.locales.includes(locale.code) && isRuled(locale),
  );
  return { job, team, caller, engine, locales, source, signal };
}

/** What became of a batch, for the job. */
interface Outcome {
  readonly saved: number;
  readonly refused: readonly string[];
  readonly characters: number;
  readonly tokens: number;
  readonly requests: number;
}

/** @returns whether an engine was asked: not where the next text is more than the job may send. */
async function translateBatch(
  storage: ContentStorage & DeliveryStorage,
  running: Running,
  claimed: Claimed,
): Promise<boolean> {
  const { job, team, caller, engine } = running;
  const { claim, items } = claimed.work;
  const all = items.map((item): Open => ({
    item,
    forms: item.forms.filter(({ key }) => claimed.openIn(item).has(key)),
  }));
  const left = (job.maxCharacters ?? Infinity) - job.characters;
  const open = withinCharacters(
    all,
    Math.min(left, Math.max(batchCharacters, charactersOf(all.slice(0, 1)))),
  );
  const holds = storage.now() + claimSeconds * 1_000;
  try {
    if (open.length === 0) return false;
    await changeOpen(storage, team, job, (before) => ({ ...before, holds }));
    const { saved, refused, ...amounts } = await answered(storage, running, claimed, open);
    await storage.engines.changeUse(team, engine.name, (before) => [
      { ...before, saved: before.saved + saved, refused: before.refused + refused.length },
      undefined,
    ]);
    await storage.engineJobs.changeJob(
      team,
      job.id,
      (before) => {
        const { failures: _, retry: __, error: ___, holds: ____, ...others } = before;
        return {
          ...others,
          saved: before.saved + saved,
          refused: before.refused + refused.length,
          characters: before.characters + amounts.characters,
          tokens: before.tokens + amounts.tokens,
          requests: before.requests + amounts.requests,
        };
      },
      refused,
    );
    return true;
  } finally {
    if (claim !== undefined) await release(storage, caller, job, claim);
  }
}

async function release(
  storage: ContentStorage,
  caller: Caller,
  job: EngineJob,
  claim: string,
): Promise<void> {
  try {
    await releaseClaim(storage, caller, branchOf(job), claim);
  } catch (error) {
    // All its strings were answered, or its time is over.
    if (!isFailure(error, "not-found")) throw error;
  }
}

/** An item of a batch, with the forms that are to be translated and why the last answer was refused. */
interface Open {
  readonly item: WorkItem;
  readonly forms: readonly WorkForm[];
  readonly refused?: object;
}

async function answered(
  storage: ContentStorage & DeliveryStorage,
  running: Running,
  claimed: Claimed,
  first: readonly Open[],
): Promise<Outcome> {
  const { job, engine } = running;
  let open = first;
  const refused: string[] = [];
  let [saved, characters, tokens, requests] = [0, 0, 0, 0];
  // Where its answer is refused, one that takes instructions is told why, once.
  const runs = engineFacts[engine.type].takesInstructions ? 2 : 1;
  for (let run = 1; run <= runs && open.length > 0; run++) {
    const asked = open;
    const made = await translated(storage, running, claimed, asked);
    [characters, tokens, requests] = [characters + made.characters, tokens + made.tokens, requests + 1];
    const results = await stored(storage, running, claimed, made.answers, made.model);
    const again: Open[] = [];
    for (const { item, forms } of asked) {
      const result = results.get(item);
      if (result?.status === "saved") saved++;
      else if (result?.status === "refused" && run < runs)
        again.push({ item, forms, refused: { message: result.message, findings: result.findings } });
      // Somebody else has answered it, or its source text is another one.
      else if (result === undefined || result.status === "refused") refused.push(claimed.hashOf(item));
    }
    open = withinCharacters(again, (job.maxCharacters ?? Infinity) - job.characters - characters);
    for (const { item } of again.slice(open.length)) refused.push(claimed.hashOf(item));
  }
  return { saved, refused, characters, tokens, requests };
}

/** The first strings whose source texts have so many characters together. */
function withinCharacters(items: readonly Open[], most: number): readonly Open[] {
  return items.filter((_, i) => charactersOf(items.slice(0, i + 1)) <= most);
}

interface Made {
  readonly answers: readonly (readonly [item: WorkItem, forms: ReadonlyMap<string, string>])[];
  readonly model: string | undefined;
  readonly characters: number;
  readonly tokens: number;
}

async function translated(
  storage: DeliveryStorage,
  { team, engine, source, signal, job }: Running,
  { locale, work }: Claimed,
  open: readonly Open[],
): Promise<Made> {
  const sent = await sendable(
    storage,
    branchOf(job),
    open.map(({ item }) => item),
  );
  const items = open.map(({ item: whole, forms, refused }, i) => {
    const item = sent[i] ?? whole;
    const strings = source.get(item.file) ?? { texts: new Map<string, string>() };
    return engineItem(item, strings, forms, refused);
  });
  const { settings, style } = work;
  const asked = { team, engine, locale, sourceLocale: settings.sourceLocale, style, signal, timeoutMs };
  const { texts, model, characters, tokens } = await translateItems(storage, asked, items);
  const answers = open.flatMap(({ item }, i): Made["answers"] => {
    const forms = texts[i];
    return forms === undefined || forms.size === 0 ? [] : [[item, forms]];
  });
  return { answers, model: modelNameOf({ engine: job.engine, model }), characters, tokens };
}

/** Stores texts as answers to work. @returns what became of each string. */
async function stored(
  storage: ContentStorage,
  { job, caller }: Running,
  { locale, isOpen: mayWrite }: Claimed,
  answers: Made["answers"],
  model: string | undefined,
): Promise<ReadonlyMap<WorkItem, WorkResult>> {
  if (answers.length === 0) return new Map();
  // Whoever started the job may have answered a string themselves, and so ended its claim.
  const items = answers.map(([{ file, key, expected }, forms]): AnsweredItem => ({
    file,
    key,
    expected: seenAs(expected),
    answer: { kind: "forms", forms, approve: false },
  }));
  const origin = { kind: "model", name: model } as const;
  const context = hiveWriteContext(storage, authorizeHive(caller, job.hive, "write"), {
    ref: `job ${job.id}`,
  });
  const done = { locale: codeOf(locale), items, origin, mayWrite, want: job.want };
  const { result } = await completeWork(storage, caller, branchOf(job), done, context);
  return new Map(
    answers.flatMap(([item], i) => (result[i] === undefined ? [] : [[item, result[i]] as const])),
  );
}
