/** Runs the installed git in an app's folder. */
import { spawn } from "node:child_process";
import { ClientError } from "../api/client-error.ts";

const timeoutMs = 60_000;
/** No answer to what the client asks is larger. */
const maxBytes = 512 * 1024 * 1024;

/**
 * Runs git.
 * @param input what it reads from its standard input.
 * @returns what it prints.
 * @throws ClientError `error` with git's own message; also when there is no git, or no folder.
 */
export async function runGit(folder: string, args: readonly string[], input = ""): Promise<Buffer> {
  const name = `git ${args[0] ?? ""}`;
  return new Promise((resolve, reject) => {
    const process = spawn("git", args, { cwd: folder, timeout: timeoutMs });
    const printed: Buffer[] = [];
    let size = 0;
    let said = "";
    const fail = (why: string): void => reject(new ClientError("error", `${name}: ${why}`));
    process.stdout.on("data", (part: Buffer) => {
      size += part.length;
      printed.push(part);
      if (size > maxBytes) process.kill();
    });
    process.stderr.setEncoding("utf8").on("data", (part: string) => (said += part));
    process.on("error", ({ message }) => fail(message));
    process.on("close", (code, signal) => {
      if (code === 0 && size <= maxBytes) resolve(Buffer.concat(printed));
      else fail(said.trim() || `ended with ${code ?? signal}`);
    });
    // Git may end before it has read everything; how it ended says why.
    process.stdin.on("error", () => {});
    process.stdin.end(input);
  });
}

/** As {@link runGit}, for what there need not be: not every app is in git, and git is not installed everywhere. */
export async function tryGit(folder: string, args: readonly string[]): Promise<string | undefined> {
  try {
    return (await runGit(folder, args)).toString("utf8");
  } catch {
    return undefined;
  }
}
