/** The server that `skep serve` starts, with its log, metrics and background work. */
import { defaults, unknownVariables, type ServeConfig } from "../config/settings.ts";
import { firstSteps } from "../domain/first-steps.ts";
import { createApp } from "../http/app.ts";
import { listen } from "../http/server.ts";
import { describeError, type Log } from "../log.ts";
import type { MetricsAddress, MetricsServer } from "../observability/metrics-server.ts";
import type { Metrics, Sources } from "../observability/metrics.ts";
import { logRequests } from "../observability/request-log.ts";
import { createServerLog, type ServerLog } from "../observability/server-log.ts";
import { MirrorWorker } from "../service/operations/mirror-worker.ts";
import { packInBackground, type BackgroundOptions } from "../service/operations/maintenance.ts";
import type { Storage } from "../service/storage.ts";
import type { Background } from "../service/background.ts";
import { purgeInBackground } from "../service/admin/trash.ts";
import { openOrStart, printNotice } from "./program/command.ts";
import { collectWhenIdle } from "./program/heap.ts";

const firstStepsIn = (storage: string): string => {
  const at = storage === defaults.storage ? "" : ` --storage ${storage}`;
  return [
    "This storage is empty. Three commands make a first team, Hive and token:",
    "",
    ...firstSteps(at).map((command) => `  ${command}`),
    "",
  ].join("\n");
};

/** Runs the server until a signal ends it. @throws the error of the storage or the address when it cannot start. */
export async function runServer(config: ServeConfig): Promise<void> {
  const { logLevel, logFormat, metricsPort, metricsHost } = config;
  const log = await createServerLog({ level: logLevel, format: logFormat });
  process.on("exit", log.flush);
  for (const name of unknownVariables(process.env)) {
    log.warn({ variable: name }, `${name} is set but is not a setting of skep; skep serve --help lists them`);
  }
  const metrics = metricsPort === undefined ? undefined : await loadMetrics();
  const { storage, isNew } = await openOrStart({ ...config, observer: metrics?.store, limits: config });
  if (isNew) log.info({ storage: storage.folder }, `started a storage in ${storage.folder}`);
  await storage.checkWritable();
  const isEmpty = (await storage.registry.teams()).length === 0;
  const observers = [
    logRequests(log, config.trustProxy),
    ...(metrics === undefined ? [] : [metrics.requests]),
  ];
  const app = createApp({ ...config, storage, log, observers });
  const address = { host: metricsHost, port: metricsPort ?? 0 };
  const scrape = metrics && (await startMetrics(metrics, { storage, stats: app.stats }, address, log));
  const { url, close } = await listen(app, config);
  greet(log, url, isEmpty ? config.storage : undefined);
  const mirrors = new MirrorWorker({ storage, log, pushed: metrics?.pushed });
  mirrors.start();
  const packing = startPacking(storage, { ...config, packed: metrics?.packed }, log);
  const purging = purgeInBackground(storage, (error) =>
    log.error({ error: describeError(error) }, "could not purge the trash"),
  );
  collectWhenIdle();
  endOnSignals(log, async () => {
    app.endStreams();
    await Promise.all([mirrors.stop(), packing.stop(), purging.stop(), close()]);
    await storage.tokenUse
      .write()
      .catch((error: unknown) =>
        log.error({ error: describeError(error) }, "could not note which tokens were used"),
      );
    await scrape?.close();
  });
  void tidy(storage, log);
  keepGoing(log);
}

/** @param empty the folder of the storage, if the storage has no team yet. */
function greet(log: ServerLog, url: string, empty: string | undefined): void {
  const greeting = `Skep listens on ${url}`;
  if (!log.isPretty) {
    log.info({ url }, greeting);
    if (empty !== undefined) log.info({}, "this storage is empty: skep --help says how to make a first Hive");
  } else printNotice(empty === undefined ? greeting : `${greeting}\n\n${firstStepsIn(empty)}`);
}

/** Loaded only where metrics are served, because loading takes time and memory. */
async function loadMetrics(): Promise<Metrics> {
  const { createMetrics } = await import("../observability/metrics.ts");
  return createMetrics();
}

async function startMetrics(
  metrics: Metrics,
  sources: Sources,
  address: MetricsAddress,
  log: ServerLog,
): Promise<MetricsServer> {
  const { serveMetrics } = await import("../observability/metrics-server.ts");
  metrics.watch(sources);
  const server = await serveMetrics(metrics, address, log);
  log.info({ url: server.url }, `metrics are at ${server.url}`);
  return server;
}

/** Removes temporary files of processes that were killed. */
async function tidy(storage: Storage, log: Log): Promise<void> {
  try {
    await storage.verifier.removeLeftovers();
  } catch (error) {
    log.error({ error: describeError(error) }, "could not remove the files that unfinished writes left");
  }
}

function startPacking(
  storage: Storage,
  { packAfter, packed }: Pick<BackgroundOptions, "packAfter" | "packed">,
  log: ServerLog,
): Background {
  return packInBackground(storage, {
    packAfter,
    packed,
    withoutGit: () =>
      log.warn(
        {},
        "git is not installed: Hives are not packed, and get slower and larger over thousands of commits",
      ),
    failed: (hive, error) => log.error({ hive, error: describeError(error) }, "could not pack a Hive"),
  });
}

/** The first signal stops the server once the requests in flight are answered; a second one stops it at once. */
function endOnSignals(log: ServerLog, close: () => Promise<unknown>): void {
  let ending = false;
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    process.on(signal, () => {
      if (ending) process.exit(1);
      ending = true;
      log.info(
        { signal },
        "Skep stops when the requests in flight are answered; a second signal stops it at once",
      );
      void close();
    });
  }
}

/**
 * Logs uncaught errors and goes on: whatever was stored is complete on disk at any moment, so other requests are safe.
 */
function keepGoing(log: Log): void {
  const report = (error: unknown): void => log.error({ error: describeError(error) }, "uncaught error");
  process.on("uncaughtException", report);
  process.on("unhandledRejection", report);
}
