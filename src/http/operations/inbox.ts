/** What the operations of an inbox do. */
import { toOffsetLimit, toPage } from "../../api/page.ts";
import { inboxes } from "../../api/team/inbox.ts";
import { codeOf } from "../../domain/hives/locale.ts";
import { countWork, type HiveCounts } from "../../service/inbox/counts.ts";
import { countNew, markSeen, readInbox, showEvents, type ShownEvent } from "../../service/inbox/inbox.ts";
import { implement } from "./implement.ts";

function toEvent(one: ShownEvent, seen = "") {
  const isAnswer = one.kind === "answered";
  return {
    kind: one.kind,
    at: one.at,
    new: one.at > seen,
    hive: one.hive.slug,
    file: one.file,
    key: one.key,
    locale: one.locale && codeOf(one.locale),
    by: one.by,
    author: one.author,
    before: isAnswer ? undefined : one.before,
    after: isAnswer ? undefined : one.after,
    reason: one.reason,
    commit: isAnswer ? undefined : one.commit,
    comment: isAnswer ? one.comment : undefined,
    text: isAnswer ? one.text : undefined,
  };
}

function toCounts({ hive, locales, ...sums }: HiveCounts) {
  return {
    ...sums,
    hive: hive.slug,
    name: hive.name,
    locales: locales.map(({ locale, ...own }) => ({ code: codeOf(locale), ...own })),
  };
}

/** How long one request counts; the rest is counted by the next. */
const patienceMs = 2_000;

export const inboxOperations = implement(inboxes, {
  showMyInbox: ({ storage, caller, query, runSlowRead }) =>
    runSlowRead(async (signal) => {
      const inbox = await readInbox(storage, caller, signal);
      const until = performance.now() + patienceMs;
      const work = await countWork(storage, caller, () => performance.now() > until, signal);
      const page = await showEvents(storage, inbox, toOffsetLimit(query));
      const { seen } = inbox;
      const result = {
        ...toPage(page, query, (one) => toEvent(one, seen)),
        new: countNew(inbox),
        seen,
        waiting: work.hives.map(toCounts),
        counted: work.isAll,
      };
      return { result };
    }),
  markMyInboxSeen: async ({ storage, caller, body }) => ({
    result: { seen: await markSeen(storage, caller, body.until) },
  }),
});
