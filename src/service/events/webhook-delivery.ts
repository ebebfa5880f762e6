/** Delivers commits to webhooks: the commits of a Hive in order, each until it was received. */
import { randomUUID } from "node:crypto";
import { isFailure, unlessInvalid } from "../../domain/errors.ts";
import {
  afterDelivery,
  concerns,
  positionOf,
  signingSecrets,
  webhookDueAt,
  type DeliveryOutcome,
  type Webhook,
  type WebhookState,
} from "../../domain/hives/webhook.ts";
import type { HiveSlug, Oid, TeamName } from "../../domain/names.ts";
import type { HeldLock } from "../../disk/held-lock.ts";
import { Semaphore } from "../../disk/semaphore.ts";
import { disableWebhook } from "../admin/webhooks.ts";
import type { Storage } from "../storage.ts";
import { signedHeaders } from "../webhook-request.ts";
import { type CommitEvent, type CommitEvents } from "./commit-events.ts";

/** What is sent, before it is signed. `reset`: the history was rewritten or cannot be read, and the Hive is at the commit. */
export type WebhookMessage =
  | { readonly type: "commit"; readonly event: CommitEvent }
  | { readonly type: "reset"; readonly hive: HiveSlug; readonly commit: Oid; readonly time: number }
  | { readonly type: "ping"; readonly time: number };

export type FormatMessage = (message: WebhookMessage) => string;

export interface DeliveryReport {
  readonly slug: HiveSlug;
  readonly webhook: Webhook;
  readonly outcome: DeliveryOutcome;
  readonly state: WebhookState;
}

export interface DeliveryOptions {
  readonly storage: Storage;
  readonly events: CommitEvents;
  readonly format: FormatMessage;
  readonly random: () => number;
  readonly delivered: (report: DeliveryReport) => void;
}

/** How many commits a webhook gets before the others' turn comes. */
const maxDeliveries = 100;
/** A webhook that has taken longer gets no more commits before the others' turn comes: they wait for it. */
const maxTurnMs = 15_000;

function webhooksOf({ webhooks }: Storage, team: TeamName, slug: HiveSlug): readonly Webhook[] {
  return webhooks.lists
    .read(team)
    .filter((webhook) => webhook.disabled === undefined && concerns(webhook, slug));
}

/** The Hives that have webhooks, with their teams. Webhooks that cannot be read are left out. */
export async function hivesWithWebhooks(storage: Storage): Promise<ReadonlyMap<HiveSlug, TeamName>> {
  const teams = new Map<HiveSlug, TeamName>();
  for (const name of await storage.webhooks.lists.names()) {
    try {
      const team = await storage.registry.team(name);
      const webhooks = storage.webhooks.lists.read(name).filter(({ disabled }) => disabled === undefined);
      for (const slug of team?.hives ?? []) {
        if (webhooks.some((webhook) => concerns(webhook, slug))) teams.set(slug, name);
      }
    } catch (error) {
      if (!isFailure(error, "content-invalid")) throw error;
    }
  }
  return teams;
}

/**
 * When a delivery for a Hive is due next, in milliseconds since 1970; `Infinity` if all webhooks have all its commits.
 * @throws SkepError `not-found` or `content-invalid` when the Hive or the webhooks cannot be read.
 */
export function deliveryDueAt(storage: Storage, team: TeamName, slug: HiveSlug): number {
  const head = storage.hives.at(slug).head();
  const due = webhooksOf(storage, team, slug).map((webhook) => {
    const state = storage.webhooks.state(slug, webhook.id);
    return positionOf(webhook, state, slug) === head ? Infinity : webhookDueAt(state, storage.now());
  });
  return Math.min(Infinity, ...due);
}

/**
 * Delivers what is new in a Hive to its webhooks. Each result is stored before the next delivery.
 * @throws SkepError `busy` when another process does.
 */
export async function deliverHive(
  options: DeliveryOptions,
  team: TeamName,
  slug: HiveSlug,
  signal: AbortSignal,
): Promise<void> {
  const { storage } = options;
  await storage.webhooks.lockDeliveries(slug, async (lock) => {
    if (!(await isListed(storage, team, slug))) return;
    // The states of all webhooks of a Hive are in one file.
    const saving = new Semaphore(1);
    const deliveries = webhooksOf(storage, team, slug).map((webhook) =>
      new Delivery(options, { team, slug, webhook, lock, saving }).run(signal),
    );
    const failed = (await Promise.allSettled(deliveries)).find(({ status }) => status === "rejected");
    if (failed?.status === "rejected") throw failed.reason;
  });
}

async function isListed({ registry }: Storage, team: TeamName, slug: HiveSlug): Promise<boolean> {
  return (await registry.team(team))?.hives.includes(slug) === true;
}

interface DeliveryPlace {
  readonly team: TeamName;
  readonly slug: HiveSlug;
  readonly webhook: Webhook;
  readonly lock: HeldLock;
  readonly saving: Semaphore;
}

class Delivery {
  readonly #options: DeliveryOptions;
  readonly #place: DeliveryPlace;

  constructor(options: DeliveryOptions, place: DeliveryPlace) {
    this.#options = options;
    this.#place = place;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { storage, events } = this.#options;
    const { slug, webhook } = this.#place;
    if (webhookDueAt(this.#state, storage.now()) > storage.now()) return;
    const head = storage.hives.at(slug).head();
    const position = positionOf(webhook, this.#state, slug);
    if (position === head) return;
    const commits = await unlessInvalid(this.#commitsSince(position, head));
    const began = storage.now();
    for (const commit of commits?.slice(0, maxDeliveries) ?? [head]) {
      if (storage.now() - began >= maxTurnMs) return;
      const event = commits && (await unlessInvalid(events.event(slug, commit)));
      if (event === undefined) {
        const time = Math.floor(storage.now() / 1000);
        await this.#deliver({ type: "reset", hive: slug, commit: head, time }, head, signal);
        return;
      }
      if (!(await this.#deliver({ type: "commit", event }, commit, signal))) return;
    }
  }

  /** The commits behind a position, or all of them; undefined when the history was rewritten. */
  async #commitsSince(position: Oid | undefined, head: Oid): Promise<readonly Oid[] | undefined> {
    const revisions = this.#options.storage.hives.at(this.#place.slug).revisions;
    if (position !== undefined) return revisions.firstParentsSince(position, { tip: head });
    return (await revisions.history.commits(head, {})).map(({ oid }) => oid).toReversed();
  }

  get #state(): WebhookState {
    return this.#options.storage.webhooks.state(this.#place.slug, this.#place.webhook.id);
  }

  /** @returns whether the message was received, and the next one can follow. */
  async #deliver(message: WebhookMessage, commit: Oid, signal: AbortSignal): Promise<boolean> {
    const { storage, random, delivered } = this.#options;
    const { team, slug, saving, webhook: before } = this.#place;
    // It may have been removed meanwhile, or have got another secret.
    const present = webhooksOf(storage, team, slug);
    const webhook = present.find(({ id }) => id === before.id);
    if (webhook === undefined || signal.aborted) return false;
    const id = `msg_${slug}_${commit}${message.type === "reset" ? "_reset" : ""}`;
    const outcome = await sendMessage(this.#options, webhook, { id, message, signal });
    if (outcome.kind === "stopped") return false;
    const moment = { now: storage.now(), random: random() };
    const state = outcome.kind === "gone" ? this.#state : afterDelivery(this.#state, commit, outcome, moment);
    if (outcome.kind === "gone") await disableWebhook(storage, team, webhook.id);
    else await saving.run(() => this.#saveState(state));
    delivered({ slug, webhook, outcome, state });
    return outcome.kind === "received";
  }

  async #saveState(state: WebhookState): Promise<void> {
    const { storage } = this.#options;
    const { team, slug, lock } = this.#place;
    const present = storage.webhooks.lists.read(team).map(({ id }) => id);
    await storage.webhooks.saveState(slug, state, { present, lock });
    // The Hive may have been deleted meanwhile, which does not wait for deliveries.
    if (!(await isListed(storage, team, slug))) await storage.webhooks.stateLists.remove(slug, lock);
  }
}

/** Sends a ping to a webhook, once. Its state stays as it is. */
export function testWebhook(
  storage: Storage,
  webhook: Webhook,
  format: FormatMessage,
  signal: AbortSignal,
): Promise<DeliveryOutcome> {
  const time = Math.floor(storage.now() / 1000);
  const id = `msg_ping_${randomUUID()}`;
  return sendMessage({ storage, format }, webhook, { id, message: { type: "ping", time }, signal });
}

function sendMessage(
  { storage, format }: Pick<DeliveryOptions, "storage" | "format">,
  webhook: Webhook,
  sent: { readonly id: string; readonly message: WebhookMessage; readonly signal: AbortSignal },
): Promise<DeliveryOutcome> {
  const { id, message, signal } = sent;
  const now = storage.now();
  const body = format(message);
  const timestamp = Math.floor(now / 1000);
  const headers = signedHeaders({ id, timestamp, body }, signingSecrets(webhook, now));
  return storage.sendWebhook({ url: webhook.url, headers, body, signal });
}
