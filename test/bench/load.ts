/** Load on a server, from a process of its own: `wrk` where it is installed, which is several times as fast as node. */
import { execFile, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const autocannon = fileURLToPath(import.meta.resolve("autocannon"));
const fewConnections = 10;
const clockTicksPerSecond = 100;

export interface Load {
  readonly url: string;
  /** Of the serving process, whose children count with it. */
  readonly pid: number;
  readonly seconds: number;
  /** `name=value`. */
  readonly headers: readonly string[];
  /** Ten if not given. */
  readonly connections?: number;
}

interface Measured {
  /** Requests per second. */
  readonly rate: number;
  /** What the serving process used for each request: it does not depend on what else the machine does. */
  readonly cpuMicroseconds: number;
}

/** What makes the load. autocannon is itself the limit where an answer is small, which flatters Skep. */
export const generator =
  spawnSync("wrk", ["--version"]).error === undefined ? "wrk" : "autocannon, for want of wrk";

/** Loads a server. @throws Error when not all requests are answered well. */
export async function load(options: Load): Promise<Measured> {
  const before = processorSeconds(options.pid);
  const { count, rate } = generator === "wrk" ? await runWrk(options) : await runAutocannon(options);
  return { rate, cpuMicroseconds: ((processorSeconds(options.pid) - before) / count) * 1e6 };
}

interface Answered {
  readonly count: number;
  readonly rate: number;
}

async function runWrk({ url, seconds, headers, connections = fewConnections }: Load): Promise<Answered> {
  const own = headers.flatMap((header) => ["-H", header.replace("=", ": ")]);
  // One thread: the server has one too, and needs its processor.
  const { stdout } = await run("wrk", [
    "-t",
    "1",
    "-c",
    String(connections),
    "-d",
    `${seconds}s`,
    "--timeout",
    "30s",
    ...own,
    url,
  ]);
  if (/Socket errors|Non-2xx/.test(stdout)) throw new Error(`load on ${url}: ${stdout}`);
  const [, count] = /(\d+) requests in/.exec(stdout) ?? [];
  const [, rate] = /Requests\/sec:\s+([\d.]+)/.exec(stdout) ?? [];
  return { count: Number(count), rate: Number(rate) };
}

async function runAutocannon({
  url,
  seconds,
  headers,
  connections = fewConnections,
}: Load): Promise<Answered> {
  const own = headers.flatMap((header) => ["-H", header]);
  const flags = ["-j", "-c", String(connections), "-d", String(seconds), ...own];
  const { stdout } = await run(process.execPath, [autocannon, ...flags, url], { maxBuffer: 1 << 26 });
  const { errors, timeouts, non2xx, statusCodeStats, requests } = JSON.parse(stdout);
  const notModified: number = statusCodeStats["304"]?.count ?? 0;
  if (errors + timeouts + non2xx - notModified > 0) throw new Error(`load on ${url}: ${stdout}`);
  return { count: requests.total, rate: requests.average };
}

/** The processor time that a process and its children have used, in user and kernel mode. */
function processorSeconds(pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean);
  return children.reduce((sum, child) => sum + processorSeconds(Number(child)), ownProcessorSeconds(pid));
}

function ownProcessorSeconds(pid: number): number {
  // The name of the program, in parentheses, may hold spaces: utime and stime are the 12th and 13th field after it.
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /s, "")
    .split(" ");
  return (Number(fields[11]) + Number(fields[12])) / clockTicksPerSecond;
}
