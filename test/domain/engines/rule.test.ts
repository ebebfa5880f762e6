import { describe, expect, it } from "vitest";
import { mainBranch, toBranchName } from "../../../src/domain/commits/branch-name.ts";
import { toEngineName } from "../../../src/domain/engines/engine.ts";
import { kept, type BegunRule, type EngineJob, type EngineJobs } from "../../../src/domain/engines/job.ts";
import { ruleDueAt, withBegun } from "../../../src/domain/engines/rule.ts";
import { toHiveSlug } from "../../../src/domain/names.ts";

const noon = Date.parse("2026-03-04T12:00:00Z");
const midnight = Date.parse("2026-03-05T00:00:00Z");
const at: BegunRule = { hive: toHiveSlug("web"), branch: mainBranch, rule: "r", source: "s1" };
const none: EngineJobs = { jobs: [], begun: [], tried: [] };
const quiet = noon + 1_000;

const job = (more: Partial<EngineJob> = {}): EngineJob => ({
  id: "j",
  hive: at.hive,
  branch: at.branch,
  by: { engine: toEngineName("gpt") },
  ruleId: at.rule,
  engine: toEngineName("gpt"),
  locales: [],
  state: "done",
  reason: "complete",
  total: 1,
  saved: 1,
  refused: 0,
  characters: 1,
  tokens: 1,
  requests: 1,
  created: noon,
  ended: noon,
  ...more,
});

describe("a rule", () => {
  const begun = withBegun(none, at, job());
  const open = job({ state: "running", reason: undefined, ended: undefined });
  it.each<[string, EngineJobs, BegunRule, number | undefined]>([
    ["that has never begun starts when it is quiet", none, at, quiet],
    ["whose source is the same has nothing to do", begun, at, undefined],
    ["whose source has changed starts when it is quiet", begun, { ...at, source: "s2" }, quiet],
    ["of other locales is another one", begun, { ...at, rule: "other" }, quiet],
    ["at another branch is another one", begun, { ...at, branch: toBranchName("next") }, quiet],
    ["waits for its job", withBegun(none, at, open), { ...at, source: "s2" }, undefined],
    ["ended by the budget goes on next day", withBegun(none, at, job({ reason: "budget" })), at, midnight],
    ["whose engine failed goes on next day", withBegun(none, at, job({ reason: "engine" })), at, midnight],
    [
      "that somebody stopped waits for a change",
      withBegun(none, at, job({ reason: "stopped" })),
      at,
      undefined,
    ],
    ["with nothing to do waits for a change", withBegun(none, at, undefined), at, undefined],
  ])("%s", (_, jobs, one, due) => {
    expect(ruleDueAt(jobs, one, () => quiet)).toBe(due);
  });

  it("is known once, however often it begins, and as long as it is kept", () => {
    const twice = withBegun(withBegun(none, at, undefined), { ...at, source: "s2" }, undefined);
    expect(twice.begun).toEqual([{ ...at, source: "s2" }]);
    expect(kept(twice, noon + 400 * 86_400_000).begun).toEqual(twice.begun);
  });
});
