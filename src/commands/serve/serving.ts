/** The app and the background work of a server, or of one of its workers. */
import type { ServeConfig } from "../../config/settings.ts";
import { createApp, type App } from "../../http/app.ts";
import { toWebhookBody } from "../../http/schemas/webhook-schemas.ts";
import type { RunningServer } from "../../http/server.ts";
import { describeError } from "../../log.ts";
import type { Metrics } from "../../observability/metrics.ts";
import { logRequests } from "../../observability/request-log.ts";
import type { ServerLog } from "../../observability/server-log.ts";
import { purgeInBackground } from "../../service/admin/trash.ts";
import type { Background } from "../../service/background.ts";
import { mirrorWorker } from "../../service/operations/mirror-worker.ts";
import { packWorker } from "../../service/operations/pack-worker.ts";
import { webhookWorker } from "../../service/operations/webhook-worker.ts";
import type { Provider } from "../../service/people/provider.ts";
import type { Follower } from "../../service/replication/follower.ts";
import type { Storage } from "../../service/storage.ts";
import { collectWhenIdle } from "../program/heap.ts";

/** The parts of a process that a serving needs. */
export interface ServingParts {
  readonly storage: Storage;
  readonly log: ServerLog;
  readonly metrics: Metrics | undefined;
  readonly provider: Provider | undefined;
  /** Updates the storage of a follower. */
  readonly follower?: Follower;
}

export interface Serving {
  readonly app: App;
  /** Removes leftovers of killed processes, and from now on pushes to mirrors, notifies webhooks, packs Hives and purges the trash. */
  readonly startBackground: () => void;
  /** Removes leftovers of killed processes. Never rejects. */
  readonly tidy: () => Promise<void>;
  /** Ends the background work and the server; resolves after the requests in flight. */
  readonly stop: (server: Pick<RunningServer, "close">) => Promise<void>;
}

/** Creates the app and the background work. */
export function createServing(config: ServeConfig, parts: ServingParts): Serving {
  const { storage, log, metrics, provider, follower: following } = parts;
  const observers = [
    logRequests(log, config.trustProxy),
    ...(metrics === undefined ? [] : [metrics.requests]),
  ];
  const primary = config.writesTo ?? config.follow;
  const forwardTo = config.forwardWrites === "on" ? config.follow : undefined;
  const passOn = following === undefined || primary === undefined ? undefined : { url: primary, forwardTo };
  const app = createApp({ ...config, storage, log, observers, following, passOn, provider });
  metrics?.watch({ storage, stats: app.stats, following });
  collectWhenIdle();
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
      background.push(startPacking(config, parts));
      background.push(...(following === undefined ? startUpkeep(parts) : [following]));
      void tidy();
    },
    tidy,
    stop: async (server) => {
      app.endStreams();
      await Promise.all([...background.map((one) => one.stop()), server.close()]);
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

/** Starts the background work of a storage that is not a follower's copy. */
function startUpkeep({ storage, log, metrics }: ServingParts): readonly Background[] {
  const mirrors = mirrorWorker({ storage, log, pushed: metrics?.pushed });
  const delivered = metrics?.delivered;
  const webhooks = webhookWorker({ storage, log, format: toWebhookBody, delivered });
  for (const worker of [mirrors, webhooks]) worker.start();
  const purging = purgeInBackground(storage, (error) =>
    log.error({ error: describeError(error) }, "could not purge the trash"),
  );
  return [mirrors, webhooks, purging];
}
