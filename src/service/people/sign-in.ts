/** Persons sign in with what they chose when they were invited. */
import { isActive, type Person, type SessionMethod } from "../../domain/access/person.ts";
import { failure, type SkepError } from "../../domain/errors.ts";
import { isPersonId } from "../../domain/names.ts";
import { startPersonSession } from "../sessions.ts";
import { knownDevice, signIn, type SignedIn, type Visitor } from "../sign-in.ts";
import type { Storage } from "../storage.ts";
import { isPassword } from "./passwords.ts";
import { findPerson } from "./people.ts";

/** Who signs in, and from where. */
export interface PersonVisitor {
  readonly visitor: Visitor;
  /** The `User-Agent` of the browser. */
  readonly browser: string;
}

/** Counts attempts at what cannot be an id. An unknown id has a count of its own, as a known one has. */
export const nobody = ":nobody";

/**
 * Signs a person in with their password.
 * @param id as it was typed.
 * @throws SkepError `unauthenticated`, the same for an unknown person and a wrong password; `too-many-attempts`; `busy`.
 */
export async function signInWithPassword(
  storage: Storage,
  { id, password }: { readonly id: string; readonly password: string },
  from: PersonVisitor,
): Promise<SignedIn> {
  const person = await findPerson(storage, id);
  return signInPerson(
    storage,
    isPersonId(id) ? id : nobody,
    person,
    { ...from, method: "password" },
    async () => {
      const isRight = await isPassword(person?.password, password);
      if (!isRight || person === undefined || !isActive(person)) {
        throw failure("unauthenticated", "Unauthenticated.");
      }
      return person;
    },
  );
}

/** Signs a person in. @param verify checks what they present. @throws SkepError as {@link signIn}. */
export async function signInPerson(
  storage: Storage,
  name: string,
  person: Person | undefined,
  { visitor, browser, method }: PersonVisitor & { readonly method: SessionMethod },
  verify: () => Promise<Person>,
): Promise<SignedIn> {
  const about = person && { team: person.team, person: person.id };
  const reasonOf = ({ publicCode }: SkepError): string =>
    publicCode === "invalid_token" ? `wrong_${method}` : publicCode;
  const attempt = { name, method, reasonOf, visitor, ...about };
  const { verified } = await signIn(storage, attempt, async () => {
    const checked = await verify();
    return { verified: checked, team: checked.team, by: { person: checked.id } };
  });
  const session = await startPersonSession(storage, verified, { method, browser });
  return { ...session, device: await knownDevice(storage, verified.id, visitor) };
}
