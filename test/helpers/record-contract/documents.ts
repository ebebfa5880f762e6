/** What a record promises of documents: settings, states, live texts and lines. */
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readTextNow, type Disk } from "../../../src/disk/disk.ts";
import { combineLocks, type HeldLock } from "../../../src/disk/held-lock.ts";
import { lockLost } from "../../../src/disk/locks/lock-file.ts";
import { isFailure } from "../../../src/domain/errors.ts";
import { toTeamName, type TeamName } from "../../../src/domain/names.ts";
import { openStorage, type Storage } from "../../../src/service/storage.ts";
import type { SwappedTexts } from "../../../src/store/record/record.ts";
import type { MakeRecord, SharedRecord } from "./record-contract.ts";
import { runs } from "../runs.ts";

const [acme, other] = [toTeamName("acme"), toTeamName("other")];

/** Paths and texts that an implementation could take for something else. */
const unusual = [
  ["session-key", "0\n"],
  ["channels/web.a-Z_9.yaml", "- 'quoted' \"twice\" \\ and a tab\t\r\n"],
  ['teams/o\'neil "x" %_$1.yaml', "%s $1 ${x} ?\n"],
  ["people/ünï→😀.yaml", "ünï → 😀\n"],
  ["sessions/--.yaml", ""],
  ["webhooks/a/b/c.yaml", `${"long ".repeat(100_000)}\n`],
] as const;

interface OpenedServer {
  readonly storage: Storage;
  /** The disk of the storage's folder. */
  readonly disk: Disk;
}

function open(record: SharedRecord): OpenedServer {
  const options = record.open();
  return { storage: openStorage(options), disk: options.disk };
}

async function two(make: MakeRecord): Promise<readonly [OpenedServer, OpenedServer]> {
  const record = await make();
  return [open(record), open(record)];
}

/** What a server's folder holds. */
function textIn({ storage, disk }: OpenedServer, path: string): string | undefined {
  return readTextNow(disk, join(storage.folder, path));
}

/** What a server's folder holds once it is as new as the record. */
async function textAt(server: OpenedServer, path: string): Promise<string | undefined> {
  await server.storage.record.refresh([]);
  return textIn(server, path);
}

/** Replaces settings under a team's lock. */
function put(
  { storage }: OpenedServer,
  path: string,
  text: string | undefined,
  team: TeamName = acme,
): Promise<void> {
  return storage.lockTeam(team, (lock) => storage.record.documents.put(path, text, lock));
}

/** Swaps texts under a lock of their own. */
function swap({ storage }: OpenedServer, path: string, texts: SwappedTexts): Promise<void> {
  return storage.lockTeam(other, (lock) => storage.record.documents.swap(path, texts, lock));
}

const lostLock: HeldLock = {
  assertHeld: () => Promise.reject(lockLost("test", "It is lost.")),
  advance: (change) => change(),
  lose: () => {},
};

/** A short while, of as many turns of the event loop. */
async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await new Promise(setImmediate);
}

export function describeDocuments(make: MakeRecord): void {
  describe("settings", () => {
    it.each(unusual)("in %s are put, seen by other servers, replaced and removed", async (path, text) => {
      const [one, another] = await two(make);
      for (const next of [text, `${text}more`, undefined, text]) {
        await put(one, path, next);
        expect(textIn(one, path)).toBe(next);
        expect(await textAt(another, path)).toBe(next);
      }
      expect(await textAt(open(await make()), path)).toBeUndefined();
    });

    it("are seen by a server that is opened later", async () => {
      const record = await make();
      const one = open(record);
      for (const [path, text] of unusual) await put(one, path, text);
      const later = open(record);
      for (const [path, text] of unusual) expect(await textAt(later, path)).toBe(text);
    });

    it("that are removed need not be there", async () => {
      const [one, another] = await two(make);
      await put(one, "teams/none.yaml", undefined);
      expect(await textAt(another, "teams/none.yaml")).toBeUndefined();
    });

    it("stay as they were under a lock that was lost", async () => {
      const [one, another] = await two(make);
      await put(one, "teams/acme.yaml", "before\n");
      for (const text of ["after\n", undefined]) {
        const lost = one.storage.lockTeam(acme, (lock) =>
          one.storage.record.documents.put("teams/acme.yaml", text, combineLocks(lock, lostLock)),
        );
        await expect(lost).rejects.toSatisfy((error) => isFailure(error, "lock-lost"));
        expect(textIn(one, "teams/acme.yaml")).toBe("before\n");
        expect(await textAt(another, "teams/acme.yaml")).toBe("before\n");
      }
    });

    it("stay as they were when a change fails, and can be changed again", async () => {
      const record = await make({ breaks: true });
      const [one, another] = [open(record), open(record)];
      await put(one, "teams/acme.yaml", "before\n");
      await textAt(another, "teams/acme.yaml");
      const repair = await record.break();
      for (const path of ["teams/acme.yaml", "teams/new.yaml"]) {
        await expect(put(one, path, "after\n")).rejects.toThrow();
      }
      await expect(put(one, "teams/acme.yaml", undefined)).rejects.toThrow();
      for (const server of [one, another]) {
        expect(textIn(server, "teams/acme.yaml")).toBe("before\n");
        expect(textIn(server, "teams/new.yaml")).toBeUndefined();
      }
      await repair();
      expect(await textAt(another, "teams/acme.yaml")).toBe("before\n");
      await put(one, "teams/acme.yaml", "after\n");
      expect(await textAt(another, "teams/acme.yaml")).toBe("after\n");
    });

    it("may be changed several times under one lock", async () => {
      const [one, another] = await two(make);
      let runs = 0;
      await one.storage.lockTeam(acme, async (lock) => {
        runs++;
        const { documents } = one.storage.record;
        await documents.put("teams/acme.yaml", "1\n", lock);
        await documents.put("tokens/a.yaml", "2\n", lock);
        await documents.put("teams/acme.yaml", "3\n", lock);
        await lock.assertHeld();
      });
      expect(runs).toBe(1);
      expect(await textAt(another, "teams/acme.yaml")).toBe("3\n");
      expect(await textAt(another, "tokens/a.yaml")).toBe("2\n");
    });

    it("are changed one after the other by servers that plan from what they read under one lock", async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.record({ server: fc.nat(1), read: fc.nat(3), written: fc.nat(3) }), {
            minLength: 2,
            maxLength: 6,
          }),
          async (changes) => {
            const servers = await two(make);
            const add = async ({ server, read, written }: (typeof changes)[number]): Promise<void> => {
              const { storage } = servers[server === 0 ? 0 : 1];
              await storage.lockTeam(acme, async (lock) => {
                const before = Number(textIn(servers[server === 0 ? 0 : 1], "teams/acme.yaml") ?? 0);
                await turns(read);
                await storage.record.documents.put("teams/acme.yaml", `${before + 1}`, lock);
                await turns(written);
              });
            };
            await Promise.all(changes.map(add));
            for (const server of servers) {
              expect(await textAt(server, "teams/acme.yaml")).toBe(`${changes.length}`);
            }
          },
        ),
        { numRuns: runs(8) },
      );
    });
  });

  describe("the version of settings", () => {
    it("is that of each server's copy: any change of settings by another server ends the locks of this one", async ({
      skip,
    }) => {
      const [one, another] = await two(make);
      await put(one, "teams/acme.yaml", "before\n");
      skip(one.storage.record.version() === undefined, "a folder has no versions");
      await textAt(another, "teams/acme.yaml");
      const seen: (string | undefined)[] = [];
      await one.storage.lockTeam(acme, async (lock) => {
        seen.push(textIn(one, "teams/acme.yaml"));
        if (seen.length === 1) await put(another, "teams/acme.yaml", "theirs\n", other);
        await one.storage.record.documents.put("tokens/a.yaml", `${seen.at(-1)}`, lock);
      });
      expect(seen).toEqual(["before\n", "theirs\n"]);
      expect(await textAt(another, "tokens/a.yaml")).toBe("theirs\n");
    });

    it("ends a lock when the copy takes over another server's change, before anything is put", async ({
      skip,
    }) => {
      const [one, another] = await two(make);
      await put(one, "teams/acme.yaml", "before\n");
      skip(one.storage.record.version() === undefined, "a folder has no versions");
      await textAt(another, "teams/acme.yaml");
      let runs = 0;
      await one.storage.lockTeam(acme, async (lock) => {
        if (++runs > 1) return;
        await put(another, "teams/other.yaml", "theirs\n", other);
        expect(await textAt(one, "teams/other.yaml")).toBe("theirs\n");
        await lock.assertHeld();
      });
      expect(runs).toBe(2);
    });

    it("changes with settings alone, and not with states, live texts or lines", async () => {
      const [one] = await two(make);
      const { record } = one.storage;
      await put(one, "teams/acme.yaml", "before\n");
      const version = record.version();
      await one.storage.lockTeam(acme, (lock) =>
        record.documents.putState("mirrors/web.state.yaml", "1\n", lock),
      );
      await record.documents.change("claims/web.json", async () => ["1", undefined]);
      await swap(one, "sessions/ada.yaml", { before: undefined, after: "1\n" });
      await record.documents.lines.append("audit/2026-01-31.jsonl", ["{}"]);
      await record.refresh([]);
      expect(record.version()).toBe(version);
      await put(one, "teams/acme.yaml", "after\n");
      if (version !== undefined) expect(record.version()).not.toBe(version);
    });
  });

  describe("swapped texts", () => {
    const path = "sessions/ada.yaml";

    it("are seen by other servers, replaced and removed, also between changes of settings", async () => {
      const [one, another] = await two(make);
      let before: string | undefined;
      for (const after of ["one\n", "two\n", undefined, "three\n"]) {
        await swap(one, path, { before, after });
        expect(textIn(one, path)).toBe(after);
        await put(one, "teams/acme.yaml", `${after}\n`);
        await swap(another, "sessions/bob.yaml", { before: before && "bob\n", after: after && "bob\n" });
        await put(one, "teams/acme.yaml", `again ${after}\n`);
        expect(await textAt(another, path)).toBe(after);
        expect(await textAt(another, "teams/acme.yaml")).toBe(`again ${after}\n`);
        expect(await textAt(one, "sessions/bob.yaml")).toBe(after && "bob\n");
        before = after;
      }
    });

    it("end no lock, and are not changed under one that was lost", async () => {
      const [one, another] = await two(make);
      let runs = 0;
      await one.storage.lockTeam(acme, async (lock) => {
        runs++;
        await swap(another, path, { before: undefined, after: "one\n" });
        expect(await textAt(one, path)).toBe("one\n");
        await one.storage.record.documents.put("teams/acme.yaml", "1\n", lock);
      });
      expect(runs).toBe(1);
      const lost = one.storage.record.documents.swap(path, { before: "one\n", after: undefined }, lostLock);
      await expect(lost).rejects.toSatisfy((error) => isFailure(error, "lock-lost"));
      expect(await textAt(another, path)).toBe("one\n");
    });
  });

  describe("states", () => {
    it("are put, seen by other servers, replaced and removed", async () => {
      const [one, another] = await two(make);
      const path = "webhooks/web.state.yaml";
      for (const text of ["one\n", "two\n", undefined]) {
        await one.storage.record.jobs.hold("webhook-web", (lock) =>
          one.storage.record.documents.putState(path, text, lock),
        );
        expect(textIn(one, path)).toBe(text);
        await expect.poll(() => textAt(another, path), { timeout: 120_000 }).toBe(text);
      }
    });

    it("stay as they were under a lock that was lost", async () => {
      const [one, another] = await two(make);
      const { documents } = one.storage.record;
      const lost = documents.putState("mirrors/web.state.yaml", "1\n", lostLock);
      await expect(lost).rejects.toSatisfy((error) => isFailure(error, "lock-lost"));
      expect(textIn(one, "mirrors/web.state.yaml")).toBeUndefined();
      expect(await textAt(another, "mirrors/web.state.yaml")).toBeUndefined();
    });
  });

  describe("live texts", () => {
    it("are read and changed by all servers at once, and removed", async () => {
      const [one, another] = await two(make);
      const [here, there] = [one.storage.record.documents, another.storage.record.documents];
      for (const path of ["claims/a-web.json", "device-codes.json", "token-use.json"]) {
        expect(await here.read(path)).toBeUndefined();
        expect(await here.change(path, async (before) => ["one\n", before])).toBeUndefined();
        expect(await there.read(path)).toBe("one\n");
        expect(await there.change(path, async (before) => [`${before}two\n`, before])).toBe("one\n");
        expect(await here.read(path)).toBe("one\ntwo\n");
        expect(await here.change(path, async (before) => [before, before])).toBe("one\ntwo\n");
        expect(await there.read(path)).toBe("one\ntwo\n");
        await there.change(path, async () => [undefined, undefined]);
        expect(await here.read(path)).toBeUndefined();
      }
    });

    it("stay as they were when the change throws, or when it cannot be stored", async () => {
      const record = await make({ breaks: true });
      const { documents } = open(record).storage.record;
      await documents.change("claims/web.json", async () => ["before\n", undefined]);
      const thrown = documents.change("claims/web.json", () => Promise.reject(new Error("no")));
      await expect(thrown).rejects.toThrow("no");
      const repair = await record.break();
      await expect(documents.change("claims/web.json", async () => ["after\n", 1])).rejects.toThrow();
      await repair();
      expect(await documents.read("claims/web.json")).toBe("before\n");
      await documents.change("claims/web.json", async () => ["after\n", undefined]);
      expect(await documents.read("claims/web.json")).toBe("after\n");
    });

    it("lose no change, in whatever order those of several servers come", async () => {
      const one = fc.record({ server: fc.nat(1), text: fc.nat(1), before: fc.nat(4), during: fc.nat(4) });
      await fc.assert(
        fc.asyncProperty(fc.array(one, { minLength: 2, maxLength: 10 }), async (changes) => {
          const servers = await two(make);
          const numbers = await Promise.all(
            changes.map(async ({ server, text, before, during }) => {
              await turns(before);
              const { documents } = servers[server === 0 ? 0 : 1].storage.record;
              return documents.change(`claims/${text}.json`, async (stored) => {
                await turns(during);
                const number = Number(stored ?? 0) + 1;
                return [`${number}`, `${text}: ${number}`];
              });
            }),
          );
          expect(new Set(numbers).size).toBe(changes.length);
          for (const text of [0, 1]) {
            const count = changes.filter((change) => change.text === text).length;
            const stored = await servers[0].storage.record.documents.read(`claims/${text}.json`);
            expect(Number(stored ?? 0)).toBe(count);
          }
        }),
        { numRuns: runs(8) },
      );
    });
  });

  describe("lines", () => {
    const path = "audit/2026-01-31.jsonl";
    const all = async ({ storage }: OpenedServer, file = path): Promise<readonly string[]> => {
      const lines: string[] = [];
      for await (const line of storage.record.documents.lines.read(file)) lines.push(line);
      return lines;
    };

    it("are read in the order in which they were appended, by all servers", async () => {
      const [one, another] = await two(make);
      expect(await all(one)).toEqual([]);
      await one.storage.record.documents.lines.append(path, ["1", '{"2": "zwei → 😀"}']);
      await another.storage.record.documents.lines.append(path, ["3 '", "x".repeat(300_000)]);
      await one.storage.record.documents.lines.append(path, ["5"]);
      const expected = ["1", '{"2": "zwei → 😀"}', "3 '", "x".repeat(300_000), "5"];
      expect(await all(one)).toEqual(expected);
      expect(await all(another)).toEqual(expected);
    });

    it("are read the other way round, too, also many and long ones", async () => {
      const [one] = await two(make);
      const { lines } = one.storage.record.documents;
      const backwards = async (): Promise<readonly string[]> => {
        const found: string[] = [];
        for await (const line of lines.readBackwards(path)) found.push(line);
        return found;
      };
      expect(await backwards()).toEqual([]);
      const texts = Array.from({ length: 2_500 }, (_, i) => `${i} ${"ü😀".repeat(i % 97)}`);
      texts.splice(1_000, 0, "x".repeat(700_000));
      await lines.append(path, texts);
      expect(await backwards()).toEqual(texts.toReversed());
      const bytes = Buffer.byteLength(texts.map((text) => `${text}\n`).join(""));
      expect([await lines.size(path), await lines.size("audit/2026-02-01.jsonl")]).toEqual([bytes, 0]);
    });

    it("of several servers at once are all there, and each server's in its order", async () => {
      const servers = await two(make);
      const append = async ({ storage }: OpenedServer, name: string): Promise<void> => {
        for (let i = 0; i < 20; i++)
          await storage.record.documents.lines.append(path, [`${name}${i}`, `${name}${i}'`]);
      };
      await Promise.all([append(servers[0], "a"), append(servers[1], "b")]);
      const lines = await all(servers[0]);
      for (const name of ["a", "b"]) {
        const expected = Array.from({ length: 20 }, (_, i) => [`${name}${i}`, `${name}${i}'`]).flat();
        expect(lines.filter((line) => line.startsWith(name))).toEqual(expected);
      }
      expect(lines.length).toBe(80);
    });

    it("are in files that are listed and removed", async () => {
      const [one, another] = await two(make);
      const { lines } = one.storage.record.documents;
      expect(await lines.list("audit")).toEqual([]);
      for (const day of [3, 1, 2]) await lines.append(`audit/2026-01-0${day}.jsonl`, [`${day}`]);
      await lines.remove("audit/2026-01-02.jsonl");
      await lines.remove("audit/2025-01-02.jsonl");
      const left = ["2026-01-01.jsonl", "2026-01-03.jsonl"];
      expect((await another.storage.record.documents.lines.list("audit")).toSorted()).toEqual(left);
      expect(await all(another, "audit/2026-01-02.jsonl")).toEqual([]);
      expect(await all(another, "audit/2026-01-03.jsonl")).toEqual(["3"]);
    });
  });
}
