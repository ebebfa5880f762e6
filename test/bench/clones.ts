/** Cloning: over HTTP from a running server, against git reading the same repository itself. */
import { execFile, execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { nestedFile } from "./data.ts";
import { alternate, timed, type Row, type RunOptions, type Sides } from "./measure.ts";
import { Client, makeStorage, scratch, startServer, toBody } from "./skep.ts";

const run = promisify(execFile);

async function clones({ quick, say }: RunOptions, packed: boolean): Promise<Sides> {
  const commits = quick ? 50 : 1_000;
  const { storage, token } = await makeStorage(["web"], ["fr"]);
  // A server that packs by itself would have packed a thousand commits long before they are cloned.
  const server = await startServer(storage, "--pack-after", "0");
  const client = new Client(server.url, token);
  for (let i = 0; i < commits; i++) {
    await client.ok("POST", "web/strings", toBody({ [`file${i % 10}.json`]: nestedFile(1_000, i) }));
    if (i % 250 === 0) say(`    ${i} of ${commits} commits`);
  }
  const gitdir = join(storage, "hives", "web.git");
  if (packed) execFileSync("git", ["-c", "safe.directory=*", "--git-dir", gitdir, "gc", "--quiet"]);
  const target = join(scratch(), "clone");
  const from = (url: string, ...flags: string[]) => {
    return async (): Promise<number> => {
      const ms = await timed(() => run("git", [...flags, "clone", "--quiet", url, target]));
      rmSync(target, { recursive: true });
      return ms;
    };
  };
  try {
    const header = `http.extraHeader=Authorization: Bearer ${token}`;
    return {
      ...(await alternate(
        quick ? 3 : 9,
        from(`${server.url}/hives/web.git`, "-c", header),
        from(`file://${gitdir}`, "-c", "safe.directory=*"),
        1,
      )),
      note: `${commits} commits`,
    };
  } finally {
    client.close();
    await server.stop();
  }
}

const cloning = { floor: "git clone file://", better: "lower", goal: 1.2, unit: "ms" } as const;

export const cloneRows: readonly Row[] = [
  {
    id: "clone-loose",
    what: "clone over HTTP, 1,000 commits, loose",
    ...cloning,
    run: (options) => clones(options, false),
  },
  {
    id: "clone-packed",
    what: "clone over HTTP, 1,000 commits, packed",
    ...cloning,
    run: (options) => clones(options, true),
  },
];
