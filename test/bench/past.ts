/** The past: a locale at an earlier commit, and the history of a key over many commits, after a start. */
import { execFileSync } from "node:child_process";
import { closeSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { flatFile } from "./data.ts";
import { alternate, timed, type Row, type RunOptions, type Sides } from "./measure.ts";
import { Client, makeStorage, scratch, startServer, toBody } from "./skep.ts";
import { floorInProcess, git, makeLarge } from "./starts.ts";

/** What the first request to a new server takes, and the second. */
async function firstRequest(storage: string, token: string, path: string): Promise<number> {
  const server = await startServer(storage);
  const client = new Client(server.url, token);
  try {
    return await timed(() => client.ok("GET", path));
  } finally {
    client.close();
    await server.stop();
  }
}

async function atCold({ quick }: RunOptions): Promise<Sides> {
  const { storage, token } = await makeLarge();
  const gitdir = join(storage, "hives", "web.git");
  const server = await startServer(storage);
  const client = new Client(server.url, token);
  await client.send("POST", "web/tags", Buffer.from('{"name": "v1"}'));
  await client.ok("POST", "web/strings", toBody({ "file3.php": { later: "x" } }));
  client.close();
  await server.stop();
  git(gitdir, "gc", "--quiet");
  return alternate(
    quick ? 3 : 9,
    () => firstRequest(storage, token, "web/export?locale=de&at=v1"),
    () => floorInProcess(gitdir, "v1", "locales/en", "locales/de"),
    1,
  );
}

/** Of each file that {@link addCommits} changes. */
export const stringsPerFile = 300;

/** Adds commits to a Hive by `git fast-import`, each of which changes one text in one of some files. */
export function addCommits(gitdir: string, commits: number, files: number, strings = stringsPerFile): void {
  const script = join(scratch(), "commits");
  const file = openSync(script, "w");
  const contents = Array.from({ length: files }, (_, i) => flatFile(strings, i + 1));
  const keys = Object.keys(contents[0] ?? {});
  const author = "Skep <skep@skep.invalid>";
  const from = git(gitdir, "rev-parse", "main").trim();
  const start = Number(git(gitdir, "log", "-1", "--format=%ct", "main"));
  for (let n = 0; n < commits; n++) {
    const content = contents[n % files] ?? {};
    content[keys[(n * 7) % strings] ?? ""] = `text ${n}`;
    const blob = `${JSON.stringify(content, null, 2)}\n`;
    const message =
      "Import fr translations: 1 updated\n\nOperation: import-translations\nStrategy: overwrite\nUpdated: 1\n";
    const head = `commit refs/heads/main\ncommitter ${author} ${start + n} +0000\ndata ${message.length}\n${message}`;
    const change = `M 100644 inline locales/fr/file${n % files}.json.json\ndata ${Buffer.byteLength(blob)}\n${blob}\n`;
    writeSync(file, `${head}${n === 0 ? `from ${from}\n` : ""}${change}`);
  }
  closeSync(file);
  const input = openSync(script, "r");
  execFileSync("git", ["-c", "safe.directory=*", "--git-dir", gitdir, "fast-import", "--quiet"], {
    stdio: [input, "ignore", "inherit"],
  });
  closeSync(input);
}

async function keyHistory({ quick, say }: RunOptions, files: number): Promise<Sides> {
  const { storage, token } = await makeStorage(["web"], ["fr"]);
  const gitdir = join(storage, "hives", "web.git");
  const server = await startServer(storage);
  const client = new Client(server.url, token);
  const source = Object.fromEntries(
    Array.from({ length: files }, (_, i) => [`file${i}.json`, flatFile(stringsPerFile)]),
  );
  await client.ok("POST", "web/strings", toBody(source));
  const commits = quick ? 1_000 : 10_000;
  addCommits(gitdir, commits, files);
  // fast-import packs badly: what gc reuses it does not repair.
  git(gitdir, "repack", "-adfq");
  say(`    ${commits} commits`);
  const [key = ""] = Object.keys(flatFile(1));
  const path = `web/history?file=file0.json&key=${key}&locale=fr`;
  // By hand: the commits in which a line of that key came or went.
  const byHand = () =>
    git(gitdir, "log", "--format=%H", `-G"${key}": `, "main", "--", "locales/fr/file0.json.json");
  const sides = await alternate(
    quick ? 3 : 7,
    () => firstRequest(storage, token, path),
    () => timed(byHand),
    1,
  );
  const { meta } = JSON.parse((await client.ok("GET", path)).toString("utf8"));
  const found = byHand().trim().split("\n").length;
  if (meta.total !== found) throw new Error(`${meta.total} commits found, and ${found} by hand`);
  await client.ok("POST", "web/strings", toBody({ "other.json": { more: "x" } }));
  const again = await timed(() => client.ok("GET", path));
  client.close();
  await server.stop();
  return {
    ...sides,
    note: `${found} of ${commits} commits; ${again.toFixed(1)} ms when asked again after another`,
  };
}

const cold = { better: "lower", unit: "ms" } as const;

export const past: readonly Row[] = [
  {
    id: "at-cold",
    what: "first export of one locale at a tag after a start, 200,000 translations, packed",
    floor: "git cat-file --batch and JSON.parse of the same blobs, in a new process",
    goal: 1.5,
    ...cold,
    run: atCold,
  },
  {
    id: "key-history",
    what: "a key's history after a start, 10,000 commits over 10 files of 300 strings",
    floor: "git log -G of the same key and file",
    goal: 1.5,
    ...cold,
    run: (options) => keyHistory(options, 10),
  },
  {
    id: "key-history-one",
    what: "a key's history after a start, 10,000 commits over one file of 300 strings",
    floor: "git log -G of the same key and file",
    goal: 1.5,
    ...cold,
    run: (options) => keyHistory(options, 1),
  },
];
