/** The process of a server: its log, its storage, its metrics and its end. */
import { defaults, unknownVariables, type ServeConfig } from "../../config/settings.ts";
import { firstSteps } from "../../domain/first-steps.ts";
import { counted } from "../../domain/text.ts";
import { describeError, type Log } from "../../log.ts";
import type { MetricsServer } from "../../observability/metrics-server.ts";
import type { Metrics } from "../../observability/metrics.ts";
import { createServerLog, type ServerLog } from "../../observability/server-log.ts";
import type { LocalOptions, OperationsStorage, Storage } from "../../service/storage.ts";
import { printNotice } from "../output/print.ts";
import { openOrStart } from "../program/command.ts";
import { endSignals } from "../program/signals.ts";

/** Opens the log of this process, and warns of unknown settings. */
export async function openLog({ logLevel, logFormat }: ServeConfig): Promise<ServerLog> {
  const log = await createServerLog({ level: logLevel, format: logFormat });
  process.on("exit", log.flush);
  for (const [name, why] of unknownVariables(process.env)) log.warn({ variable: name }, `${name} ${why}`);
  return log;
}

interface ServedOptions extends Pick<LocalOptions, "observer"> {
  /** See {@link Metrics.clockStepped}. */
  readonly clockStepped?: Metrics["clockStepped"];
}

/** Opens the storage, or creates one if there is none. @throws the error of a storage that cannot be written to. */
export async function startStorage(
  config: ServeConfig,
  log: ServerLog,
  { clockStepped, ...options }: ServedOptions = {},
): Promise<{ readonly storage: Storage; readonly isEmpty: boolean }> {
  if (config.database !== undefined) {
    const storage = await openServed(config, config.database, log, { ...options, clockStepped });
    await closeFolder(storage, log);
    return { storage, isEmpty: (await storage.registry.teams()).length === 0 };
  }
  const { storage, isNew } = await openOrStart({ ...config, ...options, limits: config });
  if (isNew) log.info({ storage: storage.folder }, `started a storage in ${storage.folder}`);
  await storage.checkWritable();
  await prepareStorage(storage, log);
  await warnOfNetwork(storage, log);
  return { storage, isEmpty: (await storage.registry.teams()).length === 0 };
}

/** How long a server that starts waits for its database: longer than a failover takes. */
const databaseWaitMs = 60_000;

/**
 * Opens the storage in a database, of which the folder becomes a copy. A database that does not answer is waited for.
 * @throws its error when it does not answer for a minute.
 */
async function openServed(
  config: ServeConfig,
  url: string,
  log: ServerLog,
  { clockStepped: count, ...options }: ServedOptions,
): Promise<Storage> {
  const { databaseCa: caFile, databasePasswordFile: passwordFile, databaseConnections: connections } = config;
  const { isDatabaseAway, openDatabase } = await import("../../service/database.ts");
  const database = { url, caFile, passwordFile, connections };
  const clockStepped = (ms: number): void => {
    const seconds = Math.round(ms / 1_000);
    log.warn(
      { seconds },
      `the clock of the database was set ${seconds > 0 ? "forward" : "back"}; time follows it`,
    );
    count?.();
  };
  const until = performance.now() + databaseWaitMs;
  for (let isTold = false; ; isTold = true) {
    try {
      return await openDatabase(config.storage, database, {
        ...config,
        ...options,
        clockStepped,
        limits: config,
      });
    } catch (error) {
      if (!isDatabaseAway(error) || performance.now() >= until) throw error;
      if (!isTold) log.warn({ error: error.message }, "waiting for the database, for a minute at most");
    }
  }
}

/** Closes the storage's folder to other users, and migrates settings of earlier versions. */
async function prepareStorage(storage: OperationsStorage, log: ServerLog): Promise<void> {
  await closeFolder(storage, log);
  const { folder, migrateSettings } = storage;
  const { count, kept } = await migrateSettings();
  if (count === 0) return;
  const message = `rewrote ${counted(count, "settings file")} of an earlier version; they are kept in ${kept}`;
  log.info({ storage: folder, files: count, kept }, message);
}

async function closeFolder({ folder, verifier }: OperationsStorage, log: ServerLog): Promise<void> {
  for (const { problem, repair } of await verifier.checkMode()) {
    try {
      log.info({ storage: folder }, `${problem}; ${await repair?.()}`);
    } catch {
      log.warn({ storage: folder }, `${problem}; to close it to them: chmod o= ${folder}`);
    }
  }
}

/** Warns if other machines could change the storage, since they may then not notice each other's writes. */
export async function warnOfNetwork(
  { folder, networkFileSystem }: Pick<Storage, "folder" | "networkFileSystem">,
  log: Pick<ServerLog, "warn">,
): Promise<void> {
  const fileSystem = await networkFileSystem();
  if (fileSystem === undefined) return;
  log.warn(
    { storage: folder, file_system: fileSystem },
    `the storage is on a file system of the network or of a host (${fileSystem}): another machine sees its changes late, and its locks may not hold; docs/scale.md says more`,
  );
}

/** Loads metrics if they are served, because loading takes time and memory. */
export async function loadMetrics({ metricsPort }: ServeConfig): Promise<Metrics | undefined> {
  if (metricsPort === undefined) return undefined;
  const { createMetrics } = await import("../../observability/metrics.ts");
  return createMetrics();
}

/** Serves metrics. @throws the system's error when it cannot listen on the address. */
export async function startMetrics(
  metrics: Pick<Metrics, "text" | "contentType">,
  { metricsHost: host, metricsPort: port = 0 }: ServeConfig,
  log: ServerLog,
): Promise<MetricsServer> {
  const { serveMetrics } = await import("../../observability/metrics-server.ts");
  const server = await serveMetrics(metrics, { host, port }, log);
  log.info({ url: server.url }, `metrics are at ${server.url}`);
  return server;
}

const firstStepsIn = ({ database, storage }: Pick<ServeConfig, "database" | "storage">): string => {
  const folder = storage === defaults.storage ? "" : ` --storage ${storage}`;
  const at = database === undefined ? folder : " --database URL";
  return [
    "This storage is empty. Three commands make a first team, Hive and token:",
    "",
    ...firstSteps(at).map((command) => `  ${command}`),
    "",
  ].join("\n");
};

/** Prints the address of the server. @param isEmpty whether the storage has no team yet. */
export function greet(log: ServerLog, url: string, config: ServeConfig, isEmpty: boolean): void {
  const greeting = `Skep listens on ${url}`;
  if (!log.isPretty) {
    log.info({ url }, greeting);
    if (isEmpty) log.info({}, "this storage is empty: skep --help says how to make a first Hive");
  } else printNotice(isEmpty ? `${greeting}\n\n${firstStepsIn(config)}` : greeting);
}

const stopAtOnce = (): void => process.exit(1);

/** How long a server may take to end: longer than connections may take to close, and shorter than systemd waits. */
const endDeadlineMs = 55_000;

/**
 * Keeps a server running until a signal. The first signal stops it after the requests in flight; a second signal or the
 * deadline stops it at once.
 * @param end ends it. Its argument is for how many milliseconds requests are still answered, see `--drain-delay`.
 */
export function runUntilSignal(
  log: Pick<ServerLog, "error" | "info">,
  { drainDelay }: Pick<ServeConfig, "drainDelay">,
  end: (drainMs: number) => Promise<void>,
): void {
  let ending = false;
  for (const signal of endSignals) {
    process.on(signal, () => {
      if (ending) {
        // A closed terminal may send two signals: its own, and one from its shell.
        if (signal !== "SIGHUP") stopAtOnce();
        return;
      }
      ending = true;
      // Somebody at a terminal has no load balancer that must notice first.
      const drainMs = signal === "SIGTERM" ? drainDelay : 0;
      const deadlineMs = drainMs + endDeadlineMs;
      setTimeout(() => {
        log.error({}, `Skep did not end within ${deadlineMs / 1_000} s and stops at once`);
        stopAtOnce();
      }, deadlineMs).unref();
      log.info(
        { signal },
        "Skep stops when the requests in flight are answered; a second signal stops it at once",
      );
      void end(drainMs);
    });
  }
  keepGoing(log);
}

/** How often a server looks whether its storage is in a database by now. */
const movedEveryMs = 1_000;

/** Ends a server, as a signal does, when its storage was moved into a database. */
export function endWhenMoved({ folder, moved }: OperationsStorage, log: Pick<ServerLog, "error">): void {
  const timer = setInterval(() => {
    const move = moved.read();
    if (move?.isComplete !== true) return;
    clearInterval(timer);
    log.error({ storage: folder }, `the storage was moved to ${move.to}: serve it with --database`);
    process.kill(process.pid, "SIGTERM");
  }, movedEveryMs).unref();
}

/**
 * Logs uncaught errors and goes on: whatever was stored is complete on disk at any moment, so other requests are safe.
 */
function keepGoing(log: Log): void {
  const report = (error: unknown): void => log.error({ error: describeError(error) }, "uncaught error");
  process.on("uncaughtException", report);
  process.on("unhandledRejection", report);
}
