/** The YAML files of persons, and of their sessions. */
import { storedPerson, storedSession, type Person, type PersonSession } from "../../domain/access/person.ts";
import { isPersonId, type PersonId } from "../../domain/names.ts";
import { listForm, type ListPlace, ListFiles } from "./list-files.ts";
import { storedForm } from "./stored-settings.ts";
import type { DurableFs } from "../../disk/durable-fs.ts";
import type { Locks } from "../../disk/locks/lock.ts";
import type { Documents } from "../record/record.ts";

const personForm = storedForm("person", storedPerson);

/** @throws InvalidSettings when the file is invalid. */
export function parsePerson(id: PersonId, text: string): Person {
  return { id, ...personForm.parse(text) };
}

/** The file of a person, whose id is the name of the file. */
export function formatPerson(person: Person): string {
  const { id: _, ...stored } = person;
  return personForm.format(stored);
}

/** The sessions of persons. They are no part of a backup: whoever restores one signs in again. */
export const sessionLists: ListPlace<PersonId, PersonSession> = {
  folder: "sessions",
  ending: ".yaml",
  isName: isPersonId,
  form: listForm(["sessions", "sessions"], storedSession),
};

/** Every server of the storage reads the file with each request, so a session ends everywhere at the next request. */
export class PersonSessions {
  readonly #locks: Locks;
  readonly #files: ListFiles<PersonId, PersonSession>;

  constructor(fs: DurableFs, locks: Locks, root: string, documents: Documents) {
    this.#locks = locks;
    this.#files = new ListFiles(fs, root, documents, sessionLists);
  }

  /** Sessions that have not ended, the oldest first; none where the file cannot be read. @param now since 1970 in ms. */
  of(person: PersonId, now: number): readonly PersonSession[] {
    return living(this.#files.readable(person), now);
  }

  /** Changes the sessions of a person; those that have ended leave. @throws SkepError `disk-full`, `busy`. */
  change(
    person: PersonId,
    now: number,
    change: (before: readonly PersonSession[]) => readonly PersonSession[],
  ): Promise<void> {
    return this.#locks.hold(`sessions-${person}`, (lock) =>
      this.#files.change(person, (before) => change(living(before, now)), lock),
    );
  }
}

function living(sessions: readonly PersonSession[], now: number): readonly PersonSession[] {
  return sessions.filter(({ ends }) => Date.parse(ends) > now);
}
