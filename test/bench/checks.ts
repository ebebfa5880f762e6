/** What the checks of texts cost. */
import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { alternate, timed, type Row, type RunOptions, type Sides } from "./measure.ts";
import { bin, Client, makeStorage, scratch, skep, startWatched, toBody } from "./skep.ts";
import { manyLocales, withServer } from "./writes.ts";

const run = promisify(execFile);

/** Texts as apps have them: one in three has an argument, one in six markup. */
function checkedFile(count: number, prefix: string): Readonly<Record<string, string>> {
  const texts = Array.from({ length: count }, (_, i) => {
    const text = `${prefix} text ${i} of the file`;
    if (i % 3 === 0) return [`key_${i}`, `${text} for {{name}}`];
    return [`key_${i}`, i % 6 === 1 ? `${text}, <b>bold</b>` : text];
  });
  return Object.fromEntries(texts);
}

function importChecked({ quick }: RunOptions): Promise<Sides> {
  const rounds = quick ? 5 : 25;
  const warmUp = 5;
  const all = ["warn", "off"].map((level) =>
    Array.from({ length: rounds + warmUp }, (_, i) => `${level}-${i}`),
  );
  return withServer([], [], async (client, server, _, storage) => {
    const token = await skep(storage, "token", "create", "--team", "bench", "--ability", "admin");
    const source = toBody({ "app.json": checkedFile(10_000, "A") });
    for (const slug of all.flat()) {
      const checks = { level: slug.startsWith("off") ? "off" : "warn" };
      // A process of the command for each Hive takes minutes on a machine that is busy.
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
      const body = JSON.stringify({ slug, locales: [{ code: "fr" }], checks });
      const { status } = await fetch(`${server.url}/api/hives`, { method: "POST", headers, body });
      if (status !== 201) throw new Error(`${slug} was not made: ${status}`);
      await client.ok("POST", `${slug}/strings`, source);
    }
    const body = toBody({ "app.json": checkedFile(10_000, "Un") });
    const [checked, unchecked] = all.map((slugs) => {
      const left = slugs.values();
      return () => timed(() => client.ok("POST", `${left.next().value ?? ""}/translations/fr`, body));
    });
    if (checked === undefined || unchecked === undefined) throw new Error("no side");
    return alternate(rounds, checked, unchecked, warmUp);
  });
}

/** The promised times of the first look at all texts, of its longest pause, and of `skep check`, in milliseconds. */
const promised = { all: 20_000, pause: 50, tree: 2_000 };

interface FirstLook {
  readonly locales: number;
  readonly ms: number;
  readonly pauseMs: number;
  readonly again: string;
}

let measured: Promise<FirstLook> | undefined;

/** Two rows are about the same look, which takes minutes to prepare. */
function lookAtAll(options: RunOptions): Promise<FirstLook> {
  return (measured ??= measureFirstLook(options));
}

async function measureFirstLook({ quick, say }: RunOptions): Promise<FirstLook> {
  const locales = quick ? manyLocales.slice(0, 2) : manyLocales;
  const { storage, token } = await makeStorage(["web"], locales);
  const server = await startWatched(storage);
  const client = new Client(server.url, token);
  try {
    const files = (prefix: string): object =>
      Object.fromEntries(Array.from({ length: 4 }, (_, i) => [`f${i}.json`, checkedFile(49_970, prefix)]));
    await client.ok("POST", "web/strings", toBody(files("A")));
    for (const code of locales) await client.ok("POST", `web/translations/${code}`, toBody(files(code)));
    say("filled");
    const check = (): Promise<number> => timed(() => client.ok("GET", "web/checks"));
    await server.longestPause();
    const ms = await check();
    const pauseMs = await server.longestPause();
    const change = async (path: string, text: string): Promise<string> => {
      const body = toBody({ "f0.json": { key_1: text } }, { overwrite_strategy: "overwrite" });
      await client.ok("POST", path, body);
      return (await check()).toFixed(0);
    };
    const translated = await change(`web/translations/${locales[0] ?? ""}`, "another, <b>bold</b>");
    const source = await change("web/strings", "new, <b>bold</b>");
    const again = `after one translation changed ${translated} ms, after one source text ${source} ms`;
    return { locales: locales.length, ms, pauseMs, again };
  } finally {
    client.close();
    await server.stop();
  }
}

async function checkAll(options: RunOptions): Promise<Sides> {
  const { locales, ms, again } = await lookAtAll(options);
  return { ours: [ms], floor: [(promised.all * locales) / manyLocales.length], note: again };
}

async function checkPause(options: RunOptions): Promise<Sides> {
  return { ours: [(await lookAtAll(options)).pauseMs], floor: [promised.pause] };
}

/** `skep check` over an app's tree of 100,000 texts: ten files in each of ten languages. */
async function checkTree({ quick }: RunOptions): Promise<Sides> {
  const folder = scratch();
  const codes = ["en", ...manyLocales.slice(0, 9)];
  for (const code of codes) {
    mkdirSync(join(folder, "locales", code), { recursive: true });
    for (let n = 0; n < 10; n++) {
      const text = JSON.stringify(checkedFile(1_000, code), null, 2);
      writeFileSync(join(folder, "locales", code, `f${n}.json`), text);
    }
  }
  writeFileSync(join(folder, "skep.yaml"), "source: en\nfiles:\n  - path: locales/{locale}/**/*.json\n");
  const ours: number[] = [];
  for (let round = 0; round < (quick ? 2 : 7); round++) {
    ours.push(await timed(() => run(process.execPath, [bin, "check"], { cwd: folder })));
  }
  return { ours, floor: [promised.tree] };
}

export const checkRows: readonly Row[] = [
  {
    id: "check-import",
    what: "import of 10,000 new translations, checked",
    floor: "the same where checks are off",
    better: "lower",
    goal: 1.15,
    unit: "ms",
    run: importChecked,
  },
  {
    id: "check-all",
    what: "all checks of 200,000 strings × 20 locales, for the first time",
    floor: "the promise (docs/performance.md)",
    better: "lower",
    goal: 1,
    unit: "ms",
    run: checkAll,
  },
  {
    id: "check-pause",
    what: "longest pause in that first look",
    floor: "the promise (docs/decisions/sharing.md)",
    better: "lower",
    goal: 1,
    unit: "ms",
    run: checkPause,
  },
  {
    id: "check-tree",
    what: "`skep check` over a tree of 100,000 texts",
    floor: "the promise (docs/performance.md)",
    better: "lower",
    goal: 1,
    unit: "ms",
    run: checkTree,
  },
];
