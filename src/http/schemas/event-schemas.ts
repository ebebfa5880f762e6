/** The events of streams and webhooks. */
import { z } from "zod";
import { toTimestamp } from "../../domain/text.ts";
import { toHistoryEntry } from "./history-entry.ts";
import { historyEntry } from "./past-schemas.ts";
import { commitName, count, once } from "./schemas.ts";
import { localeStatsResponse, toLocaleStats } from "./hive-schemas.ts";
import type { CommitEvent } from "../../service/events/commit-events.ts";

export const eventQuery = z.strictObject({
  since: once.meta({
    description:
      "The `id` of an event: what came after it is sent first. `Last-Event-ID` goes before it. Without both, only what comes from now on is sent.",
    examples: ["1b2c3d4e5f60718293a4b5c6d7e8f90123456789"],
  }),
});

export const eventsQuery = eventQuery.extend({
  hives: once.meta({
    description: "Only these Hives: their slugs, separated by commas.",
    examples: ["web,app"],
  }),
});

export const eventHeaders = z.object({
  "Last-Event-ID": z.string().optional().meta({
    description: "As `since`; event sources send it when they connect again.",
  }),
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
        "How far each target locale is translated at this commit; `null` if a later commit had come already when the event was made.",
    }),
  })
  .meta({ id: "CommitEvent" });
export type CommitEventResponse = z.infer<typeof commitEvent>;

export const commitExample: CommitEventResponse = {
  hive: "web",
  branch: "main",
  previous: "9f8e7d6c5b4a39281706f5e4d3c2b1a098765432",
  commit: "1b2c3d4e5f60718293a4b5c6d7e8f90123456789",
  time: "2026-01-31T09:30:00Z",
  author: { name: "CI", email: "4fQ2xZ@tokens.skep.invalid" },
  subject: "Import translations into fr",
  message: null,
  operation: "translate",
  token: "4fQ2xZ",
  strategy: "skip",
  ref: "https://ci.example.org/runs/812",
  counts: { created: 3, updated: 0, skipped: 0, unknown: 0 },
  changed_keys: { fr: 3 },
  locales: {
    fr: {
      translated: 97,
      approved: 97,
      warning: 1,
      empty: 2,
      total: 100,
      translated_percent: 98,
      approved_percent: 97,
    },
  },
};

/** An event as JSON has it. */
export function toCommitEvent({
  hive,
  branch,
  previous,
  entry,
  changedKeys,
  locales,
}: CommitEvent): CommitEventResponse {
  const stats = locales && Array.from(locales, ([code, one]) => [code, toLocaleStats(one)]);
  return {
    hive,
    branch,
    previous: previous ?? null,
    ...toHistoryEntry(entry),
    changed_keys: Object.fromEntries(changedKeys),
    locales: stats === undefined ? null : Object.fromEntries(stats),
  };
}

/** What a webhook receives; the member names are those of Standard Webhooks. */
export const webhookMessage = z
  .object({ type: z.literal("commit"), timestamp: z.iso.datetime(), data: commitEvent })
  .meta({ id: "WebhookMessage" });

/** The body of a webhook's request. */
export function toWebhookBody(event: CommitEvent): string {
  const message: z.infer<typeof webhookMessage> = {
    type: "commit",
    timestamp: toTimestamp(event.entry.time),
    data: toCommitEvent(event),
  };
  return JSON.stringify(message);
}

export const webhookExample = {
  schema: webhookMessage,
  example: { type: "commit", timestamp: commitExample.time, data: commitExample },
};

export const webhookHeaders = z.object({
  "webhook-id": z.string().meta({
    description: "The same each time that this commit is sent to this webhook.",
    examples: ["msg_web_1b2c3d4e5f60718293a4b5c6d7e8f90123456789"],
  }),
  "webhook-timestamp": z
    .string()
    .meta({ description: "When it is sent, in seconds since 1970.", examples: ["1769852400"] }),
  "webhook-signature": z.string().meta({
    description:
      "`v1,` and the base64 of HMAC-SHA256 of `{webhook-id}.{webhook-timestamp}.{body}`, with the bytes that follow `whsec_` in the secret as key. While a secret is being replaced there are two, separated by a space.",
    examples: ["v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4="],
  }),
});

export const webhookDocs =
  "Webhooks receive each commit of `main` as a request, signed as Standard Webhooks (standardwebhooks.com) has it. A request that is not answered with 2xx is made again at growing intervals, up to half an hour; those of one Hive come in order, each after the one before it was received. The same commit may come twice.";
