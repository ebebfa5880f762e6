/**
 * Delivers commits of any process to webhooks while a server runs. It has no state that matters: what is due follows
 * from the Hives and from the stored states of webhooks.
 */
import { hostOf } from "../../domain/hives/webhook.ts";
import type { HiveSlug, TeamName } from "../../domain/names.ts";
import type { Log } from "../../log.ts";
import { FairSemaphore } from "../../disk/fair-semaphore.ts";
import { CommitEvents } from "../events/commit-events.ts";
import {
  deliverHive,
  deliveryDueAt,
  hivesWithWebhooks,
  type DeliveryOptions,
  type DeliveryReport,
  type FormatMessage,
} from "../events/webhook-delivery.ts";
import { HiveWorker, type HiveWork, type WorkerOptions } from "./hive-worker.ts";

export interface WebhookWorkerOptions extends WorkerOptions {
  readonly format: FormatMessage;
  readonly delivered?: (report: DeliveryReport) => void;
}

/** Limits the Hives with deliveries at once; the Hives of one team get at most half of the free places. */
const maxHives = 16;
/** More than there are: all wait for their team's turn, and not for the Hives of other teams. */
const maxWaiting = 1_000_000;
const restMs = 100;
const busyRestMs = 1_000;

/** Makes the worker that delivers commits to webhooks. */
export function webhookWorker(options: WebhookWorkerOptions): HiveWorker {
  return new HiveWorker(new WebhookWork(options), options);
}

class WebhookWork implements HiveWork {
  readonly restMs = restMs;
  readonly busyRestMs = busyRestMs;
  readonly maxRuns = maxWaiting;
  readonly problems = {
    list: "could not list the webhooks",
    run: "could not deliver events of a Hive to webhooks",
  };
  readonly #options: DeliveryOptions;
  readonly #log: Log;
  readonly #places = new FairSemaphore({
    size: maxHives,
    maxWaiting,
    refusal: "Too many Hives wait for their webhooks.",
    retryAfter: 1,
  });
  #teams: ReadonlyMap<HiveSlug, TeamName> = new Map();
  readonly #watches = new Map<HiveSlug, () => void>();
  #worker: HiveWorker | undefined;

  constructor({ storage, log, format, random = Math.random, delivered }: WebhookWorkerOptions) {
    const events = new CommitEvents(storage);
    const onDelivery = (report: DeliveryReport): void => {
      delivered?.(report);
      this.#report(report);
    };
    this.#options = { storage, events, format, random, delivered: onDelivery };
    this.#log = log;
  }

  begin(worker: HiveWorker): () => void {
    this.#worker = worker;
    return () => {
      for (const unwatch of this.#watches.values()) unwatch();
    };
  }

  async dueAt(slug: HiveSlug): Promise<number> {
    const { storage } = this.#options;
    const team = this.#teams.get(slug);
    if (team === undefined) return Infinity;
    await storage.hives.recorded(slug).catchUp();
    return deliveryDueAt(storage, team, slug);
  }

  /** Lists the Hives whose commits webhooks get, and watches these. */
  async hives(): Promise<readonly HiveSlug[]> {
    const { storage } = this.#options;
    this.#teams = await hivesWithWebhooks(storage);
    for (const [slug, unwatch] of this.#watches) {
      if (this.#teams.has(slug)) continue;
      unwatch();
      this.#watches.delete(slug);
    }
    for (const slug of this.#teams.keys()) {
      if (this.#watches.has(slug)) continue;
      const unwatch = storage.changes.watchRefs(slug, () => this.#worker?.checkNow(slug));
      this.#watches.set(slug, unwatch);
    }
    return [...this.#teams.keys()];
  }

  async run(slug: HiveSlug, signal: AbortSignal): Promise<void> {
    const team = this.#teams.get(slug);
    if (team === undefined || signal.aborted) return;
    const deliver = (): Promise<void> => deliverHive(this.#options, team, slug, signal);
    try {
      await this.#places.run(team, signal, deliver);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  #report({ slug, webhook, outcome, state }: DeliveryReport): void {
    if (outcome.kind === "received" || outcome.kind === "stopped") return;
    const { attempts, retry } = state.failure ?? {};
    const error = outcome.kind === "failed" ? outcome.error : "its receiver is gone: it is disabled";
    const fields = { hive: slug, webhook: webhook.id, host: hostOf(webhook.url), error, attempts };
    this.#log.error({ ...fields, retry_at: retry }, "could not deliver to a webhook");
  }
}
