/** A program `skep` for scripts that does its work in the process of the test: a new one takes longer than most commands. */
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";
import { skepWithin } from "./process.ts";
import { realFolder } from "./storage.ts";

/** It has its arguments, environment and folder from the script, and gives back what it prints and the exit code. */
const program = (port: number): string => `#!/bin/bash
call=$(mktemp -d)
printf '%s\\0' "$@" >"$call/arguments"
env -0 >"$call/environment"
pwd >"$call/folder"
exec 3<>/dev/tcp/127.0.0.1/${port}
printf '%s\\n' "$call" >&3
read -r code <&3
cat "$call/stdout"
cat "$call/stderr" >&2
exit "$code"
`;

/**
 * Writes the program into a new folder, for the PATH of a script. Its calls are answered as long as the test runs, one after
 * the other, so a script must not be waited for synchronously.
 */
export async function skepProgram(): Promise<string> {
  let last: Promise<unknown> = Promise.resolve();
  const server = createServer((socket) => {
    createInterface(socket).once("line", (call) => {
      last = last.then(async () => {
        const code = await answer(call).catch((error: unknown) => {
          writeFileSync(join(call, "stderr"), String(error));
          return 70;
        });
        socket.end(`${code}\n`);
      });
    });
  });
  server.listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("There is no port.");
  const folder = realFolder();
  writeFileSync(join(folder, "skep"), program(address.port));
  chmodSync(join(folder, "skep"), 0o755);
  return folder;
}

/** Runs a command as the program of its own would, which has the environment and the folder of its caller. */
async function answer(call: string): Promise<number> {
  const read = (name: string): readonly string[] =>
    readFileSync(join(call, name), "utf8").split("\0").slice(0, -1);
  const entries = read("environment").map((entry): [string, string] => {
    const end = entry.indexOf("=");
    return [entry.slice(0, end), entry.slice(end + 1)];
  });
  const env = entries.filter(([name, value]) => !name.startsWith("SKEP_") || value !== "");
  const folder = readFileSync(join(call, "folder"), "utf8").slice(0, -1);
  const { code, stdout, stderr } = await skepWithin(folder, Object.fromEntries(env), ...read("arguments"));
  writeFileSync(join(call, "stdout"), stdout);
  writeFileSync(join(call, "stderr"), stderr);
  return code;
}
