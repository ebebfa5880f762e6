/** Faults of real servers, and the alerts that their metrics fire. */
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { isUnmountable, SmallDisk } from "../helpers/limits/small-disk.ts";
import { createToken, request, skepOk, startServer, type RunningServer } from "../helpers/process.ts";
import { realFolder } from "../helpers/storage.ts";
import { evaluate, isWithoutPromtool, type Firing, type Series } from "./promtool.ts";
import { parseSeries, type Sample } from "./series.ts";

const target = { job: "skep", instance: "a:9464" };
const strings = "/api/hives/web/strings";

/** Makes a storage with one Hive. @param folder may be a disk of its own. */
async function makeStorage(folder: string): Promise<{ storage: string; token: string }> {
  const storage = join(folder, "storage");
  await skepOk(storage, "team", "create", "acme");
  await skepOk(storage, "hive", "create", "web", "--team", "acme", "--locale", "fr");
  return { storage, token: await createToken(storage, ["admin"]) };
}

async function scrape(server: RunningServer): Promise<readonly Sample[]> {
  const [, url = ""] = /metrics are at (http:[^\s"]+)/.exec(server.stderr()) ?? [];
  return parseSeries(await (await fetch(url)).text());
}

const startWatched = (storage: string, ...flags: readonly string[]): Promise<RunningServer> =>
  startServer(storage, "--metrics-port", "0", ...flags);

/** The name of a sample as Prometheus keeps it. */
function nameOf({ name, labels }: Sample): string {
  const all = Object.entries({ ...labels, ...target }).map(([label, value]) => `${label}="${value}"`);
  return `${name}{${all.join(",")}}`;
}

/** As if a server had been scraped once a minute: ten times before a fault, and then for so many minutes in it. */
function history(before: readonly Sample[], after: readonly Sample[], minutes: number): Series {
  const earlier = new Map(before.map((sample) => [nameOf(sample), sample.value]));
  return Object.fromEntries(
    after
      .filter(({ value }) => Number.isFinite(value))
      .map((sample) => {
        const was = earlier.get(nameOf(sample));
        return [nameOf(sample), `${was === undefined ? "_x9" : `${was}+0x9`} ${sample.value}+0x${minutes}`];
      }),
  );
}

/** Expects that these alerts fire in the end of what was scraped, and no others; and before the fault, none. */
async function expectAlerts(series: Series, minutes: number, firing: readonly Firing[]): Promise<void> {
  expect(await evaluate(series, 9, [])).toBe(undefined);
  expect(await evaluate(series, 10 + minutes, firing)).toBe(undefined);
}

describe.skipIf(isWithoutPromtool)("the rules for Prometheus see", () => {
  it.skipIf(isUnmountable())("a full disk", async () => {
    const folder = realFolder();
    const disk = new SmallDisk(folder, 16);
    const { storage, token } = await makeStorage(folder);
    const server = await startWatched(storage);
    const write = async (text: string): Promise<number> => {
      const files = { "a.json": { a: text } };
      return (await request(server, token, "POST", strings, { files })).status;
    };
    expect(await write("A")).toBe(200);
    const before = await scrape(server);
    disk.fill();
    expect(await write("B")).toBe(507);
    const labels = { ...target, status: "507" };
    const summary = "a:9464 or its database has no room on its disk.";
    await expectAlerts(history(before, await scrape(server), 3), 3, [
      { alert: "SkepDiskFull", labels, summary },
    ]);
    disk.clear();
    expect(await write("C")).toBe(200);
  });

  it("a mirror that cannot be reached, after an hour", async () => {
    const folder = realFolder();
    const { storage } = await makeStorage(folder);
    const server = await startWatched(storage);
    const before = await scrape(server);
    await skepOk(storage, "mirror", "add", "web", `file://${folder}/missing.git`);
    const failing = async () =>
      (await scrape(server)).find(({ name, labels }) => name === "skep_mirrors" && labels.state === "failed")
        ?.value;
    await expect.poll(failing, { timeout: 120_000, interval: 100 }).toBe(1);
    const series = history(before, await scrape(server), 70);
    await expectAlerts(series, 30, []);
    const labels = { job: "skep", state: "failed" };
    await expectAlerts(series, 65, [
      { alert: "SkepMirrorBehind", labels, summary: "Mirrors in the state failed: 1." },
    ]);
  });

  it("texts that a check refuses", async () => {
    const { storage, token } = await makeStorage(realFolder());
    const server = await startWatched(storage);
    const before = await scrape(server);
    await request(server, token, "PATCH", "/api/hives/web", { checks: { level: "refuse" } });
    await request(server, token, "POST", strings, { files: { "a.json": { a: "{{n}}" } } });
    const wrong = { files: { "a.json": { a: "{{m}}" } } };
    const refused = await request(server, token, "POST", "/api/hives/web/translations/fr", wrong);
    expect(refused.status).toBe(422);
    const labels = { job: "skep", check: "argument-extra" };
    await expectAlerts(history(before, await scrape(server), 3), 3, [
      { alert: "SkepWritesRefused", labels, summary: "The check argument-extra refuses writes." },
    ]);
  });
});
