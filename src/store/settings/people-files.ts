/** The YAML files of persons, and of their sessions. */
import { z } from "zod";
import { sessionMethods, themes, type Person, type PersonSession } from "../../domain/access/person.ts";
import { pageLanguageCodes } from "../../domain/access/page-language.ts";
import { isPersonId, type PersonId } from "../../domain/names.ts";
import { count, hash, localeCode, positive, teamName, time } from "./fields.ts";
import { listForm, type ListPlace, ListFiles } from "./list-files.ts";
import { rightsFields } from "./settings-files.ts";
import { storedForm } from "./stored-settings.ts";
import type { DurableFs } from "../../disk/durable-fs.ts";
import type { Locks } from "../../disk/locks/lock.ts";
import type { Documents } from "../record/record.ts";

const base64url = z.string().regex(/^[\w-]+$/);

const personForm = storedForm(
  "person",
  z
    .strictObject({
      team: teamName,
      name: z.string(),
      mail: z.string().optional(),
      mail_confirmed: z.literal(true).optional(),
      digest: z.literal("daily").optional(),
      language: z.enum(pageLanguageCodes).optional(),
      languages: z.array(localeCode).optional(),
      theme: z.enum(themes).optional(),
      ...rightsFields,
      disabled: z.boolean(),
      password: z.string().optional(),
      passkeys: z.array(
        z.strictObject({
          id: base64url,
          key: base64url,
          counter: count,
          created: time,
          used: time.optional(),
        }),
      ),
      identity: z
        .strictObject({ iss: z.string(), sub: z.string(), signed_in: time })
        .transform(({ signed_in: signedIn, ...identity }) => ({ ...identity, signedIn }))
        .optional(),
      invitation: z.strictObject({ hash, ends: time }).optional(),
      session_epoch: positive.optional(),
      created: time,
      removed: time.optional(),
    })
    .transform(({ session_epoch: sessionEpoch, mail_confirmed: mailConfirmed, ...person }) => ({
      ...person,
      sessionEpoch,
      mailConfirmed,
    })),
  ({ sessionEpoch, mailConfirmed, identity, ...person }: Omit<Person, "id">) => ({
    ...person,
    mail_confirmed: mailConfirmed,
    identity: identity && { iss: identity.iss, sub: identity.sub, signed_in: identity.signedIn },
    session_epoch: sessionEpoch,
  }),
);

/** @throws InvalidSettings when the file is invalid. */
export function parsePerson(id: PersonId, text: string): Person {
  return { id, ...personForm.parse(text) };
}

/** The file of a person, whose id is the name of the file. */
export function formatPerson(person: Person): string {
  const { id: _, ...stored } = person;
  return personForm.format(stored);
}

const session = z
  .strictObject({
    id: base64url,
    began: time,
    ends: time,
    method: z.enum(sessionMethods),
    browser: z.string(),
    provider_session: hash.optional(),
  })
  .transform(({ provider_session: providerSession, ...one }) => ({ ...one, providerSession }));

/** The sessions of persons. They are no part of a backup: whoever restores one signs in again. */
export const sessionLists: ListPlace<PersonId, PersonSession> = {
  folder: "sessions",
  ending: ".yaml",
  isName: isPersonId,
  form: listForm(["sessions", "sessions"], session, ({ providerSession, ...one }: PersonSession) => ({
    ...one,
    provider_session: providerSession,
  })),
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
