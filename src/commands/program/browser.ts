/** Opens pages in the browser of the person at the terminal. */
import { spawn } from "node:child_process";
import { output } from "./output.ts";

/** Where a command runs. */
export interface Surroundings {
  readonly isTerminal: boolean;
  readonly platform: NodeJS.Platform;
  readonly environment: NodeJS.ProcessEnv;
}

/** The program that opens addresses, and its first arguments; undefined where nobody sits before a browser. */
export function browserProgram({
  isTerminal,
  platform,
  environment,
}: Surroundings): readonly [program: string, ...args: string[]] | undefined {
  const has = (name: string): boolean => (environment[name] ?? "") !== "";
  if (!isTerminal || has("CI") || has("SSH_CONNECTION")) return undefined;
  if (platform === "darwin") return ["open"];
  // What `start` does; that is a part of the shell, which would read the address.
  if (platform === "win32") return ["rundll32", "url.dll,FileProtocolHandler"];
  return has("DISPLAY") || has("WAYLAND_DISPLAY") ? ["xdg-open"] : undefined;
}

/** Opens an address in the browser if the result goes to a person who has one; they can open it by hand if that fails. */
export function openBrowser(url: string): void {
  const isTerminal = output().stdout.isTTY === true;
  const found = browserProgram({ isTerminal, platform: process.platform, environment: process.env });
  if (found === undefined) return;
  const [program, ...args] = found;
  spawn(program, [...args, url], { detached: true, stdio: "ignore" })
    .on("error", () => undefined)
    .unref();
}
