/** The real bin in real processes, and real git. */
import { noLimits, type CountLimits } from "../../src/domain/plans/quota.ts";
import { execFile, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, onTestFinished } from "vitest";
import { defaults } from "../../src/config/settings.ts";
import type { Output } from "../../src/commands/program/output.ts";
import { runCommand } from "../../src/commands/program.ts";
import type { AppOptions } from "../../src/http/pipeline/shared.ts";
import { createApp } from "../../src/http/app.ts";
import { listen } from "../../src/http/server.ts";
import { openLocalStorage, type LocalOptions, type Storage } from "../../src/service/storage.ts";
import { expectDescribed } from "./http/described.ts";
import { copiedStorages, realFolder } from "./storage.ts";

/** The command, as it is built. */
export const bin = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));
const run = promisify(execFile);

/**
 * Most processes of tests do little: to compile what runs a few times takes longer than to run it. The default is 132 kB of
 * bytecode.
 */
const coldCode = ["--interrupt-budget=1000000"];

/** How a command ended. */
export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The environment of a child: nothing of the machine's settings that changes what skep or git do. */
const environment = {
  PATH: process.env.PATH,
  HOME: "/nonexistent",
  // Nothing stands before the servers of tests that must notice that they stop.
  SKEP_DRAIN_DELAY: "0",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_AUTHOR_NAME: "Somebody",
  GIT_AUTHOR_EMAIL: "somebody@example.org",
  GIT_COMMITTER_NAME: "Somebody",
  GIT_COMMITTER_EMAIL: "somebody@example.org",
};

type Environment = Readonly<Record<string, string>>;

async function ended(
  file: string,
  args: readonly string[],
  options: { cwd?: string; env?: object } = {},
): Promise<Ended> {
  try {
    const env = { ...environment, ...options.env };
    return { code: 0, ...(await run(file, args, { ...options, env, maxBuffer: 1 << 28 })) };
  } catch (error) {
    if (
      error instanceof Error &&
      "code" in error &&
      typeof error.code === "number" &&
      "stdout" in error &&
      "stderr" in error
    ) {
      return { code: error.code, stdout: String(error.stdout), stderr: String(error.stderr) };
    }
    throw error;
  }
}

/** Runs `skep` with arguments as {@link runSkep} does, without the process: that takes longer than most commands. */
export async function skep(...args: readonly string[]): Promise<Ended> {
  let [stdout, stderr] = ["", ""];
  const output: Output = {
    stdout: { write: (text) => (stdout += text) },
    stderr: { write: (text) => (stderr += text) },
  };
  await runCommand(args, output);
  return { code: Number(output.exitCode ?? 0), stdout, stderr };
}

/** The same as {@link skepAt} runs it. What this process does meanwhile has the folder and the environment, too. */
export async function skepWithin(cwd: string, env: Environment, ...args: readonly string[]): Promise<Ended> {
  const [outer, folder] = [process.env, process.cwd()];
  try {
    process.env = { ...environment, ...env };
    process.chdir(cwd);
    return await skep(...args);
  } finally {
    process.env = outer;
    process.chdir(folder);
  }
}

/** Runs the real bin with arguments. */
export function runSkep(...args: readonly string[]): Promise<Ended> {
  return ended(process.execPath, [...coldCode, bin, ...args]);
}

/** The same in an environment of its own, which goes over the usual one. */
export function skepIn(env: Environment, ...args: readonly string[]): Promise<Ended> {
  return ended(process.execPath, [...coldCode, bin, ...args], { env });
}

/** The same in a folder, too. */
export function skepAt(cwd: string, env: Environment, ...args: readonly string[]): Promise<Ended> {
  return ended(process.execPath, [...coldCode, bin, ...args], { cwd, env });
}

/** Runs `skep` on a storage and gives what it prints. @throws Error when it fails. */
export async function skepOk(storage: string, ...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await skep(...args, "--storage", storage);
  if (code !== 0) throw new Error(`skep ${args.join(" ")}: ${stderr}`);
  return stdout.trimEnd();
}

/** The flags of a Hive with one target locale. */
export const french = ["--locale", "fr"];

/**
 * A storage on the real disk that has the team `acme`.
 * @param hives the flags of its Hives, by their slugs.
 */
export async function acmeStorage(
  hives: Readonly<Record<string, readonly string[]>> = { web: french },
): Promise<string> {
  const [storage] = await copyAcme(hives);
  return storage;
}

const copyAcme = copiedStorages(async (storage, hives: Readonly<Record<string, readonly string[]>>) => {
  await skepOk(storage, "team", "create", "acme");
  for (const [slug, flags] of Object.entries(hives))
    await skepOk(storage, "hive", "create", slug, "--team", "acme", ...flags);
});

/** Creates a token of the team `acme`. */
export function createToken(
  storage: string,
  abilities: readonly string[] = ["read", "write"],
  ...flags: readonly string[]
): Promise<string> {
  const granted = abilities.flatMap((ability) => ["--ability", ability]);
  return skepOk(storage, "token", "create", "--team", "acme", ...granted, ...flags);
}

/** Where a command of management works. */
export const places = ["storage", "server"] as const;

/** A storage of the team `acme` that is served, and how commands work on it. */
export interface Placed {
  readonly run: (...args: readonly string[]) => Promise<Ended>;
  /** Sends a request about the Hive `web`, and takes a failure for a fault of the test. */
  readonly send: (method: string, path: string, body: object) => Promise<void>;
  /** What a question names as the place. */
  readonly on: string;
}

/** @param place where its commands work. @param abilities of the token that they have at the server. */
export async function placed(
  place: (typeof places)[number],
  abilities: readonly string[] = ["read", "write"],
): Promise<Placed> {
  const storage = await acmeStorage();
  const server = await serveInProcess(storage);
  const token = await createToken(storage, abilities);
  const env = { SKEP_TOKEN: token, SKEP_SERVER: server.url };
  return {
    run: (...args) =>
      place === "storage" ? skep(...args, "--storage", storage) : skepWithin(realFolder(), env, ...args),
    async send(method, path, body) {
      const { status, json } = await request(server, token, method, `/api/hives/web${path}`, body);
      if (status >= 300) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(json)}`);
    },
    on: place === "storage" ? "" : ` on ${server.url}`,
  };
}

/** What git is told each time: nothing is packed beside a test. */
const gitSettings = ["-c", "init.defaultBranch=main", "-c", "maintenance.auto=false"];

/** Runs git and tells how it ended. */
export function tryGit(
  cwd: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  return ended("git", [...gitSettings, ...args], { cwd, env: { GIT_TERMINAL_PROMPT: "0", ...env } });
}

/** Runs git and gives what it prints. @throws Error when it fails. */
export async function git(cwd: string, ...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await ended("git", [...gitSettings, ...args], { cwd });
  if (code !== 0) throw new Error(`git ${args.join(" ")}: ${stderr}`);
  return stdout;
}

export interface RunningServer {
  readonly url: string;
  readonly child: ChildProcess;
  /** What it wrote to stderr so far. */
  readonly stderr: () => string;
  /** Sends a signal and waits for the end; gives the exit code. */
  readonly stop: (signal?: NodeJS.Signals) => Promise<number | null>;
}

/** What a server is to those who only call it. */
export type Served = Pick<RunningServer, "url">;

/**
 * Serves a storage on a free port from this process, with the usual settings: for what does not depend on the process,
 * and takes less than a new one to start. Nothing is packed or pushed beside it.
 */
export function serveInProcess(
  folder: string,
  limits: Partial<CountLimits> = {},
  options: Partial<AppOptions> = {},
  local: LocalOptions = {},
): Promise<Served> {
  return serveStorage(openLocalStorage(folder, { limits: { ...noLimits, ...limits }, ...local }), options);
}

/** The same for a storage that is open. */
export async function serveStorage(storage: Storage, options: Partial<AppOptions> = {}): Promise<Served> {
  const app = createApp({ ...defaults, ...options, storage, log: { error: () => {} } });
  const { url, close } = await listen(app, { ...defaults, port: 0, timeouts: { closing: 500 } });
  onTestFinished(() => void close());
  return { url };
}

/** Starts the real server on a free port. It is killed after the test if it still runs. */
export function startServer(storage: string, ...flags: readonly string[]): Promise<RunningServer> {
  return startServerIn({}, storage, ...flags);
}

/** The same in an environment of its own, which goes over the usual one. */
export async function startServerIn(
  env: Environment,
  storage: string,
  ...flags: readonly string[]
): Promise<RunningServer> {
  const child = spawn(
    process.execPath,
    [...coldCode, bin, "serve", "--port", "0", "--storage", storage, ...flags],
    {
      env: { ...environment, ...env },
      stdio: ["ignore", "ignore", "pipe"],
    },
  );
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => (stderr += chunk));
  const exit = once(child, "exit");
  onTestFinished(() => void child.kill("SIGKILL"));
  const url = await new Promise<string>((resolve, reject) => {
    child.stderr.on("data", () => {
      const [, found] = /listens on (http:[^\s"]+)/.exec(stderr) ?? [];
      if (found !== undefined) resolve(found);
    });
    child.once("exit", (code) => reject(new Error(`the server ended with ${code}: ${stderr}`)));
  });
  return {
    url,
    child,
    stderr: () => stderr,
    stop: async (signal = "SIGTERM") => {
      child.kill(signal);
      const [code] = await exit;
      return code;
    },
  };
}

/**
 * Makes a commit with one text of the Hive `web` on a running server.
 * @returns the commit.
 */
export async function commitText(server: Served, token: string, text: string): Promise<string> {
  const body = { files: { "a.php": { a: text } } };
  const { headers, status } = await request(server, token, "POST", "/api/hives/web/strings", body);
  expect(status).toBe(200);
  return headers.get("x-skep-commit") ?? "";
}

/** Calls a running server; the body is sent as JSON, and the answer held to the OpenAPI document. */
export async function request(
  { url }: Served,
  token: string,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers of every shape
): Promise<{ readonly status: number; readonly json: any; readonly headers: Headers }> {
  const sent = body === undefined ? undefined : JSON.stringify(body);
  const response = await fetch(url + path, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json", ...headers },
    body: sent,
  });
  const text = await response.text();
  expectDescribed({ method, path, body: sent }, { status: response.status, headers: response.headers, text });
  return {
    status: response.status,
    json: text === "" ? undefined : JSON.parse(text),
    headers: response.headers,
  };
}
