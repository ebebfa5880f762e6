/** Persons for tests. */
import { ownerGrant } from "./tokens.ts";
import type { Ability, ReviewRule } from "../../../src/domain/access/token.ts";
import type { Identity, Person, SessionMethod } from "../../../src/domain/access/person.ts";
import { toPersonId, toTeamName } from "../../../src/domain/names.ts";
import { authorizeTeam, callerOf } from "../../../src/service/access.ts";
import { createPersonalToken, type PersonalTokenRequest } from "../../../src/service/people/own.ts";
import { createPerson } from "../../../src/service/people/people.ts";
import { startPersonSession } from "../../../src/service/sessions.ts";
import type { Storage } from "../../../src/service/storage.ts";
import { makeHive, memoryDisk, memoryFolder, memoryStorage } from "../storage.ts";

/** Servers of one storage, which has the Hive `web`. @param clock is set to the first moment of 2026. */
export async function makeServers(clock: {
  now: number;
}): Promise<{ readonly storage: Storage; readonly another: () => Storage }> {
  clock.now = Date.parse("2026-01-01T00:00:00Z");
  const [disk, folder] = [memoryDisk(), memoryFolder()];
  const another = (): Storage => memoryStorage({ disk, folder, now: () => clock.now });
  const storage = another();
  await makeHive(storage, "web");
  return { storage, another };
}

export interface PersonOptions {
  readonly id?: string;
  readonly team?: string;
  readonly name?: string;
  readonly abilities?: readonly Ability[];
  readonly hives?: "all" | readonly string[];
  readonly locales?: readonly string[];
  readonly review?: ReviewRule;
  /** Makes them a person of the identity provider, who has just signed in. */
  readonly identity?: Omit<Identity, "signedIn">;
}

/** Makes a person, able to read and write all of the team if not told otherwise. */
export async function makePerson(storage: Storage, options: PersonOptions = {}): Promise<Person> {
  const { id = "anna", team = "acme", name = "Anna Bauer", abilities = ["read", "write"] } = options;
  const { hives = "all", locales, review, identity } = options;
  const manager = ownerGrant(toTeamName(team));
  const wanted = { id: toPersonId(id), name, abilities, hives, locales, review };
  const person = await createPerson(storage, manager, wanted);
  if (identity === undefined) return person;
  const signedIn = new Date(storage.now()).toISOString();
  return changeStored(storage, { ...person, identity: { ...identity, signedIn } });
}

/** Stores a person as it is given. */
export async function changeStored(storage: Storage, person: Person): Promise<Person> {
  await storage.lockTeam(person.team, (lock) => storage.registry.savePerson(person, lock));
  return person;
}

/** A token of a person, who is made if they are missing; with their rights if not told otherwise. */
export async function makePersonalToken(
  storage: Storage,
  options: PersonOptions = {},
  request: Partial<PersonalTokenRequest> = {},
): Promise<string> {
  const { id = "anna" } = options;
  const person = (await storage.registry.person(toPersonId(id))) ?? (await makePerson(storage, options));
  const caller = await callerOf(storage, person);
  if (caller === undefined) throw new Error(`${id} may do nothing`);
  const grant = authorizeTeam(caller, "read", false);
  return (await createPersonalToken(storage, grant, { abilities: person.abilities, ...request })).token;
}

/** Begins a session of a person. @returns its value. */
export async function signInAs(
  storage: Storage,
  person: Person,
  method: SessionMethod = "password",
): Promise<string> {
  return (await startPersonSession(storage, person, { method, browser: "Test/1" })).value;
}
