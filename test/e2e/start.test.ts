/** A command loads what it needs and no more: the rest is most of the time that it takes to start. */
import { expect, it } from "vitest";
import { skepIn } from "../helpers/process.ts";

/** Has node tell on stderr of each module that it loads. */
const telling = `import { register } from "node:module";
register("data:text/javascript," + encodeURIComponent(
  "export async function load(url, context, next) { process._rawDebug(url); return next(url, context); }"
));`;
const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(telling)}` };

it.each([
  [0, ["--version"]],
  [0, ["--help"]],
  [2, ["nope"]],
  [2, ["--nope"]],
])("without a command neither commands nor libraries are loaded: %i skep %j", async (code, args) => {
  const ended = await skepIn(env, ...args);
  expect(ended.code).toBe(code);
  const loaded = ended.stderr.match(/^file:.*$/gm) ?? [];
  expect(loaded.some((url) => url.endsWith("/dist/cli.js"))).toBe(true);
  const needed = /\/dist\/(cli|commands\/(program|output|shared-settings|table)|domain\/errors)\.js$/;
  expect(loaded.filter((url) => !needed.test(url) && !url.includes("/commander/"))).toEqual([]);
});

it("a command loads no other, and the server alone what serves", async () => {
  const { stderr } = await skepIn(env, "token", "list", "--storage", "/nonexistent");
  expect(stderr).toContain("There is no storage in /nonexistent");
  expect(stderr).not.toMatch(
    /\/dist\/(http\/(app|server)|commands\/(serve|team))\.js|node_modules\/(h3|pino)\//,
  );
});
