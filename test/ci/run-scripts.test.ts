/** The script of `.ci/run`, in a small project of its own. */
import { spawnSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { realFolder } from "../helpers/storage.ts";

const passes = `import { it } from "vitest"; it("passes", () => {});`;
const fails = `import { expect, it } from "vitest"; it("fails", () => expect(1).toBe(2));`;
/** Fails the first time that it runs: what it leaves behind shows that it has. */
const unlucky = (body: string): string => `
  import { existsSync, writeFileSync } from "node:fs";
  import { expect, it } from "vitest";
  it("is unlucky", async () => {
    const mark = import.meta.filename + ".ran";
    if (existsSync(mark)) return;
    writeFileSync(mark, "");
    ${body}
  });`;
const throws = unlucky(`throw new Error("bad luck");`);
const throwsLater = unlucky(
  `setTimeout(() => { throw new Error("bad luck"); }); await new Promise((r) => setTimeout(r, 50));`,
);
const killed = unlucky(`process.kill(process.pid, "SIGKILL");`);
/** Fails by the random examples of one commit. */
const unluckyExamples = `
  import { it } from "vitest";
  it("has unlucky examples", () => { if (process.env.SKEP_TEST_SEED === "5") throw new Error("bad example"); });`;
/** Gives no timer a turn, so that no limit of a test ends it. */
const stands = unlucky(`for (;;) await null;`);

async function runScripts(
  files: Record<string, string>,
  { script = "vitest run --pool=forks", names = ["test"] } = {},
) {
  const folder = realFolder();
  writeFileSync(
    join(folder, "package.json"),
    JSON.stringify({ type: "module", scripts: { test: script, rare: "vitest run --pool=forks other" } }),
  );
  const setup = JSON.stringify(resolve("test/ci/stalled-worker.ts"));
  writeFileSync(join(folder, "vitest.config.js"), `export default { test: { setupFiles: [${setup}] } };`);
  symlinkSync(resolve("node_modules"), join(folder, "node_modules"));
  mkdirSync(join(folder, "test"));
  for (const [name, text] of Object.entries({ "other.test.ts": passes, ...files }))
    writeFileSync(join(folder, "test", name), text);
  const { status, stdout } = spawnSync(
    resolve("node_modules/.bin/tsx"),
    [resolve("test/ci/run-scripts.ts"), ...names],
    {
      cwd: folder,
      encoding: "utf8",
      env: { ...process.env, NO_COLOR: "1", SKEP_TEST_SEED: "5", SKEP_TEST_STALLED: "3000" },
    },
  );
  const lines = stdout.trimEnd().split("\n");
  return { status, stdout, last: lines.at(-1), flaky: lines.slice(lines.indexOf("Flaky:")).join("\n") };
}

it("a run in which all pass says how many", async () => {
  expect(await runScripts({ "a.test.ts": passes }, { names: ["test", "rare"] })).toMatchObject({
    status: 0,
    last: "3 passed, 0 failed",
  });
});

it("files that fail once, by a test, outside of it, by their worker's end, standing still, or with the examples of one commit, pass the run and are named", async () => {
  const files = {
    "a.test.ts": throws,
    "b.test.ts": throwsLater,
    "c.test.ts": killed,
    "d.test.ts": stands,
    "e.test.ts": unluckyExamples,
  };
  const { status, last, flaky, stdout } = await runScripts(files);
  expect({ status, last }, stdout).toEqual({ status: 0, last: "6 passed, 0 failed" });
  for (const name of Object.keys(files)) expect(flaky).toContain(`test/${name}`);
  expect(flaky.match(/Error: bad luck/g)).toHaveLength(2);
  expect(flaky).toContain("Error: bad example");
});

it("a file that fails twice fails the run, beside one that was unlucky", async () => {
  const { status, last, flaky } = await runScripts({ "a.test.ts": fails, "b.test.ts": throws });
  expect({ status, last }).toEqual({ status: 1, last: "2 passed, 1 failed" });
  expect(flaky).toContain("test/b.test.ts");
  expect(flaky).not.toContain("test/a.test.ts");
});

it("files fail the run where six are unlucky, and where a script ends before its tests", async () => {
  const six = Object.fromEntries(["a", "b", "c", "d", "e", "f"].map((name) => [`${name}.test.ts`, throws]));
  expect(await runScripts(six)).toMatchObject({ status: 1, last: "1 passed, 6 failed" });
  expect(await runScripts({}, { script: "false && vitest run", names: ["test", "rare"] })).toMatchObject({
    status: 1,
    last: "1 passed, 1 failed",
  });
});
