/** The process that starts workers, keeps them running and adds up their metrics. It answers no requests itself. */
import { fork } from "node:child_process";
import type { ServeConfig } from "../../config/settings.ts";
import { Connections } from "../../http/connections.ts";
import type { MetricsServer } from "../../observability/metrics-server.ts";
import type { ServerLog } from "../../observability/server-log.ts";
import type { WorkerMetrics } from "../../observability/worker-metrics.ts";
import type { Storage } from "../../service/storage.ts";
import { isToSupervisor, type SettingTexts, type ToSupervisor } from "./channel.ts";
import {
  endWhenMoved,
  greet,
  loadMetrics,
  openLog,
  runUntilSignal,
  startMetrics,
  startStorage,
} from "./process.ts";
import { openProvider, warnOfSignIn } from "./sign-in.ts";
import { workerEntry } from "./worker-entry.ts";
import { beatMs, startWatchdog } from "./watchdog.ts";
import { Workers, type WorkerListeners, type WorkerProcess } from "./workers.ts";

/** Runs a server of several processes until a signal ends it. @throws as the server of one process does. */
export async function runSupervisor(config: ServeConfig, texts: SettingTexts): Promise<void> {
  const log = await openLog(config);
  // The workers would only end one after the other.
  await openProvider(config, log);
  warnOfSignIn(config, log);
  const { storage, isEmpty } = await startStorage(config, log);
  const connections = new Connections((worker, connection) =>
    workers.send(worker, { kind: "connection" }, connection),
  );
  const metrics = await loadWorkerMetrics(config, (worker) => workers.send(worker, { kind: "report" }));
  const receive = (worker: number, message: ToSupervisor): void => {
    if (message.kind === "taken") connections.taken(worker);
    else if (message.kind === "ending") connections.remove(worker, { hasEnded: false });
    else if (message.kind === "report") metrics?.add(worker, message.metrics);
    else if (message.kind === "moved") {
      for (const other of workers.serving) if (other !== worker) workers.send(other, message);
    }
  };
  const workers = new Workers({
    count: config.workers,
    hangTimeout: config.hangTimeout,
    fork: forkWorker,
    startMessage: (worker) => ({ kind: "start", worker, texts }),
    log,
    received: receive,
    replaced: (worker) => connections.add(worker),
    ended: (worker) => {
      connections.remove(worker, { hasEnded: true });
      metrics?.end(worker);
    },
    gaveUp: () => {
      log.error({}, "Skep ends, because its workers end as soon as they have started");
      process.exitCode = 1;
      void end();
    },
  });
  setInterval(() => workers.beat(), beatMs).unref();
  startWatchdog(config, log);
  let scrape: MetricsServer | undefined;
  const end = async (): Promise<void> => {
    connections.close();
    if (!(await workers.stop())) process.exitCode = 1;
    await scrape?.close();
  };
  try {
    scrape = metrics && (await serveMetricsOf(workers, metrics, { config, log, storage }));
    await workers.start();
    const url = await connections.listen(config);
    for (const worker of workers.serving) connections.add(worker);
    greet(log, url, config, isEmpty);
  } catch (error) {
    workers.kill();
    await scrape?.close();
    throw error;
  }
  endWhenMoved(storage, log);
  runUntilSignal(log, config, { end, endAtOnce: () => workers.kill() });
}

function forkWorker({ received, ended }: WorkerListeners): WorkerProcess {
  const child = fork(workerEntry, { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  child.on("message", (message: unknown) => {
    if (isToSupervisor(message)) received(message);
  });
  child.once("exit", (code, signal) => ended({ code, signal }));
  child.on("error", (error) => {
    // A process that cannot be started emits no exit event.
    if (child.pid === undefined) ended({ code: null, signal: error.message });
  });
  return {
    pid: child.pid,
    // Closed here when the worker has it or has ended; Node would forget one that was under way when the worker ended.
    send: (message, connection) => void child.send(message, connection, { keepOpen: true }, () => {}),
    kill: () => void child.kill("SIGKILL"),
  };
}

async function loadWorkerMetrics(
  { metricsPort }: ServeConfig,
  ask: (worker: number) => void,
): Promise<WorkerMetrics | undefined> {
  if (metricsPort === undefined) return undefined;
  const { WorkerMetrics } = await import("../../observability/worker-metrics.ts");
  return new WorkerMetrics(ask);
}

async function serveMetricsOf(
  workers: Workers,
  metrics: WorkerMetrics,
  { config, log, storage }: { config: ServeConfig; log: ServerLog; storage: Storage },
): Promise<MetricsServer | undefined> {
  const own = await loadMetrics(config, "primary");
  if (own === undefined) return undefined;
  own.watchStorage(storage);
  const text = async (): Promise<string> => metrics.text(workers.serving, await own.report());
  return startMetrics({ contentType: own.contentType, text }, config, log);
}
