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
import { HiveWorker, type WorkerOptions } from "./hive-worker.ts";

export interface WebhookWorkerOptions extends WorkerOptions {
  readonly format: FormatMessage;
  /** Called after every delivery. */
  readonly delivered?: (report: DeliveryReport) => void;
}

/** Bounds the Hives with deliveries at once; those of one team get at most half of what is free. */
const maxHives = 16;
/** More than there are: all wait for their team's turn, and not for the Hives of other teams. */
const maxWaiting = 1_000_000;
const restMs = 100;
const busyRestMs = 1_000;

export class WebhookWorker {
  readonly #options: DeliveryOptions;
  readonly #log: Log;
  readonly #worker: HiveWorker;
  readonly #places = new FairSemaphore({
    size: maxHives,
    maxWaiting,
    refusal: "Too many Hives wait for their webhooks.",
    retryAfter: 1,
  });
  #teams: ReadonlyMap<HiveSlug, TeamName> = new Map();
  readonly #watches = new Map<HiveSlug, () => void>();

  constructor({ storage, log, format, after, random = Math.random, delivered }: WebhookWorkerOptions) {
    const events = new CommitEvents(storage);
    const onDelivery = (report: DeliveryReport): void => {
      delivered?.(report);
      this.#report(report);
    };
    this.#options = { storage, events, format, random, delivered: onDelivery };
    this.#log = log;
    const work = {
      hives: () => this.#listHives(),
      dueAt: async (slug: HiveSlug) => {
        const team = this.#teams.get(slug);
        return team === undefined ? Infinity : deliveryDueAt(storage, team, slug);
      },
      run: (slug: HiveSlug, signal: AbortSignal) => this.#deliver(slug, signal),
      restMs,
      busyRestMs,
      maxRuns: maxWaiting,
      problems: {
        list: "could not list the webhooks",
        run: "could not deliver events of a Hive to webhooks",
      },
    };
    this.#worker = new HiveWorker(work, { storage, log, after });
  }

  /** Starts, with what earlier processes left. */
  start(): void {
    this.#worker.wakeIn(0);
  }

  /** Stops running deliveries; the next start repeats them. */
  async stop(): Promise<void> {
    await this.#worker.stop();
    for (const unwatch of this.#watches.values()) unwatch();
  }

  /** Resolves when all checks and deliveries that have begun are over. */
  settled(): Promise<void> {
    return this.#worker.settled();
  }

  /** Lists the Hives whose commits webhooks get, and watches these. */
  async #listHives(): Promise<readonly HiveSlug[]> {
    const { storage } = this.#options;
    this.#teams = await hivesWithWebhooks(storage);
    for (const [slug, unwatch] of this.#watches) {
      if (this.#teams.has(slug)) continue;
      unwatch();
      this.#watches.delete(slug);
    }
    for (const slug of this.#teams.keys()) {
      if (this.#watches.has(slug)) continue;
      this.#watches.set(
        slug,
        storage.changes.watchRefs(slug, () => this.#worker.checkNow(slug)),
      );
    }
    return [...this.#teams.keys()];
  }

  async #deliver(slug: HiveSlug, signal: AbortSignal): Promise<void> {
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
