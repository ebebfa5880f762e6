/**
 * The metrics for Prometheus. No label holds text from a request: routes, methods and results come from fixed lists, so
 * that clients cannot create new time series.
 */
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";
import { checkNames } from "../domain/checks/message.ts";
import { failureKinds } from "../domain/hives/mirror.ts";
import type { AppStats } from "../http/app.ts";
import type { FreshnessResult } from "../http/pipeline/record-freshness.ts";
import type { RequestObserver } from "../http/requests/trace.ts";
import type { Packing } from "../service/operations/pack-worker.ts";
import { listMirrors, type MirrorReport } from "../service/admin/mirrors.ts";
import { engineResults } from "../domain/engines/engine-use.ts";
import { engineTypes } from "../domain/engines/engine.ts";
import type { DeliveryReport } from "../service/events/webhook-delivery.ts";
import type { MailResult } from "../service/mail/outbox.ts";
import type { DeliveryStorage, Storage, StoreObserver } from "../service/storage.ts";

/** What is read each time the metrics are scraped. */
export interface Sources {
  readonly storage: Storage;
  readonly stats: () => AppStats;
}

export interface Metrics {
  readonly requests: RequestObserver;
  readonly store: StoreObserver;
  readonly pushed: (report: MirrorReport) => void;
  readonly delivered: (report: DeliveryReport) => void;
  /** A mail was tried to be sent, or given up without that. */
  readonly mailed: (result: MailResult) => void;
  readonly packed: (kind: Packing["kind"], ms: number) => void;
  /** A request waited until the copy of a database was fresh. */
  readonly passed: (result: FreshnessResult, ms: number) => void;
  /** The clock of a database was found to have been set. */
  readonly clockStepped: () => void;
  /** Adds the metrics of a process that are read at each scrape. */
  readonly watch: (sources: Sources) => void;
  /** Adds the metrics of a storage, whichever process reads them. */
  readonly watchStorage: (storage: DeliveryStorage) => void;
  readonly contentType: string;
  readonly text: () => Promise<string>;
}

const methods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);
/** Fine steps up to a second for usual requests and the disk, and a few beyond for clones and large imports. */
const usualSeconds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const packSeconds = [0.1, 0.5, 1, 5, 10, 30, 60, 300, 1_800];

/** The statuses of responses that an operator has to hear of. */
const faultStatuses: ReadonlySet<string> = new Set(["500", "503", "507"]);
const pushResults = ["pushed", ...failureKinds] as const;
const mirrorStates = ["pushed", "waiting", "unreadable", ...failureKinds] as const;
// As members of objects, so that the compiler names the one that is missing.
const deliveryResults = Object.keys({
  received: true,
  gone: true,
  stopped: true,
  failed: true,
} satisfies Record<DeliveryReport["outcome"]["kind"], true>);
const mailResults = Object.keys({
  sent: true,
  failed: true,
  refused: true,
  dropped: true,
} satisfies Record<MailResult, true>);
const packResults = Object.keys({
  packed: true,
  "nothing-to-do": true,
  busy: true,
  "no-repository": true,
  "no-git": true,
  stopped: true,
  failed: true,
} satisfies Record<Packing["kind"], true>);
const freshnessResults = Object.keys({ fresh: true, old: true, failed: true } satisfies Record<
  FreshnessResult,
  true
>);

export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  // These are gauges although their names end in `_total`, which linters of metrics reject. The same numbers exist by type.
  for (const kind of ["handles", "requests", "resources"]) {
    registry.removeSingleMetric(`nodejs_active_${kind}_total`);
  }
  const counter = <L extends string>(name: string, help: string, ...labelNames: L[]) =>
    new Counter({ name, help, labelNames, registers });
  const histogram = <L extends string>(name: string, help: string, buckets: number[], ...labelNames: L[]) =>
    new Histogram({ name, help, buckets, labelNames, registers });
  const waitHelp = "How long writes waited for a lock, whether they got it or not.";
  const lockWaits = histogram("skep_lock_wait_seconds", waitHelp, usualSeconds, "lock");
  const commitHelp = "How long it took to make commits durable.";
  const commits = histogram("skep_commit_seconds", commitHelp, usualSeconds);
  const refusalHelp =
    "Writes that were refused because of errors in their texts, by check; one write may count for several.";
  const refusals = counter("skep_refused_writes_total", refusalHelp, "check");
  const pushes = counter("skep_mirror_pushes_total", "Pushes to mirrors by result.", "result");
  const deliveries = counter("skep_webhook_deliveries_total", "Deliveries to webhooks by result.", "result");
  const engineHelp = "Requests to engines that translate, by type of engine and result.";
  const asked = counter("skep_engine_requests_total", engineHelp, "type", "result");
  const characterHelp = "Characters of source texts that engines were sent, by type of engine.";
  const engineCharacters = counter("skep_engine_characters_total", characterHelp, "type");
  const tokenHelp = "Tokens that engines have counted, by type of engine.";
  const engineTokens = counter("skep_engine_tokens_total", tokenHelp, "type");
  const mails = counter("skep_mails_total", "Mails that were tried to be sent, by result.", "result");
  const packingHelp = "How long packing Hives in the background took, by result.";
  const packings = histogram("skep_packing_seconds", packingHelp, packSeconds, "result");
  const refreshHelp =
    "Of a server with a database: how long requests waited until the copy was fresh, by result.";
  const refreshes = histogram("skep_record_refresh_seconds", refreshHelp, usualSeconds, "result");
  const stepHelp = "How often the clock of the database was set, by a second or more.";
  const steps = counter("skep_record_clock_steps_total", stepHelp);
  const answerHelp = "Time until the first byte of responses that did not come from the cache.";
  const answers = histogram("skep_http_request_seconds", answerHelp, usualSeconds, "route", "method");
  const requestHelp = "Requests by route, method and status.";
  const requests = counter("skep_http_requests_total", requestHelp, "route", "method", "status");
  const faultHelp = "Requests that failed by no fault of theirs, by status.";
  const faults = counter("skep_http_faults_total", faultHelp, "status");
  // A series that begins with its first fault at 1 never grows for `increase()`, so all faults begin at 0.
  for (const status of faultStatuses) faults.inc({ status }, 0);
  for (const check of checkNames) refusals.inc({ check }, 0);
  for (const result of pushResults) pushes.inc({ result }, 0);
  for (const result of deliveryResults) deliveries.inc({ result }, 0);
  for (const type of engineTypes) {
    for (const result of engineResults) asked.inc({ type, result }, 0);
    for (const spent of [engineCharacters, engineTokens]) spent.inc({ type }, 0);
  }
  for (const result of mailResults) mails.inc({ result }, 0);
  for (const result of packResults) packings.zero({ result });
  for (const result of freshnessResults) refreshes.zero({ result });
  return {
    requests: observeRequests(requests, answers, faults),
    store: {
      lockWaited: (lock, ms) => lockWaits.observe({ lock }, ms / 1000),
      committed: (ms) => commits.observe(ms / 1000),
      refused: (checks) => checks.forEach((check) => refusals.inc({ check })),
      engineAsked(type, result, { characters, tokens }) {
        asked.inc({ type, result });
        engineCharacters.inc({ type }, characters);
        engineTokens.inc({ type }, tokens);
      },
    },
    pushed: ({ state: { failure } }) => pushes.inc({ result: failure?.kind ?? "pushed" }),
    delivered: ({ outcome }) => deliveries.inc({ result: outcome.kind }),
    mailed: (result) => mails.inc({ result }),
    packed: (result, ms) => packings.observe({ result }, ms / 1000),
    passed: (result, ms) => refreshes.observe({ result }, ms / 1000),
    clockStepped: () => steps.inc(),
    watch: (sources) => watch(sources, registers),
    watchStorage: (storage) => watchStorage(storage, registers),
    contentType: registry.contentType,
    text: () => registry.metrics(),
  };
}

function observeRequests(
  count: Counter<"route" | "method" | "status">,
  seconds: Histogram<"route" | "method">,
  faults: Counter<"status">,
): RequestObserver {
  // Finding the counter of some labels costs more than counting, so it is done once.
  const known = new Map<string, (ms: number | undefined) => void>();
  return {
    responded: ({ method: given, fields }, status, ms) => {
      const { route = "unmatched" } = fields;
      const method = methods.has(given) ? given : "other";
      const name = `${method} ${status} ${route}`;
      let observe = known.get(name);
      if (observe === undefined) {
        const requests = count.labels(route, method, String(status));
        const durations = seconds.labels(route, method);
        const fault = faultStatuses.has(String(status)) ? faults.labels(String(status)) : undefined;
        observe = (took) => {
          requests.inc();
          fault?.inc();
          if (took !== undefined) durations.observe(took / 1000);
        };
        known.set(name, observe);
      }
      observe(ms);
    },
  };
}

function watch({ storage, stats }: Sources, registers: Registry[]): void {
  const gauge = (name: string, help: string, read: () => number | Promise<number>): void => {
    const metric: Gauge = new Gauge({ name, help, registers, collect: async () => metric.set(await read()) });
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
  const { connections, bytes } = storage.record;
  if (connections !== undefined) {
    gauge("skep_record_connections", "Connections to the database.", connections);
  }
  if (bytes !== undefined) {
    gauge("skep_record_bytes", "How much disk the tables of the database take, with their indexes.", bytes);
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

function watchStorage(storage: DeliveryStorage, registers: Registry[]): void {
  const mirrors = new Gauge({
    name: "skep_mirrors",
    help: "Mirrors by state.",
    labelNames: ["state"],
    registers,
    collect: async () => {
      const summaries = await listMirrors(storage);
      mirrors.reset();
      for (const state of mirrorStates) mirrors.set({ state }, 0);
      for (const { status } of summaries) mirrors.inc({ state: status });
    },
  });
}
