/** A server that hangs says where, and ends, so that whoever started it starts it again. */
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { setPriority } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { startServerIn } from "../../helpers/process.ts";
import { realFolder } from "../../helpers/storage.ts";

/**
 * Starts a server that runs a function when it gets SIGUSR2, and has it hang; gives how it ended. It may not
 * respond for longer than it takes to start on a machine that does much else.
 */
async function hang(body: string) {
  const hook = `function onSignal() { ${body} } process.on("SIGUSR2", onSignal); import fs from "node:fs";`;
  const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(hook)}` };
  const { child, stderr } = await startServerIn(env, realFolder(), "--hang-timeout", "10s");
  const closed = once(child, "close");
  // Its main thread alone: what hangs in a loop takes little from other tests.
  if (child.pid !== undefined) setPriority(child.pid, 10);
  child.kill("SIGUSR2");
  const [code, signal] = await closed;
  const lines = stderr()
    .split("\n")
    .filter((line) => line.includes("has not responded"));
  return { code, signal, lines };
}

/** Does nothing for a while, without a turn for anything else: a loop that does it takes little from other tests. */
const rest = "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);";
const loops = [
  `for (;;) ${rest}`,
  "/^(a+)+$/.test('a'.repeat(99) + 'b');",
  `const turn = async () => { for (;;) { await null; ${rest} } }; turn();`,
];

it("a server in an endless loop ends with 70, and names the function, whatever the loop is", async () => {
  // Together, as each takes ten seconds.
  for (const { code, lines } of await Promise.all(loops.map((body) => hang(body)))) {
    expect([code, lines.length]).toEqual([70, 1]);
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({
      level: "error",
      time: expect.any(String),
      message: "Skep has not responded for 10 s, and ends",
      stack: expect.stringMatching(/^ {4}at (?:onSignal|turn) \(data:text\/javascript,[^\n]*:1\)/),
    });
  }
});

it("a server that hangs in a system call is killed", async () => {
  const pipe = join(realFolder(), "pipe");
  expect(spawnSync("mkfifo", [pipe]).status).toBe(0);
  const { signal, lines } = await hang(`fs.openSync(${JSON.stringify(pipe)});`);
  expect(signal).toBe("SIGKILL");
  expect(JSON.parse(lines[0] ?? "").stack).toContain("a call of the system");
});
