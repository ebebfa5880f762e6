import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

/** What takes long and can only break rarely: kills under load, disks that fail, several servers, proxies, browsers. */
const rare = [
  "test/commands/serve/watchdog.test.ts",
  "test/deploy/*.test.ts",
  "test/docs/shots.test.ts",
  "test/e2e/console/*.test.ts",
  "test/e2e/{backup,demo,docs,followers,heap,kill,mirrors,package,packing,two-servers,workers}.test.ts",
  "test/security/hostile-pushes.test.ts",
  "test/service/replication/{follower,passing-on}.test.ts",
  "test/store/failing-disk.test.ts",
];

/** What starts processes, or goes through every point at which a write can be cut off. */
const thorough = [
  "test/e2e/**/*.test.ts",
  "test/client/repository/*.test.ts",
  "test/commands/client/{branches,mcp,push-expected,push-since}.test.ts",
  "test/disk/locks/lock.test.ts",
  "test/docs/{branches,commands,recipes}.test.ts",
  "test/formats/installed-programs.test.ts",
  "test/git/{packs,process,refs}/*.test.ts",
  "test/git/serve/ref-advertisement-cache.test.ts",
  "test/http/model.test.ts",
  "test/http/openapi/openapi-tools.test.ts",
  "test/http/routes/clone.test.ts",
  "test/security/{forgery,git-config,mirrors,names,pushed-objects,pushes}.test.ts",
  "test/service/content/history.test.ts",
  "test/service/operations/{backup,kept-branches}.test.ts",
  "test/service/replication/*.test.ts",
  "test/store/content/cold-read.test.ts",
  "test/store/history/installed-git.test.ts",
  "test/store/migration/*.test.ts",
  "test/store/verify/{heal,object-check}.test.ts",
  "test/store/{crash,refused-writes}.test.ts",
];

export default defineConfig({
  test: {
    globalSetup: "test/helpers/temporary-folder.ts",
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Tests wait for disks and processes, too, not only for the processor.
    maxWorkers: availableParallelism() + 1,
    // Files of one worker share the modules: loading them again for each takes longer than most tests.
    isolate: false,
    // Transformed modules are kept in node_modules for the next run: a single file is tested in half the time.
    experimental: { fsModuleCache: true },
    projects: [
      // Long enough for a machine that does much else at the same time.
      { extends: true, test: { name: "rare", include: rare, testTimeout: 240_000 } },
      { extends: true, test: { name: "thorough", include: thorough, exclude: rare, testTimeout: 240_000 } },
      {
        extends: true,
        test: { name: "quick", include: ["test/**/*.test.ts"], exclude: [...rare, ...thorough] },
      },
    ],
  },
});
