/** The sessions of persons, one YAML file for each person. */
import type { PersonSession } from "../../domain/access/person.ts";
import type { PersonId } from "../../domain/names.ts";
import type { DurableFs } from "../../disk/durable-fs.ts";
import type { Locks } from "../../disk/locks/lock.ts";
import { ListFiles } from "./list-files.ts";
import { sessionLists } from "./people-files.ts";

/** Every server of the storage reads the file with each request, so a session ends everywhere at the next request. */
export class PersonSessions {
  readonly #locks: Locks;
  readonly #files: ListFiles<PersonId, PersonSession>;

  constructor(fs: DurableFs, locks: Locks, root: string) {
    this.#locks = locks;
    this.#files = new ListFiles(fs, root, sessionLists);
  }

  /** Sessions that have not ended, the oldest first; none where the file cannot be read. @param now since 1970 in ms. */
  of(person: PersonId, now: number): readonly PersonSession[] {
    return this.#files.readable(person).filter(({ ends }) => Date.parse(ends) > now);
  }

  /** Changes the sessions of a person; those that have ended leave. @throws SkepError `disk-full`, `busy`. */
  change(
    person: PersonId,
    now: number,
    change: (before: readonly PersonSession[]) => readonly PersonSession[],
  ): Promise<void> {
    return this.#locks.hold(`sessions-${person}`, (lock) =>
      this.#files.save(person, change(this.of(person, now)), lock),
    );
  }
}
