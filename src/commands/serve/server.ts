/** The server of one process. */
import type { ServeConfig } from "../../config/settings.ts";
import { listen } from "../../http/server.ts";
import {
  endWhenMoved,
  greet,
  loadMetrics,
  openLog,
  runUntilSignal,
  startMetrics,
  startStorage,
} from "./process.ts";
import { createServing } from "./serving.ts";
import { openProvider, warnOfSignIn } from "./sign-in.ts";
import { startWatchdog } from "./watchdog.ts";

/** Runs the server until a signal ends it. @throws the error of the storage or the address when it cannot start. */
export async function runServer(config: ServeConfig): Promise<void> {
  const log = await openLog(config);
  const metrics = await loadMetrics(config);
  const provider = await openProvider(config, log);
  const { storage, isEmpty } = await startStorage(config, log, {
    observer: metrics?.store,
    clockStepped: metrics?.clockStepped,
  });
  warnOfSignIn(config, log);
  const serving = createServing(config, { storage, log, metrics, provider });
  metrics?.watchStorage(storage);
  const scrape = metrics && (await startMetrics(metrics, config, log));
  const server = await listen(serving.app, config).catch(async (error: unknown) => {
    // Otherwise these would keep the process running.
    await Promise.all([scrape?.close(), storage.record.close()]);
    throw error;
  });
  greet(log, server.url, config, isEmpty);
  startWatchdog(config, log);
  serving.startBackground();
  const end = async (drainMs: number): Promise<void> => {
    await serving.stop(server, drainMs);
    await storage.record.close();
    await scrape?.close();
  };
  endWhenMoved(storage, log);
  runUntilSignal(log, config, { end });
}
