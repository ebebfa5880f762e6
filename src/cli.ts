#!/usr/bin/env node
/** The bin: one command, and the end of the process that it is. */
import { runCommand } from "./commands/program.ts";

const failed = 1;

/**
 * A reader that goes away, such as `head`, is no error; a disk that is full is one. Neither is a reason to leave work
 * half done.
 */
function tellUnwritten(error: Error): void {
  if (("code" in error && error.code === "EPIPE") || process.exitCode === failed) return;
  process.exitCode = failed;
  process.stderr.write(`skep: the result could not be written: ${error.message}\n`);
}

/**
 * Node ends as soon as nothing is left that it could wait for, and says that all is well, even in the middle of a
 * command. That is a fault of ours and must be seen.
 */
function tellUnfinished(): void {
  process.exitCode = failed;
  process.stderr.write(
    "skep: the command stopped before it was done: this is a fault of Skep. It may have done a part; skep verify checks the storage.\n",
  );
}

async function main(): Promise<void> {
  // What git and others make for us, too, is nobody else's on the machine.
  process.umask(0o077);
  process.stdout.on("error", tellUnwritten);
  // There is no other place to say it.
  process.stderr.on("error", () => {});
  // A variable that is set to nothing, as compose files do, is one that is not set.
  for (const [name, value] of Object.entries(process.env)) {
    if (name.startsWith("SKEP_") && value === "") delete process.env[name];
  }
  process.once("exit", tellUnfinished);
  await runCommand(process.argv.slice(2));
  process.off("exit", tellUnfinished);
}

await main();
