import { spawnSync } from "node:child_process";
import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * What takes long and can only break rarely, or needs programs beside git: kills under load, disks that fail, several
 * servers, PostgreSQL, proxies, browsers.
 */
const rare = [
  "test/commands/serve/watchdog.test.ts",
  "test/deploy/*.test.ts",
  "test/docs/shots.test.ts",
  "test/e2e/{console,database,events}/*.test.ts",
  "test/e2e/{backup,demo,docs,heap,kill,mirrors,package,packing,two-servers}.test.ts",
  "test/security/hostile-pushes.test.ts",
  "test/commands/database.test.ts",
  "test/service/operations/{backup-failures,shared-jobs}.test.ts",
  "test/store/failing-disk.test.ts",
  "test/store/postgres/**/*.test.ts",
];

/** What starts processes, or goes through every point at which a write can be cut off. */
const thorough = [
  "test/apps/vite.test.ts",
  "test/e2e/**/*.test.ts",
  "test/ci/run-scripts.test.ts",
  "test/client/repository/*.test.ts",
  "test/client/code/types.test.ts",
  "test/client/translate/run-filter.test.ts",
  "test/commands/client/{branches,formats,keys-as-texts,mcp,push-expected,push-base,translate}.test.ts",
  "test/commands/clone/check.test.ts",
  "test/commands/init/terminal.test.ts",
  "test/commands/program/earlier-flags.test.ts",
  "test/disk/locks/lock.test.ts",
  "test/docs/{branches,ci-jobs,commands,models,privacy,recipes}.test.ts",
  "test/formats/held/installed-programs.test.ts",
  "test/formats/{exchange,patch}/growth.test.ts",
  "test/git/{packs,process,refs}/*.test.ts",
  "test/git/serve/upload-pack.test.ts",
  "test/http/model.test.ts",
  "test/http/mcp/conformance.test.ts",
  "test/http/openapi/openapi-tools.test.ts",
  "test/http/routes/{clone,reference}.test.ts",
  "test/security/{forgery,git-config,mirrors,names,pushed-objects,pushes,work}.test.ts",
  "test/service/content/history.test.ts",
  "test/service/operations/{backup,kept-branches}.test.ts",
  "test/store/content/cold-read.test.ts",
  "test/store/history/installed-git.test.ts",
  "test/store/migration/*.test.ts",
  "test/store/verify/{heal,object-check}.test.ts",
  "test/store/{crash,refused-writes}.test.ts",
];

/**
 * Files that take long for their size, the longest first. Without results of an earlier run Vitest begins with the
 * largest files: these would be the last ones, with nothing beside them.
 */
const slow = [
  "test/e2e/database/patroni.test.ts",
  "test/store/failing-disk.test.ts",
  "test/e2e/console/layout.test.ts",
  "test/e2e/console/translate.test.ts",
  "test/e2e/console/editing.test.ts",
  "test/e2e/console/stories.test.ts",
  "test/e2e/database/servers.test.ts",
  "test/e2e/database/histories.test.ts",
  "test/store/postgres/steps.test.ts",
  "test/e2e/packing.test.ts",
  "test/e2e/mirrors.test.ts",
  "test/deploy/proxies.test.ts",
  "test/store/postgres/failures/silence.test.ts",
  "test/deploy/image.test.ts",
  "test/store/postgres/copies.test.ts",
  "test/store/postgres/writers.test.ts",
  "test/deploy/object-storage.test.ts",
  "test/e2e/console/languages.test.ts",
  "test/e2e/console/oauth.test.ts",
  "test/e2e/console/long.test.ts",
  "test/store/postgres/contract.test.ts",
  "test/commands/serve/watchdog.test.ts",
  "test/security/hostile-pushes.test.ts",
  "test/store/postgres/failures/faults.test.ts",
  "test/e2e/kill.test.ts",
  "test/e2e/docs.test.ts",
  "test/e2e/package.test.ts",
  "test/e2e/demo.test.ts",
  "test/security/work.test.ts",
  "test/ci/run-scripts.test.ts",
  "test/formats/patch/growth.test.ts",
  "test/formats/exchange/growth.test.ts",
  "test/store/crash.test.ts",
  "test/http/model.test.ts",
  "test/http/openapi/openapi-tools.test.ts",
];

function rank({ moduleId }: TestSpecification): number {
  const place = slow.findIndex((path) => moduleId.endsWith(path));
  return place === -1 ? slow.length : place;
}

class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- this is no array
    const sorted = await super.sort(files);
    // One project after the other: a worker that changes between them loads everything again.
    return sorted.toSorted((a, b) => a.project.name.localeCompare(b.project.name) || rank(a) - rank(b));
  }
}

// A full run draws the random examples of its properties from the tree of the commit: each commit tries others, and always
// the same ones.
if (process.env.SKEP_TEST_RUNS === "full") {
  const { stdout } = spawnSync("git", ["rev-parse", "HEAD^{tree}"], { encoding: "utf8" });
  process.env.SKEP_TEST_SEED ??= String(Number.parseInt(stdout.slice(0, 7), 16) || 1);
}

/** What each project has. It does not have the number of workers: `--maxWorkers` would not change it there. */
const each = {
  globalSetup: "test/helpers/temporary-folder.ts",
  setupFiles: ["test/helpers/runs.ts", "test/ci/stalled-worker.ts"],
  // Long enough for a machine that does much else at the same time.
  testTimeout: 240_000,
  hookTimeout: 240_000,
  expect: { poll: { timeout: 30_000, interval: 10 } },
  // Files of one worker share the modules: loading them again for each takes longer than most tests.
  isolate: false,
  // So a spy must not outlive its test, however that ends.
  restoreMocks: true,
  // What a test leaves behind is mostly garbage at its end: with room for it, little has to be copied. Further threads for
  // that would take the processors from other workers.
  // Most code runs a few times: it is compiled at once, and optimised later than by default, after 132 kB of bytecode.
  execArgv: [
    "--max-semi-space-size=64",
    "--single-threaded-gc",
    "--always-sparkplug",
    "--interrupt-budget=1000000",
  ],
};

/**
 * How many more workers than processors there are: tests wait for disks and processes, too, and the rare ones above all for
 * databases, proxies and browsers.
 */
const waiting = process.argv.includes("rare") ? 3 : 1;

export default defineConfig({
  test: {
    maxWorkers: availableParallelism() + waiting,
    // Transformed modules are kept in node_modules for the next run: a single file is tested in half the time.
    experimental: { fsModuleCache: true },
    sequence: { sequencer: SlowFirst },
    projects: [
      { test: { ...each, name: "rare", include: rare } },
      { test: { ...each, name: "thorough", include: thorough, exclude: rare } },
      { test: { ...each, name: "quick", include: ["test/**/*.test.ts"], exclude: [...rare, ...thorough] } },
    ],
  },
});
