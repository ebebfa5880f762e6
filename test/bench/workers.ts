/** Several workers against one process: what they do together, and what a read waits for beside imports. */
import { flatFile } from "./data.ts";
import { generator, load } from "./load.ts";
import { alternate, median, percentile, timed, type Row, type RunOptions, type Sides } from "./measure.ts";
import { Client, makeStorage, startServer, toBody, type Server } from "./skep.ts";

const strings = 10_000;
const page = "web/strings?page=3";
/** Enough that each process always has a request to answer. */
const connections = 64;
const importers = 2;
const readers = 8;
/** How long a reader rests after each answer, so that waits are those of single requests and not of a queue. */
const restMs = 5;

interface Both {
  readonly token: string;
  readonly one: Server;
  readonly several: Server;
}

/** A server of one process and one of two workers, each with a storage of its own. */
async function withBoth(run: (both: Both) => Promise<Sides>): Promise<Sides> {
  const { storage, token } = await makeStorage(["web", "app"], ["fr"]);
  const one = await startServer(storage);
  const several = await startServer(storage, "--workers", "2");
  const client = new Client(one.url, token);
  try {
    for (const hive of ["web", "app"]) {
      await client.ok("POST", `${hive}/strings`, toBody({ "app.json": flatFile(strings) }));
    }
    return await run({ token, one, several });
  } finally {
    client.close();
    await Promise.all([one.stop(), several.stop()]);
  }
}

const pidOf = ({ child }: Server): number => child.pid ?? 0;

/** Reads per second, and what they cost: where the load itself needs a core, only the costs can be compared. */
function readRates({ quick }: RunOptions): Promise<Sides> {
  return withBoth(async ({ token, one, several }) => {
    const cpu = { ours: [] as number[], floor: [] as number[] };
    const side = (name: keyof typeof cpu, server: Server) => async (round: number) => {
      const headers = [`authorization=Bearer ${token}`];
      const url = `${server.url}/api/hives/${page}`;
      const { rate, cpuMicroseconds } = await load({
        url,
        pid: pidOf(server),
        seconds: quick ? 1 : 4,
        headers,
        connections,
      });
      if (round >= 0) cpu[name].push(cpuMicroseconds);
      return rate;
    };
    const sides = await alternate(quick ? 3 : 7, side("ours", several), side("floor", one), 1);
    const [ours, floor] = [median(cpu.ours), median(cpu.floor)];
    const time = `${ours.toFixed(1)} to ${floor.toFixed(1)} µs of processor time a request`;
    const alone = `on two cores of their own ${((2 * floor) / ours).toFixed(2)} times as many`;
    return { ...sides, note: `${generator}, which uses a core itself; ${time}: ${alone}` };
  });
}

/** Dry runs of imports per second: work that the load does not share. */
function workRates({ quick }: RunOptions): Promise<Sides> {
  return withBoth(async ({ token, one, several }) => {
    const body = toBody({ "app.json": flatFile(strings) });
    const side = (server: Server) => async () => {
      const clients = Array.from({ length: readers }, () => new Client(server.url, token));
      let answered = 0;
      const end = performance.now() + (quick ? 1_000 : 4_000);
      const ms = await timed(() =>
        Promise.all(
          clients.map(async (client) => {
            for (; performance.now() < end; answered++) {
              await client.ok("POST", "web/strings?dry_run=true", body);
            }
          }),
        ),
      );
      for (const client of clients) client.close();
      return (answered / ms) * 1_000;
    };
    return alternate(quick ? 3 : 7, side(several), side(one), 1);
  });
}

/** What reads wait for, in milliseconds, while something else is done. */
async function waitsBeside(
  server: Server,
  { token, seconds }: { readonly token: string; readonly seconds: number },
  other: (isOver: () => boolean) => Promise<unknown>,
): Promise<readonly number[]> {
  const clients = Array.from({ length: readers }, () => new Client(server.url, token));
  const waits: number[] = [];
  const end = performance.now() + seconds * 1_000;
  const isOver = (): boolean => performance.now() >= end;
  const reading = clients.map(async (client) => {
    while (!isOver()) {
      waits.push(await timed(() => client.ok("GET", page)));
      await new Promise((resolve) => setTimeout(resolve, restMs));
    }
  });
  await Promise.all([...reading, other(isOver)]);
  for (const client of clients) client.close();
  return waits;
}

/** The longest waits of reads beside imports of 10,000 strings, against those without. */
function readsBesideImports({ quick }: RunOptions): Promise<Sides> {
  return withBoth(async ({ token, one, several }) => {
    const seconds = quick ? 2 : 6;
    // Made before: the readers are in this process, too.
    const bodies = Array.from({ length: 20 }, (_, i) => toBody({ "app.json": flatFile(strings, i) }));
    let n = 0;
    const importing = (server: Server) => (isOver: () => boolean) =>
      Promise.all(
        Array.from({ length: importers }, async () => {
          const client = new Client(server.url, token);
          while (!isOver()) {
            await client.ok("POST", "app/strings", bodies[n++ % bodies.length]);
          }
          client.close();
        }),
      );
    const p99 = (waits: readonly number[]): number => percentile(waits, 0.99);
    const beside = async (server: Server) =>
      p99(await waitsBeside(server, { token, seconds }, importing(server)));
    const idle = async (server: Server) => p99(await waitsBeside(server, { token, seconds }, async () => {}));
    const sides = await alternate(
      quick ? 2 : 5,
      () => beside(several),
      () => idle(several),
      1,
    );
    const [single, alone] = [await beside(one), await idle(one)];
    const note = `${readers} readers and ${importers} importers; of one process ${single.toFixed(1)} ms to ${alone.toFixed(1)}`;
    return { ...sides, note };
  });
}

export const workerRows: readonly Row[] = [
  {
    id: "reads-workers",
    what: "list pages of two workers",
    floor: "those of one process",
    better: "higher",
    goal: 1.6,
    unit: "req/s",
    run: readRates,
  },
  {
    id: "work-workers",
    what: "dry runs of 10,000 strings of two workers",
    floor: "those of one process",
    better: "higher",
    goal: 1.6,
    unit: "req/s",
    run: workRates,
  },
  {
    id: "reads-imports",
    what: "the 0.99 quantile of reads of two workers beside imports of 10,000 strings",
    floor: "the same without imports",
    better: "lower",
    goal: 3,
    unit: "ms",
    run: readsBesideImports,
  },
];
