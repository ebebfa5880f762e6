/** The longest pause of the server's event loop under requests as large as they may be, against the promise. */
import { flatFile } from "./data.ts";
import { timed, type Row, type RunOptions, type Sides } from "./measure.ts";
import { Client, makeStorage, startWatched, toBody } from "./skep.ts";

/** As many strings as a file may have. */
const perFile = 50_000;
/** A file of as many as leave a body below 4 MiB and 50,000 values, and four files of as many as a request may hold. */
const ordinary = [49_990];
const largest = Array.from({ length: 4 }, () => perFile - 30);
const manyLocales = 505;
const textsPerLocale = 1_750;

/** Codes of locales: languages in countries, whether anybody speaks them there or not. */
function manyCodes(count: number): readonly string[] {
  const countries = ["DE", "FR", "IT", "ES", "PL", "JP", "BR", "MX", "CN", "IN", "TR", "SE", "NO"];
  const languages =
    "de fr it es pl ja pt zh hi tr sv nb da fi nl cs sk hu ro bg el uk ru ar he ko vi th id ms".split(" ");
  const more = "ca eu gl lt lv et sl hr sr mk sq is ga".split(" ");
  return [...languages, ...more]
    .flatMap((one) => countries.map((country) => `${one}-${country}`))
    .slice(0, count);
}

interface Stage {
  readonly name: string;
  readonly run: (client: Client) => Promise<unknown>;
}

const files = (sizes: readonly number[], locale: number) =>
  Object.fromEntries(sizes.map((strings, n) => [`app${n}.json`, flatFile(strings, locale, n * perFile)]));

/** Everything that takes long with files of such sizes. */
const everything = (sizes: readonly number[]): readonly Stage[] => [
  { name: "import", run: (client) => client.ok("POST", "web/strings", toBody(files(sizes, 0))) },
  { name: "the same", run: (client) => client.ok("POST", "web/strings", toBody(files(sizes, 0))) },
  { name: "translate", run: (client) => client.ok("POST", "web/translations/fr", toBody(files(sizes, 1))) },
  { name: "checks", run: (client) => client.ok("GET", "web/checks") },
  { name: "list", run: (client) => client.ok("GET", "web/strings?page=400") },
  { name: "keys", run: (client) => client.ok("GET", "web/keys") },
  { name: "export", run: (client) => client.ok("GET", "web/export?locale=fr") },
  { name: "nested", run: (client) => client.ok("GET", "web/export?locale=fr&shape=nested") },
  { name: "php", run: (client) => client.ok("GET", "web/export?locale=fr&format=php") },
  { name: "export all", run: (client) => client.ok("GET", "web/export") },
  { name: "change all", run: (client) => client.ok("POST", "web/strings", toBody(files(sizes, 2))) },
  { name: "stale", run: (client) => client.ok("GET", "web/stale") },
  { name: "untranslated", run: (client) => client.ok("GET", "web/untranslated?locale=fr") },
  { name: "progress", run: (client) => client.ok("GET", "web") },
  { name: "search", run: (client) => client.ok("GET", "web/search?text=kingdom&locale=fr") },
  {
    name: "memory",
    run: (client) => client.ok("GET", "web/memory?locale=fr&text=Gabon%20France,%20Chad%2011"),
  },
  {
    name: "work",
    run: (client) =>
      client.ok("POST", "web/work", Buffer.from(JSON.stringify({ locale: "fr", want: ["stale"] }))),
  },
  {
    name: "clear",
    run: (client) =>
      client.ok(
        "PUT",
        "web/strings",
        toBody(
          files(
            sizes.map((strings) => strings / 2),
            3,
          ),
          { conflict_strategy: "clear" },
        ),
      ),
  },
  {
    name: "undo",
    run: async (client) => {
      const { data } = JSON.parse((await client.ok("GET", "web/history?per_page=1")).toString());
      return client.ok("POST", "web/undo", Buffer.from(JSON.stringify({ commit: data[0].commit })));
    },
  },
];

/** A Hive of many locales. */
const widest: readonly Stage[] = [
  { name: "export all", run: (client) => client.ok("GET", "web/export") },
  { name: "export all, PHP", run: (client) => client.ok("GET", "web/export?format=php") },
  { name: "progress", run: (client) => client.ok("GET", "web") },
  {
    name: "change all",
    run: (client) => client.ok("POST", "web/strings", toBody({ "app.json": flatFile(textsPerLocale, 1) })),
  },
  { name: "stale", run: (client) => client.ok("GET", "web/stale") },
  {
    name: "clear half",
    run: (client) =>
      client.ok(
        "PUT",
        "web/strings",
        toBody({ "app.json": flatFile(textsPerLocale / 2) }, { conflict_strategy: "clear" }),
      ),
  },
];

interface Measured {
  readonly locales: readonly string[];
  /** What is there before anything is measured. */
  readonly fill?: Stage["run"];
  /** Whether the server starts anew once it is there, and has read nothing of it. */
  readonly restarts?: boolean;
}

/** @param promised the longest pause, in milliseconds. */
async function measure(
  stages: readonly Stage[],
  promised: number,
  { say }: RunOptions,
  { locales, fill, restarts = false }: Measured,
): Promise<Sides> {
  const { storage, token } = await makeStorage(["web"], locales);
  let server = await startWatched(storage);
  let client = new Client(server.url, token);
  const pauses: number[] = [];
  try {
    await fill?.(client);
    if (restarts) {
      client.close();
      await server.stop();
      server = await startWatched(storage);
      client = new Client(server.url, token);
    }
    await server.longestPause();
    for (const { name, run } of stages) {
      const ms = await timed(() => run(client));
      const pause = await server.longestPause();
      pauses.push(pause);
      say(`    ${name}: ${pause.toFixed(0)} ms of ${ms.toFixed(0)}`);
    }
  } finally {
    client.close();
    await server.stop();
  }
  return { ours: [Math.max(...pauses)], floor: [promised] };
}

async function fillWide(client: Client, codes: readonly string[]): Promise<void> {
  await client.ok("POST", "web/strings", toBody({ "app.json": flatFile(textsPerLocale) }));
  for (const [i, code] of codes.entries()) {
    await client.ok(
      "POST",
      `web/translations/${code}`,
      toBody({ "app.json": flatFile(textsPerLocale, i + 1) }),
    );
  }
}

/** What the first reads after a start take, of files of as many strings as a request may hold. */
const firstReads: readonly Stage[] = [
  { name: "list", run: (client) => client.ok("GET", "web/strings") },
  { name: "export", run: (client) => client.ok("GET", "web/export?locale=fr") },
  { name: "stale", run: (client) => client.ok("GET", "web/stale") },
  { name: "history of a key", run: (client) => client.ok("GET", "web/history?key=section_1.message_1") },
];

async function fillLarge(client: Client): Promise<void> {
  await client.ok("POST", "web/strings", toBody(files(largest, 0)));
  await client.ok("POST", "web/translations/fr", toBody(files(largest, 1)));
  await client.ok("POST", "web/strings", toBody(files(largest, 2)));
}

const pause = {
  floor: "the promise (docs/decisions/sharing.md)",
  better: "lower",
  goal: 1,
  unit: "ms",
} as const;

export const stallRows: readonly Row[] = [
  {
    id: "stall-file",
    what: "longest pause with 50,000 strings in one file",
    ...pause,
    run: (options) => measure(everything(ordinary), 50, options, { locales: ["fr"] }),
  },
  {
    id: "stall-body",
    what: "longest pause with 200,000 strings in four files",
    ...pause,
    run: (options) => measure(everything(largest), 100, options, { locales: ["fr"] }),
  },
  {
    id: "stall-stored",
    what: "longest pause with 200,000 stored strings in four files, after a start",
    ...pause,
    run: (options) => measure(firstReads, 50, options, { locales: ["fr"], fill: fillLarge, restarts: true }),
  },
  {
    id: "stall-locales",
    what: "longest pause with 881,000 texts in 505 locales",
    ...pause,
    run: (options) => {
      const codes = manyCodes(options.quick ? 50 : manyLocales);
      return measure(widest, 50, options, { locales: codes, fill: (client) => fillWide(client, codes) });
    },
  },
];
