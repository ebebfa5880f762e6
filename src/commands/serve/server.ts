/** The server of one process. */
import type { ServeConfig } from "../../config/settings.ts";
import { listen } from "../../http/server.ts";
import type { ServerLog } from "../../observability/server-log.ts";
import type { Background } from "../../service/background.ts";
import type { Follower } from "../../service/replication/follower.ts";
import type { Storage, StoreObserver } from "../../service/storage.ts";
import { greet, loadMetrics, openLog, runUntilSignal, startMetrics, startStorage } from "./process.ts";
import { createServing } from "./serving.ts";
import { openProvider, warnOfSignIn } from "./sign-in.ts";
import { startWatchdog } from "./watchdog.ts";

/** Opens the storage; a follower also begins to copy the primary's storage into it. */
async function startOrFollow(
  config: ServeConfig,
  log: ServerLog,
  observer: StoreObserver | undefined,
): Promise<{ readonly storage: Storage; readonly isEmpty: boolean; readonly follower?: Follower }> {
  if (config.follow === undefined) return startStorage(config, log, { observer });
  const { followPrimary } = await import("./following.ts");
  return followPrimary(config, config.follow, { log, observer });
}

/** Notifies the old primary that this server took over, until it has acknowledged it. */
async function startFencing(
  config: ServeConfig,
  url: string,
  { storage, log }: { readonly storage: Storage; readonly log: ServerLog },
): Promise<Background> {
  const { readSecret } = await import("./following.ts");
  const { notifyOldPrimary } = await import("../../service/replication/promotion.ts");
  return notifyOldPrimary(storage, { url, secret: await readSecret(config) }, log);
}

/** Runs the server until a signal ends it. @throws the error of the storage or the address when it cannot start. */
export async function runServer(config: ServeConfig): Promise<void> {
  const log = await openLog(config);
  const metrics = await loadMetrics(config);
  const provider = await openProvider(config, log);
  const { storage, isEmpty, follower } = await startOrFollow(config, log, metrics?.store);
  warnOfSignIn(config, log);
  const serving = createServing(config, { storage, log, metrics, provider, follower });
  metrics?.watchStorage(storage);
  const scrape = metrics && (await startMetrics(metrics, config, log));
  const server = await listen(serving.app, config).catch(async (error: unknown) => {
    // Otherwise the metrics would keep the process running.
    await scrape?.close();
    throw error;
  });
  greet(log, server.url, config, isEmpty);
  startWatchdog(config, log);
  serving.startBackground();
  const fencing =
    config.fence === undefined ? undefined : await startFencing(config, config.fence, { storage, log });
  const end = async (): Promise<void> => {
    await Promise.all([serving.stop(server), fencing?.stop()]);
    await scrape?.close();
  };
  runUntilSignal(log, { end });
}
