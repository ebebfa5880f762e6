/** Writing over HTTP to the real disk, against the same work by hand in one process. */
import { HandmadeRepo } from "./by-hand.ts";
import { flatFile, nestedFile } from "./data.ts";
import { alternate, median, percentile, timed, type Row, type RunOptions, type Sides } from "./measure.ts";
import { Client, makeStorage, scratch, startServer, toBody, type Server } from "./skep.ts";

/** Runs work against a server with some Hives. */
export async function withServer<T>(
  hives: readonly string[],
  locales: readonly string[],
  work: (client: Client, server: Server, token: string, storage: string) => Promise<T>,
): Promise<T> {
  const { storage, token } = await makeStorage(hives, locales);
  const server = await startServer(storage);
  const client = new Client(server.url, token);
  try {
    return await work(client, server, token, storage);
  } finally {
    client.close();
    await server.stop();
  }
}

/** What the floor of an import does with a body: parse it, and the blob of the file in it. */
function blobOf(body: Buffer, file: string): string {
  const { files } = JSON.parse(body.toString("utf8"));
  return `${JSON.stringify(files[file], null, 2)}\n`;
}

function importNew({ quick }: RunOptions): Promise<Sides> {
  const rounds = quick ? 5 : 40;
  // Servers run for weeks: what the first requests of one take is measured by the rows of starts.
  const warmUp = 10;
  const hives = Array.from({ length: rounds + warmUp }, (_, i) => `hive-${i}`);
  return withServer(hives, ["fr"], async (client) => {
    const body = toBody({ "app.json": flatFile(10_000) });
    const repo = new HandmadeRepo(scratch());
    let at = 0;
    return alternate(
      rounds,
      () => timed(() => client.ok("POST", `${hives[at++]}/strings`, body)),
      () => timed(() => repo.commit(["locales", "en", "app.json.json"], blobOf(body, "app.json"))),
      warmUp,
    );
  });
}

/** What an import of strings with notes costs beside one without: twice as many values, and a second file. */
function importNoted({ quick }: RunOptions): Promise<Sides> {
  const rounds = quick ? 5 : 20;
  const warmUp = 5;
  const hives = Array.from({ length: 2 * (rounds + warmUp) }, (_, i) => `hive-${i}`);
  return withServer(hives, ["fr"], async (client) => {
    const files = { "app.json": flatFile(10_000) };
    const notes = Object.keys(files["app.json"]).map((key, i) => [
      key,
      { note: `What ${key} is for, in a sentence or two.`, where: [`src/page-${i % 100}.ts:${i}`] },
    ]);
    const plain = toBody(files);
    const noted = toBody(files, { notes: { "app.json": Object.fromEntries(notes) } });
    let at = 0;
    const send = (body: Buffer) => () => timed(() => client.ok("POST", `${hives[at++]}/strings`, body));
    return alternate(rounds, send(noted), send(plain), warmUp);
  });
}

function importSame({ quick }: RunOptions): Promise<Sides> {
  return withServer(["web"], ["fr"], async (client) => {
    const strings = flatFile(10_000);
    const body = toBody({ "app.json": strings });
    await client.ok("POST", "web/strings", body);
    const present = new Map(Object.entries(strings));
    const compare = (): void => {
      const { files } = JSON.parse(body.toString("utf8"));
      let same = 0;
      for (const [key, text] of Object.entries(files["app.json"])) if (present.get(key) === text) same++;
      if (same !== present.size) throw new Error("not the same");
    };
    return alternate(
      quick ? 10 : 60,
      () => timed(() => client.ok("POST", "web/strings", body)),
      () => timed(compare),
      5,
    );
  });
}

/** 20 locales × 10 files × 1,000 strings. */
export const manyLocales = [
  "de",
  "fr",
  "es",
  "it",
  "pt",
  "nl",
  "pl",
  "cs",
  "sv",
  "da",
  "fi",
  "nb",
  "ru",
  "uk",
  "ja",
  "ko",
  "zh",
  "tr",
  "ar",
  "he",
];

export async function fillLarge(client: Client, hive: string): Promise<void> {
  const files = (locale: number) =>
    Object.fromEntries(
      Array.from({ length: 10 }, (_, i) => [`file${i}.php`, nestedFile(1_000, locale * 100 + i)]),
    );
  await client.ok("POST", `${hive}/strings`, toBody(files(0)));
  for (const [i, code] of manyLocales.entries())
    await client.ok("POST", `${hive}/translations/${code}`, toBody(files(i + 1)));
}

function changeOne(text: string): Buffer {
  return toBody({ "file3.php": { group_7: { message_150: text } } }, { overwrite_strategy: "overwrite" });
}

function translateOne({ quick }: RunOptions): Promise<Sides> {
  return withServer(["web"], manyLocales, async (client) => {
    await fillLarge(client, "web");
    const repo = new HandmadeRepo(scratch());
    const file = nestedFile(1_000, 303);
    return alternate(
      quick ? 10 : 60,
      (round) => timed(() => client.ok("POST", "web/translations/it", changeOne(`ours ${round}`))),
      (round) =>
        timed(async () => {
          const { files } = JSON.parse(changeOne(`floor ${round}`).toString("utf8"));
          file.group_7 = { ...file.group_7, ...files["file3.php"].group_7 };
          await repo.commit(["locales", "it", "file3.php.json"], `${JSON.stringify(file, null, 2)}\n`);
        }),
      5,
    );
  });
}

/** A hundred commits on a Hive of ten thousand, and in turn on one of a hundred. */
function grow({ quick, say }: RunOptions): Promise<Sides> {
  return withServer(["old", "young"], ["fr"], async (client) => {
    const [key = ""] = Object.keys(flatFile(1));
    const change = (hive: string, n: number) =>
      client.ok(
        "POST",
        `${hive}/translations/fr`,
        toBody({ "app.json": { [key]: `text ${n}` } }, { overwrite_strategy: "overwrite" }),
      );
    const fill = async (hive: string, commits: number): Promise<void> => {
      await client.ok("POST", `${hive}/strings`, toBody({ "app.json": flatFile(1_000) }));
      for (let n = 0; n < commits; n++) {
        await change(hive, n);
        if (n % 2_500 === 2_499) say(`    ${n + 1} commits`);
      }
    };
    const commits = quick ? 500 : 10_000;
    await fill("old", commits);
    await fill("young", 100);
    const sides = await alternate(
      100,
      (round) => timed(() => change("old", commits + round)),
      (round) => timed(() => change("young", commits + round)),
      0,
    );
    return { ...sides, note: `${commits} commits` };
  });
}

function fiftyWriters({ quick }: RunOptions): Promise<Sides> {
  return withServer(["web"], ["fr"], async (client, server, token) => {
    await client.ok("POST", "web/strings", toBody({ "app.json": flatFile(1_000) }));
    const keys = Object.keys(flatFile(50));
    const write = (by: Client, writer: number, n: number) =>
      by.ok(
        "POST",
        "web/translations/fr",
        toBody(
          { "app.json": { [keys[writer] ?? ""]: `text ${writer} ${n}` } },
          { overwrite_strategy: "overwrite" },
        ),
      );
    const clients = keys.map(() => new Client(server.url, token));
    const each = quick ? 6 : 20;
    const waits: number[] = [];
    const counts: number[] = [];
    let n = 0;
    const together = async (): Promise<number> => {
      const done = keys.map(() => 0);
      const total = each * keys.length;
      const ms = await timed(() =>
        Promise.all(
          clients.map(async (by, writer) => {
            for (let i = 0; i < each; i++) {
              waits.push(await timed(() => write(by, writer, n++)));
              done[writer] = (done[writer] ?? 0) + 1;
            }
          }),
        ),
      );
      counts.push(...done);
      return (total / ms) * 1000;
    };
    const alone = async (): Promise<number> => {
      const total = quick ? 60 : 200;
      const ms = await timed(async () => {
        for (let i = 0; i < total; i++) await write(client, 0, n++);
      });
      return (total / ms) * 1000;
    };
    const sides = await alternate(quick ? 2 : 5, together, alone, 1);
    for (const one of clients) one.close();
    const note = `wait p50 ${median(waits).toFixed(0)} ms, p99 ${percentile(waits, 0.99).toFixed(0)} ms, longest ${Math.max(...waits).toFixed(0)} ms`;
    return { ...sides, note };
  });
}

const byHand = "by hand in one process: parse, serialise, SHA-1, deflate, fsync, rename";

export const writes: readonly Row[] = [
  {
    id: "import",
    what: "import of 10,000 new strings, durable",
    floor: byHand,
    better: "lower",
    goal: 2,
    unit: "ms",
    run: importNew,
  },
  {
    id: "import-notes",
    what: "import of 10,000 new strings with a note each",
    floor: "the same without notes",
    better: "lower",
    goal: 3,
    unit: "ms",
    run: importNoted,
  },
  {
    id: "unchanged",
    what: "import of 10,000 strings that are there, nothing changed",
    floor: "parse the body and compare",
    better: "lower",
    goal: 2,
    unit: "ms",
    run: importSame,
  },
  {
    id: "translate",
    what: "one translation changed, Hive of 200,000",
    floor: `${byHand}, for that file`,
    better: "lower",
    goal: 2,
    unit: "ms",
    run: translateOne,
  },
  {
    id: "growth",
    what: "one translation changed after 10,000 commits",
    floor: "after 100 commits",
    better: "lower",
    goal: 1.2,
    unit: "ms",
    run: grow,
  },
  {
    id: "writers",
    what: "50 writers on one Hive",
    floor: "one writer",
    better: "higher",
    goal: 1,
    unit: "commits/s",
    run: fiftyWriters,
  },
];
