/**
 * Runs commands at the same time, one for each argument: `tsx test/lint/at-once.ts "oxfmt --check" knip`. What one of them
 * prints comes in one piece at its end. It fails when one of them does.
 */
import { spawn } from "node:child_process";

function run(command: string): Promise<boolean> {
  const child = spawn(command, { shell: true, stdio: ["ignore", "pipe", "pipe"] });
  const printed: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (data: Buffer) => printed.push(data));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (status) => {
      const isGood = status === 0;
      process.stdout.write(`${isGood ? "passed" : "FAILED"}: ${command}\n`);
      process.stdout.write(Buffer.concat(printed));
      resolve(isGood);
    });
  });
}

const results = await Promise.all(process.argv.slice(2).map(run));
if (results.includes(false)) process.exitCode = 1;
