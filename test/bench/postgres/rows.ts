/** A storage in a database against the same in a folder, each served by a server of its own. */
import { execFileSync } from "node:child_process";
import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { importIntoDatabase } from "../../../src/service/operations/record-transfer.ts";
import { openLocalStorage } from "../../../src/service/storage.ts";
import { Cluster, isMissing } from "../../helpers/postgres/cluster.ts";
import { flatFile } from "../data.ts";
import { generator, load } from "../load.ts";
import { alternate, timed, type Row, type RunOptions, type Sides } from "../measure.ts";
import { stringsPerFile } from "../past.ts";
import { Client, makeStorage, scratch, startServer, toBody, type Server } from "../skep.ts";

const strings = 10_000;
const writers = 50;
/** Of a server that is never idle. */
const connections = 64;

/** As a real database writes: durably. */
const settings = { fsync: "on", full_page_writes: "on", shared_buffers: "128MB" };
let running: Promise<Cluster> | undefined;

interface Places {
  readonly token: string;
  /** The folder of the storage before it was imported. */
  readonly folder: string;
  readonly cluster: Cluster;
  readonly database: string;
  /** Starts a server on the database, with an empty copy. */
  readonly serve: () => Promise<Server>;
}

/** Makes a storage, and a database with the same content. @param fill what is in it before. */
async function withDatabase(
  hives: readonly string[],
  run: (places: Places) => Promise<Sides>,
  fill: (client: Client) => Promise<unknown> = () => Promise.resolve(),
): Promise<Sides> {
  const { storage, token } = await makeStorage(hives, ["fr"]);
  const filling = await startServer(storage);
  const client = new Client(filling.url, token);
  await fill(client);
  client.close();
  await filling.stop();
  const cluster = await (running ??= Cluster.start({ settings }));
  const database = await cluster.database();
  await importIntoDatabase(openLocalStorage(storage), { url: cluster.url(database) });
  const servers: Server[] = [];
  const serve = async (): Promise<Server> => {
    const server = await startServer(scratch(), "--database", cluster.url(database));
    servers.push(server);
    return server;
  };
  try {
    return await run({ token, folder: storage, cluster, database, serve });
  } finally {
    for (const server of servers) if (server.child.exitCode === null) await server.stop();
  }
}

/** The same requests to a server on the database, and to one on the folder. */
async function withBoth(
  hives: readonly string[],
  run: (both: { readonly ours: Server; readonly floor: Server; readonly token: string }) => Promise<Sides>,
  fill?: (client: Client) => Promise<unknown>,
): Promise<Sides> {
  const inBoth = async ({ token, folder, serve }: Places): Promise<Sides> => {
    const floor = await startServer(folder);
    try {
      return await run({ ours: await serve(), floor, token });
    } finally {
      await floor.stop();
    }
  };
  return withDatabase(hives, inBoth, fill);
}

const fillWeb = (client: Client): Promise<unknown> =>
  client.ok("POST", "web/strings", toBody({ "app.json": flatFile(strings) }));

function imports({ quick }: RunOptions): Promise<Sides> {
  const [rounds, warmUp] = quick ? [3, 2] : [20, 5];
  const hives = Array.from({ length: rounds + warmUp }, (_, i) => `hive-${i}`);
  const body = toBody({ "app.json": flatFile(strings) });
  return withBoth(hives, async ({ ours, floor, token }) => {
    const send = ({ url }: Server) => {
      const client = new Client(url, token);
      let at = 0;
      return () => timed(() => client.ok("POST", `${hives[at++]}/strings`, body));
    };
    return alternate(rounds, send(ours), send(floor), warmUp);
  });
}

function changes({ quick }: RunOptions): Promise<Sides> {
  const inBoth = async ({ ours, floor, token }: { ours: Server; floor: Server; token: string }) => {
    const send = ({ url }: Server) => {
      const client = new Client(url, token);
      let n = 0;
      return () =>
        timed(() =>
          client.ok("POST", "web/strings", toBody({ "app.json": { added: `text ${n++}` } }, overwrite)),
        );
    };
    return alternate(quick ? 5 : 100, send(ours), send(floor), 10);
  };
  return withBoth(["web"], inBoth, fillWeb);
}

const overwrite = { overwrite_strategy: "overwrite" };

function pages({ quick }: RunOptions): Promise<Sides> {
  const inBoth = async ({ ours, floor, token }: { ours: Server; floor: Server; token: string }) => {
    const side =
      ({ url, child }: Server) =>
      async () => {
        const headers = [`authorization=Bearer ${token}`];
        const [page, pid, seconds] = [`${url}/api/hives/web/strings?page=3`, child.pid ?? 0, quick ? 1 : 4];
        return (await load({ url: page, pid, seconds, headers, connections })).cpuMicroseconds;
      };
    const sides = await alternate(quick ? 3 : 7, side(ours), side(floor), 1);
    return { ...sides, note: `${generator}; of Skep's process, without PostgreSQL's` };
  };
  return withBoth(["web"], inBoth, fillWeb);
}

/** From the first request to a server that has nothing, against a clone of the packed repository. */
function firstAnswer({ quick }: RunOptions): Promise<Sides> {
  const [files, rounds] = quick ? [2, 2] : [20, 5];
  const fill = async (client: Client): Promise<void> => {
    for (let n = 0; n < files; n++)
      await client.ok(
        "POST",
        "web/strings",
        toBody({ [`file${n}.json`]: flatFile(strings, 0, n * strings) }),
      );
  };
  const run = ({ token, folder, serve }: Places): Promise<Sides> => {
    const gitdir = join(folder, "hives", "web.git");
    execFileSync("git", ["-c", "safe.directory=*", "--git-dir", gitdir, "gc", "--quiet"]);
    const first = async (): Promise<number> => {
      const server = await serve();
      const client = new Client(server.url, token);
      const ms = await timed(() => client.ok("GET", "web/strings?page=3"));
      client.close();
      await server.stop();
      return ms;
    };
    const clone = async (): Promise<number> => {
      const target = join(scratch(), "clone");
      const args = ["-c", "safe.directory=*", "clone", "--quiet", `file://${gitdir}`, target];
      const ms = await timed(() => execFileSync("git", args));
      rmSync(target, { recursive: true });
      return ms;
    };
    return alternate(rounds, first, clone, 1);
  };
  return withDatabase(["web"], run, fill);
}

/** What the database has of a Hive that all commits came to, against its repository packed by git. */
function bytes({ quick, commits = quick ? 300 : 2_000, say }: RunOptions): Promise<Sides> {
  const run = async ({ token, serve, cluster, database }: Places): Promise<Sides> => {
    const server = await serve();
    const client = new Client(server.url, token);
    const live = async (): Promise<number> => {
      const [row] = await cluster.sql(
        `SELECT sum(p.bytes)::float8 AS bytes FROM repository r JOIN pack p ON p.id = r.base
          OR p.id IN (SELECT pack FROM change c WHERE c.repository = r.id AND c.seq > r.base_seq)`,
        database,
      );
      return Number(row?.bytes);
    };
    let most = 0;
    for (let n = 0; n < commits; n++) {
      const text = { [`section_${n % 97}.message_${n % stringsPerFile}`]: `text ${n}` };
      await client.ok("POST", "web/strings", toBody({ [`file${n % 10}.json`]: text }, overwrite));
      if (n % 50 === 0) most = Math.max(most, await live());
    }
    await sleep(5_000);
    const copy = join(scratch(), "packed.git");
    const url = `${server.url}/hives/web.git`;
    const header = `http.extraHeader=Authorization: Bearer ${token}`;
    execFileSync("git", ["-c", header, "clone", "--mirror", "--quiet", url, copy]);
    execFileSync("git", ["--git-dir", copy, "gc", "--quiet", "--prune=now"]);
    const packs = join(copy, "objects", "pack");
    const packed = readdirSync(packs).filter((name) => name.endsWith(".pack"));
    const floor = packed.reduce((sum, name) => sum + statSync(join(packs, name)).size, 0);
    client.close();
    say(`    at most ${Math.round(most / 1_000)} kB on the way`);
    return {
      ours: [(await live()) / 1_000],
      floor: [floor / 1_000],
      note: `${commits} commits`,
    };
  };
  const fill = async (client: Client): Promise<void> => {
    const files = Array.from({ length: 10 }, (_, n) => [`file${n}.json`, flatFile(stringsPerFile)]);
    await client.ok("POST", "web/strings", toBody(Object.fromEntries(files)));
  };
  return withDatabase(["web"], run, fill);
}

function twoReads({ quick }: RunOptions): Promise<Sides> {
  const run = async ({ token, serve }: Places): Promise<Sides> => {
    const servers = [await serve(), await serve()];
    const side = (some: readonly Server[]) => async () => {
      const headers = [`authorization=Bearer ${token}`];
      const rates = some.map(({ url, child }) =>
        load({
          url: `${url}/api/hives/web/strings?page=3`,
          pid: child.pid ?? 0,
          seconds: quick ? 1 : 4,
          headers,
        }),
      );
      return (await Promise.all(rates)).reduce((sum, { rate }) => sum + rate, 0);
    };
    return alternate(quick ? 2 : 5, side(servers), side(servers.slice(0, 1)), 1);
  };
  return withDatabase(["web"], run, fillWeb);
}

function twoWriters({ quick }: RunOptions): Promise<Sides> {
  const hives = Array.from({ length: writers }, (_, i) => `hive-${i}`);
  const run = async ({ token, serve }: Places): Promise<Sides> => {
    const servers = [await serve(), await serve()];
    let n = 0;
    const side = (some: readonly Server[]) => async () => {
      const end = performance.now() + (quick ? 2_000 : 5_000);
      let written = 0;
      const ms = await timed(() =>
        Promise.all(
          hives.map(async (hive, i) => {
            const client = new Client(some[i % some.length]?.url ?? "", token);
            for (; performance.now() < end; written++)
              await client.ok(
                "POST",
                `${hive}/strings`,
                toBody({ "a.json": { a: `text ${n++}` } }, overwrite),
              );
            client.close();
          }),
        ),
      );
      return (written / ms) * 1_000;
    };
    return alternate(quick ? 2 : 5, side(servers), side(servers.slice(0, 1)), 1);
  };
  return withDatabase(hives, run);
}

const folder = { floor: "the same in a folder", better: "lower" } as const;
/** Each server needs a processor, and for each PostgreSQL and the load do, too. */
const one = { floor: "one", better: "higher", processors: 6 } as const;

const all: readonly Row[] = [
  {
    id: "db-import",
    what: "import of 10,000 new strings into a database",
    ...folder,
    goal: 2,
    unit: "ms",
    run: imports,
  },
  { id: "db-change", what: "one string more, in a database", ...folder, goal: 2.5, unit: "ms", run: changes },
  {
    id: "db-list",
    what: "a list page of 100 with a database, processor time",
    ...folder,
    goal: 1.6,
    unit: "µs",
    run: pages,
  },
  {
    id: "db-first",
    what: "the first answer of an empty server with a database, 200,000 strings",
    floor: "git clone file://",
    better: "lower",
    goal: 2,
    unit: "ms",
    run: firstAnswer,
  },
  {
    id: "db-bytes",
    what: "what a database has of a Hive with many commits",
    floor: "one pack by git gc",
    better: "lower",
    goal: 3,
    unit: "kB",
    run: bytes,
  },
  {
    id: "db-reads",
    what: "reads of two servers with a database",
    ...one,
    goal: 1.7,
    unit: "requests/s",
    run: twoReads,
  },
  {
    id: "db-writers",
    what: "50 writers on 50 Hives, two servers with a database",
    ...one,
    goal: 1.3,
    unit: "writes/s",
    run: twoWriters,
  },
];

/** None where PostgreSQL is not installed. */
export const databaseRows: readonly Row[] = isMissing() ? [] : all;

/** Ends PostgreSQL, and removes it. */
export async function stopDatabases(): Promise<void> {
  const cluster = await running;
  await cluster?.stop();
  if (cluster !== undefined) rmSync(cluster.folder, { recursive: true });
}
