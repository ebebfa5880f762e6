/** How much is new for a person, for a number that stands on every page: no page waits for it. */
import type { PersonId } from "../../domain/names.ts";
import type { Caller } from "../access.ts";
import type { AccessStorage } from "../storage.ts";
import { countNew, readInbox } from "./inbox.ts";

/** How old a number may be before it is counted again, in milliseconds. */
const maxAge = 5_000;

/**
 * How much was new for the person of a caller when it was counted last, nothing before that. It is counted again in the
 * background.
 */
export function newsOf(storage: AccessStorage, caller: Caller): number {
  const { person } = caller.principal;
  if (person === undefined) return 0;
  const { count, at, isCounting } = storage.news.get(person) ?? {
    count: 0,
    at: -Infinity,
    isCounting: false,
  };
  const isOld = Math.abs(storage.now() - at) >= maxAge;
  if (isOld && !isCounting) {
    storage.news.set(person, { count, at, isCounting: true });
    void countAgain(storage, caller, person, count);
  }
  return count;
}

async function countAgain(
  storage: AccessStorage,
  caller: Caller,
  person: PersonId,
  before: number,
): Promise<void> {
  let count = before;
  try {
    count = countNew(await readInbox(storage, caller));
  } catch {
    // The number stays as it was; whoever opens the page of it sees why.
  } finally {
    keepNews(storage, person, count);
  }
}

/** Keeps how much is new, for whoever has just found out. */
export function keepNews({ news, now }: AccessStorage, person: PersonId, count: number): void {
  news.set(person, { count, at: now(), isCounting: false });
}
