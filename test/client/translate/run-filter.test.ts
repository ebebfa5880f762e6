/** Commands that read and write lines, friendly ones and others. */
import { existsSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { runFilter, type FilterRun } from "../../../src/client/translate/run-filter.ts";
import { eventually } from "../../helpers/eventually.ts";
import { holdLimit } from "../../helpers/limits/held-limit.ts";

const errors: string[] = [];

function run(command: string, input: readonly string[] = [], more: object = {}): Promise<FilterRun> {
  errors.length = 0;
  const environment = { PATH: process.env.PATH, SKEP_TOKEN: "skep_secret", OTHER: "other" };
  return runFilter(
    {
      command,
      environment,
      folder: "/",
      timeoutMs: 60_000,
      onError: (line) => errors.push(line),
      ...more,
    },
    input,
  );
}

it("gives a command its lines, and takes those that it writes", async () => {
  expect(await run("cat", ["one", "zwei é"])).toEqual({ lines: ["one", "zwei é"], failure: undefined });
  expect(await run("printf 'no end'")).toEqual({ lines: ["no end"], failure: undefined });
});

it("keeps the token from it, and nothing else", async () => {
  const { lines } = await run(`printf '%s,%s\\n' "$SKEP_TOKEN" "$OTHER"`);
  expect(lines).toEqual([",other"]);
});

it("takes what a command wrote before it failed", async () => {
  expect(await run("echo one; exit 3", ["x"])).toEqual({
    lines: ["one"],
    failure: "ended with exit code 3",
  });
  expect((await run("kill -9 $$")).failure).toBe("was ended by SIGKILL");
  expect((await run("/nonexistent/model 2>/dev/null")).failure).toBe("ended with exit code 127");
});

it("does not mind a command that reads nothing", async () => {
  const input = Array.from({ length: 1000 }, () => "x".repeat(1000));
  expect(await run("exec <&-; echo done", input)).toEqual({ lines: ["done"], failure: undefined });
});

it.each([
  ["a line without an end", "tr '\\0' x </dev/zero"],
  ["lines without an end", "yes"],
])("stops a command that writes %s", async (_, command) => {
  const { lines, failure } = await run(command);
  expect(failure).toBe("wrote more than any answer can be");
  expect(lines.join("").length).toBeLessThan(40_000_000);
});

it("names no text for a line that is not UTF-8", async () => {
  expect((await run("printf 'a\\377b\\nc\\n'")).lines).toEqual([undefined, "c"]);
});

it("passes on what a command says, up to a limit", async () => {
  await run("seq 500 >&2; tr '\\0' x </dev/zero | head -c 100000 >&2");
  expect([errors.length, errors[0], errors.at(-1)]).toEqual([50, "1", "50"]);
  await run("tr '\\0' x </dev/zero | head -c 100000 >&2");
  expect(errors.map(({ length }) => length)).toEqual([500]);
});

it.skipIf(process.platform !== "linux")(
  "ends a command that takes too long, with all that it has started",
  async () => {
    const timeoutMs = 54_000;
    const limit = holdLimit(timeoutMs);
    const command = "echo before; for i in 1 2; do sleep 600 & echo $! >&2; done; wait";
    const running = run(command, [], { timeoutMs });
    await eventually(() => expect(errors).toHaveLength(2));
    // One that has ended has no command line, as long as nobody has taken note of its end.
    const isRunning = (id: string): boolean =>
      existsSync(`/proc/${id}`) && readFileSync(`/proc/${id}/cmdline`, "utf8") !== "";
    expect(errors.filter(isRunning)).toHaveLength(2);
    await limit.pass();
    expect(await running).toEqual({ lines: ["before"], failure: "took longer than 54 s" });
    await eventually(() => expect(errors.filter(isRunning)).toEqual([]));
  },
);

it("does not wait for what a command leaves behind", async () => {
  expect(await run("sleep 600 & echo done")).toEqual({ lines: ["done"], failure: undefined });
});

it("ends a command when it is told to", async () => {
  const stopping = new AbortController();
  const running = run("echo one; sleep 600", [], { signal: stopping.signal });
  stopping.abort();
  expect((await running).failure).toBe("was stopped");
  expect(await run("echo one", [], { signal: stopping.signal })).toEqual({
    lines: [],
    failure: "was stopped",
  });
});
