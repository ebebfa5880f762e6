#!/usr/bin/env node
/** The entry of the program: runs one command in this process and sets the exit code. */
import { completing, nodeProblem, runCommand } from "./commands/program.ts";

const failed = 1;

/**
 * Reports that output could not be written. A reader that closes the pipe early, such as `head`, is not an error; a full
 * disk is. In both cases the command finishes its work.
 */
function reportUnwritten(error: Error): void {
  if (("code" in error && error.code === "EPIPE") || process.exitCode === failed) return;
  process.exitCode = failed;
  process.stderr.write(`skep: the result could not be written: ${error.message}\n`);
}

/**
 * Reports that the command did not finish. Node exits with 0 as soon as it has nothing left to wait for, even in the
 * middle of a command. That would be a bug in Skep and must not pass unnoticed.
 */
function reportUnfinished(): void {
  process.exitCode = failed;
  process.stderr.write(
    "skep: the command stopped before it was finished, which is a bug in Skep. It may have done part of its work; skep server verify checks the storage.\n",
  );
}

async function main(): Promise<void> {
  // Files that git and other programs create for Skep must be closed to other users, too.
  process.umask(0o077);
  process.stdout.on("error", reportUnwritten);
  // An error of stderr cannot be reported anywhere.
  process.stderr.on("error", () => {});
  // An empty variable counts as not set: compose files set variables that way.
  for (const [name, value] of Object.entries(process.env)) {
    if (name.startsWith("SKEP_") && value === "") delete process.env[name];
  }
  const problem = nodeProblem(process.versions.node);
  // Whoever types sees no errors of what is run beside.
  if (problem !== undefined && process.argv[2] !== completing) {
    process.exitCode = failed;
    process.stderr.write(`skep: ${problem}\n`);
    return;
  }
  process.once("exit", reportUnfinished);
  await runCommand(process.argv.slice(2));
  process.off("exit", reportUnfinished);
  // What is still looked up comes too late.
  if (process.argv[2] === completing) process.stdout.write("", () => process.exit());
}

await main();
