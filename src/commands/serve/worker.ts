/** A worker: one of several processes that answer requests, controlled by the supervisor. */
import { messageOf } from "../../domain/errors.ts";
import { Socket } from "node:net";
import { toConfig } from "../../config/settings.ts";
import { shareOf } from "../../config/shares.ts";
import type { HiveSlug } from "../../domain/names.ts";
import { receive, type ReceivingServer } from "../../http/server.ts";
import type { Metrics } from "../../observability/metrics.ts";
import { openFolder } from "../program/command.ts";
import { endSignals } from "../program/signals.ts";
import { isToWorker, type SettingTexts, type ToSupervisor, type ToWorker } from "./channel.ts";
import { keepGoing, loadMetrics, openLog } from "./process.ts";
import { createServing, type Serving } from "./serving.ts";
import { openProvider } from "./sign-in.ts";

interface Worker {
  readonly serving: Serving;
  readonly server: ReceivingServer;
  readonly drainMs: number;
  readonly metrics: Metrics | undefined;
  /** Passes on that another worker moved a branch or tag of a Hive. */
  readonly notifyCommit: (slug: HiveSlug) => void;
}

/** Runs a worker until the supervisor or a signal ends it, or the supervisor has ended. */
export function runWorker(): void {
  let worker: Worker | undefined;
  let isEnding = false;
  const end = (): void => {
    if (isEnding) return;
    isEnding = true;
    send({ kind: "ending" });
    const stopped = worker?.serving.stop(worker.server, worker.drainMs) ?? Promise.resolve();
    void stopped.finally(() => process.exit(0));
  };
  const start = async (message: ToWorker & { kind: "start" }): Promise<void> => {
    worker = await prepare(message.worker, message.texts);
    send({ kind: "prepared" });
  };
  process.on("message", (message, handle) => {
    if (!isToWorker(message)) return;
    if (message.kind === "start") start(message).catch(fail);
    else if (message.kind === "stop") end();
    else if (message.kind === "ping") send({ kind: "pong" });
    else if (worker !== undefined) obey(worker, message, handle);
  });
  process.once("disconnect", () => process.exit(0));
  // A terminal sends its signals to all processes. A signal to this worker alone ends it, and another one replaces it.
  for (const signal of endSignals) process.on(signal, end);
  send({ kind: "ready" });
}

async function prepare(number: number, texts: SettingTexts): Promise<Worker> {
  const config = shareOf(toConfig(texts), number);
  const log = await openLog(config, number);
  const metrics = await loadMetrics(config, String(number));
  const storage = await openFolder(config.storage, { ...config, observer: metrics?.store, limits: config });
  storage.onCommit((hive, by) => {
    if (by === "this") send({ kind: "moved", hive });
  });
  keepGoing(log);
  const serving = createServing(config, { storage, log, metrics, provider: await openProvider(config, log) });
  const server = receive(serving.app, config);
  return {
    serving,
    server,
    drainMs: config.drainDelay,
    metrics,
    notifyCommit: (hive) => storage.notifyCommit(hive),
  };
}

function obey(
  { serving, server, metrics, notifyCommit }: Worker,
  message: Exclude<ToWorker, { kind: "start" | "stop" | "ping" }>,
  handle: unknown,
): void {
  switch (message.kind) {
    case "connection":
      send({ kind: "taken" });
      // Undefined if the client has closed the connection already.
      if (handle instanceof Socket) server.accept(handle);
      return;
    case "background":
      return serving.startBackground();
    case "tidy":
      return void serving.tidy();
    case "moved":
      return notifyCommit(message.hive);
    case "report":
      return void report(metrics);
  }
}

async function report(metrics: Metrics | undefined): Promise<void> {
  send({ kind: "report", metrics: (await metrics?.report()) ?? [] });
}

function send(message: ToSupervisor, onSent: () => void = () => {}): void {
  // Without a supervisor nobody receives the message, and this process ends.
  process.send?.(message, undefined, undefined, onSent);
}

/** Ends the process because it cannot start. */
function fail(error: unknown): void {
  send({ kind: "failed", message: messageOf(error) }, () => process.exit(1));
}
