/** What concerns a person: their texts that others rejected or changed, and answers where they have said something. */
import { invalid, unlessFailed } from "../../domain/errors.ts";
import { inboxDays, maxEvents } from "../../domain/inbox/limits.ts";
import { pageOf, type OffsetLimit, type Page } from "../../domain/pagination.ts";
import { nameOf, type Caller } from "../access.ts";
import { entryAt } from "../content/history.ts";
import { personOf } from "../people/own.ts";
import type { AccessStorage, StorageBase } from "../storage.ts";
import { hiveEvents, type InboxEvent } from "./hive-events.ts";
import { hivesInScope } from "./scope.ts";

const dayMs = 24 * 60 * 60 * 1000;

/** An event with what only its commit tells, and the names of persons. */
export type ShownEvent = InboxEvent & {
  readonly author?: string;
  /** Why the text was rejected. */
  readonly reason?: string;
};

/** What concerns a person, and up to when they have seen it. */
export interface Inbox {
  /** The newest first. */
  readonly events: readonly InboxEvent[];
  readonly seen: string | undefined;
}

/**
 * What concerns the person of a caller in the Hives that the caller can read, in the last days; nothing for a token of
 * nobody. A Hive that cannot be read is left out.
 */
export async function readInbox(
  storage: AccessStorage,
  caller: Caller,
  signal?: AbortSignal,
): Promise<Inbox> {
  const { person } = caller.principal;
  if (person === undefined) return { events: [], seen: undefined };
  const since = new Date(storage.now() - inboxDays * dayMs).toISOString();
  const events: InboxEvent[] = [];
  for (const slug of await hivesInScope(storage, caller, signal)) {
    signal?.throwIfAborted();
    const all = await unlessFailed(hiveEvents(storage, slug, since.slice(0, 10)), "any", () => []);
    for (const { event, concerned } of all)
      if (concerned.has(person) && event.at >= since) events.push(event);
  }
  const newest = events.toSorted((one, other) => (one.at < other.at ? 1 : one.at > other.at ? -1 : 0));
  const { seen } = await storage.inboxes.read(person);
  return { events: newest.slice(0, maxEvents), seen };
}

/** How many events are newer than what the person has seen. */
export function countNew({ events, seen = "" }: Inbox): number {
  return events.filter(({ at }) => at > seen).length;
}

/** A page of an inbox, with the names of who did it, and why texts were rejected. */
export async function showEvents(
  storage: StorageBase,
  { events }: Inbox,
  paging: OffsetLimit,
): Promise<Page<ShownEvent>> {
  const { entries, total } = pageOf(events, paging);
  return { entries: await Promise.all(entries.map((event) => shown(storage, event))), total };
}

async function shown(storage: StorageBase, event: InboxEvent): Promise<ShownEvent> {
  if (event.kind === "answered") {
    const { by } = event;
    return by === undefined ? event : { ...event, author: await nameOf(storage, by) };
  }
  const entry = await unlessFailed(entryAt(storage, event.hive.slug, event.commit), "any", () => undefined);
  if (entry === undefined) return event;
  const { person, token, author, message } = entry;
  const reason = event.kind === "rejected" ? message : undefined;
  return { ...event, by: person ?? token, author: author.name, reason };
}

/**
 * Notes up to when the person of a caller has seen what concerns them; an earlier time than before changes nothing.
 * @param until ISO 8601, UTC.
 * @throws SkepError `forbidden` for a token of nobody; `invalid` on `until` for a time that has not come.
 */
export async function markSeen(
  storage: AccessStorage,
  { principal }: Pick<Caller, "principal">,
  until: string,
): Promise<string> {
  const person = personOf(principal);
  const time = new Date(until);
  // The clocks of other servers may be a little ahead.
  if (time.getTime() > storage.now() + 60_000) throw invalid("until", "must not be in the future");
  const seen = time.toISOString();
  const state = await storage.inboxes.update(person, (before) =>
    (before.seen ?? "") >= seen ? before : { ...before, seen },
  );
  return state.seen ?? seen;
}
