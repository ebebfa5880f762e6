/** Starting, the first answer after it, and memory. */
import { execFile, execFileSync, spawn } from "node:child_process";
import { cpSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { alternate, timed, type Row, type RunOptions, type Sides } from "./measure.ts";
import { bin, Client, makeStorage, residentBytes, scratch, startServer, toBody } from "./skep.ts";
import { fillLarge, manyLocales } from "./writes.ts";

const run = promisify(execFile);

export async function makeLarge(): Promise<{ storage: string; token: string }> {
  const made = await makeStorage(["web"], manyLocales);
  const server = await startServer(made.storage);
  const client = new Client(server.url, made.token);
  await fillLarge(client, "web");
  client.close();
  await server.stop();
  return made;
}

export function git(gitdir: string, ...args: readonly string[]): string {
  return execFileSync("git", ["-c", "safe.directory=*", "--git-dir", gitdir, ...args], {
    encoding: "utf8",
    maxBuffer: 1 << 28,
  });
}

/**
 * Reads every blob below a path at a commit by `git cat-file --batch` and parses it.
 * @returns what they hold, by path.
 */
export async function readByHand(
  gitdir: string,
  revision = "main",
  path = "locales",
): Promise<ReadonlyMap<string, object>> {
  const listed = git(gitdir, "ls-tree", "-r", revision, path)
    .trim()
    .split("\n")
    .map((line) => line.split(/\s/));
  const blobs = listed.map(([, , oid = ""]) => oid);
  const child = spawn("git", ["-c", "safe.directory=*", "--git-dir", gitdir, "cat-file", "--batch"], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  child.stdin.end(`${blobs.join("\n")}\n`);
  const chunks: Buffer[] = [];
  for await (const chunk of child.stdout) chunks.push(chunk);
  const all = Buffer.concat(chunks);
  const read = new Map<string, object>();
  for (let at = 0; at < all.length;) {
    const end = all.indexOf(10, at);
    const size = Number(all.toString("latin1", at, end).split(" ")[2]);
    const [, , , name = ""] = listed[read.size] ?? [];
    read.set(name, JSON.parse(all.toString("utf8", end + 1, end + 1 + size)));
    at = end + size + 2;
  }
  if (read.size === 0) throw new Error("nothing read");
  return read;
}

/** The same, and the bytes of one flat file a locale made of it, as an export of all has them. */
export async function exportByHand(gitdir: string): Promise<void> {
  const exported: Record<string, Record<string, string>> = {};
  for (const [path, groups] of await readByHand(gitdir)) {
    const texts = (exported[path.split("/")[1] ?? ""] ??= {});
    for (const [group, nodes] of Object.entries(groups)) {
      for (const [key, text] of Object.entries<string>(nodes)) texts[`${group}.${key}`] = text;
    }
  }
  const contents = Object.entries(exported).map(([code, texts]) => [
    `${code}.json`,
    `${JSON.stringify(texts, null, 2)}\n`,
  ]);
  Buffer.from(JSON.stringify(Object.fromEntries(contents)));
}

/** In a process of its own: what comes first after a start is slow in any. */
export async function floorInProcess(gitdir: string, ...what: readonly string[]): Promise<number> {
  const script = fileURLToPath(new URL("floor-export.ts", import.meta.url));
  const { stdout } = await run(process.execPath, ["--import", "tsx", script, gitdir, ...what]);
  return Number(stdout);
}

async function firstAnswer(
  { quick }: RunOptions,
  packed: boolean,
  path: string,
  byHand: (gitdir: string) => Promise<number> = (gitdir) => timed(() => readByHand(gitdir)),
): Promise<Sides> {
  const { storage, token } = await makeLarge();
  const gitdir = join(storage, "hives", "web.git");
  if (packed) git(gitdir, "gc", "--quiet");
  return alternate(
    quick ? 3 : 9,
    async () => {
      const server = await startServer(storage);
      const client = new Client(server.url, token);
      const ms = await timed(() => client.ok("GET", path));
      client.close();
      await server.stop();
      return ms;
    },
    () => byHand(gitdir),
    1,
  );
}

/** The command line, from the start of its process to its end. */
const emptyProgram = ["-e", "0"];
/** Loads the libraries with which a command reads the settings files of a storage, and does nothing else. */
const readingLibraries = ["--input-type=module", "-e", 'import "commander"; import "yaml"; import "zod";'];

/** Compares a command with a program of node's. Whether the command succeeds does not matter. */
function compareStarts({ quick }: RunOptions, floor: readonly string[], ...command: readonly string[]) {
  const node = (...args: readonly string[]) =>
    timed(() => run(process.execPath, args, { cwd: dirname(bin) }).catch(() => undefined));
  return alternate(
    quick ? 3 : 25,
    () => node(bin, ...command),
    () => node(...floor),
  );
}

async function listTokens(options: RunOptions): Promise<Sides> {
  const { storage } = await makeStorage(["first"], ["fr"]);
  return compareStarts(options, readingLibraries, "token", "list", "--storage", storage);
}

async function manyHives({ quick }: RunOptions): Promise<Sides> {
  const count = quick ? 100 : 1_000;
  const one = await makeStorage(["first"], ["fr"]);
  const many = await makeStorage(["first"], ["fr"]);
  // Copies of one Hive, listed by the team: made by the command, a thousand would take minutes.
  const slugs = Array.from({ length: count - 1 }, (_, i) => `hive-${i}`);
  for (const slug of slugs) {
    cpSync(join(many.storage, "hives", "first.git"), join(many.storage, "hives", `${slug}.git`), {
      recursive: true,
    });
  }
  writeFileSync(
    join(many.storage, "teams", "bench.yaml"),
    `name: bench\nhives:\n${["first", ...slugs].map((slug) => `  - ${slug}\n`).join("")}`,
  );
  writeFileSync(join(many.storage, "settings-version"), "copied\n");
  const start = (storage: string) => async (): Promise<number> => {
    const server = await startServer(storage);
    await server.stop();
    return server.startMs;
  };
  return {
    ...(await alternate(quick ? 3 : 15, start(many.storage), start(one.storage), 1)),
    note: `${count} Hives`,
  };
}

/** A million pairs of 103 bytes of JSON each, loaded, above the memory of the empty server. */
async function memory({ quick, say }: RunOptions): Promise<Sides> {
  const pairs = quick ? 100_000 : 1_000_000;
  const perFile = pairs / 200;
  const { storage, token } = await makeStorage(["web"], manyLocales.slice(0, 19));
  const file = (locale: number, n: number): Record<string, string> =>
    Object.fromEntries(
      Array.from({ length: perFile }, (_, i) => [
        `section_${i % 50}.page_${n}.message_${i}`,
        `${"Some text of usual length, as interfaces have, no. ".slice(0, 46)}${locale * 7 + i}`,
      ]),
    );
  const files = (locale: number) =>
    Object.fromEntries(Array.from({ length: 10 }, (_, n) => [`file${n}.json`, file(locale, n)]));
  const filling = await startServer(storage);
  const writer = new Client(filling.url, token);
  let bytes = 0;
  for (const [i, code] of ["en", ...manyLocales.slice(0, 19)].entries()) {
    const body = toBody(files(i));
    bytes += body.length;
    await writer.ok("POST", code === "en" ? "web/strings" : `web/translations/${code}`, body);
    if (i % 5 === 0) say(`    ${i + 1} of 20 locales`);
  }
  writer.close();
  await filling.stop();

  const settle = () => new Promise((resolve) => setTimeout(resolve, 5_000));
  const empty = await startServer(scratch());
  await settle();
  const base = residentBytes(empty.child.pid ?? 0);
  await empty.stop();
  const ours: number[] = [];
  for (let round = 0; round < (quick ? 1 : 3); round++) {
    const server = await startServer(storage, "--cache-bytes", "1000000");
    const client = new Client(server.url, token);
    // Every locale is asked for, so that all pairs are loaded.
    for (const code of ["en", ...manyLocales.slice(0, 19)])
      await client.ok("GET", `web/export?locale=${code}`);
    await settle();
    for (let i = 0; i < 20; i++) await client.ok("GET", "web/strings?page=1");
    await settle();
    ours.push((server.memory() - base) / 1e6);
    client.close();
    await server.stop();
  }
  return {
    ours,
    floor: ours.map(() => bytes / 1e6),
    note: `${pairs} pairs; the empty server has ${Math.round(base / 1e6)} MB`,
  };
}

const reading = {
  floor: "git cat-file --batch and JSON.parse of all blobs",
  better: "lower",
  goal: 1.5,
  unit: "ms",
} as const;

const exporting = {
  ...reading,
  floor:
    "git cat-file --batch, JSON.parse of all blobs, and the same answer by JSON.stringify, in a new process",
} as const;

export const starts: readonly Row[] = [
  {
    id: "first-loose",
    what: "first export of all after a start, 200,000 translations, loose",
    ...exporting,
    run: (options) => firstAnswer(options, false, "web/export", floorInProcess),
  },
  {
    id: "first-packed",
    what: "first export of all after a start, 200,000 translations, packed",
    ...exporting,
    run: (options) => firstAnswer(options, true, "web/export", floorInProcess),
  },
  {
    id: "first-one-loose",
    what: "first export of one locale after a start, loose",
    ...reading,
    run: (options) => firstAnswer(options, false, "web/export?locale=de"),
  },
  {
    id: "first-one",
    what: "first export of one locale after a start, packed",
    ...reading,
    run: (options) => firstAnswer(options, true, "web/export?locale=de"),
  },
  {
    id: "first-list-loose",
    what: "first list page after a start, loose",
    ...reading,
    run: (options) => firstAnswer(options, false, "web/strings"),
  },
  {
    id: "first-list",
    what: "first list page after a start, packed",
    ...reading,
    run: (options) => firstAnswer(options, true, "web/strings"),
  },
  {
    id: "hives",
    what: "start with 1,000 Hives",
    floor: "start with one",
    better: "lower",
    goal: 1.5,
    unit: "ms",
    run: manyHives,
  },
  {
    id: "help",
    what: "skep --help",
    floor: "node -e 0",
    better: "lower",
    goal: 2,
    unit: "ms",
    run: (options) => compareStarts(options, emptyProgram, "--help"),
  },
  {
    id: "mistake",
    what: "skep team create, without a name",
    floor: "node -e 0",
    better: "lower",
    goal: 2,
    unit: "ms",
    run: (options) => compareStarts(options, emptyProgram, "team", "create"),
  },
  {
    id: "client-help",
    what: "skep push --help, a command for apps",
    floor: "node -e 0",
    better: "lower",
    goal: 2,
    unit: "ms",
    run: (options) => compareStarts(options, emptyProgram, "push", "--help"),
  },
  {
    id: "token-list",
    // It answers by the application in its own process, with h3 and the checks of requests.
    what: "skep token list",
    floor: "node, loading commander, yaml and zod",
    better: "lower",
    goal: 3,
    unit: "ms",
    run: listTokens,
  },
  {
    id: "memory",
    what: "memory with 1,000,000 pairs loaded",
    floor: "the pairs as UTF-8 JSON",
    better: "lower",
    goal: 1.5,
    unit: "MB",
    run: memory,
  },
];
