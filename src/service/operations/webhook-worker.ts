/**
 * Delivers commits of any process to webhooks while a server runs. It has no state that matters: what is due follows
 * from the Hives and from the stored states of webhooks.
 */
import { hostOf } from "../../domain/hives/webhook.ts";
import { failure } from "../../domain/errors.ts";
import { groupBy } from "../../domain/group-by.ts";
import { toHiveSlug, type HiveSlug } from "../../domain/names.ts";
import { FairSemaphore } from "../../disk/fair-semaphore.ts";
import { CommitEvents } from "../events/commit-events.ts";
import {
  deliveryTargets,
  deliver,
  deliveryDueAt,
  DeliveryLocks,
  type DeliveryTarget,
  type DeliveryOptions,
  type DeliveryReport,
  type FormatMessage,
} from "../events/webhook-delivery.ts";
import { HiveWorker, type HiveWork, type WorkerOptions } from "./hive-worker.ts";

export interface WebhookWorkerOptions extends WorkerOptions {
  readonly format: FormatMessage;
  readonly delivered?: (report: DeliveryReport) => void;
}

/** Limits the deliveries at once; those of one team get at most half of the free places. */
const maxDeliveries = 64;
/** More than there are: all wait for their team's turn, and not for the Hives of other teams. */
const maxWaiting = 1_000_000;
const restMs = 100;
const busyRestMs = 1_000;

function unitOf({ slug, id }: DeliveryTarget): string {
  return `${slug} ${id}`;
}

/** Makes the worker that delivers commits to webhooks. */
export function webhookWorker(options: WebhookWorkerOptions): HiveWorker<string> {
  const { storage, log, format, random = Math.random } = options;
  const places = new FairSemaphore({
    size: maxDeliveries,
    maxWaiting,
    refusal: "Too many webhooks wait for their turn.",
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
  const locks = new DeliveryLocks(storage);
  const watches = new Map<HiveSlug, () => void>();
  let units: ReadonlyMap<string, DeliveryTarget> = new Map();
  const known = (unit: string): DeliveryTarget => {
    const target = units.get(unit);
    if (target === undefined) throw failure("not-found", `There is no webhook ${unit}.`);
    return target;
  };
  const work: HiveWork<string> = {
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
    hiveOf: (unit) => toHiveSlug(unit.slice(0, unit.indexOf(" "))),
    dueAt: async (unit) => {
      const target = known(unit);
      await storage.hives.recorded(target.slug).catchUp();
      return deliveryDueAt(storage, target);
    },
    /** Lists the webhooks with the Hives whose commits they get, and watches these. */
    units: async () => {
      const all = await deliveryTargets(storage);
      units = new Map(all.map((target) => [unitOf(target), target]));
      const hives = groupBy(all, ({ slug }) => slug);
      for (const [slug, unwatch] of watches) {
        if (hives.has(slug)) continue;
        unwatch();
        watches.delete(slug);
      }
      for (const slug of hives.keys()) {
        if (watches.has(slug)) continue;
        const check = (): void => {
          for (const [unit, target] of units) if (target.slug === slug) worker.checkNow(unit);
        };
        watches.set(slug, storage.changes.watchRefs(slug, check));
      }
      return [...units.keys()];
    },
    run: async (unit, signal) => {
      const target = known(unit);
      if (signal.aborted) return;
      try {
        await places.run(target.team, signal, () => deliver(delivery, locks, target, signal));
      } catch (error) {
        if (!signal.aborted) throw error;
      }
    },
  };
  const worker = new HiveWorker(work, options);
  return worker;
}
