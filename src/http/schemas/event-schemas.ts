/** The events of streams and webhooks, and webhooks in responses. */
import { z } from "zod";
import { encode } from "../../domain/json-codec.ts";
import { historyEntry, toHistoryEntry } from "./history-schemas.ts";
import { commitName, queryParam } from "./schemas.ts";
import { localeStatsResponse, toLocaleStats } from "./hive-schemas.ts";
import type { CommitEvent } from "../../service/events/commit-events.ts";
import { count, nullableText } from "./objects.ts";
import { toTimestamp } from "../../domain/text.ts";
import type { WebhookSummary } from "../../service/admin/webhooks.ts";
import type { WebhookMessage } from "../../service/events/webhook-delivery.ts";

export const time = z.iso.datetime();

export const webhookFields = z.object({
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

export const eventQuery = z.strictObject({
  since: queryParam(
    "The `id` of an event: what came after it is sent first. `Last-Event-ID` goes before it. Without both, only what comes from now on is sent.",
    "1b2c3d4e5f60718293a4b5c6d7e8f90123456789",
  ),
});

export const commitEvent = historyEntry
  .omit({ changes: true, moves: true })
  .extend({
    hive: z.string().meta({ description: "The slug of the Hive." }),
    branch: z.string(),
    previous: commitName.nullable().meta({
      description: "The commit at which the branch was before; `null` for the first one.",
    }),
    changed_keys: z
      .record(z.string(), count)
      .meta({ description: "How many texts it changed, by locale; locales without any are left out." }),
    locales: z.record(z.string(), localeStatsResponse).nullable().meta({
      description:
        "How far each target locale is translated at this commit; `null` if there was a later commit already when the event was created.",
    }),
  })
  .meta({ id: "CommitEvent" });
export type CommitEventResponse = z.infer<typeof commitEvent>;

/** An event as streams and webhooks send it. */
export function toCommitEvent({ entry, locales, ...event }: CommitEvent): CommitEventResponse {
  const stats = locales && new Map(Array.from(locales, ([code, one]) => [code, toLocaleStats(one)]));
  return encode(commitEvent, { ...toHistoryEntry(entry), ...event, locales: stats });
}
