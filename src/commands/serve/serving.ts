/** The app and the background work of a server, or of one of its workers. */
import type { ServeConfig } from "../../config/settings.ts";
import { createApp, type App } from "../../http/app.ts";
import { toWebhookBody } from "../../http/schemas/event-schemas.ts";
import type { RunningServer } from "../../http/server.ts";
import { describeError } from "../../log.ts";
import type { Metrics } from "../../observability/metrics.ts";
import { logRequests, type ServerLog } from "../../observability/server-log.ts";
import { purgeInBackground } from "../../service/admin/trash.ts";
import type { Background } from "../../service/background.ts";
import { compactionWorker } from "../../service/operations/compaction-worker.ts";
import { mirrorWorker } from "../../service/operations/mirror-worker.ts";
import { packWorker } from "../../service/operations/pack-worker.ts";
import { webhookWorker } from "../../service/operations/webhook-worker.ts";
import type { Provider } from "../../service/people/provider.ts";
import type { Storage } from "../../service/storage.ts";
import { collectWhenIdle } from "../program/heap.ts";

export interface ServingParts {
  readonly storage: Storage;
  readonly log: ServerLog;
  readonly metrics: Metrics | undefined;
  readonly provider: Provider | undefined;
}

export interface Serving {
  readonly app: App;
  /** Removes leftovers of killed processes, and from now on pushes to mirrors, notifies webhooks, packs Hives and purges the trash. */
  readonly startBackground: () => void;
  /** Removes leftovers of killed processes. Never rejects. */
  readonly tidy: () => Promise<void>;
  /**
   * Ends the background work and the server; resolves after the requests in flight.
   * @param drainMs see {@link RunningServer.close}.
   */
  readonly stop: (server: Pick<RunningServer, "close">, drainMs: number) => Promise<void>;
}

const fileLimitEveryMs = 10_000;

/** Creates the app and the background work. */
export function createServing(config: ServeConfig, parts: ServingParts): Serving {
  const { storage, log, metrics, provider } = parts;
  const observers = [
    logRequests(log, config.trustProxy),
    ...(metrics === undefined ? [] : [metrics.requests]),
  ];
  const passed = metrics?.passed;
  const app = createApp({ ...config, storage, log, observers, provider, passed });
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
    tidy,
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
function startUpkeep({ storage, log, metrics }: ServingParts): readonly Background[] {
  const mirrors = mirrorWorker({ storage, log, pushed: metrics?.pushed });
  const delivered = metrics?.delivered;
  const webhooks = webhookWorker({ storage, log, format: toWebhookBody, delivered });
  for (const worker of [mirrors, webhooks]) worker.start();
  const purging = purgeInBackground(storage, (error) =>
    log.error({ error: describeError(error) }, "could not purge the trash"),
  );
  const { compaction } = storage.record.repositories;
  const compacting = compaction && compactionWorker({ storage, log, compaction });
  compacting?.start();
  return [mirrors, webhooks, purging, ...(compacting === undefined ? [] : [compacting])];
}
