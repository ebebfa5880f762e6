/** Has engines translate by the rules of locales: starts a job once a Hive has been quiet after its source has changed. */
import { hash } from "node:crypto";
import { principalOfEngine } from "../../domain/access/principal.ts";
import { mainBranch, type BranchName, type HiveBranch } from "../../domain/commits/branch-name.ts";
import type { Engine } from "../../domain/engines/engine.ts";
import type { BegunRule, EngineJob, EngineJobs } from "../../domain/engines/job.ts";
import { ruleDueAt, withBegun } from "../../domain/engines/rule.ts";
import type { HiveSettings } from "../../domain/hives/hive-settings.ts";
import type { Locale } from "../../domain/hives/locale.ts";
import type { LocaleRule } from "../../domain/hives/locale-rule.ts";
import type { HiveSlug, TeamName } from "../../domain/names.ts";
import { groupBy } from "../../domain/group-by.ts";
import { randomId } from "../admin/tokens.ts";
import type { Caller } from "../access.ts";
import type { DeliveryStorage } from "../storage.ts";
import { branchOf, countOpen, newJob } from "./jobs.ts";

/** A rule that several locales may have, at a branch. */
interface RuleHere {
  readonly at: BegunRule;
  readonly rule: LocaleRule;
  readonly engine: Engine;
  readonly locales: readonly Locale[];
}

/** When changes of branches count as quiet. */
export interface Quiet {
  /** In milliseconds since 1970. @param version of the branch. */
  readonly at: (branch: HiveBranch, version: string) => number;
  /** Forgets the changes of a branch. */
  readonly over: (branch: HiveBranch) => void;
}

/** Whether settings have rules that an engine could follow. */
export function hasRules({ targetLocales, engines }: HiveSettings): boolean {
  return engines !== false && targetLocales.some(({ auto }) => auto !== undefined);
}

/**
 * When the next rule of a Hive starts a job, in milliseconds since 1970; `Infinity` where there is nothing to do. A rule
 * whose engine is no more is idle.
 * @throws SkepError `content-invalid`; `not-found` where the Hive is no more.
 */
export async function rulesDueAt(
  storage: DeliveryStorage,
  team: TeamName,
  slug: HiveSlug,
  quiet: Quiet,
): Promise<number> {
  let due = Infinity;
  const jobs = await storage.engineJobs.read(team);
  const rules = await rulesOf(storage, team, slug);
  const waiting = new Set<BranchName>();
  for (const { at, version } of rules) {
    const quietAt = (): number => {
      waiting.add(at.branch);
      return quiet.at(branchOf(at), version);
    };
    due = Math.min(due, ruleDueAt(jobs, at, quietAt) ?? Infinity);
  }
  // A later change of the source strings begins anew.
  for (const { at } of rules) if (!waiting.has(at.branch)) quiet.over(branchOf(at));
  return due;
}

/** Starts jobs for the rules that are due. Each is started once, whatever other servers do. @throws as {@link rulesDueAt}. */
export async function startRules(
  storage: DeliveryStorage,
  team: TeamName,
  slug: HiveSlug,
  quiet: Quiet,
): Promise<void> {
  for (const { version, ...here } of await rulesOf(storage, team, slug)) {
    const { at } = here;
    const isDue = (before: EngineJobs): boolean =>
      (ruleDueAt(before, at, () => quiet.at(branchOf(at), version)) ?? Infinity) <= storage.now();
    if (!isDue(await storage.engineJobs.read(team))) continue;
    const job = await jobOf(storage, team, here);
    // Another server may have started it meanwhile.
    await storage.engineJobs.change(team, (before) =>
      isDue(before) ? [withBegun(before, at, job), undefined] : [before, undefined],
    );
    quiet.over(branchOf(at));
  }
}

/** The job that a rule starts now; undefined where there is nothing to translate. */
async function jobOf(
  storage: DeliveryStorage,
  team: TeamName,
  { at, rule, engine, locales }: RuleHere,
): Promise<EngineJob | undefined> {
  const known = await storage.registry.team(team);
  if (known === undefined) return undefined;
  const caller: Caller = { principal: principalOfEngine(engine.name, rule.review), team: known };
  const { want } = rule;
  const { total } = await countOpen(storage, caller, branchOf(at), { locales, want });
  if (total === 0) return undefined;
  return {
    id: randomId(),
    hive: at.hive,
    branch: at.branch,
    by: { engine: engine.name },
    rule,
    ruleId: at.rule,
    engine: engine.name,
    locales: locales.map(({ code }) => code),
    want,
    ...newJob,
    total,
    created: storage.now(),
  };
}

/** The rules of a Hive whose engines are there, at each branch that they are about. */
async function rulesOf(
  storage: DeliveryStorage,
  team: TeamName,
  slug: HiveSlug,
): Promise<readonly (RuleHere & { readonly version: string })[]> {
  const main = storage.hives.at(slug);
  const { settings } = await main.snapshot();
  if (!hasRules(settings)) return [];
  const engines = storage.engines.lists.read(team);
  const all = settings.targetLocales.flatMap((locale) =>
    locale.auto ? [{ locale, rule: locale.auto }] : [],
  );
  const found: (RuleHere & { readonly version: string })[] = [];
  for (const [id, some] of groupBy(all, ({ rule }) => JSON.stringify(rule))) {
    const [{ rule } = { rule: undefined }] = some;
    const engine = engines.find(({ name }) => name === rule?.engine);
    if (rule === undefined || engine === undefined) continue;
    const locales = some.map(({ locale }) => locale);
    const own = hash("sha256", JSON.stringify([id, locales.map(({ code }) => code)]), "base64url").slice(
      0,
      16,
    );
    const branches: readonly BranchName[] =
      rule.branches === true ? [...(await main.branches.list()).keys()] : [];
    for (const branch of new Set([mainBranch, ...branches])) {
      const { commit, sourceVersion } = await storage.hives.at(branchOf({ hive: slug, branch })).snapshot();
      const at = { hive: slug, branch, rule: own, source: sourceVersion };
      found.push({ at, rule, engine, locales, version: commit.oid });
    }
  }
  return found;
}
