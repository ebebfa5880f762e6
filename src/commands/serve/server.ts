/** The server: its app, its background work, and its end. */
import type { ServeConfig } from "../../config/settings.ts";
import { createApp, type App } from "../../http/app.ts";
import { toWebhookBody } from "../../http/schemas/event-schemas.ts";
import { describeError } from "../../log.ts";
import type { Metrics } from "../../observability/metrics.ts";
import { logRequests, type ServerLog } from "../../observability/server-log.ts";
import { purgeInBackground } from "../../service/admin/trash.ts";
import type { Background } from "../../service/background.ts";
import { compactionWorker } from "../../service/operations/compaction-worker.ts";
import { mirrorWorker } from "../../service/operations/mirror-worker.ts";
import { packWorker } from "../../service/operations/pack-worker.ts";
import { engineWorker } from "../../service/operations/engine-worker.ts";
import { webhookWorker } from "../../service/operations/webhook-worker.ts";
import type { Provider } from "../../service/people/provider.ts";
import type { Storage } from "../../service/storage.ts";
import { collectWhenIdle } from "../program/heap.ts";
import { listen, type RunningServer } from "../../http/server.ts";
import {
  endWhenMoved,
  greet,
  loadMetrics,
  openLog,
  runUntilSignal,
  startMetrics,
  startStorage,
} from "./process.ts";
import { openMail, type ServedMail } from "./mail.ts";
import { openProvider, warnOfSignIn } from "./sign-in.ts";
import { startWatchdog } from "./watchdog.ts";

/** Runs the server until a signal ends it. @throws the error of the storage or the address when it cannot start. */
export async function runServer(config: ServeConfig): Promise<void> {
  const log = await openLog(config);
  const metrics = await loadMetrics(config);
  const provider = await openProvider(config, log);
  const mail = await openMail(config, { log, mailed: metrics?.mailed });
  const { storage, isEmpty } = await startStorage(config, log, {
    observer: metrics?.store,
    clockStepped: metrics?.clockStepped,
  });
  warnOfSignIn(config, log);
  const serving = createServing(config, { storage, log, metrics, provider, mail });
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
  runUntilSignal(log, config, end);
}

interface ServingParts {
  readonly storage: Storage;
  readonly log: ServerLog;
  readonly metrics: Metrics | undefined;
  readonly provider: Provider | undefined;
  readonly mail: ServedMail | undefined;
}

interface Serving {
  readonly app: App;
  /**
   * Removes leftovers of killed processes, and from now on pushes to mirrors, notifies webhooks, mails digests, packs
   * Hives and purges the trash.
   */
  readonly startBackground: () => void;
  /**
   * Ends the background work and the server; resolves after the requests in flight.
   * @param drainMs see {@link RunningServer.close}.
   */
  readonly stop: (server: Pick<RunningServer, "close">, drainMs: number) => Promise<void>;
}

const fileLimitEveryMs = 10_000;

/** Creates the app and the background work. */
function createServing(config: ServeConfig, parts: ServingParts): Serving {
  const { storage, log, metrics, provider, mail } = parts;
  const observers = [
    logRequests(log, config.trustProxy),
    ...(metrics === undefined ? [] : [metrics.requests]),
  ];
  const passed = metrics?.passed;
  const mailing = mail?.mailing;
  const app = createApp({ ...config, storage, log, observers, provider, mailing, passed });
  metrics?.watch({ storage, stats: app.stats });
  collectWhenIdle();
  const checking = setInterval(() => void app.checkFileLimit(), fileLimitEveryMs).unref();
  const background: Background[] = [];
  const tidy = async (): Promise<void> => {
    try {
      await storage.verifier.removeLeftovers();
    } catch (error) {
      log.error({ error: describeError(error) }, "could not remove the files that unfinished writes left");
    }
  };
  return {
    app,
    startBackground: () => {
      background.push(startPacking(config, parts), ...startUpkeep(parts));
      void tidy();
    },
    stop: async (server, drainMs) => {
      app.announceStop();
      clearInterval(checking);
      // Their clients come back at once: by then to another server.
      const streams = setTimeout(app.endStreams, drainMs);
      await Promise.all([...background.map((one) => one.stop()), server.close(drainMs)]);
      clearTimeout(streams);
      await storage.tokenUse
        .write()
        .catch((error: unknown) =>
          log.error({ error: describeError(error) }, "could not note which tokens were used"),
        );
    },
  };
}

function startPacking({ packAfter }: ServeConfig, { storage, log, metrics }: ServingParts): Background {
  const noGit =
    "git is not installed: Hives are not packed, and get slower and larger over thousands of commits";
  const withoutGit = (): void => log.warn({}, noGit);
  const worker = packWorker({ storage, log, packAfter, packed: metrics?.packed, withoutGit });
  worker.start();
  return worker;
}

/** Starts the background work besides packing. */
function startUpkeep({ storage, log, metrics, mail }: ServingParts): readonly Background[] {
  const mirrors = mirrorWorker({ storage, log, pushed: metrics?.pushed });
  const delivered = metrics?.delivered;
  const webhooks = webhookWorker({ storage, log, format: toWebhookBody, delivered });
  const engines = engineWorker({ storage, log });
  for (const worker of [mirrors, webhooks, engines]) worker.start();
  const purging = purgeInBackground(storage, (error) =>
    log.error({ error: describeError(error) }, "could not purge the trash"),
  );
  const { compaction } = storage.record.repositories;
  const compacting = compaction && compactionWorker({ storage, log, compaction });
  compacting?.start();
  const others = [compacting, mail?.start(storage)].filter((one) => one !== undefined);
  return [mirrors, webhooks, engines, purging, ...others];
}
