/**
 * The metrics for Prometheus. No label holds text from a request: routes, methods and results come from fixed lists, so
 * that clients cannot create new time series.
 */
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";
import type { AppStats } from "../http/app.ts";
import type { RequestObserver } from "../http/requests/trace.ts";
import type { Packing } from "../service/operations/pack-worker.ts";
import type { Following } from "../service/replication/follower.ts";
import { listMirrors, type MirrorReport } from "../service/admin/mirrors.ts";
import type { DeliveryReport } from "../service/events/webhook-delivery.ts";
import type { Storage, StoreObserver } from "../service/storage.ts";

/** What is read each time the metrics are scraped. */
export interface Sources {
  readonly storage: Storage;
  readonly stats: () => AppStats;
  /** The copy that is served, if it is one. */
  readonly following?: Following;
}

export interface Metrics {
  readonly requests: RequestObserver;
  readonly store: StoreObserver;
  readonly pushed: (report: MirrorReport) => void;
  readonly delivered: (report: DeliveryReport) => void;
  readonly packed: (kind: Packing["kind"], ms: number) => void;
  /** Adds the metrics of a process that are read at each scrape. */
  readonly watch: (sources: Sources) => void;
  /** Adds those of a storage, whichever process reads them. */
  readonly watchStorage: (storage: Storage) => void;
  readonly contentType: string;
  /** All metrics in Prometheus' text format. */
  readonly text: () => Promise<string>;
  /** The same as data, which can be added to those of other processes. */
  readonly report: () => Promise<MetricsReport>;
}

/** What one process counted and measured. */
export type MetricsReport = Awaited<ReturnType<Registry["getMetricsAsJSON"]>>;

const methods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);
/** Fine steps up to a second for usual requests, and a few beyond for clones and large imports. */
const requestSeconds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const diskSeconds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const packSeconds = [0.1, 0.5, 1, 5, 10, 30, 60, 300, 1_800];

/** @param worker what the metrics of the process itself are labelled with, where a server has several. */
export function createMetrics(worker?: string): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry, labels: worker === undefined ? undefined : { worker } });
  // These are gauges although their names end in `_total`, which linters of metrics reject. The same numbers exist by type.
  for (const kind of ["handles", "requests", "resources"]) {
    registry.removeSingleMetric(`nodejs_active_${kind}_total`);
  }
  const lockWaits = new Histogram({
    name: "skep_lock_wait_seconds",
    help: "How long writes waited for a lock, whether they got it or not.",
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
  const refusals = new Counter({
    name: "skep_refused_writes_total",
    help: "Writes that were refused because of errors in their texts, by check; one write may count for several.",
    labelNames: ["check"],
    registers,
  });
  const pushes = new Counter({
    name: "skep_mirror_pushes_total",
    help: "Pushes to mirrors by result.",
    labelNames: ["result"],
    registers,
  });
  const deliveries = new Counter({
    name: "skep_webhook_deliveries_total",
    help: "Deliveries to webhooks by result.",
    labelNames: ["result"],
    registers,
  });
  const packings = new Histogram({
    name: "skep_packing_seconds",
    help: "How long packing Hives in the background took, by result.",
    labelNames: ["result"],
    buckets: packSeconds,
    registers,
  });
  return {
    requests: observeRequests(registers),
    store: {
      lockWaited: (lock, ms) => lockWaits.observe({ lock }, ms / 1000),
      committed: (ms) => commits.observe(ms / 1000),
      refused: (checks) => checks.forEach((check) => refusals.inc({ check })),
    },
    pushed: ({ state: { failure } }) => pushes.inc({ result: failure?.kind ?? "pushed" }),
    delivered: ({ outcome }) => deliveries.inc({ result: outcome.kind }),
    packed: (result, ms) => packings.observe({ result }, ms / 1000),
    watch: (sources) => watch(sources, registers),
    watchStorage: (storage) => watchStorage(storage, registers),
    contentType: registry.contentType,
    text: () => registry.metrics(),
    report: () => registry.getMetricsAsJSON(),
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
    help: "Time until the first byte of responses that did not come from the cache.",
    labelNames: ["route", "method"],
    buckets: requestSeconds,
    registers,
  });
  // Finding the counter of some labels costs more than counting, so it is done once.
  const known = new Map<string, (ms: number | undefined) => void>();
  return {
    responded: ({ method: given, findings }, status, ms) => {
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

function watch({ storage, stats, following }: Sources, registers: Registry[]): void {
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
  if (following !== undefined) {
    gauge(
      "skep_follower_lag_seconds",
      "How old the copy may be at most, without the Hives that are being fetched.",
      () => following.lagSeconds,
    );
    gauge(
      "skep_follower_pending_hives",
      "Hives that are not yet as the primary has them.",
      () => following.pending,
    );
    gauge(
      "skep_follower_refused_hives",
      "Hives of which the primary has lost commits, and that are kept as they are until somebody accepts that.",
      () => following.refused,
    );
  }
  counter("skep_answer_hits_total", "Responses that came from the cache.", () => stats().responses.hits);
  counter(
    "skep_answer_misses_total",
    "Responses that were not in the cache.",
    () => stats().responses.misses,
  );
  gauge("skep_answers", "Responses in the cache.", () => stats().responses.count);
  gauge("skep_answer_bytes", "About how much memory cached responses take.", () => stats().responses.bytes);
  gauge("skep_clones_running", "Clones and fetches that git answers.", () => stats().clones);
  gauge("skep_slow_reads_running", "Slow reads that are being answered.", () => stats().slowReads);
  gauge("skep_event_streams", "Streams of events that are open.", () => stats().streams);
  gauge("skep_body_bytes", "How much memory the bodies of requests take.", () => stats().bodyBytes);
  gauge("skep_hives_in_memory", "Hives whose content is in memory.", () => storage.memoryUsage().items);
  gauge("skep_hive_bytes", "About how much memory their content takes.", () => storage.memoryUsage().bytes);
}

function watchStorage(storage: Storage, registers: Registry[]): void {
  const mirrors = new Gauge({
    name: "skep_mirrors",
    help: "Mirrors by state.",
    labelNames: ["state"],
    registers,
    collect: async () => {
      const summaries = await listMirrors(storage);
      mirrors.reset();
      for (const { status } of summaries) mirrors.inc({ state: status });
    },
  });
}
