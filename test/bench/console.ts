/** The console's pages and translation memory in a large Hive, against plain work on the same texts. */
import { flatFile } from "./data.ts";
import { alternate, median, timed, type Row, type RunOptions, type Sides } from "./measure.ts";
import { Client, makeStorage, startServer, toBody, type Server } from "./skep.ts";

const codes = "fr de es it pt nl pl cs sv da fi nb hu ro tr uk el ja ko ar".split(" ");
const files = 20;

/** Searches with one result, with some, with none, for what every key contains, and for a state alone. */
const searches = [
  "q=message_1999",
  "q=germany",
  "q=zzz",
  "q=MESSAGE",
  "q=island&state=missing",
  "state=translated&page=300",
] as const;

/** Signs in as a browser does. */
export async function signIn({ url }: Server, token: string): Promise<(path: string) => Promise<string>> {
  const { headers } = await fetch(`${url}/sign-in`, {
    method: "POST",
    body: new URLSearchParams({ token }),
    headers: { origin: url },
    redirect: "manual",
  });
  const [cookie = ""] = (headers.getSetCookie()[0] ?? "").split(";");
  return async (path) => {
    const page = await fetch(url + path, { headers: { cookie, accept: "text/html" } });
    const html = await page.text();
    if (page.status !== 200) throw new Error(`${path}: ${page.status} ${html.slice(0, 200)}`);
    return html;
  };
}

/** The files of a locale by name; 0 is the source. */
function content(locale: number, perFile: number): readonly (readonly [string, Record<string, string>])[] {
  return Array.from({ length: files }, (_, n) => [`file${n}.json`, flatFile(perFile, locale, n * perFile)]);
}

interface Large {
  readonly storage: string;
  readonly token: string;
}

/** Made once for all rows. */
let made: Promise<Large> | undefined;

/** A storage with a Hive of 200,000 strings that are translated into 20 locales. */
export function largeHive(quick: boolean): Promise<Large> {
  return (made ??= makeLarge(quick ? codes.slice(0, 3) : codes, quick ? 1_000 : 10_000));
}

async function makeLarge(locales: readonly string[], perFile: number): Promise<Large> {
  const { storage, token } = await makeStorage(["web"], locales);
  const server = await startServer(storage);
  const client = new Client(server.url, token);
  for (const [i, path] of ["strings", ...locales.map((code) => `translations/${code}`)].entries()) {
    const all = content(i, perFile);
    // In halves, as a request holds at most 200,000 values, of which the files are some.
    for (const half of [all.slice(0, files / 2), all.slice(files / 2)])
      await client.ok("POST", `web/${path}`, toBody(Object.fromEntries(half)));
  }
  client.close();
  await server.stop();
  return { storage, token };
}

async function pages({ quick, say }: RunOptions, paths: readonly string[]): Promise<Sides> {
  const locales = quick ? codes.slice(0, 3) : codes;
  const perFile = quick ? 1_000 : 10_000;
  const { storage, token } = await (made ??= makeLarge(locales, perFile));
  say(`    ${files * perFile} strings in ${locales.length} locales`);
  const source = content(0, perFile).flatMap(([, texts]) => Object.entries(texts).flat());
  const scanned = [...source, ...content(1, perFile).flatMap(([, texts]) => Object.values(texts))];
  const server = await startServer(storage);
  try {
    const get = await signIn(server, token);
    const times = new Map<string, number[]>();
    const first = await timed(() => get(paths[0] ?? ""));
    let n = 0;
    const sides = await alternate(
      (quick ? 2 : 10) * paths.length,
      async (round) => {
        const path = paths[n++ % paths.length] ?? "";
        const ms = await timed(() => get(path));
        if (round >= 0) times.set(path, [...(times.get(path) ?? []), ms]);
        return ms;
      },
      () => timed(() => scanned.filter((text) => text.toLowerCase().includes("germany")).length),
      2 * paths.length,
    );
    const each = Array.from(times, ([path, ms]) => `${median(ms).toFixed(1)} ms ${path}`);
    return { ...sides, note: `the first after a start took ${first.toFixed(0)} ms; ${each.join(", ")}` };
  } finally {
    await server.stop();
  }
}

// On the machine of the figures in docs/performance.md, the goal is 50 ms.
const scanning = {
  floor: "a plain scan of the keys, the source and one locale without regard to case",
  better: "lower",
  goal: 0.7,
  unit: "ms",
} as const;

const strings = "/hives/web/strings";

const lookUp = "web/memory?locale=fr&text=";

/** Requests to the large Hive, against a plain scan of the source and one locale. */
async function asked(
  { quick, say }: RunOptions,
  rounds: number,
  ask: (client: Client, round: number, source: readonly string[]) => Promise<unknown>,
): Promise<Sides> {
  const perFile = quick ? 1_000 : 10_000;
  const { storage, token } = await largeHive(quick);
  const source = content(0, perFile).flatMap(([, texts]) => Object.values(texts));
  const translated = content(1, perFile).flatMap(([, texts]) => Object.values(texts));
  say(`    ${source.length} strings`);
  const server = await startServer(storage);
  const client = new Client(server.url, token);
  try {
    return await alternate(
      rounds,
      (round) => timed(() => ask(client, round, source)),
      () =>
        timed(
          () => [...source, ...translated].filter((text) => text.toLowerCase().includes("germany")).length,
        ),
      4,
    );
  } finally {
    client.close();
    await server.stop();
  }
}

/** Lookups of texts that are equal, similar and like no other, in turn. */
function lookups(options: RunOptions): Promise<Sides> {
  return asked(options, options.quick ? 5 : 60, (client, round, source) => {
    const text = source[((round + 10) * 1_571) % source.length] ?? "";
    const looked = [text, text.slice(0, -2), `${text} and more`][(round + 12) % 3] ?? "";
    return client.ok("GET", lookUp + encodeURIComponent(looked));
  });
}

/** Searches in all locales at once, in turn. */
function searchAll(options: RunOptions): Promise<Sides> {
  const words = ["message_1999", "germany", "zzz", "island"];
  return asked(options, options.quick ? 4 : 40, (client, round) =>
    client.ok("GET", `web/search?text=${words[(round + 8) % words.length]}`),
  );
}

/** Previews of a replacement of 1,000 texts, the most at once, with what checks find in each. */
function replacements(options: RunOptions): Promise<Sides> {
  const body = Buffer.from(JSON.stringify({ find: "germany", replace: "Utopia", locale: "fr" }));
  return asked(options, options.quick ? 4 : 20, (client) =>
    client.ok("POST", "web/replace?dry_run=true", body),
  );
}

/** The first lookup after a start, when the source and the locale were read before. */
async function firstLookups({ quick }: RunOptions): Promise<Sides> {
  const perFile = quick ? 1_000 : 10_000;
  const { storage, token } = await largeHive(quick);
  const source = content(0, perFile).flatMap(([, texts]) => Object.values(texts));
  const first = async (): Promise<number> => {
    const server = await startServer(storage);
    const client = new Client(server.url, token);
    await client.ok("GET", "web/untranslated?locale=fr");
    const ms = await timed(() => client.ok("GET", `${lookUp}Germany`));
    client.close();
    await server.stop();
    return ms;
  };
  const byHand = (): number => {
    const found = new Map<string, string[]>();
    for (const text of source) {
      const folded = ` ${text.toLowerCase()} `;
      for (const gram of new Set(
        Array.from({ length: folded.length - 2 }, (_, i) => folded.slice(i, i + 3)),
      )) {
        const texts = found.get(gram) ?? [];
        texts.push(text);
        found.set(gram, texts);
      }
    }
    return found.size;
  };
  return alternate(quick ? 1 : 3, first, () => timed(byHand), 1);
}

export const consoleRows: readonly Row[] = [
  {
    id: "page-strings",
    what: "the console's list of 200,000 strings in 20 locales, searched",
    ...scanning,
    run: (options) =>
      pages(
        options,
        searches.map((query) => `${strings}?locale=fr&${query}`),
      ),
  },
  {
    id: "page-string",
    what: "the console's page of one of 200,000 strings in all of 20 locales",
    ...scanning,
    run: (options) => pages(options, [`${strings}/file0.json/section_40.message_40`]),
  },
  {
    id: "search-all",
    what: "a search in 200,000 strings and their 20 locales at once",
    ...scanning,
    floor: "a plain scan of the source and one locale without regard to case",
    goal: 0.7,
    run: searchAll,
  },
  {
    id: "replace",
    what: "the preview of a replacement of 1,000 texts in one of 20 locales",
    ...scanning,
    floor: "a plain scan of the source and one locale without regard to case",
    goal: 12,
    run: replacements,
  },
  {
    id: "lookup",
    what: "a lookup of translation memory among 200,000 strings in 20 locales",
    ...scanning,
    floor: "a plain scan of the source and one locale without regard to case",
    goal: 0.4,
    run: lookups,
  },
  {
    id: "lookup-first",
    what: "the first lookup of translation memory after a start",
    ...scanning,
    floor: "a Map from each trigram to its texts",
    goal: 1,
    run: firstLookups,
  },
];
