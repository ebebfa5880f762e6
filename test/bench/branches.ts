/** Branches over HTTP to the real disk: made, and merged, in a large Hive. */
import { HandmadeRepo } from "./by-hand.ts";
import { flatFile } from "./data.ts";
import { alternate, median, timed, type Row, type RunOptions, type Sides } from "./measure.ts";
import { scratch, toBody, type Client } from "./skep.ts";
import { withServer } from "./writes.ts";

const files = 20;
const stringsPerFile = 10_000;
const fileName = (i: number): string => `file${i}.json`;

/** 200,000 source strings, each translated once. */
async function fill(client: Client, hive: string): Promise<void> {
  for (let i = 0; i < files; i++) {
    const content = (locale: number) => ({
      [fileName(i)]: flatFile(stringsPerFile, locale, i * stringsPerFile),
    });
    await client.ok("POST", `${hive}/strings`, toBody(content(0)));
    await client.ok("POST", `${hive}/translations/fr`, toBody(content(1)));
  }
}

/** A thousand strings with other texts, from all files. */
function changes(round: number, what: string): Buffer {
  const each = 1_000 / files;
  const changed = Array.from({ length: files }, (_, i) => {
    const first = i * stringsPerFile + ((round + 10) % 100) * each;
    const keys = Object.keys(flatFile(each, 0, first));
    return [fileName(i), Object.fromEntries(keys.map((key) => [key, `${what} ${round} ${key}`]))];
  });
  return toBody(Object.fromEntries(changed));
}

const branchBody = (name: string): Buffer => Buffer.from(JSON.stringify({ name }));

function create({ quick }: RunOptions): Promise<Sides> {
  return withServer(["large", "small"], ["fr"], async (client) => {
    await fill(client, "large");
    await client.ok("POST", "small/strings", toBody({ "app.json": flatFile(100) }));
    const repo = new HandmadeRepo(scratch());
    await repo.commit(["locales", "en", "app.json"], "{}");
    const small: number[] = [];
    const make = (hive: string, n: number) =>
      timed(() => client.ok("POST", `${hive}/branches`, branchBody(`branch-${n}`)));
    const sides = await alternate(
      quick ? 10 : 100,
      async (n) => {
        small.push(await make("small", n + 5));
        return make("large", n + 5);
      },
      (n) => timed(() => repo.branch(`branch-${n + 5}`)),
      5,
    );
    return { ...sides, note: `in a Hive of 100 strings: ${median(small).toPrecision(3)} ms` };
  });
}

function merge({ quick }: RunOptions): Promise<Sides> {
  return withServer(["web"], ["fr"], async (client) => {
    await fill(client, "web");
    const one = (round: number): Buffer =>
      toBody({ [fileName(0)]: { [Object.keys(flatFile(1))[0] ?? ""]: `main ${round}` } });
    return alternate(
      quick ? 3 : 10,
      async (round) => {
        const name = `merge-${round}`;
        await client.ok("POST", "web/branches", branchBody(name));
        await client.ok("POST", `web/strings?branch=${name}`, changes(round, "branch"));
        await client.ok("POST", "web/strings", one(round));
        return timed(() => client.ok("POST", `web/branches/${name}/merge`, Buffer.from("{}")));
      },
      (round) => timed(() => client.ok("POST", "web/strings", changes(round + 50, "import"))),
      2,
    );
  });
}

export const branchRows: readonly Row[] = [
  {
    id: "branch",
    what: "a branch made, Hive of 200,000",
    floor: "the file of the branch by hand, with its two fsyncs",
    better: "lower",
    goal: 5,
    unit: "ms",
    run: create,
  },
  {
    id: "merge",
    what: "a merge of 1,000 changed strings, Hive of 200,000",
    floor: "an import of as many",
    better: "lower",
    goal: 2,
    unit: "ms",
    run: merge,
  },
];
