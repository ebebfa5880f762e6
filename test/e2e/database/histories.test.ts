/**
 * Histories of three real servers with one database, which are killed, stand still, and lose their connections meanwhile:
 * they look like one server that does one request after the other.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { openStorage } from "../../../src/service/storage.ts";
import { cluster, isMissing } from "../../helpers/postgres/cluster.ts";
import { startCuttable, type Cuttable } from "../../helpers/postgres/cuttable.ts";
import { makeHives, startHistory, type Slot } from "../../helpers/postgres/history.ts";
import { testDatabase } from "../../helpers/postgres/records.ts";
import { Registers } from "../../helpers/postgres/registers.ts";
import { startServerIn } from "../../helpers/process.ts";
import { realFolder } from "../../helpers/storage.ts";

interface CutSlot extends Slot {
  readonly proxy: Cuttable;
  readonly start: () => Promise<void>;
}

async function setUp() {
  const { url, name, prepare } = await testDatabase();
  const storage = openStorage((await prepare()).options);
  await makeHives(storage);
  const postgres = await cluster();
  const slots = await Promise.all(
    Array.from({ length: 3 }, async (): Promise<CutSlot> => {
      const [folder, proxy] = [realFolder(), await startCuttable(postgres.port)];
      const serve = () => startServerIn({ SKEP_DATABASE: postgres.url(name, proxy.port) }, folder);
      const slot: CutSlot = {
        folder,
        proxy,
        server: await serve(),
        start: async () => {
          slot.server = await serve();
        },
      };
      return slot;
    }),
  );
  return { url, storage, slots };
}

describe.skipIf(isMissing())("three servers with one database", () => {
  it("answer like one server that does each request once, while they are killed, stand still, and are cut off", async () => {
    const servers = await setUp();
    const { isOver, progress, end } = await startHistory({
      ...servers,
      patienceMs: 1_500,
      fillMs: 2_000,
      pauseMs: 5,
    });
    for (let round = 0; round < 6 && !isOver(); round++) {
      const slot = servers.slots[(round * 2) % 3];
      if (slot === undefined) throw new Error("no server");
      await progress();
      await sleep(Math.random() * 200);
      if (round % 3 === 0) {
        await slot.server.stop("SIGKILL");
        await progress();
        await slot.start();
      } else if (round % 3 === 1) {
        slot.server.child.kill("SIGSTOP");
        // Longer than it may have kept the others from writing, and than clients have patience.
        await sleep(3_000);
        await progress();
        slot.server.child.kill("SIGCONT");
      } else {
        for (let cuts = 0; cuts < 10; cuts++) {
          slot.proxy.cutAll();
          await sleep(Math.random() * 100);
        }
      }
    }
    expect((await end()).unavailable).toBeGreaterThanOrEqual(0);
  });

  it("are checked by registers that report a read of an old, a future or an impossible version", async () => {
    let time = 0;
    const registers = new Registers(() => time++);
    const read = (version: number): Promise<void> =>
      registers.read("r", async () => new Map([["r", version]]));
    await registers.write("r", async () => {
      await read(0);
      await read(1);
      await read(0);
    });
    await read(1);
    await read(0);
    await read(2);
    expect(registers.problems()).toEqual([
      "r: version 0 was read where 1 to 1 is possible",
      "r: version 0 was read where 1 to 1 is possible",
      "r: version 2 was read where 1 to 1 is possible",
    ]);
  });
});
