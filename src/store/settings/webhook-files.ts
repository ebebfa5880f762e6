/** The YAML files of webhooks: those of a team, and what each received of a Hive. */
import { parse } from "yaml";
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
import { formatSettings } from "./settings-text.ts";

const time = z.iso.datetime();
const oid = z.custom<Oid>((value) => typeof value === "string" && isOid(value));
const slug = z.custom<HiveSlug>((value) => typeof value === "string" && isHiveSlug(value));
const id = z.custom<WebhookId>((value) => typeof value === "string" && isWebhookId(value));
// An address that was written into the file by hand is checked, too.
const url = z.custom<WebhookUrl>((value) => typeof value === "string" && isWebhookUrl(value));
const secret = z.object({
  secret: z.string().regex(/^whsec_[A-Za-z0-9+/]{32,}={0,2}$/),
  until: time.optional(),
});

const webhooksFile = z.object({
  webhooks: z.array(
    z.object({
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

const statesFile = z.object({
  states: z.array(
    z.object({
      id,
      received: z.object({ commit: oid, at: time }).optional(),
      failure: z
        .object({
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

/** @throws Error when the file is not a list of webhooks. */
export function parseWebhooks(text: string): readonly Webhook[] {
  return webhooksFile.parse(parse(text)).webhooks;
}

/** @throws Error when {@link parseWebhooks} could not read it. */
export function formatWebhooks(webhooks: readonly Webhook[]): string {
  return formatSettings({ webhooks }, webhooks, parseWebhooks);
}

/** @throws Error when the file is not a list of states. */
export function parseWebhookStates(text: string): readonly WebhookState[] {
  return statesFile.parse(parse(text)).states;
}

/** @throws Error when {@link parseWebhookStates} could not read it. */
export function formatWebhookStates(states: readonly WebhookState[]): string {
  return formatSettings({ states }, states, parseWebhookStates);
}
