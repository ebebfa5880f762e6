/** What the metrics say of work beside requests. */
import { readFileSync } from "node:fs";
import { expect, it, onTestFinished, vi } from "vitest";
import { defaults } from "../../src/config/settings.ts";
import { createApp } from "../../src/http/app.ts";
import { serveMetrics } from "../../src/observability/metrics-server.ts";
import { createMetrics } from "../../src/observability/metrics.ts";
import { DurableFs } from "../../src/disk/durable-fs.ts";
import { Locks } from "../../src/disk/locks/lock.ts";
import { harness, makeHive, makeToken, memoryDisk, memoryFolder, memoryStorage } from "../helpers/storage.ts";

it("metrics count waits for a lock, also timed-out ones, by kind and never by name", async () => {
  const metrics = createMetrics();
  const fs = new DurableFs(memoryDisk());
  const folder = memoryFolder();
  await fs.makeFolder(folder);
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const locks = new Locks(fs, folder, { observer: metrics.store });
  await locks.hold("hive-secret", async () => {
    const late = locks.hold("hive-secret", () => Promise.resolve());
    await Promise.all([expect(late).rejects.toThrow("Other changes"), vi.advanceTimersByTimeAsync(30_000)]);
  });
  const text = await metrics.text();
  expect(text).toContain('skep_lock_wait_seconds_count{lock="hive"} 2\n');
  expect(text).not.toContain("secret");
});

it("metrics count refused writes by check, and not dry runs", async () => {
  const metrics = createMetrics();
  const storage = memoryStorage({ observer: metrics.store });
  await makeHive(storage, "web", { locales: ["fr"] });
  const { call } = harness(storage, await makeToken(storage, { abilities: ["admin"] }));
  await call("PATCH", "/api/hives/web", { body: { checks: { level: "refuse" } } });
  const source = { files: { "a.json": { a: "{{n}}", b: "{{n}}", c: "{{n}} <b>x</b>" } } };
  await call("POST", "/api/hives/web/strings", { body: source });
  const body = { files: { "a.json": { a: "{{m}}", b: "{{m}}", c: "{{n}} <i>x</i>" } } };
  for (const query of ["", "?dry_run=1", ""]) {
    expect((await call("POST", `/api/hives/web/translations/fr${query}`, { body })).status).toBe(422);
  }
  const text = await metrics.text();
  expect(text).toContain('skep_refused_writes_total{check="argument-extra"} 2\n');
  expect(text).toContain('skep_refused_writes_total{check="tag-extra"} 2\n');
});

it("metrics count what engines were asked and have spent, by type", async () => {
  const metrics = createMetrics();
  const { engineAsked } = metrics.store;
  engineAsked?.("openai", "answered", { characters: 12, tokens: 30 });
  engineAsked?.("openai", "failed", { characters: 5, tokens: 0 });
  engineAsked?.("openai", "refused", { characters: 0, tokens: 0 });
  const lines = (await metrics.text())
    .split("\n")
    .filter((line) => /^skep_engine_\w+\{type="(openai|deepl)"/.test(line));
  expect(lines.filter((line) => !line.includes("requests"))).toEqual([
    'skep_engine_characters_total{type="openai"} 17',
    'skep_engine_characters_total{type="deepl"} 0',
    'skep_engine_tokens_total{type="openai"} 30',
    'skep_engine_tokens_total{type="deepl"} 0',
  ]);
  expect(lines).toContain('skep_engine_requests_total{type="openai",result="failed"} 1');
});

it("metrics count packings by their outcome", async () => {
  const metrics = createMetrics();
  metrics.packed("packed", 1_500);
  metrics.packed("failed", 10);
  const text = await metrics.text();
  expect(text).toContain('skep_packing_seconds_sum{result="packed"} 1.5\n');
  expect(text).toContain('skep_packing_seconds_count{result="failed"} 1\n');
});

it("metrics of all faults that the page on operation names begin at 0, so that their first one is a growth", async () => {
  const page = readFileSync(new URL("../../docs/operation.md", import.meta.url), "utf8");
  const [, table = ""] = page.split("## What to alert on");
  const metrics = createMetrics();
  metrics.watchStorage(memoryStorage());
  const text = await metrics.text();
  let series = 0;
  let last = "";
  for (const [, name = last, label = "", value = ""] of table.matchAll(
    /(?:`(skep_[a-z_]+)`[^`|]*)?`(?:([a-z]+)=)?"([a-z0-9]+)"`/g,
  )) {
    last = name;
    const labels = label === "" ? `"${value}"` : `${label}="${value}"`;
    expect(
      text
        .split("\n")
        .filter((line) => line.startsWith(name) && line.includes(labels) && line.endsWith(" 0")),
    ).not.toEqual([]);
    series++;
  }
  expect(series).toBeGreaterThan(8);
});

it("metrics count faults by status, and no refusals", async () => {
  const metrics = createMetrics();
  const trace = { method: "GET", fields: { route: "/x" } };
  for (const status of [200, 422, 500, 507, 507]) metrics.requests.responded?.(trace as never, status, 1);
  const text = await metrics.text();
  expect(text.match(/^skep_http_faults_total.*$/gm)).toEqual([
    'skep_http_faults_total{status="500"} 1',
    'skep_http_faults_total{status="503"} 0',
    'skep_http_faults_total{status="507"} 2',
  ]);
});

it("the metrics are those that the page on operation lists", async () => {
  const page = readFileSync(new URL("../../docs/operation.md", import.meta.url), "utf8");
  const named = page.match(/`(?:skep|nodejs|process)_[a-z0-9_]+/g) ?? [];
  expect(named.length).toBeGreaterThan(5);
  const metrics = createMetrics();
  const storage = memoryStorage();
  const { stats } = createApp({ ...defaults, storage, log: { error: () => {} } });
  metrics.watch({ storage, stats });
  metrics.watchStorage(storage);
  const text = await metrics.text();
  for (const name of named)
    expect(text).toContain(`# TYPE ${name.slice(1).replace(/_(?:count|sum|bucket)$/, "")} `);
});

it("no gauge is named like a counter", async () => {
  const text = await createMetrics().text();
  expect(text).toMatch(/^# TYPE nodejs_active_handles gauge$/m);
  expect(text).not.toMatch(/^# TYPE \S+_total gauge$/m);
});

it("metrics are served on the requested address", async () => {
  const log = { error: () => {} };
  const { url, close } = await serveMetrics(createMetrics(), { host: "0.0.0.0", port: 0 }, log);
  expect(url).toMatch(/^http:\/\/0\.0\.0\.0:\d+\/metrics$/);
  expect((await fetch(url.replace("0.0.0.0", "127.0.0.1"))).status).toBe(200);
  await close();
});

it("metrics say how requests waited for a database, how large it is, and how many connections there are", async () => {
  const metrics = createMetrics();
  const storage = memoryStorage();
  const record = { ...storage.record, connections: () => 3, bytes: () => Promise.resolve(4_096) };
  metrics.watch({ storage: { ...storage, record }, stats: harness(storage, undefined).stats });
  metrics.passed("old", 20);
  metrics.clockStepped();
  const text = await metrics.text();
  expect(text).toContain('skep_record_refresh_seconds_count{result="old"} 1\n');
  expect(text).toContain("skep_record_clock_steps_total 1\n");
  expect(text).toContain("skep_record_connections 3\n");
  expect(text).toContain("skep_record_bytes 4096\n");
});
