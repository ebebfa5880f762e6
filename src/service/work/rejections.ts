/** Why translations were rejected: the messages of the commits that did it. */
import { boundedCache, cachedPromise } from "../../disk/bounded-cache.ts";
import { parseCommitMessage } from "../../domain/commits/commit-record.ts";
import type { LocaleCode } from "../../domain/hives/locale.ts";
import { AddressMap, type StringAddress } from "../../domain/move.ts";
import type { Oid } from "../../domain/names.ts";
import type { Hive } from "../../store/hives/hive.ts";
import type { RevisionStore } from "../../store/history/revision-store.ts";

/** How many rejections of a branch are looked at, the newest first. */
const maxRejections = 100;

interface Rejection {
  readonly reason: string;
  /** By locale, the text that it left. */
  readonly left: ReadonlyMap<LocaleCode, AddressMap<{ readonly text: string | undefined }>>;
}

/** A commit stays as it is for ever. */
const known = boundedCache<Oid, Promise<Rejection>>(10_000);

/**
 * Tells why the last text of a string was rejected, where what the rejection left is still stored.
 * @param tip the commit of HEAD.
 */
export async function rejectionsInto(
  { revisions }: Pick<Hive, "revisions">,
  tip: Oid,
  locale: LocaleCode,
  sourceLocale: LocaleCode,
): Promise<(at: StringAddress, text: string | undefined) => string | undefined> {
  const line = await revisions.graph.firstParents(tip);
  const commits: Oid[] = [];
  for (let i = line.length - 1; i >= 0 && commits.length < maxRejections; i--) {
    const commit = line[i];
    if (commit?.operation === "reject") commits.push(commit.oid);
  }
  const rejections = await Promise.all(
    commits.map((oid) => cachedPromise(known, oid, () => readRejection(revisions, oid, sourceLocale))),
  );
  const newestFirst = rejections.flatMap(({ reason, left }) => {
    const own = left.get(locale);
    return own === undefined ? [] : [{ reason, own }];
  });
  return (at, text) => {
    for (const { reason, own } of newestFirst) {
      const rejected = own.get(at);
      if (rejected !== undefined) return rejected.text === text ? reason : undefined;
    }
    return undefined;
  };
}

async function readRejection(
  { history }: RevisionStore,
  oid: Oid,
  sourceLocale: LocaleCode,
): Promise<Rejection> {
  const { message } = await history.readCommit(oid);
  const left = new Map<LocaleCode, AddressMap<{ readonly text: string | undefined }>>();
  for (const { locale, file, key, after } of await history.changes(oid, sourceLocale)) {
    left.set(locale, (left.get(locale) ?? new AddressMap()).set({ file, key }, { text: after }));
  }
  return { reason: parseCommitMessage(message, true).message ?? "", left };
}
