/** The events of streams and webhooks, and webhooks in responses. */
import { z } from "zod";
import { webhook, type WebhookAnswer } from "../../api/webhooks.ts";
import { encode } from "../../domain/json-codec.ts";
import { historyEntry } from "../../api/content/commits.ts";
import { toHistoryEntry } from "./history-schemas.ts";
import { localeStats } from "../../api/locale-stats.ts";
import { toLocaleStats } from "./hive-schemas.ts";
import type { CommitEvent } from "../../service/events/commit-events.ts";
import { count, commitName, queryParam } from "../../api/objects.ts";
import { toTimestamp } from "../../domain/text.ts";
import type { WebhookSummary } from "../../service/admin/webhooks.ts";
import type { WebhookMessage } from "../../service/events/webhook-delivery.ts";

export const time = z.iso.datetime();

/** A webhook as answers have it. */
export function toWebhook({
  webhook: { url, id, hive, comments, added },
  status,
  received,
  pending,
  failure,
}: WebhookSummary): WebhookAnswer {
  const { error, attempts = 0, retry } = failure ?? {};
  const state = { state: status, pending, received, error, attempts, retry };
  return encode(webhook, { id, url, hive, comments: comments !== false, added, ...state });
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
    locales: z.record(z.string(), localeStats).nullable().meta({
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
