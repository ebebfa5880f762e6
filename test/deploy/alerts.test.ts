/** Each rule for Prometheus in deploy/monitoring: what fires it, and what is like that and does not. */
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readPage } from "../docs/pages.ts";
import { evaluate, isWithoutPromtool, monitoring, promtool, rules, type Series } from "./promtool.ts";

interface Example {
  readonly labels: Readonly<Record<string, string>>;
  readonly summary: string;
  readonly minutes: number;
  readonly fires: Series;
  readonly silent: Series;
}

const server = { job: "skep", instance: "a:9464" };
const of = (name: string, labels: Readonly<Record<string, string>> = {}): string =>
  `${name}{${Object.entries({ ...server, ...labels })
    .map(([label, value]) => `${label}="${value}"`)
    .join(",")}}`;

/** A histogram of a hundred measurements a minute, so many of which took longer than the limit, and all less than 30 s. */
const measured = (name: string, limit: string, slow: number, labels = {}): Series => ({
  [of(`${name}_bucket`, { ...labels, le: limit })]: `0+${100 - slow}x10`,
  [of(`${name}_bucket`, { ...labels, le: "30" })]: "0+100x10",
  [of(`${name}_bucket`, { ...labels, le: "+Inf" })]: "0+100x10",
});

const status = (value: string, values: string): Series => ({
  [of("skep_http_faults_total", { status: value })]: values,
});

const examples: Readonly<Record<string, Example>> = {
  SkepDown: {
    labels: server,
    summary: "Prometheus cannot scrape a:9464.",
    minutes: 6,
    fires: { [of("up")]: "1+0x4 0+0x5" },
    silent: { [of("up")]: "1+0x5 0+0x5", 'up{job="other",instance="b"}': "0+0x10" },
  },
  SkepNotReady: {
    labels: { job: "skep-ready", instance: "http://a/readyz" },
    summary: "http://a/readyz is not 200: writes fail.",
    minutes: 6,
    fires: { 'probe_success{job="skep-ready",instance="http://a/readyz"}': "1+0x4 0+0x5" },
    silent: { 'probe_success{job="skep-ready",instance="http://a/readyz"}': "1+0x5 0+0x5" },
  },
  SkepFault: {
    labels: { ...server, status: "500" },
    summary: "Requests to a:9464 fail with 500.",
    minutes: 6,
    fires: status("500", "0+0x4 1+0x5"),
    silent: status("500", "7+0x10"),
  },
  SkepDiskFull: {
    labels: { ...server, status: "507" },
    summary: "a:9464 or its database has no room on its disk.",
    minutes: 6,
    fires: status("507", "0+0x4 1+0x5"),
    silent: status("507", "7+0x10"),
  },
  SkepOverloaded: {
    labels: { ...server, status: "503" },
    summary: "a:9464 refuses requests with 503.",
    minutes: 9,
    fires: status("503", "0+0x2 1+1x10"),
    silent: status("503", "0+0x2 1+1x1 3+0x9"),
  },
  SkepWritersQueue: {
    labels: { ...server, lock: "hive" },
    summary: "Writes at a:9464 wait 20s for locks of kind hive.",
    minutes: 6,
    fires: measured("skep_lock_wait_seconds", "10", 2, { lock: "hive" }),
    silent: measured("skep_lock_wait_seconds", "10", 1, { lock: "hive" }),
  },
  SkepDatabaseSilent: {
    labels: server,
    summary: "The database does not answer a:9464.",
    minutes: 6,
    fires: {
      [of("skep_record_refresh_seconds_count", { result: "failed" })]: "0+0x10",
      [of("skep_record_refresh_seconds_count", { result: "old" })]: "0+0x4 1+0x5",
    },
    silent: { [of("skep_record_refresh_seconds_count", { result: "fresh" })]: "0+9x10" },
  },
  SkepClockStepped: {
    labels: server,
    summary: "a:9464 saw the clock of the database being set.",
    minutes: 6,
    fires: { [of("skep_record_clock_steps_total")]: "0+0x4 1+0x5" },
    silent: { [of("skep_record_clock_steps_total")]: "1+0x10" },
  },
  SkepDiskSlow: {
    labels: server,
    summary: "Commits at a:9464 take 15.5s.",
    minutes: 6,
    fires: measured("skep_commit_seconds", "1", 2),
    silent: measured("skep_commit_seconds", "1", 1),
  },
  SkepHeldUp: {
    labels: server,
    summary: "Single requests hold all others of a:9464 up for 1.5s.",
    minutes: 6,
    fires: { [of("nodejs_eventloop_lag_p99_seconds")]: "0.01 0.01 1.5+0x9" },
    silent: {
      [of("nodejs_eventloop_lag_p99_seconds")]: "0.01 0.01 1.5 1.5 0.9+0x7",
      'nodejs_eventloop_lag_p99_seconds{job="other",instance="b"}': "9+0x10",
    },
  },
  SkepMirrorBehind: {
    labels: { job: "skep", state: "rejected" },
    summary: "Mirrors in the state rejected: 2.",
    minutes: 65,
    fires: {
      [of("skep_mirrors", { state: "rejected" })]: "0+0x4 2+0x70",
      // Another server of the same storage.
      'skep_mirrors{job="skep",instance="b:9464",state="rejected"}': "0+0x4 2+0x70",
    },
    silent: {
      [of("skep_mirrors", { state: "failed" })]: "0+0x4 2+0x50 0+0x20",
      [of("skep_mirrors", { state: "waiting" })]: "2+0x80",
    },
  },
  SkepWebhookFails: {
    labels: { job: "skep" },
    summary: "Deliveries to webhooks have failed for an hour.",
    minutes: 65,
    // As seldom as deliveries are tried again.
    fires: { [of("skep_webhook_deliveries_total", { result: "failed" })]: "0+0x2 1+0x28 2+0x29 3+0x30" },
    silent: {
      [of("skep_webhook_deliveries_total", { result: "failed" })]: "0+0x2 1+0x80",
      [of("skep_webhook_deliveries_total", { result: "received" })]: "0+1x80",
    },
  },
  SkepEngineFails: {
    labels: { job: "skep", type: "deepl" },
    summary: "Engines of the type deepl have failed for an hour.",
    minutes: 65,
    fires: {
      [of("skep_engine_requests_total", { type: "deepl", result: "failed" })]: "0+1x80",
    },
    silent: {
      [of("skep_engine_requests_total", { type: "deepl", result: "failed" })]: "0+0x2 1+0x80",
      [of("skep_engine_requests_total", { type: "deepl", result: "refused" })]: "0+1x80",
    },
  },
  SkepMailFails: {
    labels: { job: "skep" },
    summary: "Mails have failed for an hour.",
    minutes: 65,
    fires: {
      [of("skep_mails_total", { result: "failed" })]: "0+0x2 1+0x80",
      [of("skep_mails_total", { result: "dropped" })]: "0+0x30 1+1x50",
    },
    silent: {
      [of("skep_mails_total", { result: "failed" })]: "0+0x2 1+0x80",
      [of("skep_mails_total", { result: "refused" })]: "0+1x80",
    },
  },
  SkepPackingFails: {
    labels: { ...server, result: "failed" },
    summary: "a:9464 cannot pack Hives.",
    minutes: 30,
    fires: { [of("skep_packing_seconds_count", { result: "failed" })]: "0+0x4 1+0x40" },
    silent: { [of("skep_packing_seconds_count", { result: "stopped" })]: "0+1x40" },
  },
  SkepWritesRefused: {
    labels: { job: "skep", check: "tag-extra" },
    summary: "The check tag-extra refuses writes.",
    minutes: 30,
    fires: {
      [of("skep_refused_writes_total", { check: "tag-extra" })]: "0+0x4 1+0x40",
      [of("skep_refused_writes_total", { check: "tag-missing" })]: "3+0x40",
    },
    silent: { [of("skep_refused_writes_total", { check: "tag-extra" })]: "3+0x40" },
  },
  SkepFilesRunOut: {
    labels: server,
    summary: "a:9464 has 90% of its files open.",
    minutes: 8,
    fires: { [of("process_open_fds")]: "10+0x1 900+0x9", [of("process_max_fds")]: "1000+0x10" },
    silent: { [of("process_open_fds")]: "790+0x10", [of("process_max_fds")]: "1000+0x10" },
  },
};

describe.skipIf(isWithoutPromtool)("rules for Prometheus", () => {
  it("are valid, and so is the configuration that names them", async () => {
    expect(await promtool("check", "config", "--lint-fatal", join(monitoring, "prometheus.yml"))).toBe(
      undefined,
    );
  });

  it.each(Object.entries(examples))("%s alone fires for what it means", async (alert, example) => {
    const firing = [{ alert, labels: example.labels, summary: example.summary }];
    expect(await evaluate(example.fires, example.minutes, firing)).toBe(undefined);
  });

  it.each(Object.entries(examples))("%s is silent otherwise", async (_, { silent, minutes }) => {
    expect(await evaluate(silent, minutes, [])).toBe(undefined);
  });
});

it("each rule has examples, and each metric that the page on operation alerts on has a rule", () => {
  expect(Object.keys(examples)).toEqual([...rules.keys()]);
  const [, table = ""] = readPage("docs/operation.md").split("## What to alert on");
  const metrics = [...table.matchAll(/`((?:skep|nodejs|process)_[a-z0-9_]+)/g)].map(([, name = ""]) => name);
  expect(metrics.length).toBeGreaterThan(10);
  const expressions = Array.from(rules.values(), ({ expr }) => expr).join("\n");
  // Its limit is no metric.
  const without = metrics.filter((name) => !expressions.includes(name));
  expect(without).toEqual(["process_resident_memory_bytes"]);
});
