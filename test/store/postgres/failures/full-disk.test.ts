/** A database whose disk is really full: what is said of it, at once, and that all goes on when there is room again. */
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createMetrics } from "../../../../src/observability/metrics.ts";
import { openOn } from "../../../helpers/postgres/records.ts";
import { isUnmountable, SmallDisk } from "../../../helpers/limits/small-disk.ts";
import { Cluster, cluster, isMissing, user } from "../../../helpers/postgres/cluster.ts";
import { harness, makeHive, makeToken, realFolder } from "../../../helpers/storage.ts";

const message = "The database has no room left on its disk.";

/** Strings that cannot be made smaller, in one file; more than that many bytes are unpacked by git. */
const random = (key: string) => ({ files: { "a.json": { [key]: randomBytes(100_000).toString("base64") } } });

describe.skipIf(isMissing() || isUnmountable())("a full disk of a copy", () => {
  it("is a 507 for reads that have to bring something, and for writes, until there is room", async () => {
    const server = await cluster();
    const url = server.url(await server.database());
    const { storage } = await openOn(url);
    await makeHive(storage, "web", { locales: [] });
    const token = await makeToken(storage);
    const other = harness(storage, token);
    const folder = join(realFolder(), "copy");
    const disk = new SmallDisk(folder, 16);
    const { storage: small } = await openOn(url, folder);
    let now = storage.now();
    const { call, logged, post } = harness({ ...small, now: () => (now += 1_000) }, token);
    const strings = "/api/hives/web/strings";
    const answers = async () => {
      const read = await call("GET", strings);
      const write = await post({ "b.json": { b: "B" } });
      const ready = await call("GET", "/readyz");
      return [read.status, read.json.code, write.status, write.json.code, ready.status, ready.json.message];
    };
    await other.call("POST", strings, { body: random("a") });
    expect((await answers()).filter(Number)).toEqual([200, 200, 200]);
    await other.call("POST", strings, { body: random("b") });
    disk.fill();
    expect(await answers()).toEqual([507, "disk_full", 507, "disk_full", 503, "The disk is full."]);
    expect(logged.map((line) => line.message)).toEqual([
      "a disk is full: There is no room left to store this.",
      "not ready: The disk is full.",
    ]);
    disk.clear();
    expect((await answers()).filter(Number)).toEqual([200, 200, 200]);
    expect((await call("GET", strings)).json.data).toHaveLength(3);
  });
});

describe.skipIf(isMissing() || isUnmountable())("a full disk of a database", () => {
  it("is said at once, in the log, the metrics and by the checks of health, until there is room", async () => {
    const disks: SmallDisk[] = [];
    const mount = (data: string): void => void disks.push(new SmallDisk(data, 96, user()));
    const server = await Cluster.start({ mount });
    onTestFinished(() => server.stop());
    const { storage } = await openOn(server.url(await server.database()));
    await makeHive(storage, "web", { locales: [] });
    const metrics = createMetrics();
    // Readiness is looked at once a second.
    let now = storage.now();
    const { call, logged } = harness({ ...storage, now: () => (now += 1_000) }, await makeToken(storage), {
      observers: [metrics.requests],
    });
    const write = (key: string) => {
      return call("POST", "/api/hives/web/strings", { body: random(key) });
    };
    const ready = async () => {
      const { status, json } = await call("GET", "/readyz");
      return [status, json.message];
    };
    expect((await write("before")).status).toBe(200);
    for (const disk of disks) disk.fill();
    for (const key of ["a", "b", "c"]) {
      const { status, json } = await write(key);
      expect([status, json]).toEqual([507, { message, code: "disk_full" }]);
      expect(await ready()).toEqual([503, message]);
    }
    // What fits into the pages that there are is no sign of room.
    await storage.audit.record({ event: "token_created" });
    expect(await ready()).toEqual([503, message]);
    expect((await call("GET", "/api/hives/web/strings")).json.data).toHaveLength(1);
    expect(logged.map((line) => line.message)).toEqual([
      `a disk is full: ${message}`,
      `not ready: ${message}`,
    ]);
    expect(await metrics.text()).toContain('skep_http_faults_total{status="507"} 3');
    for (const disk of disks) disk.clear();
    expect(await ready()).toEqual([200, undefined]);
    expect((await write("after")).status).toBe(200);
  });
});
