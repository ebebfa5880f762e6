/** Webhooks: their management, and the messages that they receive. */
import { z } from "zod";
import { slugPattern } from "../../domain/names.ts";
import { toTimestamp } from "../../domain/text.ts";
import type { WebhookSummary } from "../../service/admin/webhooks.ts";
import type { WebhookMessage } from "../../service/events/webhook-delivery.ts";
import { encode } from "./encode.ts";
import { commitEvent, toCommitEvent } from "./event-schemas.ts";
import { commitName } from "./schemas.ts";
import { count, named, nullableText, pageOf, text } from "./objects.ts";

const time = z.iso.datetime();

export const webhookBody = named("NewWebhook", {
  url: text.meta({
    pattern: "^https?://",
    description: "An https URL.",
    examples: ["https://ci.example.org/skep"],
  }),
  hive: text
    .nullish()
    .meta({ pattern: slugPattern.source, description: "The Hive; all of the team if not given." }),
});

const webhookFields = z.object({
  id: z.string(),
  url: z.string(),
  hive: nullableText.meta({ description: "`null` for all Hives of the team." }),
  added: time,
  state: z.enum(["received", "waiting", "failed", "disabled"]).meta({
    description:
      "`received`: it has received all commits. `waiting`: some are about to be sent. `failed`: the last delivery failed and is tried again. `disabled`: it answered with 410, and nothing more is sent.",
  }),
  pending: count.meta({ description: "How many Hives have commits that it has not received." }),
  received: time.nullable().meta({ description: "When it last received a commit." }),
  error: nullableText.meta({ description: "Why the last delivery failed." }),
  attempts: count.meta({ description: "How many consecutive deliveries have failed." }),
  retry: time.nullable().meta({ description: "When the delivery is tried again." }),
});
export const webhookResponse = webhookFields.meta({ id: "Webhook" });
export type WebhookResponse = z.infer<typeof webhookResponse>;

/** A webhook as JSON has it, over HTTP and on the command line; its secrets are not shown. */
export function toWebhook({ webhook, status, received, pending, failure }: WebhookSummary): WebhookResponse {
  const { error, attempts = 0, retry } = failure ?? {};
  return encode(webhookResponse, { ...webhook, state: status, pending, received, error, attempts, retry });
}

export const newWebhookResponse = webhookFields
  .extend({
    secret: z.string().meta({ description: "The secret that signs messages. Only this response shows it." }),
  })
  .meta({ id: "WebhookWithSecret" });

export const webhooksResponse = pageOf("WebhookPage", webhookResponse);

export const webhookTestResponse = named("WebhookTest", {
  received: z.boolean(),
  error: nullableText.meta({ description: "Why it was not received." }),
});

const reset = z.object({ hive: z.string(), branch: z.string(), commit: commitName });

const messageOf = <T extends z.ZodType>(type: string, data: T) =>
  z.object({ type: z.literal(type), timestamp: time, data });

/** The messages to webhooks for the document, with the member names of Standard Webhooks. */
export const webhookMessages = {
  commit: { summary: "Receive a commit", schema: messageOf("commit", commitEvent) },
  reset: { summary: "Receive the news that a history was rewritten", schema: messageOf("reset", reset) },
  ping: { summary: "Receive a test", schema: messageOf("ping", z.object({})) },
} as const;

/** The body of a message to a webhook, as JSON. */
export function toWebhookBody(message: WebhookMessage): string {
  if (message.type === "commit") {
    const { event } = message;
    return JSON.stringify({
      type: "commit",
      timestamp: toTimestamp(event.entry.time),
      data: toCommitEvent(event),
    });
  }
  const { type } = message;
  const data = type === "ping" ? {} : { hive: message.hive, branch: "main", commit: message.commit };
  return JSON.stringify({ type, timestamp: toTimestamp(message.time), data });
}

export const webhookHeaders = z.object({
  "webhook-id": z.string().meta({
    description: "The same each time that this is sent to this webhook.",
    examples: ["msg_web_1b2c3d4e5f60718293a4b5c6d7e8f90123456789"],
  }),
  "webhook-timestamp": z
    .string()
    .meta({ description: "When it is sent, in seconds since 1970.", examples: ["1769852400"] }),
  "webhook-signature": z.string().meta({
    description:
      "`v1,` and the base64 of HMAC-SHA256 of `{webhook-id}.{webhook-timestamp}.{body}`; the key is what follows `whsec_` in the secret, decoded from base64. While a secret is being replaced there are two, separated by a space.",
    examples: ["v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4="],
  }),
});

export const webhookDocs =
  "Webhooks are signed as Standard Webhooks (standardwebhooks.com) specifies. A request without a 2xx response is sent again at growing intervals, up to half an hour. The commits of one Hive arrive in order, each after the one before it was received, and the same one may arrive twice.";
