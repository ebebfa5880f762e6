/**
 * Changes of several steps on one server, while another server with the same database acts between the steps: the change is
 * made as a whole, and nothing that the other one does by what it saw meanwhile undoes it.
 */
import { describe, expect, it, vi } from "vitest";
import { toHiveSlug, toTeamName, type HiveSlug } from "../../../src/domain/names.ts";
import { createTeam } from "../../../src/service/admin/teams.ts";
import { openStorage, type Storage } from "../../../src/service/storage.ts";
import { eventually } from "../../helpers/eventually.ts";
import { isMissing } from "../../helpers/postgres/cluster.ts";
import { testDatabase } from "../../helpers/postgres/records.ts";
import { harness, makeHive, makeToken, type Call } from "../../helpers/storage.ts";

const acme = toTeamName("acme");

interface Server {
  readonly storage: Storage;
  readonly call: Call;
  /** Has a function run before each step of a change that this server makes. */
  readonly beforeSteps: (run: (step: string) => Promise<void>) => void;
}

function serverOf(storage: Storage, token: string): Server {
  const { documents, repositories } = storage.record;
  let before: (step: string) => Promise<void> = () => Promise.resolve();
  /** Every step is one call of the record. */
  const watch = <Args extends unknown[], T>(
    name: string,
    step: (...args: Args) => Promise<T>,
  ): ((...args: Args) => Promise<T>) => {
    return async (...args) => {
      await before(typeof args[0] === "string" ? `${name} ${args[0].replace(/-\d+/, "")}` : name);
      return step(...args);
    };
  };
  const { trash } = repositories;
  const [write, add] = [documents.put.bind(documents), repositories.add.bind(repositories)];
  const [put, take, noteHive] = [trash.put.bind(trash), trash.take.bind(trash), trash.noteHive.bind(trash)];
  vi.spyOn(documents, "put").mockImplementation(watch("write", write));
  vi.spyOn(repositories, "add").mockImplementation(watch("add", add));
  vi.spyOn(trash, "put").mockImplementation(watch("trash", put));
  vi.spyOn(trash, "take").mockImplementation(watch("take", take));
  vi.spyOn(trash, "noteHive").mockImplementation(watch("note", noteHive));
  return { storage, call: harness(storage, token).call, beforeSteps: (run) => (before = run) };
}

const create = ({ call }: Server, slug: HiveSlug) => call("POST", "/api/hives", { body: { slug } });
const remove = ({ call }: Server, slug: HiveSlug) => call("DELETE", `/api/hives/${slug}`);
const restore = ({ call }: Server, slug: HiveSlug) => call("POST", `/api/trash/${slug}/restore`);
const listTrash = ({ call }: Server) => call("GET", "/api/trash");

async function repair({ storage: { record, verifier } }: Server): Promise<{ readonly status: number }> {
  await record.completeCopy?.();
  for (const { repair: mend } of await verifier.checkSettings()) await mend?.();
  return { status: 200 };
}

/** Leaves a Hive whose team lists it, and whose repository is in the trash. */
async function lose(server: Server, slug: HiveSlug): Promise<void> {
  await create(server, slug);
  const { hives, lifecycle, trash } = server.storage;
  await hives.lock(slug, (lock) => trash.noteHive(slug, { team: acme }, lock));
  await hives.lock(slug, (lock) => lifecycle.setAside(slug, lock));
}

/** Leaves a Hive in its place that its team does not list any more. */
async function interruptDeletion(server: Server, slug: HiveSlug): Promise<void> {
  await create(server, slug);
  const { trash } = server.storage.record.repositories;
  vi.spyOn(trash, "put").mockRejectedValueOnce(new Error("interrupted"));
  await remove(server, slug);
}

const changes: readonly {
  readonly what: string;
  readonly prepare: (server: Server, slug: HiveSlug) => Promise<unknown>;
  readonly change: (server: Server, slug: HiveSlug) => Promise<{ readonly status: number }>;
  /** Whether the Hive is there afterwards, and how often it is in the trash. */
  readonly isThere: boolean;
  readonly trashed: number;
}[] = [
  { what: "is created", prepare: async () => {}, change: create, isThere: true, trashed: 0 },
  { what: "is deleted", prepare: create, change: remove, isThere: false, trashed: 1 },
  {
    what: "is restored",
    prepare: async (server, slug) => {
      await create(server, slug);
      await remove(server, slug);
    },
    change: restore,
    isThere: true,
    trashed: 0,
  },
  {
    what: "is created anew",
    prepare: async (server, slug) => {
      await create(server, slug);
      await remove(server, slug);
    },
    change: create,
    isThere: true,
    trashed: 1,
  },
  {
    what: "was deleted by half is put into the trash",
    prepare: interruptDeletion,
    change: listTrash,
    isThere: false,
    trashed: 1,
  },
  { what: "was lost is repaired", prepare: lose, change: repair, isThere: true, trashed: 0 },
  { what: "was lost is deleted", prepare: lose, change: remove, isThere: false, trashed: 1 },
];

const actions: Readonly<Record<string, (server: Server, slug: HiveSlug) => Promise<unknown>>> = {
  "lists the trash": listTrash,
  "lists Hives": ({ call }) => call("GET", "/api/hives"),
  "opens the Hive": ({ call }, slug) => call("GET", `/api/hives/${slug}/strings`),
  refreshes: ({ storage }) => storage.record.refresh("all"),
  repairs: repair,
  "changes the settings of another team": ({ storage }) => makeToken(storage, { team: "other" }),
};

interface Scenario {
  readonly slug: HiveSlug;
  readonly here: Server;
  readonly there: Server;
  readonly change: (server: Server, slug: HiveSlug) => Promise<{ readonly status: number }>;
  readonly action: (server: Server, slug: HiveSlug) => Promise<unknown>;
  /** Before which step the other server begins, from 0 on. */
  readonly at: number;
  /** Whether it moves repositories only when the change is over and it has refreshed. */
  readonly isSlow: boolean;
}

/** @returns the step before which the other server began; undefined when there are not as many. */
async function interleave({ slug, here, there, change, action, at, isSlow }: Scenario) {
  let step: string | undefined;
  let seen = 0;
  let goOn = (): void => {};
  const isOver = new Promise<void>((resolve) => (goOn = resolve));
  let acting: Promise<unknown> = Promise.resolve();
  here.beforeSteps(async (name) => {
    if (seen++ !== at) return;
    step = name;
    await new Promise<void>((resolve) => {
      if (isSlow) {
        // Who writes settings holds their lock, for which a refresh waits.
        there.beforeSteps(async (name) => {
          if (name.startsWith("write")) return;
          resolve();
          await isOver;
        });
      }
      acting = action(there, slug).finally(resolve);
    });
  });
  const { status } = await change(here, slug);
  await there.storage.record.refresh([]);
  goOn();
  await acting;
  here.beforeSteps(() => Promise.resolve());
  there.beforeSteps(() => Promise.resolve());
  return { step, status };
}

async function stateOf({ call, storage }: Server, slug: HiveSlug): Promise<unknown> {
  const { status } = await call("GET", `/api/hives/${slug}/strings`);
  const trashed = (await storage.trash.read()).entries.filter((entry) => entry.slug === slug).length;
  await storage.record.completeCopy?.();
  const problems = (await storage.verifier.checkSettings()).map(({ problem }) => problem);
  return { status, trashed, problems };
}

describe.skipIf(isMissing())("whatever another server does between the steps, a Hive that", () => {
  it.each(changes.map((one) => [one.what, one] as const))(
    "%s",
    async (_, { prepare, change, isThere, trashed }) => {
      const { prepare: connect } = await testDatabase(undefined, false);
      const [one, other] = await Promise.all([connect(), connect()]);
      const storages = [openStorage(one.options), openStorage(other.options)] as const;
      await makeHive(storages[0], "first");
      await createTeam(storages[0], toTeamName("other"), undefined);
      const token = await makeToken(storages[0], { abilities: ["read", "write", "admin"] });
      const [here, there] = [serverOf(storages[0], token), serverOf(storages[1], token)];
      const expected = { status: isThere ? 200 : 404, trashed, problems: [] };
      const wrong: unknown[] = [];
      let number = 0;
      for (const [does, action] of Object.entries(actions)) {
        for (const isSlow of [false, true]) {
          for (let at = 0; ; at++) {
            const slug = toHiveSlug(`hive-${number++}`);
            await prepare(here, slug);
            const { step, status } = await interleave({ slug, here, there, change, action, at, isSlow });
            if (step === undefined) {
              expect(at).toBeGreaterThan(0);
              break;
            }
            // What a step has put aside is removed a moment after its answer.
            let ends: readonly unknown[] = [];
            const settled = eventually(async () => {
              ends = [await stateOf(here, slug), await stateOf(there, slug)];
              expect({ status: status < 300, ends }).toEqual({ status: true, ends: [expected, expected] });
            });
            await settled.catch(() => wrong.push({ does, isSlow, step, status, ends }));
          }
        }
      }
      expect(wrong).toEqual([]);
    },
    600_000,
  );
});
