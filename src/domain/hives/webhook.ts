/** Webhooks: URLs that receive commits, the last commit that each received, and the time of the next delivery. */
import { z } from "zod";
import type { Decoded } from "../json-codec.ts";
import { ownMember } from "../record.ts";
import { invalid } from "../errors.ts";
import type { Branded, HiveSlug, Oid } from "../names.ts";
import { httpUrlProblem } from "./http-url.ts";
import { retryDelay } from "./mirror.ts";
import { hiveSlug, oid, positive, textThat, time } from "./stored-fields.ts";

export type WebhookUrl = Branded<string, "WebhookUrl">;
export type WebhookId = Branded<string, "WebhookId">;

const webhookSecret = z.strictObject({
  /** `whsec_` and base64, as Standard Webhooks specifies. */
  secret: z.string().regex(/^whsec_[A-Za-z0-9+/]{32,}={0,2}$/),
  /** Until when a replaced secret signs too; ISO 8601, UTC. */
  until: time.optional(),
});

/** An address that gets the commits of one Hive, or of all Hives of a team. */
export const storedWebhook = z.strictObject({
  id: textThat(isWebhookId),
  url: textThat(isWebhookUrl),
  /** All of the team's if undefined. */
  hive: hiveSlug.optional(),
  /** `false`: it gets no commits that only hold comments. */
  comments: z.literal(false).optional(),
  added: time,
  /** The newest first. */
  secrets: z.array(webhookSecret).min(1),
  /** The HEAD of each Hive when the webhook was added: it gets the commits after that. */
  since: z.record(z.string(), oid),
  /** When its receiver responded with 410 Gone, after which nothing is sent. */
  disabled: time.optional(),
});
export type Webhook = Decoded<z.output<typeof storedWebhook>>;

const deliveryFailure = z.strictObject({
  /** One line. */
  error: z.string(),
  commit: oid,
  at: time,
  /** How many consecutive attempts have failed. */
  attempts: positive,
  retry: time,
});

/** How far a webhook has received the commits of one Hive. */
export const storedWebhookState = z.strictObject({
  id: textThat(isWebhookId),
  received: z.strictObject({ commit: oid, at: time }).optional(),
  failure: deliveryFailure.optional(),
});
export type WebhookState = Decoded<z.output<typeof storedWebhookState>>;

/** The outcome of a delivery. `gone`: its receiver wants no more deliveries. `stopped`: its outcome is unknown. */
export type DeliveryOutcome =
  | { readonly kind: "received" }
  | { readonly kind: "gone" }
  | { readonly kind: "stopped" }
  | { readonly kind: "failed"; readonly error: string };

export type WebhookStatus = "received" | "waiting" | "failed" | "disabled";

/** How long a replaced secret continues to sign. */
const secretOverlapMs = 24 * 3_600_000;
const maxWaitMs = 30 * 60_000;

export function isWebhookId(text: string): text is WebhookId {
  return /^[0-9a-z]{12}$/.test(text);
}

/** @throws SkepError `invalid` on `url`; the message does not show the address, which may hold a secret. */
export function toWebhookUrl(text: string): WebhookUrl {
  const problem = httpUrlProblem(text);
  if (problem !== undefined) throw invalid("url", problem);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- this is the parser of the brand
  return text as WebhookUrl;
}

function isWebhookUrl(text: string): text is WebhookUrl {
  return httpUrlProblem(text) === undefined;
}

/** A webhook's address without its path and query, which often hold a secret. */
export function hostOf(url: WebhookUrl): string {
  return new URL(url).origin;
}

/** Whether a webhook gets the commits of a Hive of its team. */
export function concerns({ hive }: Webhook, slug: HiveSlug): boolean {
  return hive === undefined || hive === slug;
}

/** The commit of a Hive after which a webhook gets commits; undefined if it gets all. */
export function positionOf({ since }: Webhook, state: WebhookState, slug: HiveSlug): Oid | undefined {
  return state.received?.commit ?? ownMember(since, slug);
}

export interface Moment {
  /** In milliseconds since 1970. */
  readonly now: number;
  /** From 0 to 1. */
  readonly random: number;
}

/** The state of a webhook after an attempt to deliver a commit: received, or when it is tried again. */
export function afterDelivery(
  { id, received, failure }: WebhookState,
  commit: Oid,
  outcome: Extract<DeliveryOutcome, { readonly kind: "received" | "failed" }>,
  { now, random }: Moment,
): WebhookState {
  const at = new Date(now).toISOString();
  if (outcome.kind === "received") return { id, received: { commit, at } };
  const attempts = (failure?.attempts ?? 0) + 1;
  const retry = new Date(now + retryDelay(attempts, random)).toISOString();
  return {
    id,
    received,
    failure: { error: outcome.error, commit, at, attempts, retry },
  };
}

/** When a webhook that has not received all commits is due, in milliseconds since 1970. */
export function webhookDueAt({ failure }: WebhookState, now: number): number {
  const retryAt = failure === undefined ? now : Date.parse(failure.retry);
  // A clock that was set back must not delay it longer than a failure would.
  return retryAt - now > maxWaitMs ? now : retryAt;
}

/** The secrets that sign now, the newest first. */
export function signingSecrets({ secrets }: Webhook, now: number): readonly string[] {
  return secrets
    .filter(({ until }) => until === undefined || Date.parse(until) > now)
    .map(({ secret }) => secret);
}

/** The webhook with a new secret; the previous one signs too for a while. */
export function withSecret(webhook: Webhook, secret: string, now: number): Webhook {
  const until = new Date(now + secretOverlapMs).toISOString();
  const [before] = webhook.secrets;
  return { ...webhook, secrets: [{ secret }, ...(before === undefined ? [] : [{ ...before, until }])] };
}
