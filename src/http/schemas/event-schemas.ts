/** The events of streams and webhooks. */
import { z } from "zod";
import { encode } from "./encode.ts";
import { historyEntry, toHistoryEntry } from "./history-schemas.ts";
import { commitName, queryParam } from "./schemas.ts";
import { localeStatsResponse, toLocaleStats } from "./hive-schemas.ts";
import type { CommitEvent } from "../../service/events/commit-events.ts";
import { count } from "./objects.ts";

export const eventQuery = z.strictObject({
  since: queryParam(
    "The `id` of an event: what came after it is sent first. `Last-Event-ID` goes before it. Without both, only what comes from now on is sent.",
    "1b2c3d4e5f60718293a4b5c6d7e8f90123456789",
  ),
});

export const eventsQuery = eventQuery.extend({
  hives: queryParam("Only these Hives: their slugs, separated by commas.", "web,app"),
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

/** An event as streams and webhooks send it. */
export function toCommitEvent({ entry, locales, ...event }: CommitEvent): CommitEventResponse {
  const stats = locales && new Map(Array.from(locales, ([code, one]) => [code, toLocaleStats(one)]));
  return encode(commitEvent, { ...toHistoryEntry(entry), ...event, locales: stats });
}
