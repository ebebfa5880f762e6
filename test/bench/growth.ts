/**
 * The same work in a Hive of 10,000 commits against one of 100 with the same content, both packed by `skep server
 * maintain`.
 */
import { execFile } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { flatFile } from "./data.ts";
import { alternate, timed, type Row, type RunOptions, type Sides } from "./measure.ts";
import { addCommits, stringsPerFile } from "./past.ts";
import { Client, makeStorage, scratch, skep, startServer, toBody, type Server } from "./skep.ts";

const run = promisify(execFile);
const files = 10;

interface Grown {
  readonly storage: string;
  readonly token: string;
}

interface Side {
  readonly client: Client;
  readonly server: Server;
  readonly token: string;
}

/** Made once for all rows. */
const made = new Map<number, Promise<Grown>>();

async function grow(commits: number): Promise<Grown> {
  const { storage, token } = await makeStorage(["web"], ["fr"]);
  const server = await startServer(storage);
  const client = new Client(server.url, token);
  const names = Array.from({ length: files }, (_, n) => `file${n}.json`);
  await client.ok(
    "POST",
    "web/strings",
    toBody(Object.fromEntries(names.map((name) => [name, flatFile(stringsPerFile)]))),
  );
  client.close();
  await server.stop();
  addCommits(join(storage, "hives", "web.git"), commits, files);
  await skep(storage, "maintain");
  return { storage, token };
}

function grown(commits: number): Promise<Grown> {
  const making = made.get(commits) ?? grow(commits);
  made.set(commits, making);
  return making;
}

async function open({ storage, token }: Grown): Promise<Side> {
  const server = await startServer(storage);
  return { client: new Client(server.url, token), server, token };
}

function changeOne(text: string): Buffer {
  const [key = ""] = Object.keys(flatFile(1));
  return toBody({ "file3.json": { [key]: text } }, { overwrite_strategy: "overwrite" });
}

/** @param work what is timed; the number is never the same twice. */
async function compare(
  { quick, say }: RunOptions,
  work: (side: Side, n: number) => Promise<number>,
  rounds = 60,
): Promise<Sides> {
  const commits = quick ? 1_000 : 10_000;
  const [many, few] = [await open(await grown(commits)), await open(await grown(100))];
  say(`    ${commits} commits`);
  let n = 0;
  try {
    return await alternate(
      quick ? 5 : rounds,
      () => work(many, n++),
      () => work(few, n++),
      5,
    );
  } finally {
    for (const { client, server } of [many, few]) {
      client.close();
      await server.stop();
    }
  }
}

/** A read whose answer is not kept, because a commit came before it. */
function readAfterCommit(path: string) {
  return async ({ client }: Side, n: number): Promise<number> => {
    await client.ok("POST", "web/translations/fr", changeOne(`${process.pid} read ${n}`));
    await client.ok("POST", "web/strings", toBody({ "new.json": { [`${process.pid}_${n}`]: "x" } }));
    return timed(() => client.ok("GET", path));
  };
}

async function cloneShallow({ server, token }: Side): Promise<number> {
  const target = join(scratch(), "clone");
  const header = `http.extraHeader=Authorization: Bearer ${token}`;
  const flags = ["-c", header, "clone", "--quiet", "--depth=1", `${server.url}/hives/web.git`, target];
  const ms = await timed(() => run("git", flags));
  rmSync(target, { recursive: true });
  return ms;
}

const growing = { floor: "after 100 commits", better: "lower", goal: 1.2, unit: "ms" } as const;

export const growthRows: readonly Row[] = [
  {
    id: "growth-list",
    what: "a list page after a commit, the 10,000th, packed",
    ...growing,
    run: (options) => compare(options, readAfterCommit("web/strings?page=3")),
  },
  {
    id: "growth-export",
    what: "export of one locale after a commit, the 10,000th, packed",
    ...growing,
    run: (options) => compare(options, readAfterCommit("web/export?locale=fr")),
  },
  {
    id: "growth-import",
    what: "import of a new string after 10,000 commits, packed",
    ...growing,
    run: (options) =>
      compare(options, ({ client }, n) =>
        timed(() =>
          client.ok("POST", "web/strings", toBody({ "more.json": { [`${process.pid}_${n}`]: "x" } })),
        ),
      ),
  },
  {
    id: "growth-translate",
    what: "one translation changed after 10,000 commits, packed",
    ...growing,
    run: (options) =>
      compare(options, ({ client }, n) =>
        timed(() => client.ok("POST", "web/translations/fr", changeOne(`${process.pid} text ${n}`))),
      ),
  },
  {
    id: "growth-clone",
    what: "clone --depth=1 after 10,000 commits, packed",
    ...growing,
    run: (options) => compare(options, cloneShallow, 15),
  },
];
