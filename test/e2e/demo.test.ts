/** The demo does what it says, and what it leaves up with `--keep` answers the lines that it prints. */
import { execFile } from "node:child_process";
import { rmSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it, onTestFinished } from "vitest";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../..", import.meta.url));

it("the demo runs from nothing to a clone, and cleans up", async () => {
  const { stdout, stderr } = await run("npm", ["run", "--silent", "demo"], { cwd: root });
  expect(stderr.replaceAll(/^npm warn .*\n/gm, "")).toBe("");
  expect(stdout).toContain('{"created":271,"updated":0,"unchanged":0,"translations_cleared":0}');
  expect(stdout).toContain("'hint' => 'Au moins 12 caractères ; pas d\\'« azerty »',");
  expect(stdout).toMatch(/demo: Sync source strings: 1 updated, 1 deleted, 1 translation cleared/);
  expect(stdout).toContain("Done.");
});

it("the demo leaves the server up on request, with three lines that work", async () => {
  const { stdout } = await run("npm", ["run", "--silent", "demo", "--", "--keep"], { cwd: root });
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
