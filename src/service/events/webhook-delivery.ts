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
  type WebhookId,
  type WebhookState,
} from "../../domain/hives/webhook.ts";
import type { HiveSlug, Oid, TeamName } from "../../domain/names.ts";
import type { HeldLock } from "../../disk/held-lock.ts";
import { Semaphore } from "../../disk/semaphore.ts";
import { disableWebhook } from "../admin/webhooks.ts";
import type { DeliveryStorage, Storage, StorageBase } from "../storage.ts";
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

/** How many commits a webhook gets before others' turn comes, where not all can be told at once. */
const maxDeliveries = 100;
/** A webhook that has taken longer gets no more commits before others' turn comes. */
const maxTurnMs = 15_000;

function webhooksOf({ webhooks }: DeliveryStorage, team: TeamName, slug: HiveSlug): readonly Webhook[] {
  return webhooks.lists
    .read(team)
    .filter((webhook) => webhook.disabled === undefined && concerns(webhook, slug));
}

/** A webhook and a Hive whose commits it gets. */
export interface DeliveryTarget {
  readonly team: TeamName;
  readonly slug: HiveSlug;
  readonly id: WebhookId;
}

/** All webhooks that work, for each Hive whose commits they get. Webhooks that cannot be read are left out. */
export async function deliveryTargets(storage: DeliveryStorage): Promise<readonly DeliveryTarget[]> {
  const all: DeliveryTarget[] = [];
  for (const name of await storage.webhooks.lists.names()) {
    try {
      const team = await storage.registry.team(name);
      const webhooks = storage.webhooks.lists.read(name).filter(({ disabled }) => disabled === undefined);
      for (const slug of team?.hives ?? []) {
        for (const webhook of webhooks)
          if (concerns(webhook, slug)) all.push({ team: name, slug, id: webhook.id });
      }
    } catch (error) {
      if (!isFailure(error, "content-invalid")) throw error;
    }
  }
  return all;
}

function webhookOf(storage: DeliveryStorage, { team, slug, id }: DeliveryTarget): Webhook | undefined {
  return webhooksOf(storage, team, slug).find((webhook) => webhook.id === id);
}

/**
 * When the next delivery is due, in milliseconds since 1970; `Infinity` if the webhook has all commits of the Hive.
 * @throws SkepError `not-found` or `content-invalid` when the Hive or the webhooks cannot be read.
 */
export function deliveryDueAt(storage: DeliveryStorage, target: DeliveryTarget): number {
  const webhook = webhookOf(storage, target);
  if (webhook === undefined) return Infinity;
  const { slug } = target;
  const state = storage.webhooks.state(slug, webhook.id);
  const hasAll = positionOf(webhook, state, slug) === storage.hives.at(slug).head();
  return hasAll ? Infinity : webhookDueAt(state, storage.now());
}

/**
 * Delivers what is new in a Hive to a webhook. Each result is stored before the next delivery.
 * @throws SkepError `busy` when another process delivers the Hive's commits.
 */
export async function deliver(
  options: DeliveryOptions,
  locks: DeliveryLocks,
  target: DeliveryTarget,
  signal: AbortSignal,
): Promise<void> {
  const { storage } = options;
  const { team, slug } = target;
  await locks.share(slug, async (held) => {
    if (!(await isListed(storage, team, slug))) return;
    const webhook = webhookOf(storage, target);
    if (webhook !== undefined) await new Delivery(options, { team, slug, webhook, ...held }).run(signal);
  });
}

interface SharedLock {
  readonly held: Promise<Held>;
  /** Rejects never. */
  readonly ended: Promise<unknown>;
  users: number;
  readonly release: () => void;
}

interface Held {
  readonly lock: HeldLock;
  /** The states of all webhooks of a Hive are in one file. */
  readonly saving: Semaphore;
}

/**
 * The locks under which commits of Hives are delivered. All deliveries of a Hive share one, so that none waits for another:
 * a receiver that does not answer delays its own commits alone.
 */
export class DeliveryLocks {
  readonly #storage: Pick<Storage, "webhooks">;
  readonly #shared = new Map<HiveSlug, SharedLock>();
  readonly #ending = new Map<HiveSlug, Promise<unknown>>();

  constructor(storage: Pick<Storage, "webhooks">) {
    this.#storage = storage;
  }

  /** @throws SkepError `busy` when another process has the lock; what the function throws. */
  async share(slug: HiveSlug, run: (held: Held) => Promise<void>): Promise<void> {
    while (this.#ending.has(slug)) await this.#ending.get(slug);
    const shared = this.#shared.get(slug) ?? this.#take(slug);
    shared.users++;
    try {
      await run(await shared.held);
    } finally {
      shared.users--;
      if (shared.users === 0) {
        this.#shared.delete(slug);
        this.#ending.set(
          slug,
          shared.ended.finally(() => this.#ending.delete(slug)),
        );
        shared.release();
      }
    }
  }

  #take(slug: HiveSlug): SharedLock {
    let release: (() => void) | undefined;
    const isOver = new Promise<void>((resolve) => (release = resolve));
    let settle: PromiseCallbacks<Held> | undefined;
    const held = new Promise<Held>((resolve, reject) => (settle = { resolve, reject }));
    const ended = this.#storage.webhooks
      .lockDeliveries(slug, async (lock) => {
        settle?.resolve({ lock, saving: new Semaphore(1) });
        await isOver;
      })
      .catch((error: unknown) => settle?.reject(error));
    const shared = { held, ended, users: 0, release: () => release?.() };
    this.#shared.set(slug, shared);
    return shared;
  }
}

interface PromiseCallbacks<T> {
  readonly resolve: (value: T) => void;
  readonly reject: (reason: unknown) => void;
}

async function isListed({ registry }: StorageBase, team: TeamName, slug: HiveSlug): Promise<boolean> {
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
      const isWanted = webhook.comments !== false || event.entry.operation !== "comment";
      const isDone = isWanted
        ? await this.#deliver({ type: "commit", event }, commit, signal)
        : await this.#pass(commit, signal);
      if (!isDone) return;
    }
  }

  /** Passes over a commit that the webhook does not want. @returns whether the next one can follow. */
  async #pass(commit: Oid, signal: AbortSignal): Promise<boolean> {
    const { storage } = this.#options;
    const { team, slug, saving, webhook } = this.#place;
    if (signal.aborted || !webhooksOf(storage, team, slug).some(({ id }) => id === webhook.id)) return false;
    const { received } = this.#state;
    // It tells when something was received last.
    const at = received?.at ?? new Date(storage.now()).toISOString();
    await saving.run(() => this.#saveState({ id: webhook.id, received: { commit, at } }));
    return true;
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
