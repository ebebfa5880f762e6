/** What deploy/monitoring asks Prometheus for, against the series that servers have. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { defaults } from "../../src/config/settings.ts";
import { createApp } from "../../src/http/app.ts";
import { createMetrics } from "../../src/observability/metrics.ts";
import { memoryStorage } from "../helpers/storage.ts";
import { checkExpressions, isWithoutPromtool, monitoring, rules } from "./promtool.ts";
import { parseSeries, type Sample } from "./series.ts";

const target = z.object({ expr: z.string(), legendFormat: z.string() });
const panel = z.object({
  id: z.number(),
  title: z.string(),
  gridPos: z.object({ x: z.number(), y: z.number(), w: z.number(), h: z.number() }),
  targets: z.array(target).optional(),
});
const dashboard = z
  .object({ panels: z.array(panel) })
  .parse(JSON.parse(readFileSync(join(monitoring, "grafana-dashboard.json"), "utf8")));
const shown = dashboard.panels.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr, legendFormat }) => [`${title}: ${legendFormat}`, expr, legendFormat] as const),
);
const alerting = Array.from(rules, ([alert, { expr }]) => [alert, expr, ""] as const);

/** What Prometheus and its exporters add. */
const added: readonly Sample[] = ["up", "probe_success"].map((name) => ({ name, labels: {}, value: 1 }));
const addedLabels = ["job", "instance"];
let series: readonly Sample[] = [];

/** All series of a server with a database, after one of everything that begins only when it happens. */
async function allSeries(): Promise<readonly Sample[]> {
  const metrics = createMetrics();
  const memory = memoryStorage();
  const record = { ...memory.record, connections: () => 1, bytes: () => Promise.resolve(1) };
  const storage = { ...memory, record };
  const { stats } = createApp({ ...defaults, storage, log: { error: () => {} } });
  metrics.watch({ storage, stats });
  metrics.watchStorage(storage);
  metrics.requests.responded?.({ method: "GET", fields: { route: "/x" } } as never, 200, 1);
  metrics.store.lockWaited("hive", 1);
  return [...parseSeries(await metrics.text()), ...added];
}

beforeAll(async () => void (series = await allSeries()));

interface Selector {
  readonly name: string;
  /** Each label with the values that are asked for. */
  readonly matchers: readonly (readonly [string, readonly string[]])[];
}

/** The series that an expression asks for, and the labels that it sums by. */
function parseExpression(expr: string): { selectors: readonly Selector[]; by: readonly string[] } {
  const by = [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, labels = ""]) => labels.split(", "));
  const rest = expr.replaceAll(/\bby \([^)]*\)/g, "").replaceAll(/\[[^\]]*\]/g, "");
  const selectors = [...rest.matchAll(/\b([a-z_]\w*)\b(?:\{([^}]*)\})?(?!\s*\()/g)].map(
    ([, name = "", labels = ""]): Selector => ({
      name,
      matchers: [...labels.matchAll(/(\w+)=~?"([^"]*)"/g)]
        .map(([, label = "", values = ""]) => [label, values.split("|")] as const)
        .filter(([label]) => !addedLabels.includes(label)),
    }),
  );
  return { selectors, by: by.filter((label) => !addedLabels.includes(label)) };
}

/** What no server has of what an expression asks for. */
function lacking(expr: string): readonly string[] {
  const { selectors, by } = parseExpression(expr);
  return selectors.flatMap(({ name, matchers }) => {
    const own = series.filter((sample) => sample.name === name);
    if (own.length === 0) return [name];
    const values = matchers
      .flatMap(([label, asked]) => asked.map((value) => [label, value] as const))
      .filter(([label, value]) => own.every(({ labels }) => labels[label] !== value))
      .map(([label, value]) => `${name}{${label}="${value}"}`);
    const sums = by
      .filter((label) => own.every(({ labels }) => labels[label] === undefined))
      .map((label) => `${name} by ${label}`);
    return values.concat(sums);
  });
}

describe("what is asked of Prometheus", () => {
  it.each([...alerting, ...shown])("%s", (_, expr, legend) => {
    const { selectors, by } = parseExpression(expr);
    expect(selectors).not.toEqual([]);
    expect(lacking(expr)).toEqual([]);
    const labels = [...legend.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = ""]) => label);
    expect([...by, ...addedLabels]).toEqual(expect.arrayContaining(labels));
  });

  it.each([
    ["skep_no_such_total > 0", ["skep_no_such_total"]],
    ['rate(skep_http_faults_total{status=~"500|404"}[5m])', ['skep_http_faults_total{status="404"}']],
    ["sum by (le, lock) (rate(skep_commit_seconds_bucket[5m]))", ["skep_commit_seconds_bucket by lock"]],
    ["process_open_fds / process_max_fd", ["process_max_fd"]],
  ])("%s would not be found", (expr, expected) => {
    expect(lacking(expr)).toEqual(expected);
  });
});

describe("the dashboard", () => {
  it("shows all metrics of Skep", () => {
    const asked = new Set(
      shown.flatMap(([, expr]) =>
        parseExpression(expr).selectors.map(({ name }) => name.replace(/_(?:bucket|count|sum)$/, "")),
      ),
    );
    const own = series.map(({ name }) => name).filter((name) => name.startsWith("skep_"));
    const names = new Set(own.map((name) => name.replace(/_(?:bucket|count|sum)$/, "")));
    expect(names.size).toBeGreaterThan(20);
    expect([...names].filter((name) => !asked.has(name))).toEqual([]);
  });

  it("has each panel once, and none over another", () => {
    const { panels } = dashboard;
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, i) => `${x + (i % w)},${y + Math.floor(i / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    expect(Math.max(...panels.map(({ gridPos: { x, w } }) => x + w))).toBe(24);
  });

  it.skipIf(isWithoutPromtool)("has expressions that Prometheus can read", async () => {
    expect(shown.length).toBeGreaterThan(30);
    expect(await checkExpressions(shown.map(([, expr]) => expr))).toBe(undefined);
    expect(await checkExpressions(["rate(skep_answers)"])).toContain("expected type range vector");
  });
});
