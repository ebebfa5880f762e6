/**
 * Runs tests again and again beside busy processors, and lists what failed how often:
 *
 *     npm run test:shake -- test/disk/locks/lock.test.ts
 *     npm run test:shake -- --since main
 *     npm run test:shake -- --project rare --times 5
 */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { Worker } from "node:worker_threads";
import { describe, failedFiles } from "./verdict.ts";
import type { FileOutcome } from "./report.ts";
import { runVitest } from "./vitest-run.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    times: { type: "string", default: "20" },
    since: { type: "string" },
    project: { type: "string", multiple: true, default: [] },
  },
});
const { since, project: projects } = values;
const times = Number(values.times);
const files = [...positionals, ...(since === undefined ? [] : changedSince(since))];
if (!(times >= 1) || (files.length === 0 && projects.length === 0)) {
  console.error(
    "Name files of tests, a commit with --since, or a project with --project. --times says how often.",
  );
  process.exit(2);
}

/** Files of tests that differ from a commit, those that git does not know yet included. */
function changedSince(commit: string): readonly string[] {
  const list = (...args: string[]): readonly string[] => {
    const { status, stdout, stderr } = spawnSync("git", args, { encoding: "utf8" });
    if (status !== 0) throw new Error(stderr);
    return stdout.split("\n").filter((path) => path.endsWith(".test.ts") && existsSync(path));
  };
  return [
    ...list("diff", "--name-only", commit, "--", "test"),
    ...list("ls-files", "--others", "--exclude-standard", "test"),
  ];
}

// Threads, so that they end with this process, however that ends.
const loops = Array.from({ length: availableParallelism() }, () => new Worker("for (;;);", { eval: true }));
const failures = new Map<string, FileOutcome[]>();
let broken = 0;
for (let round = 1; round <= times; round++) {
  const named = projects.flatMap((name) => ["--project", name]);
  const { status, report } = runVitest(["npx", "vitest", "run", ...files, ...named], {
    reporters: ["dot"],
    env: { SKEP_TEST_RUNS: "full" },
  });
  const failed = report === undefined ? [] : failedFiles(report);
  for (const file of failed) failures.set(file.path, [...(failures.get(file.path) ?? []), file]);
  for (const file of failed) console.log(describe(file));
  for (const error of report?.errors ?? []) console.log(error);
  if (status !== 0 && failed.length === 0) broken++;
  console.log(`${round} of ${times}: ${status === 0 ? "passed" : `${failed.length} files failed`}`);
}
await Promise.all(loops.map((loop) => loop.terminate()));

for (const [path, outcomes] of failures) {
  console.log(`${path}: failed ${outcomes.length} of ${times} times`);
  const tests = outcomes.flatMap((file) => file.failures.map(({ test }) => test));
  for (const test of new Set(tests)) console.log(`  ${tests.filter((one) => one === test).length} × ${test}`);
}
if (broken > 0) console.log(`${broken} of ${times} runs failed outside of all files`);
if (failures.size === 0 && broken === 0) console.log(`Nothing failed in ${times} runs.`);
else process.exitCode = 1;
