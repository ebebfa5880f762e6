/** Reading over HTTP, against a bare node:http server that sends the same bytes. Load comes from a process of its own. */
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { cldrFiles, cldrLocales, flatFile } from "./data.ts";
import { generator, load, type Load } from "./load.ts";
import { alternate, median, type Row, type RunOptions, type Sides } from "./measure.ts";
import { Client, makeStorage, scratch, startServer, toBody } from "./skep.ts";

const floorServer = fileURLToPath(new URL("floor-server.mjs", import.meta.url));

async function startFloor(
  answers: Record<string, unknown>,
): Promise<{ url: string; pid: number; stop: () => void }> {
  const file = join(scratch(), "answers.json");
  writeFileSync(file, JSON.stringify(answers));
  const child = spawn(process.execPath, [floorServer, file], { stdio: ["ignore", "pipe", "inherit"] });
  const url = await new Promise<string>((resolve) => {
    child.stdout.on("data", (chunk: Buffer) => resolve(/listens on (\S+)/.exec(chunk.toString())?.[1] ?? ""));
  });
  return { url, pid: child.pid ?? 0, stop: () => void child.kill() };
}

interface Read {
  readonly path: string;
  readonly headers?: (etag: string) => readonly string[];
  /** The files of each locale, the source first; one made file of 10,000 strings in two locales if not given. */
  readonly data?: readonly (readonly [locale: string, files: Record<string, unknown>])[];
  /** What else is done before. */
  readonly prepare?: (client: Client) => Promise<void>;
}

const made = (["en", "fr"] as const).map((code, i) => [code, { "app.json": flatFile(10_000, i) }] as const);

async function measure(
  { quick }: RunOptions,
  { path, headers = () => [], data = made, prepare }: Read,
): Promise<Sides> {
  const [, ...targets] = data.map(([code]) => code);
  const { storage, token } = await makeStorage(["web"], targets);
  const server = await startServer(storage);
  const client = new Client(server.url, token);
  for (const [code, files] of data) {
    await client.ok("POST", code === "en" ? "web/strings" : `web/translations/${code}`, toBody(files));
  }
  // As the load asks: what is sent compressed would be read as it was before.
  await prepare?.(client);
  const authorization = { authorization: `Bearer ${token}`, "accept-encoding": "identity" };
  const first = await fetch(`${server.url}/api/hives/${path}`, { headers: authorization });
  await first.arrayBuffer();
  const asked = headers(first.headers.get("etag") ?? "");
  const sent = Object.fromEntries(asked.map((header) => header.split(/=(.*)/s).slice(0, 2)));
  const answer = await fetch(`${server.url}/api/hives/${path}`, { headers: { ...authorization, ...sent } });
  const body = Buffer.from(await answer.arrayBuffer());
  const sentHere = ["content-type", "content-length", "etag", "cache-control", "vary"];
  const own = [...sentHere, "x-skep-commit", "x-request-id"].filter((name) => answer.headers.has(name));
  const floor = await startFloor({
    [`/${path}`]: {
      status: answer.status,
      headers: Object.fromEntries(own.map((name) => [name, answer.headers.get(name)])),
      body: body.toString("base64"),
    },
  });
  const seconds = quick ? 1 : 4;
  try {
    const cpu = { ours: [] as number[], floor: [] as number[] };
    const side = (name: keyof typeof cpu, what: Load) => async (round: number) => {
      const { rate, cpuMicroseconds } = await load(what);
      if (round >= 0) cpu[name].push(cpuMicroseconds);
      return rate;
    };
    const same = { seconds, headers: [`authorization=Bearer ${token}`, ...asked] };
    const sides = await alternate(
      quick ? 3 : 7,
      side("ours", { ...same, url: `${server.url}/api/hives/${path}`, pid: server.child.pid ?? 0 }),
      side("floor", { ...same, url: `${floor.url}/${path}`, pid: floor.pid }),
      1,
    );
    const [ours, bare] = [median(cpu.ours), median(cpu.floor)];
    const time = `${ours.toFixed(1)} to ${bare.toFixed(1)} µs of processor time a request: ${(bare / ours).toFixed(2)}`;
    return { ...sides, note: `${body.length} bytes, status ${answer.status}, ${generator}; ${time}` };
  } finally {
    client.close();
    floor.stop();
    await server.stop();
  }
}

const reading = { floor: "bare node:http sending the same bytes", better: "higher", unit: "req/s" } as const;

export const reads: readonly Row[] = [
  {
    id: "list",
    what: "a list page of 100",
    goal: 0.75,
    ...reading,
    run: (options) => measure(options, { path: "web/strings?page=3" }),
  },
  {
    id: "export",
    what: "export of one locale, 10,000 strings",
    goal: 0.9,
    ...reading,
    run: (options) => measure(options, { path: "web/export?locale=fr" }),
  },
  {
    id: "export-all",
    what: "export of CLDR's names in 101 locales at once",
    goal: 0.9,
    ...reading,
    run: (options) =>
      measure(options, {
        path: "web/export",
        data: ["en", ...cldrLocales(100)].map((code) => [code, cldrFiles(code)]),
      }),
  },
  {
    id: "304",
    what: "export of one locale, not modified",
    goal: 0.7,
    ...reading,
    run: (options) =>
      measure(options, { path: "web/export?locale=fr", headers: (etag) => [`if-none-match=${etag}`] }),
  },
  {
    id: "at",
    what: "export of one locale at a tag that is not HEAD",
    goal: 0.6,
    ...reading,
    run: (options) =>
      measure(options, {
        path: "web/export?locale=fr&at=v1",
        prepare: async (client) => {
          await client.send("POST", "web/tags", Buffer.from('{"name": "v1"}'));
          await client.ok("POST", "web/strings", toBody({ "app.json": { later: "x" } }));
        },
      }),
  },
];
