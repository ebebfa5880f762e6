/** Completion in real shells. */
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { commands } from "../../src/commands/table.ts";
import { skep } from "../helpers/process.ts";
import { realFolder } from "../helpers/storage.ts";

/** `.ci/run` installs all shells. */
const isRequired = process.env.SKEP_TEST_DEPLOY === "required";
const isInstalled = (shell: string): boolean => spawnSync(shell, ["--version"]).status === 0;

/** What a shell offers for the last word of each line; `run` is the shell's own program that asks for it. */
async function offered(
  shell: string,
  args: readonly string[],
  run: (script: string, lines: readonly string[]) => string,
  lines: readonly string[],
): Promise<readonly (readonly string[])[]> {
  const { stdout: script, stderr: said } = await skep("completion", shell);
  expect(said).toBe("");
  const cwd = realFolder();
  writeFileSync(join(cwd, "skep-script"), script);
  const { stdout, stderr } = spawnSync(shell, [...args, run("./skep-script", lines)], {
    cwd,
    env: { PATH: process.env.PATH, HOME: cwd, LC_ALL: "C.UTF-8" },
    encoding: "utf8",
  });
  expect(stderr).toBe("");
  return stdout
    .split("---\n")
    .slice(0, -1)
    .map((part) => part.split("\n").filter((line) => line !== ""));
}

const shells = {
  bash: (lines: readonly string[]) =>
    offered(
      "bash",
      ["--norc", "-c"],
      (script, given) =>
        [
          `. ${script}`,
          ...given.map(
            (line) =>
              `COMP_WORDS=(${line.replace(/ $/, " ''")}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _skep; printf '%s\\n' "\${COMPREPLY[@]}"; echo ---`,
          ),
        ].join("\n"),
      lines,
    ),
  zsh: (lines: readonly string[]) =>
    offered(
      "zsh",
      ["-f", "-c"],
      (script, given) =>
        [
          // What zsh's own completion would do with what it is given.
          "compdef() { }",
          "_files() { }",
          'offer() { local each; for each in "$@"; do each=${each%%:*}; [[ $each == ${words[CURRENT]}* ]] && print -r -- $each; done; true }',
          '_describe() { offer "${(@P)2}" }',
          'compadd() { offer "${(@P)2}" }',
          `. ${script}`,
          ...given.map((line) => `words=(${line.replace(/ $/, " ''")}); CURRENT=$#words; _skep; echo ---`),
        ].join("\n"),
      lines,
    ),
  fish: (lines: readonly string[]) =>
    offered(
      "fish",
      ["--no-config", "-c"],
      (script, given) =>
        [
          `source ${script}`,
          ...given.map((line) => `complete -C '${line}' | string split -f1 \\t; echo ---`),
        ].join("\n"),
      lines,
    ),
};

for (const [shell, complete] of Object.entries(shells)) {
  it.skipIf(!isRequired && !isInstalled(shell))(
    `${shell} completes commands, flags and choices`,
    async () => {
      const [outer, inner, flags, choices, behindValue, attached, behindGlobal] = await complete([
        "skep tea",
        "skep hive cre",
        "skep hive create web --tea",
        "skep completion ",
        "skep hive list --storage team --tra",
        "skep hive list --other-user ",
        "skep --storage backup token sh",
      ]);
      expect(outer).toEqual(["team"]);
      expect(inner).toEqual(["create"]);
      expect(flags).toEqual(["--team"]);
      expect(choices?.filter((name) => !name.startsWith("-")).toSorted()).toEqual(["bash", "fish", "zsh"]);
      expect(behindValue).toEqual(["--trash"]);
      // The value of a flag is none of the names.
      expect(attached).not.toContain("--json");
      expect(behindGlobal).toEqual(["show"]);
    },
  );
}

it("bash completes every command and every flag that a command has", async () => {
  const expected: Record<string, readonly string[]> = {};
  for (const { name, load } of commands) {
    const command = await load();
    // Without earlier names of commands.
    const visible = command
      .createHelp()
      .visibleCommands(command)
      .filter((each) => each.name() !== "help");
    for (const each of [command, ...visible]) {
      const line = each === command ? name : `${name} ${each.name()}`;
      // Those that are hidden only say that they have left.
      const flags = each.options.flatMap(({ long, hidden }) => (hidden ? [] : (long ?? "")));
      expected[`skep ${line} `] = [
        ...(each === command ? visible.map((inner) => inner.name()) : []),
        ...flags,
        "--help",
      ];
    }
  }
  const found = await shells.bash(Object.keys(expected));
  for (const [index, names] of Object.values(expected).entries()) {
    expect(found[index]).toEqual(expect.arrayContaining([...names]));
    expect(found[index]).not.toContain("--workers");
  }
});

it("an unknown shell is an error that names the supported ones", async () => {
  const { code, stderr } = await skep("completion", "tcsh");
  expect(code).toBe(2);
  expect(stderr).toContain("bash, zsh, fish");
});
