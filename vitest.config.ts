import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Tests wait for disks and processes more than they compute.
    maxWorkers: "100%",
    // Files of one worker share the modules: loading them again for each takes longer than most tests.
    isolate: false,
  },
});
