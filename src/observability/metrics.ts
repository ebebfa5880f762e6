/**
 * What Prometheus may ask. No label is a name that somebody chose: the addresses, methods and results that are counted
 * apart are known beforehand, whatever is sent.
 */
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";
import type { AppStats } from "../http/app.ts";
import type { RequestObserver } from "../http/requests/trace.ts";
import type { Packing } from "../service/operations/maintenance.ts";
import { listMirrors, type PushReport } from "../service/admin/mirrors.ts";
import type { Storage, StoreObserver } from "../service/storage.ts";

/** What is asked when somebody asks for the metrics. */
export interface Sources {
  readonly storage: Storage;
  readonly stats: () => AppStats;
}

export interface Metrics {
  readonly requests: RequestObserver;
  readonly store: StoreObserver;
  readonly pushed: (report: PushReport) => void;
  readonly packed: (kind: Packing["kind"], ms: number) => void;
  /** Adds what is read off when it is asked for. */
  readonly watch: (sources: Sources) => void;
  readonly contentType: string;
  /** All metrics in Prometheus' text format. */
  readonly text: () => Promise<string>;
}

const methods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);
/** Up to a second for requests, and what clones and large imports take. */
const requestSeconds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const diskSeconds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const packSeconds = [0.1, 0.5, 1, 5, 10, 30, 60, 300, 1_800];

export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  // Gauges in spite of their names, which linters of metrics refuse; the same is there by type without `_total`.
  for (const kind of ["handles", "requests", "resources"]) {
    registry.removeSingleMetric(`nodejs_active_${kind}_total`);
  }
  const lockWaits = new Histogram({
    name: "skep_lock_wait_seconds",
    help: "How long writes waited for a lock, also in vain.",
    labelNames: ["lock"],
    buckets: diskSeconds,
    registers,
  });
  const commits = new Histogram({
    name: "skep_commit_seconds",
    help: "How long it took to make commits durable.",
    buckets: diskSeconds,
    registers,
  });
  const pushes = new Counter({
    name: "skep_mirror_pushes_total",
    help: "Pushes to mirrors by what came of them.",
    labelNames: ["result"],
    registers,
  });
  const packings = new Histogram({
    name: "skep_packing_seconds",
    help: "How long packing Hives in the background took, by what came of it.",
    labelNames: ["result"],
    buckets: packSeconds,
    registers,
  });
  return {
    requests: observeRequests(registers),
    store: {
      lockWaited: (lock, ms) => lockWaits.observe({ lock }, ms / 1000),
      committed: (ms) => commits.observe(ms / 1000),
    },
    pushed: ({ state: { failure } }) => pushes.inc({ result: failure?.kind ?? "pushed" }),
    packed: (result, ms) => packings.observe({ result }, ms / 1000),
    watch: (sources) => watch(sources, registers),
    contentType: registry.contentType,
    text: () => registry.metrics(),
  };
}

function observeRequests(registers: Registry[]): RequestObserver {
  const count = new Counter({
    name: "skep_http_requests_total",
    help: "Requests by route, method and status.",
    labelNames: ["route", "method", "status"],
    registers,
  });
  const seconds = new Histogram({
    name: "skep_http_request_seconds",
    help: "How long it took until answers began to be sent that were not kept.",
    labelNames: ["route", "method"],
    buckets: requestSeconds,
    registers,
  });
  // Looking labels up costs more than counting.
  const known = new Map<string, (ms: number | undefined) => void>();
  return {
    answered: ({ method: given, findings }, status, ms) => {
      const { route = "unmatched" } = findings;
      const method = methods.has(given) ? given : "other";
      const name = `${method} ${status} ${route}`;
      let observe = known.get(name);
      if (observe === undefined) {
        const requests = count.labels(route, method, String(status));
        const durations = seconds.labels(route, method);
        observe = (took) => {
          requests.inc();
          if (took !== undefined) durations.observe(took / 1000);
        };
        known.set(name, observe);
      }
      observe(ms);
    },
  };
}

function watch({ storage, stats }: Sources, registers: Registry[]): void {
  const gauge = (name: string, help: string, read: () => number): void => {
    const metric: Gauge = new Gauge({ name, help, registers, collect: () => metric.set(read()) });
  };
  const counter = (name: string, help: string, read: () => number): void => {
    const metric: Counter = new Counter({
      name,
      help,
      registers,
      collect: () => {
        metric.reset();
        metric.inc(read());
      },
    });
  };
  counter("skep_answer_hits_total", "Answers that were kept.", () => stats().responses.hits);
  counter("skep_answer_misses_total", "Answers that had to be made.", () => stats().responses.misses);
  gauge("skep_answers", "How many answers are kept.", () => stats().responses.count);
  gauge("skep_answer_bytes", "How much memory kept answers take, about.", () => stats().responses.bytes);
  gauge("skep_clones_running", "Clones and fetches that git answers.", () => stats().clones);
  gauge("skep_slow_reads_running", "Slow reads that are being answered.", () => stats().slowReads);
  gauge("skep_body_bytes", "How much memory the bodies of requests take.", () => stats().bodyBytes);
  gauge("skep_hives_in_memory", "Hives whose content is in memory.", () => storage.memoryUsage().items);
  gauge("skep_hive_bytes", "How much memory their content takes, about.", () => storage.memoryUsage().bytes);
  const mirrors = new Gauge({
    name: "skep_mirrors",
    help: "Mirrors by how they stand.",
    labelNames: ["state"],
    registers,
    collect: async () => {
      const summaries = await listMirrors(storage);
      mirrors.reset();
      for (const { status } of summaries) mirrors.inc({ state: status });
    },
  });
}
