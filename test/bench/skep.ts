/** The real server in a process of its own, on the real disk, and storages made for it. */
import { execFile, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { Agent, request as httpRequest } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

/** The command, as it is built. */
export const bin = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));
const stallWatch = new URL("stall-watch.mjs", import.meta.url).href;
const run = promisify(execFile);
const folders: string[] = [];

/** An empty folder, removed when the benchmark ends. */
export function scratch(): string {
  // Not in memory: what is measured is a disk.
  const folder = mkdtempSync(join(process.env.SKEP_BENCH_DIR ?? tmpdir(), "skep-bench-"));
  folders.push(folder);
  return folder;
}

export function removeScratch(): void {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
}

/** Runs a command. */
export async function skep(storage: string, ...args: readonly string[]): Promise<string> {
  const { stdout } = await run(process.execPath, [bin, ...args, "--storage", storage], {
    maxBuffer: 1 << 28,
  });
  return stdout.trimEnd();
}

/** A storage with a team, some Hives and a token. */
export async function makeStorage(
  hives: readonly string[],
  locales: readonly string[],
): Promise<{ storage: string; token: string }> {
  const storage = scratch();
  await skep(storage, "team", "create", "bench");
  for (const slug of hives) {
    await skep(
      storage,
      "hive",
      "create",
      slug,
      "--team",
      "bench",
      ...locales.flatMap((code) => ["--locale", code]),
    );
  }
  const token = await skep(
    storage,
    "token",
    "create",
    "--team",
    "bench",
    "--ability",
    "read",
    "--ability",
    "write",
  );
  return { storage, token };
}

export interface Server {
  readonly url: string;
  readonly child: ChildProcess;
  /** From the start of the process until it listened, in milliseconds. */
  readonly startMs: number;
  readonly stop: () => Promise<void>;
  /** Resident memory in bytes. */
  readonly memory: () => number;
}

export async function startServer(storage: string, ...flags: readonly string[]): Promise<Server> {
  return start(storage, flags);
}

export interface WatchedServer extends Server {
  /** The longest pause of its event loop since this was last asked, in milliseconds. */
  readonly longestPause: () => Promise<number>;
}

/** A server whose event loop is watched. */
export async function startWatched(storage: string): Promise<WatchedServer> {
  const server = await start(storage, [], ["--import", stallWatch]);
  const { child } = server;
  const longestPause = async (): Promise<number> => {
    const answered = once(child, "message");
    child.send("pause");
    const [ms] = await answered;
    return Number(ms);
  };
  return { ...server, longestPause };
}

async function start(
  storage: string,
  flags: readonly string[],
  nodeFlags: readonly string[] = [],
): Promise<Server> {
  const began = performance.now();
  const child = spawn(
    process.execPath,
    ["--expose-gc", ...nodeFlags, bin, "serve", "--port", "0", "--storage", storage, ...flags],
    { stdio: ["ignore", "ignore", "pipe", ...(nodeFlags.length > 0 ? (["ipc"] as const) : [])] },
  );
  const url = await new Promise<string>((resolve, reject) => {
    let text = "";
    child.stderr?.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      const [, found] = /listens on ([^\s"]+)/.exec(text) ?? [];
      if (found !== undefined) resolve(found);
    });
    child.once("exit", (code) => reject(new Error(`the server ended with ${code}: ${text}`)));
  });
  const startMs = performance.now() - began;
  return {
    url,
    child,
    startMs,
    stop: async () => {
      const exit = once(child, "exit");
      child.kill("SIGTERM");
      await exit;
    },
    memory: () => residentBytes(child.pid ?? 0),
  };
}

/** A process's resident memory. */
export function residentBytes(pid: number): number {
  const [, kibibytes = "0"] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kibibytes) * 1024;
}

export interface Reply {
  readonly status: number;
  readonly body: Buffer;
}

/** A client with one connection, which waits for each answer. */
export class Client {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  readonly #base: string;
  readonly #token: string;

  constructor(url: string, token: string) {
    this.#base = `${url}/api/hives/`;
    this.#token = token;
  }

  send(method: string, path: string, body?: Buffer): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const headers = {
        authorization: `Bearer ${this.#token}`,
        ...(body === undefined ? {} : { "content-type": "application/json", "content-length": body.length }),
      };
      const request = httpRequest(this.#base + path, { method, agent: this.#agent, headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("end", () => resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks) }));
      });
      request.on("error", reject);
      request.end(body);
    });
  }

  /** Sends and expects success. */
  async ok(method: string, path: string, body?: Buffer): Promise<Buffer> {
    const reply = await this.send(method, path, body);
    if (reply.status !== 200 && reply.status !== 201)
      throw new Error(`${method} ${path}: ${reply.status} ${reply.body.toString().slice(0, 200)}`);
    return reply.body;
  }

  close(): void {
    this.#agent.destroy();
  }
}

export function toBody(files: unknown, more: object = {}): Buffer {
  return Buffer.from(JSON.stringify({ files, ...more }));
}
