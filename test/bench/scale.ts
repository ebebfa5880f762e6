/**
 * What large storages take: memory, disk and time, in one run of each step. `npm run bench -- --only scale`; the sizes are
 * flags. It is no comparison and has no goals; docs/performance.md has its figures.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { cldrLocales, flatFile } from "./data.ts";
import { addCommits } from "./past.ts";
import {
  bin,
  Client,
  makeStorage,
  residentBytes,
  scratch,
  skep,
  startServer,
  toBody,
  type Server,
} from "./skep.ts";
import { git } from "./starts.ts";

export interface Sizes {
  readonly hives: number;
  readonly strings: number;
  readonly locales: number;
  readonly commits: number;
}

/** One figure. */
export interface Figure {
  readonly part: string;
  readonly what: string;
  readonly value: number;
  readonly unit: "ms" | "MiB" | "status";
  /** The processor time of all threads and of git, in milliseconds: on a busy machine, what a time says less of. */
  readonly processor?: number;
}

/** A time, and the processor time of it. */
interface Spent {
  readonly ms: number;
  readonly processor: number;
}

/** How long one step may take; a command is ended then, and a request is given up. */
const stepLimitMs = 240_000;
const mebibyte = 2 ** 20;
const stringsPerFile = 10_000;

interface Note {
  (what: string, value: number, unit: "MiB" | "status"): void;
  (what: string, spent: Spent): void;
}

/** Runs all three parts. @param say prints each figure as it comes. */
export async function runScale(sizes: Sizes, say: (line: string) => void): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  const noteIn =
    (part: string): Note =>
    (what: string, value: number | Spent, unit?: "MiB" | "status") => {
      const figure: Figure =
        typeof value === "number"
          ? { part, what, value, unit: unit ?? "MiB" }
          : { part, what, value: value.ms, unit: "ms", processor: value.processor };
      figures.push(figure);
      const processor = figure.processor === undefined ? "" : ` (processor ${round(figure.processor)} ms)`;
      say(`  ${part}: ${what}: ${round(figure.value)} ${figure.unit}${processor}`);
    };
  if (sizes.hives > 0) await manyHives(sizes.hives, noteIn(`${sizes.hives} Hives`));
  if (sizes.commits > 0) await manyCommits(sizes.commits, noteIn(`${sizes.commits} commits`));
  if (sizes.strings > 0)
    await manyStrings(sizes, noteIn(`${sizes.strings} strings × ${sizes.locales} locales`));
  return figures;
}

async function manyHives(hives: number, note: Note): Promise<void> {
  const { storage, token } = await makeStorage(["hive-0"], ["fr", "de"]);
  await withServer(storage, [], async (server) => {
    const client = new Client(server.url, token);
    await client.ok("POST", "hive-0/strings", toBody({ "app.json": flatFile(200) }));
    await client.ok("POST", "hive-0/translations/fr", toBody({ "app.json": flatFile(200, 1) }));
    client.close();
  });
  await skep(storage, "maintain");
  const repository = (n: number): string => join(storage, "hives", `hive-${n}.git`);
  const grow = (from: number, to: number): void => {
    for (let n = from; n < to; n++) cpSync(repository(0), repository(n), { recursive: true });
    const list = Array.from({ length: to }, (_, n) => `  - hive-${n}\n`).join("");
    writeFileSync(join(storage, "teams", "bench.yaml"), `name: bench\nhives:\n${list}`);
  };
  const some = Math.min(hives, 100);
  grow(1, some);
  note(`verify ${some} Hives`, await command(storage, "verify"));
  const copy = scratch();
  note(`first backup of ${some} Hives`, await command(storage, "backup", join(copy, "backup")));
  note(`second backup of ${some} Hives`, await command(storage, "backup", join(copy, "backup")));
  grow(some, hives);
  note("disk of one packed Hive of 200 strings", diskOf(repository(0)) / mebibyte, "MiB");
  note("pack all (nothing to pack)", await command(storage, "maintain"));
  await withServer(storage, [], async (server) => {
    note("start of the server", startOf(server));
    await settled(server, note, "memory at rest after the start");
    await askTwice(server, token, "/api/hives", "list of all Hives", note);
    await askTwice(server, token, "/api/hives/hive-7/strings", "list of one Hive", note);
    const client = new Client(server.url, token);
    note(
      "list of 1000 other Hives, each for the first time",
      await spentBy(server, async () => {
        for (let n = 0; n < Math.min(hives, 1_000); n++) await client.ok("GET", `hive-${n}/strings`);
      }),
    );
    const changed = toBody({ "app.json": { "section_0.message_0": "changed" } });
    note("import of one string", await spentBy(server, () => client.ok("POST", "hive-3/strings", changed)));
    client.close();
    await settled(server, note, "memory at rest after that");
  });
}

async function manyCommits(commits: number, note: Note): Promise<void> {
  const [files, strings] = [10, 30];
  const { storage, token } = await makeStorage(["web"], ["fr"]);
  const gitdir = join(storage, "hives", "web.git");
  await withServer(storage, [], async (server) => {
    const client = new Client(server.url, token);
    const source = Object.fromEntries(
      Array.from({ length: files }, (_, n) => [`file${n}.json`, flatFile(strings)]),
    );
    await client.ok("POST", "web/strings", toBody(source));
    client.close();
  });
  addCommits(gitdir, commits, files, strings);
  note("disk before packing", diskOf(gitdir) / mebibyte, "MiB");
  note("packing", await command(storage, "maintain"));
  note("disk after packing", diskOf(gitdir) / mebibyte, "MiB");
  await withServer(storage, [], async (server) => {
    note("start of the server", startOf(server));
    await askTwice(server, token, "/api/hives/web/strings", "list", note);
    await askTwice(server, token, "/api/hives/web/history", "first page of the history", note);
    await askTwice(
      server,
      token,
      "/api/hives/web/history?locale=fr&file=file3.json&key=section_0.message_0",
      "history of a key",
      note,
    );
    await askTwice(server, token, "/api/hives/web/export?locale=fr&at=2038-01-01", "export at a time", note);
    const client = new Client(server.url, token);
    const first = toBody({ "file3.json": { "section_0.message_0": "changed" } });
    const second = toBody({ "file3.json": { "section_0.message_0": "again" } });
    note("first import of one string", await spentBy(server, () => client.ok("POST", "web/strings", first)));
    note(
      "second import of one string",
      await spentBy(server, () => client.ok("POST", "web/strings", second)),
    );
    client.close();
    await settled(server, note, "memory at rest after that");
  });
  note("verify", await command(storage, "verify"));
  const copy = join(scratch(), "backup");
  note("first backup", await command(storage, "backup", copy));
  note("second backup", await command(storage, "backup", copy));
}

async function manyStrings({ strings, locales }: Sizes, note: Note): Promise<void> {
  const codes = cldrLocales(locales);
  const { storage, token } = await makeStorage(["web"], codes);
  const gitdir = join(storage, "hives", "web.git");
  const files = Math.ceil(strings / stringsPerFile);
  note("size of the texts as JSON", (await addStrings(gitdir, ["en", ...codes], files)) / mebibyte, "MiB");
  note("disk", diskOf(gitdir) / mebibyte, "MiB");
  note("packing", await command(storage, "maintain"));
  note("disk after packing", diskOf(gitdir) / mebibyte, "MiB");
  await withServer(storage, [], async (server) => {
    note("first list, with the limits as they are", await ask(server, token, "/api/hives/web/strings"));
    note("memory after that", peakOf(server) / mebibyte, "MiB");
    const all = await ask(server, token, "/api/hives/web/export");
    note("status of an export of all locales, with the limits as they are", all.status, "status");
    note("the same", all);
  });
  await withServer(storage, ["--slow-read-timeout", "1h", "--memory-budget", "8GiB"], async (server) => {
    const [code = ""] = codes;
    note("start of the server", startOf(server));
    await askTwice(server, token, "/api/hives/web/strings", "list", note);
    await askTwice(server, token, `/api/hives/web/export?locale=${code}`, "export of one locale", note);
    await askTwice(server, token, "/api/hives/web", "progress of all locales", note);
    await askTwice(server, token, "/api/hives/web/history", "first page of the history", note);
    const client = new Client(server.url, token);
    const [key = "", other = ""] = Object.keys(flatFile(2));
    const one = toBody({ "file0.json": { [key]: "changed" } });
    note("import of one source string", await spentBy(server, () => client.ok("POST", "web/strings", one)));
    const translation = toBody({ "file0.json": { [other]: "changed" } }, { overwrite_strategy: "overwrite" });
    const path = `web/translations/${code}`;
    note("import of one translation", await spentBy(server, () => client.ok("POST", path, translation)));
    const file = toBody({ "file0.json": flatFile(stringsPerFile, 7) }, { overwrite_strategy: "overwrite" });
    note(
      `import of ${stringsPerFile} translations`,
      await spentBy(server, () => client.ok("POST", path, file)),
    );
    client.close();
    await settled(server, note, "memory at rest after that");
    note("largest memory so far", peakOf(server) / mebibyte, "MiB");
  });
  await withServer(storage, ["--slow-read-timeout", "1h", "--memory-budget", "8GiB"], async (server) => {
    const all = await ask(server, token, "/api/hives/web/export");
    note("status of an export of all locales, with the time that it needs", all.status, "status");
    note("the same", all);
    note("largest memory for it", peakOf(server) / mebibyte, "MiB");
  });
  note("verify", await command(storage, "verify"));
  const copy = join(scratch(), "backup");
  note("first backup", await command(storage, "backup", copy));
  note("second backup", await command(storage, "backup", copy));
}

/** Adds a commit with files of all locales. @returns how many bytes they have. */
async function addStrings(gitdir: string, codes: readonly string[], files: number): Promise<number> {
  const child = spawn("git", ["fast-import", "--quiet", "--force"], {
    cwd: gitdir,
    stdio: ["pipe", "inherit", "inherit"],
  });
  const ended = once(child, "exit");
  const write = async (text: string | Buffer): Promise<void> => {
    if (!child.stdin.write(text)) await once(child.stdin, "drain");
  };
  const from = git(gitdir, "rev-parse", "main").trim();
  const time = Number(git(gitdir, "log", "-1", "--format=%ct", "main"));
  const message = "Add strings\n";
  const author = "Skep <skep@skep.invalid>";
  await write(
    `commit refs/heads/main\ncommitter ${author} ${time} +0000\ndata ${message.length}\n${message}from ${from}\n`,
  );
  let bytes = 0;
  for (const [locale, code] of codes.entries()) {
    for (let n = 0; n < files; n++) {
      const texts = flatFile(stringsPerFile, locale, n * stringsPerFile);
      const blob = Buffer.from(`${JSON.stringify(texts, null, 2)}\n`);
      bytes += blob.byteLength;
      await write(`M 100644 inline locales/${code}/file${n}.json.json\ndata ${blob.byteLength}\n`);
      await write(blob);
      await write("\n");
    }
  }
  child.stdin.end();
  const [status] = await ended;
  if (status !== 0) throw new Error(`git fast-import ended with ${status}`);
  return bytes;
}

async function withServer(
  storage: string,
  flags: readonly string[],
  run: (server: Server) => Promise<void>,
): Promise<void> {
  const server = await startServer(storage, ...flags);
  try {
    await run(server);
  } finally {
    await server.stop();
  }
}

async function askTwice(
  server: Server,
  token: string,
  path: string,
  what: string,
  note: Note,
): Promise<void> {
  note(`first ${what}`, await ask(server, token, path));
  note(`repeated ${what}`, await ask(server, token, path));
}

/** Asks and drops the body; a request that takes too long has the status 0. */
async function ask(
  server: Server,
  token: string,
  path: string,
): Promise<Spent & { readonly status: number }> {
  let status = 0;
  const spent = await spentBy(server, async () => {
    status = await statusOf(server.url + path, token);
  });
  return { ...spent, status };
}

function statusOf(url: string, token: string): Promise<number> {
  return new Promise((resolve) => {
    const headers = { authorization: `Bearer ${token}` };
    const outgoing = request(url, { headers, signal: AbortSignal.timeout(stepLimitMs) }, (response) => {
      response.on("end", () => resolve(response.statusCode ?? 0)).on("error", () => resolve(0));
      response.resume();
    });
    outgoing.on("error", () => resolve(0)).end();
  });
}

/** What a server, and the git that it runs, spend on some work. */
async function spentBy(server: Server, work: () => Promise<unknown>): Promise<Spent> {
  const before = processorOf(server);
  const start = performance.now();
  await work();
  return { ms: performance.now() - start, processor: processorOf(server) - before };
}

function startOf(server: Server): Spent {
  return { ms: server.startMs, processor: processorOf(server) };
}

/** The processor time that a server has used, and those of its processes that have ended, in milliseconds. */
function processorOf({ child }: Server): number {
  const status = readFileSync(`/proc/${child.pid}/stat`, "utf8");
  const fields = status.slice(status.lastIndexOf(")") + 2).split(" ");
  // In ticks of 10 ms: user and system time, and the same of children.
  return [11, 12, 13, 14].reduce((sum, i) => sum + 10 * Number(fields[i]), 0);
}

/** What a command takes; as long as a step may take if it had to be ended. @throws Error when it fails. */
async function command(storage: string, ...args: readonly string[]): Promise<Spent> {
  const start = performance.now();
  // The shell tells the processor time of its children.
  const script = '"$@"; status=$?; times >&2; exit $status';
  const child = spawn("sh", ["-c", script, "sh", process.execPath, bin, ...args, "--storage", storage], {
    stdio: ["ignore", "ignore", "pipe"],
    detached: true,
  });
  let said = "";
  child.stderr.on("data", (text: Buffer) => (said += text.toString()));
  const timer = setTimeout(() => process.kill(-(child.pid ?? 0), "SIGKILL"), stepLimitMs);
  const [code, signal] = await once(child, "close");
  clearTimeout(timer);
  if (code !== 0 && signal !== "SIGKILL") throw new Error(`skep ${args.join(" ")}: ${said.slice(0, 500)}`);
  const times = Array.from(
    said.matchAll(/(\d+)m([\d.]+)s/g),
    ([, minutes, seconds]) => 60 * Number(minutes) + Number(seconds),
  );
  return {
    ms: performance.now() - start,
    processor: 1_000 * times.slice(-2).reduce((sum, time) => sum + time, 0),
  };
}

function round(value: number): string {
  return value.toFixed(value < 100 ? 1 : 0);
}

/** Waits until garbage was collected, which happens after some seconds of rest. */
async function settled({ child }: Server, note: Note, what: string): Promise<void> {
  let least = Infinity;
  for (let i = 0; i < 16; i++) {
    await new Promise((resolve) => setTimeout(resolve, 500));
    least = Math.min(least, residentBytes(child.pid ?? 0));
  }
  note(what, least / mebibyte, "MiB");
}

/** The most memory that a server has had. */
function peakOf({ child }: Server): number {
  const status = readFileSync(`/proc/${child.pid}/status`, "utf8");
  const [, kibibytes = "0"] = /^VmHWM:\s+(\d+) kB$/m.exec(status) ?? [];
  return Number(kibibytes) * 1024;
}

/** The blocks that a folder takes on the disk, in bytes. */
function diskOf(folder: string): number {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return names.reduce((sum, name) => sum + statSync(join(folder, name)).blocks * 512, 0);
}
