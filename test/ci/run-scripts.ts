/**
 * Runs npm scripts of tests for `.ci/run`: `tsx test/ci/run-scripts.ts test test:rare`. A file of tests that fails is run once
 * more, alone, with the same random examples for each commit. If it then passes, so does the run, and the last lines name the
 * file with its first failure.
 */
import { describe, failedFiles, judge, type ScriptRun } from "./verdict.ts";
import type { FileOutcome } from "./report.ts";
import { runVitest } from "./vitest-run.ts";

/** What the first script has built is there for the others. */
function runScript(script: string, index: number): ScriptRun {
  const env: Record<string, string> = index === 0 ? {} : { SKEP_TEST_BUILT: "yes" };
  return { script, ...runVitest(["npm", "run", script, "--"], { reporters: ["default"], env }) };
}

/**
 * Where the random examples of a second try begin. The first try draws others for each commit, and thus finds faults that are
 * older than the commit: these are told, and do not refuse what has nothing to do with them.
 */
const seed = "1";

/** Runs one file by itself. @returns its new outcome, or the one it had where there is none. */
function runAlone(file: FileOutcome): FileOutcome {
  console.log(`\nOnce more, alone: ${file.path}`);
  const project = file.project === "" ? [] : ["--project", file.project];
  const command = ["npx", "vitest", "run", file.path, ...project, "--maxWorkers=1"];
  const env = { SKEP_TEST_RUNS: "full", SKEP_TEST_SEED: seed };
  const { status, report } = runVitest(command, { reporters: ["default"], env });
  const again = report?.files.find(({ path, project: its }) => path === file.path && its === file.project);
  if (again === undefined) return file;
  const hasFailed = status !== 0 || report?.errors.length !== 0;
  return hasFailed && again.failures.length === 0 ? { ...again, failures: file.failures } : again;
}

function sum(files: readonly FileOutcome[], count: (file: FileOutcome) => number): number {
  return files.reduce((total, file) => total + count(file), 0);
}

const runs = process.argv.slice(2).map(runScript);
const verdict = judge(runs);
const first = runs.flatMap(({ report }) => report?.files ?? []);
const again = new Map("again" in verdict ? verdict.again.map((file) => [file, runAlone(file)]) : []);
const files = first.map((file) => again.get(file) ?? file);

const failed = failedFiles({ files, errors: [] });
const flaky = [...again].filter(([, { failures }]) => failures.length === 0).map(([file]) => file);
for (const file of failed) console.log(describe(file));
if ("broken" in verdict) console.log(verdict.broken);
if (flaky.length > 0) console.log(["Flaky:", ...flaky.map(describe)].join("\n"));

// What failed beside the tests counts as one.
const failures = sum(failed, (file) => Math.max(file.failed, 1));
const isBroken = failures > 0 || "broken" in verdict;
console.log(`${sum(files, (file) => file.passed)} passed, ${isBroken ? Math.max(failures, 1) : 0} failed`);
if (isBroken) process.exitCode = 1;
