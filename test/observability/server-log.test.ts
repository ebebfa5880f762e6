/** The server's log: lines of JSON, and no credential in them, whoever wrote the text. */
import { closeSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { describeError } from "../../src/log.ts";
import { createServerLog, type LogOptions } from "../../src/observability/server-log.ts";
import { eventually } from "../helpers/eventually.ts";
import { realFolder } from "../helpers/storage.ts";

/** A log into a file; gives its lines once there are so many. */
async function open(options: Partial<LogOptions> = {}) {
  const path = join(realFolder(), "log");
  const fd = openSync(path, "w");
  onTestFinished(() => closeSync(fd));
  const log = await createServerLog({ level: "info", format: "json", ...options, fd });
  const lines = async (count: number): Promise<Record<string, unknown>[]> => {
    const written = (): string[] => readFileSync(path, "utf8").split("\n").slice(0, -1);
    await eventually(() => expect(written()).toHaveLength(count));
    return written().map((line) => JSON.parse(line));
  };
  return { log, lines };
}

it.each([
  ["an address of a mirror", "https://user:hunter22@example.org/a.git", "https://example.org/a.git"],
  ["an ssh address", "hunter22@example.org:a.git", "example.org:a.git"],
  ["a query", "https://example.org/a?private_token=hunter22", "https://example.org/a"],
  [
    "what git says",
    "fatal: unable to access 'https://x:hunter22@h/': 403",
    "fatal: unable to access 'https://h/': 403",
  ],
  ["a header", "> Authorization: Basic hunter22", "> Authorization: ***"],
  ["a header in small", "authorization: bearer hunter22", "authorization: ***"],
  ["a token of ours", `no skep_abcdefghijkl_${"hunter22".repeat(4)}`, "no ***"],
  ["a token in a path", `/api/Bearer%20skep_abcdefghijkl_${"hunter22".repeat(4)}/x`, "/api/Bearer%20***/x"],
  ["a token behind a word", `/api/x_skep_abcdefghijkl_${"hunter22".repeat(4)}`, "/api/x_***"],
  ["an encoded token", `/api/skep%5Fabcdefghijkl%5f${"hunter22".repeat(4)}`, "/api/***"],
  ["a token of GitHub's", `remote: ghp_${"hunter22".repeat(4)} is bad`, "remote: *** is bad"],
  ["a password", "password=hunter22", "password=***"],
])("the log takes credentials out of %s", async (_, text, shown) => {
  const { log, lines } = await open();
  log.error({ error: text, mirror: text }, "could not push");
  log.error({ error: describeError(new Error("no", { cause: new Error(text) })) }, "unexpected error");
  const [first, second] = await lines(2);
  expect(first).toEqual({
    level: "error",
    time: expect.any(String),
    error: shown,
    mirror: shown,
    message: "could not push",
  });
  expect(second?.error).toContain(shown);
  // The stack is there, with its lines.
  expect(second?.error).toMatch(/^Error: no\n +at .*\ncaused by Error: .*\n +at /s);
  expect(JSON.stringify(second)).not.toContain("hunter22");
});

it("the log begins at its level", async () => {
  const { log, lines } = await open({ level: "warn" });
  expect(log.logsDebug).toBe(false);
  log.debug({}, "d");
  log.info({}, "i");
  log.warn({}, "w");
  log.error({}, "e");
  expect((await lines(2)).map(({ level, message }) => [level, message])).toEqual([
    ["warn", "w"],
    ["error", "e"],
  ]);
});

it("the log has one line per object, whatever is in a text", async () => {
  const { log, lines } = await open();
  log.info({ path: '/a\n{"level":"error"}\u2028"' }, "request");
  expect((await lines(1))[0]).toMatchObject({ level: "info", path: '/a\n{"level":"error"}\u2028"' });
});
