/** The events of streams and webhooks. */
import { z } from "zod";
import { toHistoryEntry } from "./history-entry.ts";
import { historyEntry } from "./history-schemas.ts";
import { commitName, once } from "./schemas.ts";
import { localeStatsResponse, toLocaleStats } from "./hive-schemas.ts";
import type { CommitEvent } from "../../service/events/commit-events.ts";
import { count } from "./objects.ts";

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
        "How far each target locale is translated at this commit; `null` if there was a later commit already when the event was created.",
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
  person: null,
  ref: "https://ci.example.org/runs/812",
  origin: null,
  counts: { created: 3, updated: 0, skipped: 0, unknown: 0 },
  changed_keys: { fr: 3 },
  locales: {
    fr: {
      translated: 97,
      approved: 97,
      waiting: 0,
      warning: 1,
      empty: 2,
      failing: 0,
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
