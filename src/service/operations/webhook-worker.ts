/**
 * Delivers commits of any process to webhooks while a server runs. It has no state that matters: what is due follows
 * from the Hives and from the stored states of webhooks.
 */
import { hostOf } from "../../domain/hives/webhook.ts";
import type { HiveSlug, TeamName } from "../../domain/names.ts";
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
  const { storage, log, format, random = Math.random } = options;
  const places = new FairSemaphore({
    size: maxHives,
    maxWaiting,
    refusal: "Too many Hives wait for their webhooks.",
    retryAfter: 1,
  });
  const delivered = (report: DeliveryReport): void => {
    options.delivered?.(report);
    const { slug, webhook, outcome, state } = report;
    if (outcome.kind === "received" || outcome.kind === "stopped") return;
    const { attempts, retry } = state.failure ?? {};
    const error = outcome.kind === "failed" ? outcome.error : "its receiver is gone: it is disabled";
    const fields = { hive: slug, webhook: webhook.id, host: hostOf(webhook.url), error, attempts };
    log.error({ ...fields, retry_at: retry }, "could not deliver to a webhook");
  };
  const delivery: DeliveryOptions = { storage, events: new CommitEvents(storage), format, random, delivered };
  const watches = new Map<HiveSlug, () => void>();
  let teams: ReadonlyMap<HiveSlug, TeamName> = new Map();
  const work: HiveWork = {
    restMs,
    busyRestMs,
    maxRuns: maxWaiting,
    problems: {
      list: "could not list the webhooks",
      run: "could not deliver events of a Hive to webhooks",
    },
    begin: () => () => {
      for (const unwatch of watches.values()) unwatch();
    },
    dueAt: async (slug) => {
      const team = teams.get(slug);
      if (team === undefined) return Infinity;
      await storage.hives.recorded(slug).catchUp();
      return deliveryDueAt(storage, team, slug);
    },
    /** Lists the Hives whose commits webhooks get, and watches these. */
    hives: async () => {
      teams = await hivesWithWebhooks(storage);
      for (const [slug, unwatch] of watches) {
        if (teams.has(slug)) continue;
        unwatch();
        watches.delete(slug);
      }
      for (const slug of teams.keys()) {
        if (watches.has(slug)) continue;
        watches.set(
          slug,
          storage.changes.watchRefs(slug, () => worker.checkNow(slug)),
        );
      }
      return [...teams.keys()];
    },
    run: async (slug, signal) => {
      const team = teams.get(slug);
      if (team === undefined || signal.aborted) return;
      try {
        await places.run(team, signal, () => deliverHive(delivery, team, slug, signal));
      } catch (error) {
        if (!signal.aborted) throw error;
      }
    },
  };
  const worker = new HiveWorker(work, options);
  return worker;
}
