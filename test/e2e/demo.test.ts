/** The demo does what it says, and what it leaves up with `--keep` answers the lines that it prints. */
import { execFile } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it, onTestFinished } from "vitest";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../..", import.meta.url));

/** What `npm run demo` does after the build, which other tests must not find half done. */
const demo = (...args: readonly string[]) =>
  run(join(root, "node_modules/.bin/tsx"), ["test/demo/demo.ts", ...args], { cwd: root });

it("npm run demo builds the program and runs the demo", () => {
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  expect(scripts.demo).toBe("npm run -s build && tsx test/demo/demo.ts");
});

it("the demo runs from nothing to a clone, and cleans up", async () => {
  const { stdout, stderr } = await demo();
  expect(stderr).toBe("");
  expect(stdout).toContain('{"created":271,"updated":0,"unchanged":0,"translations_cleared":0}');
  expect(stdout).toContain("'hint' => 'Au moins 12 caractères ; pas d\\'« azerty »',");
  expect(stdout).toMatch(/demo: Sync source strings: 1 updated, 1 deleted, 1 translation cleared/);
  expect(stdout).toContain("Done.");
});

it("the demo leaves the server up on request, with three lines that work", async () => {
  const { stdout } = await demo("--keep");
  const [, pid = "", storage = ""] = /as process (\d+); its storage is (\S+)\./.exec(stdout) ?? [];
  onTestFinished(() => {
    process.kill(Number(pid), "SIGKILL");
    rmSync(dirname(storage), { recursive: true, force: true });
  });
  const [, lines = ""] = stdout.split("its storage is");
  const commands = lines
    .slice(lines.indexOf("\n"))
    .trim()
    .split(/\n(?= {2}(?:curl|export))/);
  expect(commands).toHaveLength(4);
  const [token = "", ...calls] = commands;
  const answers = await Promise.all(calls.map((call) => run("sh", ["-c", `${token}\n${call}`])));
  const [list, exported, imported] = answers.map((answer) => JSON.parse(answer.stdout));
  expect(list.data).toHaveLength(3);
  expect(exported.files["countries.json"]).toContain("ドイツ");
  expect(imported).toEqual({ created: 1, updated: 0, skipped: 0, unknown: 0 });
});
