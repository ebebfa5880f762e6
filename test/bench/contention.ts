/** Writers and very many readers of one server at once. */
import { flatFile } from "./data.ts";
import { load } from "./load.ts";
import { alternate, median, percentile, timed, type Row, type RunOptions, type Sides } from "./measure.ts";
import { Client, makeStorage, startServer, toBody } from "./skep.ts";

const writers = 20;
const readers = 1_000;

/** Commits per second of some writers, each of which waits for its answer, with and without a thousand readers. */
async function writersBesideReaders({ quick }: RunOptions): Promise<Sides> {
  const { storage, token } = await makeStorage(["web"], ["fr"]);
  const server = await startServer(storage);
  const keys = Object.keys(flatFile(writers));
  const clients = keys.map(() => new Client(server.url, token));
  const seconds = quick ? 3 : 8;
  const waits: number[] = [];
  const readRates: number[] = [];
  let n = 0;

  async function write(recorded: number[]): Promise<number> {
    let commits = 0;
    const end = performance.now() + seconds * 1_000;
    const ms = await timed(() =>
      Promise.all(
        clients.map(async (client, writer) => {
          while (performance.now() < end) {
            const files = { "app.json": { [keys[writer] ?? ""]: `text ${n++}` } };
            const body = toBody(files, { overwrite_strategy: "overwrite" });
            recorded.push(await timed(() => client.ok("POST", "web/translations/fr", body)));
            commits++;
          }
        }),
      ),
    );
    return (commits / ms) * 1_000;
  }

  async function beside(): Promise<number> {
    const url = `${server.url}/api/hives/web/strings?per_page=100`;
    const headers = [`authorization=Bearer ${token}`];
    const pid = server.child.pid ?? 0;
    const reading = load({ url, pid, seconds: seconds + 1, headers, connections: readers });
    const rate = await write(waits);
    readRates.push((await reading).rate);
    return rate;
  }

  try {
    await clients[0]?.ok("POST", "web/strings", toBody({ "app.json": flatFile(1_000) }));
    const sides = await alternate(quick ? 1 : 4, beside, () => write([]), 1);
    const note =
      `write p50 ${median(waits).toFixed(0)} ms, p99 ${percentile(waits, 0.99).toFixed(0)} ms; ` +
      `${median(readRates).toFixed(0)} reads/s`;
    return { ...sides, note };
  } finally {
    for (const client of clients) client.close();
    await server.stop();
  }
}

export const contentionRows: readonly Row[] = [
  {
    id: "writers-readers",
    what: `${writers} writers beside ${readers} connections that read`,
    floor: "the same writers alone",
    better: "higher",
    // Reads and writes share one event loop: equal shares of it would be half of the rate. Half of that again is what
    // reading a thousand sockets may cost, which happens before any request can be held back.
    goal: 0.25,
    unit: "commits/s",
    run: writersBesideReaders,
  },
];
