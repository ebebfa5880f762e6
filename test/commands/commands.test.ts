/** The help of all commands, and commands on the command line. */
import { expect, it } from "vitest";
import { commands } from "../../src/commands/table.ts";
import { nodeProblem } from "../../src/commands/program.ts";
import { skep, skepWithin } from "../helpers/process.ts";

it("has one line for each command in its help", async () => {
  const { stdout } = await skep("--help");
  expect(stdout.split("\n").filter((line) => line.length > 80 || /^ {10,}/.test(line))).toEqual([]);
  for (const { name } of commands) expect(stdout).toMatch(new RegExp(`^  ${name} +[A-Z].* .*[^.]$`, "m"));
});

it.each([["push"], ["branch", "merge"], ["token", "create"]])(
  "ends the help of a command with an example: %s %s",
  async (...names) => {
    const { stdout } = await skep(...names, "--help");
    expect(stdout).toMatch(new RegExp(`Example:\n  skep ${names.join(" ")} \\S.*\n$`));
  },
);

it("lists the flags of a command before those of the storage, without the defaults of flags that are off", async () => {
  const { stdout } = await skep("hive", "list", "--help");
  expect(stdout.indexOf("--trash ")).toBeLessThan(stdout.indexOf("\nStorage:\n  --storage "));
  expect(stdout).toMatch(/^ {2}--json +print what the server answers, as JSON$/m);
});

it.each(commands)("leaves the description of $name to the table", async ({ load }) => {
  expect((await load()).description()).toBe("");
});

it("says that a flag before the command belongs after it", async () => {
  const message = "write the flags of a command after it: skep push --dry-run --json";
  const { code, stdout, stderr } = await skep("--json", "push", "--dry-run");
  expect([code, stderr]).toEqual([2, `skep: ${message}\n`]);
  expect(JSON.parse(stdout)).toEqual({ error: { code: "misuse", message, exit: 2 } });
  expect((await skep("--jsn")).stderr).toContain("unknown option '--jsn'");
});

it.each([
  [
    "an error of the storage",
    ["hive", "list", "--storage", "/nowhere", "--json"],
    { code: "not_found", exit: 1 },
  ],
  ["a misspelt flag", ["hive", "list", "--jsn", "--json"], { code: "misuse", exit: 2 }],
  ["no server", ["review", "list", "--json"], { code: "misuse", exit: 2 }],
])("prints an error as JSON where that is asked for, and its line as ever: %s", async (_, args, error) => {
  const { code, stdout, stderr } = await skepWithin("/", {}, ...args);
  const { error: told, ...others } = JSON.parse(stdout);
  expect([told, others]).toEqual([{ ...error, message: expect.any(String) }, {}]);
  expect([code, stderr]).toEqual([error.exit, `skep: ${told.message}\n`]);
  const plain = await skepWithin("/", {}, ...args.filter((arg) => arg !== "--json"));
  expect(plain).toMatchObject({ code, stdout: "", stderr: expect.stringMatching(/^skep: /) });
});

it.each([["--workers", "2"], ["--workers"], ["--workers=auto"]])(
  "says in one line what takes the place of a setting that has left: %s %s",
  async (...flags) => {
    const { code, stdout, stderr } = await skep("serve", ...flags);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(/^skep: --workers has left: .*docs\/servers\.md says\n$/);
    expect((await skep("serve", "--help")).stdout).not.toContain("--workers");
  },
);

it("lists the settings of the server below headings, with none outside", async () => {
  const { stdout } = await skep("serve", "--help");
  const heading = (text: string): string | undefined =>
    stdout
      .slice(0, stdout.indexOf(text))
      .match(/^[A-Z][^\n]*:$/gm)
      ?.at(-1);
  const flags = [
    "--storage",
    "--host",
    "--hang-timeout",
    "--max-clones",
    "--oidc-rules",
    "--metrics-host",
    "--settings",
  ];
  expect(flags.map((flag) => heading(`  ${flag} `))).toEqual([
    "Storage:",
    "Address and browsers:",
    "Process, memory and slow requests:",
    "Git:",
    "Signing in:",
    "Logs and metrics:",
    "Options:",
  ]);
});

it.each([
  ["18.20.8", "Node.js 20.19 or later is needed, and this is 18.20.8"],
  ["20.18.3", "Node.js 20.19 or later is needed, and this is 20.18.3"],
  ["20.19.0", undefined],
  ["22.1.0", undefined],
  ["100.0.0", undefined],
])("Node.js %s is old or not", (version, problem) => {
  expect(nodeProblem(version)).toBe(problem);
});
