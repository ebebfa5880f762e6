/** Manages webhooks, the addresses that get the commits of a team's Hives. */
import type { AuditFacts } from "../../domain/access/audit.ts";
import { failure, unlessFailed } from "../../domain/errors.ts";
import {
  concerns,
  isWebhookId,
  positionOf,
  withSecret,
  type Webhook,
  type WebhookId,
  type WebhookState,
  type WebhookStatus,
  type WebhookUrl,
} from "../../domain/hives/webhook.ts";
import type { HiveSlug, TeamName } from "../../domain/names.ts";
import { checkRoom } from "../../domain/plans/quota.ts";
import { excerpt } from "../../domain/text.ts";
import type { HeldLock } from "../../disk/held-lock.ts";
import { readableHead, recordedHeads } from "../heads.ts";
import { newSecret } from "../webhook-request.ts";
import type { DeliveryStorage } from "../storage.ts";
import { requireTeamOfHive } from "../access.ts";
import { changeTeamList, type ListChange, type TeamOwner } from "./managed-list.ts";
import { findTeam } from "./teams.ts";
import { randomId } from "./tokens.ts";

export interface WebhookSummary {
  readonly webhook: Webhook;
  readonly team: TeamName;
  readonly status: WebhookStatus;
  readonly received: string | undefined;
  /** How many Hives have commits that it has not received. */
  readonly pending: number;
  /** The last failure among those that are not repaired. */
  readonly failure: WebhookState["failure"];
}

const maxWebhooks = 50;

/**
 * Adds a webhook, which gets the commits from now on.
 * @param asked `hive`: the one that it is about; all of the team if undefined. `comments`: whether it gets commits that only
 * hold comments; it does if undefined.
 * @returns the webhook with its secret.
 * @throws SkepError `not-found` when there is no such team or Hive; `conflict` when it is there already; `quota` when the
 * team has as many as it may.
 */
export function addWebhook(
  storage: DeliveryStorage,
  owner: TeamOwner,
  {
    url,
    hive,
    comments,
  }: { readonly url: WebhookUrl; readonly hive?: HiveSlug; readonly comments?: boolean },
): Promise<Webhook> {
  return change(storage, owner, async (webhooks) => {
    const team = await (hive === undefined
      ? findTeam(storage, owner.team)
      : requireTeamOfHive(storage, owner.team, hive));
    requireNew(webhooks, { url, hive });
    checkRoom("This team", "webhook", webhooks.length, maxWebhooks);
    const added: Webhook = {
      id: newId(),
      url,
      hive,
      ...(comments === false && { comments }),
      added: new Date(storage.now()).toISOString(),
      secrets: [{ secret: newSecret() }],
      since: Object.fromEntries(await recordedHeads(storage, hive === undefined ? team.hives : [hive])),
    };
    return {
      after: [...webhooks, added],
      result: added,
      entry: { event: "webhook_added", after: factsOf(added) },
    };
  });
}

/** @throws SkepError `conflict` when one of the webhooks has the same address and Hives. */
function requireNew(webhooks: readonly Webhook[], { url, hive }: Pick<Webhook, "url" | "hive">): void {
  if (!webhooks.some((other) => other.url === url && other.hive === hive)) return;
  throw failure("conflict", "This webhook exists already.");
}

/** What a change of a webhook asks for; what is undefined stays. */
export interface WebhookChange {
  readonly url?: WebhookUrl;
  /** `null` for all Hives of the team. */
  readonly hive?: HiveSlug | null;
  /** Whether it gets commits that only hold comments. */
  readonly comments?: boolean;
}

/**
 * Changes the address or the Hives of a webhook. What it has received stays; of Hives that it did not have before, it gets
 * the commits from now on. Another address is tried at once, also where the one before wanted nothing more.
 * @throws SkepError `not-found` when there is no such webhook or Hive; `conflict` when the team has the same one; `busy`
 * when it had this Hive earlier, and another server sends commits of it.
 */
export async function updateWebhook(
  storage: DeliveryStorage,
  owner: TeamOwner,
  id: string,
  { url, hive, comments: given }: WebhookChange,
): Promise<Webhook> {
  const changed = await change(storage, owner, async (webhooks) => {
    const before = named(webhooks, id);
    const to = hive === undefined ? before.hive : (hive ?? undefined);
    const team = await (to === undefined
      ? findTeam(storage, owner.team)
      : requireTeamOfHive(storage, owner.team, to));
    const { disabled, comments: had = true, ...rest } = before;
    const comments = given ?? had;
    const isMoved = url !== undefined && url !== before.url;
    const wanted: Webhook = {
      ...rest,
      ...(!isMoved && { disabled }),
      ...(!comments && { comments }),
      url: url ?? before.url,
      hive: to,
    };
    if (!isMoved && to === before.hive && comments === had) return { after: webhooks, result: before };
    const others = webhooks.filter((other) => other !== before);
    requireNew(others, wanted);
    const added = team.hives.filter((slug) => concerns(wanted, slug) && !concerns(before, slug));
    for (const slug of added) await forgetState(storage, slug, before.id, others);
    const since = { ...before.since, ...Object.fromEntries(await recordedHeads(storage, added)) };
    const result = { ...wanted, since };
    const after = webhooks.map((other) => (other === before ? result : other));
    return {
      after,
      result,
      entry: { event: "webhook_changed", before: factsOf(before), after: factsOf(result) },
    };
  });
  if (url !== undefined && changed.disabled === undefined) await retryNow(storage, owner.team, changed);
  return changed;
}

/** Forgets what a webhook received of a Hive that it does not have now. */
async function forgetState(
  { webhooks }: DeliveryStorage,
  slug: HiveSlug,
  id: WebhookId,
  others: readonly Webhook[],
): Promise<void> {
  if (webhooks.state(slug, id).received === undefined) return;
  const present = others.map((other) => other.id);
  await webhooks.lockDeliveries(slug, (lock) => webhooks.saveState(slug, { id }, { present, lock }));
}

function newId(): WebhookId {
  const id = randomId();
  if (!isWebhookId(id)) throw new Error(`${id} is not an id`);
  return id;
}

/** Removes a webhook. @throws SkepError `not-found` when the team has no such webhook. */
export function removeWebhook(storage: DeliveryStorage, owner: TeamOwner, id: string): Promise<Webhook> {
  return change(storage, owner, async (webhooks) => {
    const result = named(webhooks, id);
    return {
      after: webhooks.filter((other) => other !== result),
      result,
      entry: { event: "webhook_removed", before: factsOf(result) },
    };
  });
}

/**
 * Gives a webhook another secret; the one before signs too for a day.
 * @throws SkepError `not-found` when the team has no such webhook.
 */
export function rotateSecret(storage: DeliveryStorage, owner: TeamOwner, id: string): Promise<Webhook> {
  return change(storage, owner, async (webhooks) => {
    const before = named(webhooks, id);
    const result = withSecret(before, newSecret(), storage.now());
    const after = webhooks.map((other) => (other === before ? result : other));
    return { after, result, entry: { event: "webhook_secret_changed", after: factsOf(result) } };
  });
}

/** Notes that the receiver of a webhook is gone, so that nothing more is sent. */
export function disableWebhook(
  { lockTeam, webhooks, now }: DeliveryStorage,
  team: TeamName,
  id: WebhookId,
): Promise<void> {
  return lockTeam(team, async (lock) => {
    const disabled = new Date(now()).toISOString();
    const withIt = (other: Webhook): Webhook => (other.id === id ? { ...other, disabled } : other);
    await webhooks.lists.save(team, webhooks.lists.read(team).map(withIt), lock);
  });
}

/**
 * Has what a webhook has not received sent again within seconds, also if its receiver was gone. Deliveries that are running
 * are left alone.
 * @throws SkepError `not-found` when the team has no such webhook.
 */
export async function resend(storage: DeliveryStorage, owner: TeamOwner, id: string): Promise<Webhook> {
  const webhook = await change(storage, owner, async (before) => {
    const { disabled: _, ...result } = named(before, id);
    return { after: before.map((other) => (other.id === id ? result : other)), result };
  });
  await retryNow(storage, owner.team, webhook);
  return webhook;
}

/** Has failed deliveries of a webhook tried again within seconds, except those of Hives that are being sent now. */
async function retryNow(storage: DeliveryStorage, team: TeamName, webhook: Webhook): Promise<void> {
  const { webhooks } = storage;
  const present = webhooks.lists.read(team).map((other) => other.id);
  const { hives } = await findTeam(storage, team);
  const retry = new Date(storage.now()).toISOString();
  for (const slug of hives.filter((each) => concerns(webhook, each))) {
    const resume = async (lock: HeldLock): Promise<void> => {
      const state = webhooks.state(slug, webhook.id);
      const failed = state.failure && { ...state, failure: { ...state.failure, retry } };
      if (failed !== undefined) await webhooks.saveState(slug, failed, { present, lock });
    };
    await unlessFailed(webhooks.lockDeliveries(slug, resume), ["busy"], () => undefined);
  }
}

/** One webhook of a team. @throws SkepError `not-found` when there is none of that id. */
export function findWebhook({ webhooks }: DeliveryStorage, team: TeamName, id: string): Webhook {
  return named(webhooks.lists.read(team), id);
}

/** The team that has a webhook, for commands. @throws SkepError `not-found` when none has it. */
export async function teamOfWebhook({ webhooks }: DeliveryStorage, id: string): Promise<TeamName> {
  for (const team of await webhooks.lists.names()) {
    if (webhooks.lists.read(team).some((webhook) => webhook.id === id)) return team;
  }
  throw unknown(id);
}

function named(webhooks: readonly Webhook[], id: string): Webhook {
  const found = webhooks.find((webhook) => webhook.id === id);
  if (found === undefined) throw unknown(id);
  return found;
}

function unknown(id: string): Error {
  return failure("not-found", `There is no webhook "${excerpt(id)}".`);
}

function change<T>(
  storage: DeliveryStorage,
  owner: TeamOwner,
  to: (before: readonly Webhook[]) => Promise<ListChange<Webhook, T>>,
): Promise<T> {
  return changeTeamList(storage, storage.webhooks.lists, owner, to);
}

function factsOf({ hive, url }: Webhook): AuditFacts {
  return { hive, url };
}

/**
 * The webhooks of a team, in the order they were added.
 * @throws SkepError `content-invalid` when they cannot be read.
 */
export async function listWebhooks(
  storage: DeliveryStorage,
  name: TeamName,
): Promise<readonly WebhookSummary[]> {
  const hives = (await storage.registry.team(name))?.hives ?? [];
  return storage.webhooks.lists.read(name).map((webhook) => summarise(storage, name, webhook, hives));
}

/** The state of one webhook of a team. */
export async function summariseWebhook(
  storage: DeliveryStorage,
  team: TeamName,
  webhook: Webhook,
): Promise<WebhookSummary> {
  return summarise(storage, team, webhook, (await storage.registry.team(team))?.hives ?? []);
}

function summarise(
  storage: DeliveryStorage,
  team: TeamName,
  webhook: Webhook,
  all: readonly HiveSlug[],
): WebhookSummary {
  const slugs = all.filter((slug) => concerns(webhook, slug));
  const states = slugs.map((slug) => ({ slug, state: storage.webhooks.state(slug, webhook.id) }));
  const pending = states.filter(({ slug, state }) => {
    const head = readableHead(storage, slug);
    return head !== undefined && positionOf(webhook, state, slug) !== head;
  });
  const failures = pending.flatMap(({ state }) => state.failure ?? []);
  const latest = failures.reduce<WebhookState["failure"]>(
    (last, one) => (last === undefined || one.at > last.at ? one : last),
    undefined,
  );
  const times = states.flatMap(({ state }) => state.received?.at ?? []).toSorted();
  const working = pending.length === 0 ? "received" : "waiting";
  const status = webhook.disabled === undefined ? (latest === undefined ? working : "failed") : "disabled";
  return { webhook, team, status, received: times.at(-1), pending: pending.length, failure: latest };
}
