/** The commands of the project's pages, and how they are run. */
import { execFile } from "node:child_process";
import { codeBlocks } from "../helpers/markdown.ts";
import { readPage } from "./pages.ts";

/** The blocks of a page in one language. */
export function blocks(page: string, language: string): readonly string[] {
  return codeBlocks(readPage(page))
    .filter((block) => block.language === language)
    .map(({ code }) => code);
}

/** The commands of a page. */
export function shell(page: string): readonly string[] {
  return blocks(page, "sh");
}

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a script as a reader does who enters its lines. */
export function bash(script: string, cwd: string, env: Readonly<Record<string, string>> = {}): Promise<Ran> {
  const environment = { PATH: process.env.PATH ?? "", HOME: cwd, GIT_CONFIG_NOSYSTEM: "1", ...env };
  return new Promise((resolve) => {
    const args = ["--norc", "-eo", "pipefail", "-c", script];
    execFile("bash", args, { cwd, env: environment, encoding: "utf8" }, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === "number" ? error.code : null;
      resolve({ code, stdout, stderr });
    });
  });
}
