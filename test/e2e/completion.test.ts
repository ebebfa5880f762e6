/** Completion in real shells. */
import { execFile, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { commands } from "../../src/commands/table.ts";
import { acmeStorage, skep } from "../helpers/process.ts";
import { skepProgram } from "../helpers/skep-program.ts";
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
  environment: Readonly<Record<string, string>> = {},
): Promise<readonly (readonly string[])[]> {
  const { stdout: script, stderr: said } = await skep("completion", shell);
  expect(said).toBe("");
  const cwd = realFolder();
  writeFileSync(join(cwd, "skep-script"), script);
  const { stdout, stderr } = await promisify(execFile)(shell, [...args, run("./skep-script", lines)], {
    cwd,
    env: { PATH: process.env.PATH, HOME: cwd, LC_ALL: "C.UTF-8", ...environment },
  });
  expect(stderr).toBe("");
  return stdout
    .split("---\n")
    .slice(0, -1)
    .map((part) => part.split("\n").filter((line) => line !== ""));
}

const shells = {
  bash: (lines: readonly string[], environment?: Readonly<Record<string, string>>) =>
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
      environment,
    ),
  zsh: (lines: readonly string[], environment?: Readonly<Record<string, string>>) =>
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
      environment,
    ),
  fish: (lines: readonly string[], environment?: Readonly<Record<string, string>>) =>
    offered(
      "fish",
      ["--no-config", "-c"],
      (script, given) =>
        [
          `source ${script}`,
          ...given.map((line) => `complete -C '${line}' | string split -f1 \\t; echo ---`),
        ].join("\n"),
      lines,
      environment,
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
      expect(choices?.filter((name) => !name.startsWith("-")).toSorted()).toEqual([
        "bash",
        "fish",
        "powershell",
        "zsh",
      ]);
      expect(behindValue).toEqual(["--trash"]);
      // The value of a flag is none of the names.
      expect(attached).not.toContain("--json");
      expect(behindGlobal).toEqual(["show"]);
    },
  );
}

for (const [shell, complete] of Object.entries(shells)) {
  it.skipIf(!isRequired && !isInstalled(shell))(`${shell} completes names of a storage`, async () => {
    const environment = {
      PATH: `${await skepProgram()}:${process.env.PATH ?? ""}`,
      SKEP_STORAGE: await acmeStorage({ web: ["--locale", "fr", "--locale", "de"], app: [] }),
    };
    const [hives, one, flag, list, locales, behindGlobal, files] = await complete(
      [
        "skep hive delete ",
        "skep hive delete w",
        "skep token create --hive ",
        "skep token create --hive web,",
        "skep locale delete web ",
        "skep --storage /nowhere hive delete ",
        "skep token create --token-file ",
      ],
      environment,
    );
    const plain = (words: readonly string[] = []) => words.filter((word) => !word.startsWith("-")).toSorted();
    expect(plain(hives)).toEqual(["app", "web"]);
    expect(one).toEqual(["web"]);
    expect(plain(flag)).toEqual(["app", "web"]);
    expect(plain(list)).toEqual(["web,app", "web,web"]);
    expect(plain(locales)).toEqual(["de", "fr"]);
    expect(plain(behindGlobal)).toEqual([]);
    // The shell's own files.
    expect(plain(files)).not.toContain("web");
  });
}

it("PowerShell asks skep __complete", async () => {
  const { stdout } = await skep("completion", "powershell");
  expect(stdout).toContain("Register-ArgumentCompleter -Native -CommandName skep");
  expect(stdout).toContain("__complete @words");
});

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
  expect(stderr).toContain("bash, zsh, fish, powershell");
});
