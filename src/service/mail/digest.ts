/** The daily digest: what is new in somebody's inbox, and what waits for them. */
import { confirmedMail, type Person } from "../../domain/access/person.ts";
import { dayOfDigest, digestLimits, digestSince } from "../../domain/inbox/digest.ts";
import { isFailure } from "../../domain/errors.ts";
import { describeError, type Log } from "../../log.ts";
import { callerOf } from "../access.ts";
import type { WaitingCounts } from "../../store/settings/inboxes.ts";
import type { Background } from "../background.ts";
import { countWork } from "../inbox/counts.ts";
import { readInbox, showEvents } from "../inbox/inbox.ts";
import type { AccessStorage, Storage } from "../storage.ts";
import type { Digest } from "./mailing.ts";
import { unsubscribePath } from "./own-mail.ts";

const everyMs = 60_000;

/**
 * What there is to tell a person; undefined for one who can do nothing now.
 * @param since only events after this time; ISO 8601, UTC.
 */
export async function makeDigest(
  storage: AccessStorage,
  person: Person,
  since: string,
  signal?: AbortSignal,
): Promise<Digest | undefined> {
  const caller = await callerOf(storage, person);
  if (caller === undefined) return undefined;
  const inbox = await readInbox(storage, caller, signal);
  const from = inbox.seen !== undefined && inbox.seen > since ? inbox.seen : since;
  const events = inbox.events.filter(({ at }) => at > from);
  const page = { offset: 0, limit: digestLimits.entries };
  const { entries, total } = await showEvents(storage, { ...inbox, events }, page);
  const { hives } = await countWork(storage, caller, () => false, signal);
  const unsubscribe = await unsubscribePath(storage, person);
  return { person, events: entries, total, waiting: hives, unsubscribe };
}

/** What waits, by Hive: somebody is mailed again once there is more of something. */
function countsOf({ waiting }: Digest): WaitingCounts {
  return Object.fromEntries(
    waiting.map(({ hive, reviews, toTranslate, questions, conflicts }) => [
      hive.slug,
      [reviews, toTranslate, questions, conflicts],
    ]),
  );
}

function isMore(counts: WaitingCounts, before: WaitingCounts = {}): boolean {
  return Object.entries(counts).some(([hive, now]) => {
    const was = Object.hasOwn(before, hive) ? before[hive] : undefined;
    return now.some((count, i) => count > (was?.[i] ?? 0));
  });
}

export interface DigestOptions {
  readonly storage: Storage;
  /** Takes a digest to be mailed to an address. */
  readonly deliver: (to: string, digest: Digest) => Promise<void>;
  readonly log: Pick<Log, "error">;
}

/**
 * Mails the digests that are due, each once, whichever server it is: whoever has nothing new gets none.
 * @returns the day for which all of them are done.
 * @throws SkepError `busy` when another server does it.
 */
export function sendDigests(options: DigestOptions, signal?: AbortSignal): Promise<string> {
  const { storage, log } = options;
  const { record, registry, now } = storage;
  return record.jobs.hold("digest", async (lock) => {
    await record.refresh("all");
    const day = dayOfDigest(now());
    for (const person of await registry.people()) {
      const to = person.digest === "daily" ? confirmedMail(person) : undefined;
      if (to === undefined) continue;
      signal?.throwIfAborted();
      await lock.assertHeld();
      try {
        await sendDigest(options, { person, to, day }, signal);
      } catch (error) {
        if (signal?.aborted === true) throw error;
        log.error({ person: person.id, error: describeError(error) }, "could not make a digest");
      }
    }
    return day;
  });
}

interface DueDigest {
  readonly person: Person;
  readonly to: string;
  readonly day: string;
}

async function sendDigest(
  { storage, deliver }: DigestOptions,
  { person, to, day }: DueDigest,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { inboxes } = storage;
  const before = await inboxes.read(person.id);
  if ((before.digest ?? "") >= day) return;
  const digest = await makeDigest(storage, person, digestSince(day, before.digest), signal);
  const counts = digest && countsOf(digest);
  const isNew =
    digest !== undefined && counts !== undefined && (digest.total > 0 || isMore(counts, before.told));
  // First noted, then sent: nobody is mailed twice, and whoever is left out by a fault has the inbox.
  await inboxes.update(person.id, (now) => ({ ...now, digest: day, told: counts }));
  if (isNew) await deliver(to, digest);
}

/** Sends digests each morning, by one server at a time. */
export function digestsInBackground(options: DigestOptions): Background {
  const { storage, log } = options;
  const stopping = new AbortController();
  let done: string | undefined;
  let working: Promise<void> = Promise.resolve();
  let isWorking = false;
  const look = (): void => {
    if (isWorking || done === dayOfDigest(storage.now())) return;
    isWorking = true;
    working = sendDigests(options, stopping.signal)
      .then(
        (day) => void (done = day),
        (error: unknown) => {
          if (stopping.signal.aborted || isFailure(error, "busy")) return;
          log.error({ error: describeError(error) }, "could not send digests");
        },
      )
      .finally(() => (isWorking = false));
  };
  look();
  const timer = setInterval(look, everyMs).unref();
  return {
    stop: async () => {
      clearInterval(timer);
      stopping.abort();
      await working;
    },
  };
}
