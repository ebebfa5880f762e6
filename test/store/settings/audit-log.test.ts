/** The audit log as a file: order, bounds, full disks, several processes, copies. */
import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { DurableFs } from "../../../src/disk/durable-fs.ts";
import { isFailure } from "../../../src/domain/errors.ts";
import { toTeamName } from "../../../src/domain/names.ts";
import type { AuditEvent, AuditQuery } from "../../../src/domain/access/audit.ts";
import { auditEvents } from "../../../src/domain/access/audit-events.ts";
import { openStorage, type Storage } from "../../../src/service/storage.ts";
import { AuditLog } from "../../../src/store/settings/audit-log.ts";
import { CrashDisk, SystemError } from "../../helpers/crash-disk.ts";
import { memoryDisk, memoryFolder } from "../../helpers/storage.ts";

const day = 24 * 60 * 60 * 1000;
const first = Date.parse("2026-01-31T12:00:00Z");
const [acme, other] = [toTeamName("acme"), toTeamName("other")];

interface Opened {
  readonly storage: Storage;
  readonly disk: CrashDisk;
  readonly folder: string;
  readonly clock: { now: number };
}

async function open(): Promise<Opened> {
  const [disk, folder, clock] = [new CrashDisk(), memoryFolder(), { now: first }];
  const storage = openStorage({ folder, disk: memoryDisk(disk), now: () => clock.now });
  await storage.registry.version.create();
  return { storage, disk, folder, clock };
}

async function reasons(
  { audit }: Pick<Storage, "audit">,
  query: Partial<AuditQuery> = {},
): Promise<readonly (string | undefined)[]> {
  const { entries } = await audit.read({ offset: 0, limit: 100, ...query });
  return entries.map(({ reason }) => reason);
}

const refusal = (reason: string, client = "192.0.2.1") =>
  ({ event: "sign_in_refused", team: acme, reason, client }) as const;

describe("reading", () => {
  it("gives the newest first, a page at a time, and counts all", async () => {
    const { storage, clock } = await open();
    for (const reason of ["a", "b", "c", "d", "e"]) {
      await storage.audit.record(refusal(reason));
      clock.now += day / 3;
    }
    expect(await reasons(storage)).toEqual(["e", "d", "c", "b", "a"]);
    expect(await reasons(storage, { offset: 1, limit: 3 })).toEqual(["d", "c", "b"]);
    expect(await storage.audit.read({ offset: 4, limit: 2 })).toMatchObject({ total: 5 });
    expect(await reasons(storage, { since: "2026-02-01" })).toEqual(["e", "d", "c"]);
    expect(await reasons(storage, { until: "2026-01-31" })).toEqual(["b", "a"]);
  });

  it("gives what is asked for of a team, an event and a person", async () => {
    const { storage } = await open();
    await storage.audit.record(refusal("a"));
    await storage.audit.record({ event: "signed_in", team: other, by: { person: "lea" }, reason: "b" });
    await storage.audit.record({
      event: "person_changed",
      team: acme,
      person: "lea",
      reason: "c",
      // What looks like another team is a text here.
      after: { name: '"team":"other"', team: "other" },
    });
    expect(await reasons(storage, { team: acme })).toEqual(["c", "a"]);
    expect(await reasons(storage, { team: other })).toEqual(["b"]);
    expect(await reasons(storage, { event: "signed_in" })).toEqual(["b"]);
    expect(await reasons(storage, { person: "lea" })).toEqual(["c", "b"]);
  });

  it("is empty where nothing was recorded, and makes no folder", async () => {
    const { storage, disk } = await open();
    const before = disk.fingerprint();
    expect(await storage.audit.read({ offset: 0, limit: 10 })).toEqual({ entries: [], total: 0 });
    expect(disk.fingerprint()).toBe(before);
  });

  it("ends with its signal", async () => {
    const { storage } = await open();
    await storage.audit.record(refusal("a"));
    const read = storage.audit.read({ offset: 0, limit: 1 }, AbortSignal.abort(new Error("gone")));
    await expect(read).rejects.toThrow("gone");
  });
});

describe("recording", () => {
  it("is durable on return, whatever a power cut takes", async () => {
    const { storage, disk, folder } = await open();
    await storage.audit.record(refusal("a"));
    await storage.audit.record(refusal("b"));
    const restarted = openStorage({ folder, disk: memoryDisk(disk.recover("everything")) });
    expect(await reasons(restarted)).toEqual(["b", "a"]);
  });

  it("writes what comes meanwhile at once, in its order", async () => {
    const { storage, disk } = await open();
    const names = Array.from({ length: 50 }, (_, i) => `${i}`);
    await Promise.all(names.map((name) => storage.audit.record(refusal(name))));
    expect(await reasons(storage)).toEqual(names.toReversed());
    expect(disk.operations.filter((one) => one.startsWith("write") && one.endsWith(".jsonl"))).toHaveLength(
      1,
    );
  });

  it("fails on a full disk, and the next line is whole", async () => {
    const { storage, disk } = await open();
    await storage.audit.record(refusal("a"));
    disk.before = (_, name, path) => {
      if (name === "write") throw new SystemError("ENOSPC", name, path);
    };
    await expect(storage.audit.record(refusal("lost"))).rejects.toSatisfy((error) =>
      isFailure(error, "disk-full"),
    );
    disk.before = () => {};
    await storage.audit.record(refusal("b"));
    expect(await reasons(storage)).toEqual(["b", "a"]);
  });

  it("never makes a storage of a folder that is none", async () => {
    const [disk, folder] = [new CrashDisk(), memoryFolder()];
    const storage = openStorage({ folder, disk: memoryDisk(disk) });
    const before = disk.fingerprint();
    await expect(storage.audit.record(refusal("a"))).rejects.toSatisfy((error) =>
      isFailure(error, "storage-missing"),
    );
    expect(disk.fingerprint()).toBe(before);
  });

  it("adds to what other processes have recorded", async () => {
    const { storage, disk, folder, clock } = await open();
    const second = openStorage({ folder, disk: memoryDisk(disk.share()), now: () => clock.now });
    for (const each of [storage, second, storage]) await each.audit.record(refusal("a"));
    expect(await reasons(second)).toHaveLength(3);
  });

  it("lists 100 refusals of an address an hour, and then one line", async () => {
    const { storage } = await open();
    for (let i = 0; i < 150; i++) await storage.audit.record(refusal("a", `2001:db8::${i}`));
    await storage.audit.record(refusal("b"));
    const { entries, total } = await storage.audit.read({ offset: 0, limit: 200 });
    expect(total).toBe(102);
    expect(entries.map(({ more }) => more).filter(Boolean)).toEqual([true]);
    expect(entries[1]).toMatchObject({ more: true });
  });
});

describe("what somebody could repeat without end", () => {
  const successes = {
    "a sign-in": { event: "signed_in", team: acme, by: { person: "lea" } },
    "the end of a session": { event: "session_ended", team: acme, by: { person: "lea" } },
    "a refusal": refusal("a"),
  } as const;

  it.each(Object.entries(successes))(
    "%s is listed 100 times an hour, and then in one line",
    async (_, event) => {
      const { storage, clock } = await open();
      for (let i = 0; i < 150; i++) await storage.audit.record(event);
      await storage.audit.record({ ...event, by: { person: "ben" }, client: "192.0.2.2" });
      const { entries, total } = await storage.audit.read({ offset: 0, limit: 200 });
      expect(total).toBe(102);
      expect(entries[1]).toMatchObject({ more: true });
      clock.now += 60 * 60 * 1000;
      await storage.audit.record(event);
      expect(await storage.audit.read({ offset: 0, limit: 1 })).toMatchObject({ total: 103 });
    },
  );
});

describe("a change", () => {
  const event = { event: "token_revoked", team: acme } as const;

  it("is not made if it cannot be recorded", async () => {
    const { storage, disk } = await open();
    disk.before = (_, name, path) => {
      if (name === "write") throw new SystemError("EROFS", name, path);
    };
    let isMade = false;
    const change = async (): Promise<void> => void (isMade = true);
    await expect(storage.audit.recordChange(event, change)).rejects.toThrow("cannot be written to");
    expect(isMade).toBe(false);
  });

  it("that fails is recorded as failed", async () => {
    const { storage } = await open();
    const fail = (): Promise<never> => Promise.reject(new Error("no"));
    await expect(storage.audit.recordChange(event, fail)).rejects.toThrow("no");
    const { entries } = await storage.audit.read({ offset: 0, limit: 10 });
    expect(entries.map(({ failed }) => failed)).toEqual([true, undefined]);
  });

  it("is recorded before it is made", async () => {
    const { storage } = await open();
    const total = await storage.audit.recordChange(event, async () => {
      await setImmediate();
      return (await storage.audit.read({ offset: 0, limit: 10 })).total;
    });
    expect(total).toBe(1);
  });
});

describe("what callers could change back and forth without end", () => {
  /** The change of a person's name, as far as the log has room for it. */
  const rename = (audit: AuditLog, by: AuditEvent["by"], own: Partial<AuditEvent> = {}) =>
    audit
      .recordChange(
        { event: "person_changed", team: acme, person: "ben", by, ...own },
        async (): Promise<true> => true,
      )
      .catch((error: unknown) => {
        if (isFailure(error, "too-many-attempts")) return error.data.retryAfter;
        throw error;
      });
  const loop = async (audit: AuditLog, by: AuditEvent["by"], own?: Partial<AuditEvent>) => {
    const done: (true | number)[] = [];
    for (let i = 0; i < 1_000; i++) done.push(await rename(audit, by, own));
    return done;
  };
  const bounded = async (ofActor: number, ofTeam = 1e12) => {
    const { storage, disk, clock } = await open();
    const { lines } = storage.record.documents;
    const bounds = { ofActor, ofTeam };
    const audit = new AuditLog(new DurableFs(disk), lines, () => clock.now, bounds);
    return { audit, clock, size: () => lines.size("audit/2026-01-31.jsonl") };
  };
  const [lea, eve] = [{ person: "lea" }, { person: "eve" }];

  it("takes so many bytes a day of each of them, and all of them are listed", async () => {
    const { audit, size } = await bounded(10_000);
    await rename(audit, lea);
    const done = await loop(audit, eve);
    const made = done.filter((one) => one === true).length;
    expect(made).toBeGreaterThan(50);
    expect(await size()).toBeLessThan(10_300);
    expect(await audit.read({ offset: 0, limit: 1 })).toMatchObject({ total: made + 1 });
    // Others go on, and what they did is still there.
    expect(await rename(audit, lea)).toBe(true);
    const { entries } = await audit.read({ offset: 0, limit: 10_000, person: "lea" });
    expect(entries).toHaveLength(2);
  });

  it("goes on when a part of the day has passed, as the answer says", async () => {
    const { audit, clock, size } = await bounded(10_000);
    const wait = (await loop(audit, eve)).at(-1);
    if (typeof wait !== "number") throw new Error("it was not refused");
    expect(wait).toBeLessThan((day / 1000) * 0.02);
    clock.now += (wait - 1) * 1000;
    expect(await rename(audit, eve)).toBe(1);
    clock.now += 1000;
    expect(await rename(audit, eve)).toBe(true);
    expect(typeof (await rename(audit, eve))).toBe("number");
    clock.now -= day;
    expect(typeof (await rename(audit, eve))).toBe("number");
    clock.now += 3 * day;
    const first = await size();
    expect((await loop(audit, eve)).filter((one) => one === true).length).toBeGreaterThan(50);
    expect(await size()).toBe(first);
  });

  it("is bounded for all of a team together, however many tokens they make", async () => {
    const { audit } = await bounded(1e12, 10_000);
    const done: (true | number)[] = [];
    for (let i = 0; i < 500; i++) done.push(await rename(audit, { person: `p${i}` }));
    expect(done.filter((one) => one === true).length).toBeLessThan(100);
    expect(await rename(audit, lea, { team: other })).toBe(true);
  });

  it("never holds up who takes something away, nor the operator", async () => {
    const { audit } = await bounded(2_000);
    const waits = async (own: Partial<AuditEvent>) => typeof (await rename(audit, eve, own)) === "number";
    await loop(audit, eve);
    const refused: string[] = [];
    for (const event of auditEvents) if (await waits({ event })) refused.push(event);
    expect(auditEvents.filter((event) => !refused.includes(event))).toEqual([
      "person_disabled",
      "person_removed",
      "token_revoked",
      "session_ended",
      "mirror_removed",
      "webhook_removed",
      "engine_removed",
    ]);
    expect(await rename(audit, { command: "token create" })).toBe(true);
    expect(await rename(audit, undefined)).toBe(true);
  });

  it("counts changes that fail, too", async () => {
    const { audit, size } = await bounded(10_000);
    const fail = (): Promise<never> => Promise.reject(new Error("no"));
    const event = { event: "person_changed", team: acme, by: eve } as const;
    for (let i = 0; i < 1_000; i++) await audit.recordChange(event, fail).catch(() => undefined);
    expect(await size()).toBeLessThan(10_500);
  });

  it("has room for one entry that is larger than all, but not for a second", async () => {
    const { audit } = await bounded(10);
    expect(await rename(audit, eve)).toBe(true);
    expect(typeof (await rename(audit, eve))).toBe("number");
  });
});

it("is kept for 400 days", async () => {
  const { storage, clock } = await open();
  await storage.audit.record(refusal("a"));
  clock.now += 400 * day;
  expect(await storage.audit.prune()).toBe(0);
  await storage.audit.record(refusal("b"));
  clock.now += day;
  expect(await storage.audit.prune()).toBe(1);
  expect(await reasons(storage)).toEqual(["b"]);
  clock.now += 400 * day;
  await storage.audit.record(refusal("c"));
  expect(await reasons(storage)).toEqual(["c"]);
});

it("is kept up to a number of bytes, the newest days and the present one in any case", async () => {
  const { storage, disk, clock } = await open();
  const { lines } = storage.record.documents;
  const bounded = (bytes: number) => new AuditLog(new DurableFs(disk), lines, () => clock.now, { bytes });
  const days = async () => (await lines.list("audit")).length;
  for (let i = 0; i < 5; i++) {
    await storage.audit.record(refusal(`${i}`));
    clock.now += day;
  }
  clock.now -= day;
  const each = await lines.size("audit/2026-01-31.jsonl");
  expect(await bounded(5 * each).prune()).toBe(0);
  expect(await bounded(3 * each).prune()).toBe(2);
  expect(await reasons(storage)).toEqual(["4", "3", "2"]);
  expect(await bounded(0).prune()).toBe(2);
  expect(await reasons(storage)).toEqual(["4"]);
  const busy = bounded(10 * each);
  clock.now += day;
  for (let i = 0; i < 30; i++) await busy.record({ event: "token_revoked", team: acme, reason: `${i}` });
  expect(await days()).toBe(1);
});

it("never has more than a page in memory: a day is read backwards", async () => {
  const { storage, disk, clock } = await open();
  const lines = {
    ...storage.record.documents.lines,
    read: () => {
      throw new Error("reads a whole day");
    },
  };
  for (const reason of ["a", "b", "c"]) await storage.audit.record(refusal(reason));
  const log = new AuditLog(new DurableFs(disk), lines, () => clock.now);
  const { entries, total } = await log.read({ offset: 1, limit: 1 });
  expect([entries.map(({ reason }) => reason), total]).toEqual([["b"], 3]);
});

it("a copy gets all entries and keeps its own, in the order of time", async () => {
  const { storage, clock } = await open();

  const target = storage.open(memoryFolder("copy"));
  await storage.audit.record(refusal("a"));
  clock.now += 1000;
  await target.registry.version.create();
  await target.audit.record(refusal("b"));
  clock.now += 1000;
  await storage.audit.record(refusal("c"));
  await storage.audit.copyTo(target.folder);
  await storage.audit.copyTo(target.folder);
  expect(await reasons(target)).toEqual(["c", "b", "a"]);
});
