/**
 * Real kills: the server is SIGKILLed in the middle of writes by several writers, over and over on one storage.
 * `npm run soak` does many more rounds.
 */
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { createToken, git, request, skepOk, startServer, type RunningServer } from "../helpers/process.ts";
import { realFolder } from "../helpers/storage.ts";

const rounds = Number(process.env.SKEP_SOAK_ROUNDS ?? 3);
const writers = 6;

/** Writes until the server is gone; notes what was acknowledged. */
async function write(server: RunningServer, token: string, name: string, acknowledged: Set<string>) {
  for (let i = 0; ; i++) {
    const key = `${name}_${i}`;
    const hive = i % 2 === 0 ? "web" : "app";
    const reply = await request(server, token, "POST", `/api/hives/${hive}/strings`, {
      files: { [`${name.slice(0, 2)}.php`]: { [`${hive}_${key}`]: "x".repeat(1 + ((i * 37) % 3000)) } },
    }).catch(() => undefined);
    if (reply === undefined) return;
    expect(reply.status).toBe(200);
    acknowledged.add(`${hive}_${key}`);
  }
}

async function keysOf(server: RunningServer, token: string, hive: string): Promise<string[]> {
  const keys: string[] = [];
  for (let page = 1, last = 1; page <= last; page++) {
    const { json } = await request(
      server,
      token,
      "GET",
      `/api/hives/${hive}/strings?per_page=500&page=${page}`,
    );
    last = json.meta.last_page;
    keys.push(...json.data.map(({ key }: { key: string }) => key));
  }
  return keys;
}

it(
  `a server loses nothing acknowledged in ${rounds} kills, and waits for no lock of a killed one`,
  { timeout: 60_000 + rounds * 20_000 },
  async () => {
    const storage = realFolder();
    await skepOk(storage, "team", "create", "acme");
    for (const slug of ["web", "app"])
      await skepOk(storage, "hive", "create", slug, "--team", "acme", "--locale", "fr");
    const token = await createToken(storage);
    const acknowledged = new Set<string>();

    for (let round = 1; round <= rounds; round++) {
      const server = await startServer(storage);
      const writing = Array.from({ length: writers }, (_, w) =>
        write(server, token, `w${w}_${round}`, acknowledged),
      );
      // However slow the machine is, the kill comes in the middle of writes.
      await vi.waitUntil(() => acknowledged.size > round * 5, { timeout: 30_000, interval: 5 });
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 500));
      await server.stop("SIGKILL");
      await Promise.all(writing);

      const again = await startServer(storage);
      const up = performance.now();
      const first = await request(again, token, "POST", "/api/hives/web/strings", {
        files: { "z.php": { [`z${round}`]: "x" } },
      });
      expect(first.status).toBe(200);
      // A lock that was left is stale in two seconds.
      expect(performance.now() - up).toBeLessThan(3_000);
      const found = new Set([...(await keysOf(again, token, "web")), ...(await keysOf(again, token, "app"))]);
      expect([...acknowledged].filter((key) => !found.has(key))).toEqual([]);
      await again.stop();
      for (const slug of ["web", "app"]) {
        // Objects that no commit reaches yet are what a kill may leave behind; anything else is damage.
        const complaints = await git(
          join(storage, "hives", `${slug}.git`),
          "fsck",
          "--full",
          "--strict",
          "--no-dangling",
        );
        expect(complaints).toBe("");
      }
    }
  },
);
