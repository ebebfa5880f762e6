/** What the queue of work costs in a large Hive. */
import { cpSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { largeHive, signIn } from "./console.ts";
import { median, timed, type Row, type RunOptions, type Sides } from "./measure.ts";
import { Client, scratch, startServer, type Server } from "./skep.ts";

/** The promised time of getting the next string, in milliseconds. */
const promised = 50;

/** How many strings of the last file are missing. */
const missing = 900;

interface Served {
  readonly server: Server;
  readonly client: Client;
  readonly token: string;
}

/** A large Hive in which only the last of 20 files has strings that are missing. */
async function serveGaps(quick: boolean, name: string): Promise<Served> {
  const { storage: large, token } = await largeHive(quick);
  const storage = join(scratch(), name);
  cpSync(large, storage, { recursive: true });
  const server = await startServer(storage);
  const client = new Client(server.url, token);
  const perFile = quick ? 1_000 : 10_000;
  const keys = Array.from({ length: missing }, (_, i) => {
    const n = 9 * perFile + i;
    return `section_${n % 97}.message_${n}`;
  });
  const body = Buffer.from(JSON.stringify({ files: { "file9.json": keys } }));
  const { deleted } = JSON.parse((await client.ok("DELETE", "web/translations/fr", body)).toString());
  if (deleted !== missing) throw new Error(`${deleted} translations were removed`);
  return { server, client, token };
}

/** Shows the next string on the page of work, of which each is another one, with memory, history and neighbours. */
async function nextPage({ quick }: RunOptions): Promise<Sides> {
  const { server, client, token } = await serveGaps(quick, "pages");
  try {
    const get = await signIn(server, token);
    const page = "/hives/web/translate/fr?want=missing";
    const nameIn = (html: string): string => /data-draft="([^"]*)"/.exec(html)?.[1] ?? "";
    let html = "";
    const first = await timed(async () => (html = await get(page)));
    const ours: number[] = [];
    for (let round = 0; round < (quick ? 5 : 30); round++) {
      const after = `after=${encodeURIComponent(nameIn(html))}`;
      ours.push(await timed(async () => (html = await get(`${page}&${after}`))));
    }
    const bytes = gzipSync(html).byteLength;
    return {
      ours,
      floor: [promised],
      note: `the first took ${first.toFixed(0)} ms; ${bytes} bytes compressed`,
    };
  } finally {
    client.close();
    await server.stop();
  }
}

/** Gets the next string as a program does. */
async function nextString({ quick }: RunOptions): Promise<Sides> {
  const { server, client } = await serveGaps(quick, "copy");
  const post = async (path: string, body: object) =>
    JSON.parse((await client.ok("POST", path, Buffer.from(JSON.stringify(body)))).toString());
  const next = async (more: object = {}) =>
    post("web/work", { locale: "fr", want: ["missing", "stale"], max_items: 1, ...more });
  const giveBack = ({ claim }: { claim: string }) => client.ok("DELETE", `web/work/${claim}`);
  try {
    const first = await timed(async () => giveBack(await next()));
    const ours: number[] = [];
    const many: number[] = [];
    const answers: number[] = [];
    for (let round = 0; round < (quick ? 5 : 30); round++) {
      let work = await next();
      await giveBack(work);
      ours.push(await timed(async () => (work = await next())));
      await giveBack(work);
      many.push(await timed(async () => (work = await next({ max_items: 25 }))));
      const items = work.items.map((item: { file: string; key: string; expected: unknown }) => ({
        file: item.file,
        key: item.key,
        expected: item.expected,
        forms: { other: `Done ${item.key}` },
      }));
      answers.push(await timed(() => post("web/work/done", { locale: "fr", items })));
    }
    const of = (times: readonly number[]): string => `${median(times).toFixed(1)} ms`;
    const note = `the first took ${first.toFixed(0)} ms; 25 strings ${of(many)}, their answers ${of(answers)}`;
    return { ours, floor: [promised], note };
  } finally {
    client.close();
    await server.stop();
  }
}

export const workRows: readonly Row[] = [
  {
    id: "work",
    what: "the next string to work on among 200,000 in 20 locales, with hits of the memory",
    floor: "the promise (50 ms)",
    better: "lower",
    goal: 1,
    unit: "ms",
    run: nextString,
  },
  {
    id: "translate-page",
    what: "the page with the next string to translate among 200,000 in 20 locales",
    floor: "the promise (50 ms)",
    better: "lower",
    goal: 1,
    unit: "ms",
    run: nextPage,
  },
];
