/** What the queue of work costs in a large Hive. */
import { cpSync } from "node:fs";
import { join } from "node:path";
import { largeHive } from "./console.ts";
import { median, timed, type Row, type RunOptions, type Sides } from "./measure.ts";
import { Client, scratch, startServer } from "./skep.ts";

/** The promised time of getting the next string, in milliseconds. */
const promised = 50;

/** How many strings of the last file are missing. */
const missing = 900;

/** Gets the next string, as a page does, where only the last of 20 files has some that are missing. */
async function nextString({ quick }: RunOptions): Promise<Sides> {
  const large = await largeHive(quick);
  const storage = join(scratch(), "copy");
  cpSync(large.storage, storage, { recursive: true });
  const server = await startServer(storage);
  const client = new Client(server.url, large.token);
  const post = async (path: string, body: object) =>
    JSON.parse((await client.ok("POST", path, Buffer.from(JSON.stringify(body)))).toString());
  const next = async (more: object = {}) =>
    post("web/work", { locale: "fr", want: ["missing", "stale"], max_items: 1, ...more });
  const giveBack = ({ claim }: { claim: string }) => client.ok("DELETE", `web/work/${claim}`);
  try {
    const perFile = quick ? 1_000 : 10_000;
    const keys = Array.from({ length: missing }, (_, i) => {
      const n = 9 * perFile + i;
      return `section_${n % 97}.message_${n}`;
    });
    const body = Buffer.from(JSON.stringify({ files: { "file9.json": keys } }));
    const { deleted } = JSON.parse((await client.ok("DELETE", "web/translations/fr", body)).toString());
    if (deleted !== missing) throw new Error(`${deleted} translations were removed`);
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
];
