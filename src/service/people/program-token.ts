/** The token that a program gets for a person who has allowed it. */
import type { SignInMethod } from "../../domain/access/audit-events.ts";
import { allows, type Ability } from "../../domain/access/token.ts";
import type { PersonId } from "../../domain/names.ts";
import type { MadeToken } from "../admin/tokens.ts";
import { auditedBy, authorizeTeam, callerOf } from "../access.ts";
import type { StorageBase } from "../storage.ts";
import { createPersonalToken } from "./own.ts";
import { findPerson } from "./people.ts";

/** A program that a person has allowed. */
export interface AllowedProgram {
  readonly person: PersonId;
  /** What it calls itself; empty where it says nothing. */
  readonly name: string;
  /** What it may do; by default all that the person may. */
  readonly abilities?: readonly Ability[];
  /** The address of the program. */
  readonly client: string | undefined;
  readonly method: SignInMethod;
}

/**
 * Makes the token of a program.
 * @returns undefined when the person has left, or may not read any more.
 * @throws SkepError as {@link createPersonalToken}.
 */
export async function makeProgramToken(
  storage: StorageBase,
  { person: id, name, abilities, client, method }: AllowedProgram,
): Promise<MadeToken | undefined> {
  const person = await findPerson(storage, id);
  const caller = person && (await callerOf(storage, person));
  if (person === undefined || caller === undefined || !allows(caller.principal, "read")) return undefined;
  const grant = authorizeTeam({ ...caller, client }, "read", false);
  await storage.audit.record({ event: "signed_in", ...auditedBy(grant), person: person.id, method });
  return createPersonalToken(storage, grant, {
    name: name === "" ? undefined : name,
    // They may have lost some since they allowed it.
    abilities: abilities?.filter((ability) => allows(person, ability)) ?? person.abilities,
  });
}
