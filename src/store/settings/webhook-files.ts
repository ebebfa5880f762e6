/** The YAML files of webhooks: those of a team, and what each received of a Hive. */
import { z } from "zod";
import {
  isWebhookId,
  isWebhookUrl,
  type Webhook,
  type WebhookId,
  type WebhookState,
  type WebhookUrl,
} from "../../domain/hives/webhook.ts";
import { isHiveSlug, isOid, type HiveSlug, type Oid } from "../../domain/names.ts";
import { formatStored, parseStored } from "./stored-settings.ts";

const time = z.iso.datetime();
const oid = z.custom<Oid>((value) => typeof value === "string" && isOid(value));
const slug = z.custom<HiveSlug>((value) => typeof value === "string" && isHiveSlug(value));
const id = z.custom<WebhookId>((value) => typeof value === "string" && isWebhookId(value));
// An address that was written into the file by hand is checked, too.
const url = z.custom<WebhookUrl>((value) => typeof value === "string" && isWebhookUrl(value));
const secret = z.strictObject({
  secret: z.string().regex(/^whsec_[A-Za-z0-9+/]{32,}={0,2}$/),
  until: time.optional(),
});

const webhooksFile = z.strictObject({
  webhooks: z.array(
    z.strictObject({
      id,
      url,
      hive: slug.optional(),
      added: time,
      secrets: z.array(secret).min(1),
      since: z.record(z.string(), oid),
      disabled: time.optional(),
    }),
  ),
});

const statesFile = z.strictObject({
  states: z.array(
    z.strictObject({
      id,
      received: z.strictObject({ commit: oid, at: time }).optional(),
      failure: z
        .strictObject({
          error: z.string(),
          commit: oid,
          at: time,
          attempts: z.number().int().positive(),
          retry: time,
        })
        .optional(),
    }),
  ),
});

/** @throws InvalidSettings when the file is not a list of webhooks. */
export function parseWebhooks(text: string): readonly Webhook[] {
  return parseStored("webhooks", webhooksFile, text).webhooks;
}

/** @throws Error when {@link parseWebhooks} could not read it. */
export function formatWebhooks(webhooks: readonly Webhook[]): string {
  return formatStored({ webhooks }, webhooks, parseWebhooks);
}

/** @throws InvalidSettings when the file is not a list of states. */
export function parseWebhookStates(text: string): readonly WebhookState[] {
  return parseStored("webhook-states", statesFile, text).states;
}

/** @throws Error when {@link parseWebhookStates} could not read it. */
export function formatWebhookStates(states: readonly WebhookState[]): string {
  return formatStored({ states }, states, parseWebhookStates);
}
