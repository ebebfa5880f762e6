/** Runs the installed git in an app's folder. */
import { spawn } from "node:child_process";
import { ClientError } from "../api/client-error.ts";

const timeoutMs = 60_000;
/** The largest output of git that is read. */
const maxBytes = 512 * 1024 * 1024;

/**
 * A repository may come from somebody else, and its configuration must not make git run programs: git fetches nothing that
 * is missing, from wherever, and looks at files by itself. What the user has configured stays in force.
 */
const guards = { GIT_NO_LAZY_FETCH: "1", GIT_ALLOW_PROTOCOL: "none", GIT_TERMINAL_PROMPT: "0" };
const settings = ["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"];

/** A hint for partial clones, which lack objects. */
export const partialHint =
  "; a clone that was made with --filter lacks objects, and git fetch --refetch --no-filter gets them";

/** @throws ClientError `error` with git's own message; also when there is no git, or no folder. */
export async function runGit(folder: string, args: readonly string[], input = ""): Promise<Buffer> {
  const name = `git ${args[0] ?? ""}`;
  return new Promise((resolve, reject) => {
    const env = { ...process.env, ...guards };
    const child = spawn("git", [...settings, ...args], { cwd: folder, env, timeout: timeoutMs });
    const printed: Buffer[] = [];
    let size = 0;
    let errors = "";
    const fail = (why: string): void => reject(new ClientError("error", `${name}: ${why}`));
    child.stdout.on("data", (part: Buffer) => {
      size += part.length;
      printed.push(part);
      if (size > maxBytes) child.kill();
    });
    child.stderr.setEncoding("utf8").on("data", (part: string) => (errors += part));
    child.on("error", ({ message }) => fail(message));
    child.on("close", (code, signal) => {
      const hint = errors.includes("promisor") ? partialHint : "";
      if (code === 0 && size <= maxBytes) resolve(Buffer.concat(printed));
      else fail((errors.trim() || `ended with ${code ?? signal}`) + hint);
    });
    // Git may end before it has read everything; how it ended says why.
    child.stdin.on("error", () => {});
    child.stdin.end(input);
  });
}

/** Runs git, and gives undefined where it fails: not every app is in git, and git is not installed everywhere. */
export async function tryGit(folder: string, args: readonly string[]): Promise<string | undefined> {
  try {
    return (await runGit(folder, args)).toString("utf8");
  } catch {
    return undefined;
  }
}
