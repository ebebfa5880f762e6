/** Signs people in and out by an identity provider, with the rights of their groups. */
import { z } from "zod";
import { personFacts, type AuditEvent } from "../../domain/access/audit.ts";
import { withMail, type Person, type PersonSession } from "../../domain/access/person.ts";
import { givenRights, idFromName, type GivenRights } from "../../domain/access/provider-rules.ts";
import { cleanLine } from "../../domain/commits/commit-message.ts";
import { failure, isFailure, type SkepError } from "../../domain/errors.ts";
import { maxNameLength } from "../../domain/hives/hive-settings.ts";
import { isPersonId, type TeamName } from "../../domain/names.ts";
import { checkRoom } from "../../domain/plans/quota.ts";
import { combineLocks, type HeldLock } from "../../disk/held-lock.ts";
import { hashToken } from "../access.ts";
import { startPersonSession } from "../sessions.ts";
import { knownDevice, signIn, type SignedIn, type Visitor } from "../sign-in.ts";
import { signValue, verifiedValue } from "../signed-values.ts";
import type { AccessStorage, StorageBase } from "../storage.ts";
import { findPersonByIdentity, forgetSessions, removeTokensOf, withoutSessions } from "./people.ts";
import type { Provider, ProviderIdentity, AuthorizationRequest } from "./provider.ts";

/** How long a sign-in may take at the provider, in seconds. */
export const pendingSeconds = 600;

const pendingSignIn = z.object({
  request: z.object({ issuer: z.string(), state: z.string(), nonce: z.string(), verifier: z.string() }),
  to: z.string(),
});

export interface PendingSignIn {
  readonly request: AuthorizationRequest;
  /** The page to show afterwards, as the browser asked. */
  readonly to: string;
}

/** The signed value of a cookie for a sign-in that begins. */
export async function packSignIn(
  { sessionKey, now }: AccessStorage,
  pending: PendingSignIn,
): Promise<string> {
  return signValue(await sessionKey.readOrCreate(), "oidc", pending, now() + pendingSeconds * 1000);
}

/** The sign-in that a browser began; undefined for anything but what this server gave it within ten minutes. */
export function unpackSignIn(
  { sessionKey, now }: AccessStorage,
  value: string | undefined,
): PendingSignIn | undefined {
  return pendingSignIn.safeParse(verifiedValue(sessionKey.read(), "oidc", value, now())).data;
}

/** The audit log has the whole message, for whoever sets the provider up. */
const reasonOf = ({ message }: SkepError): string => message;

/**
 * All attempts of an address count together, since the person is known only afterwards. There is nothing to guess, so that
 * they are as many as an address may have.
 */
const attemptName = ":oidc";
const mostAttempts = 100;

export interface ProviderAnswer {
  /** The query of the authorization response. */
  readonly search: string;
  /** Undefined for a browser in which no sign-in began. */
  readonly request: AuthorizationRequest | undefined;
  readonly visitor: Visitor;
  /** The `User-Agent` of the browser. */
  readonly browser: string;
}

/**
 * Ends a sign-in at the provider.
 * @throws SkepError `unauthenticated` for an answer that cannot be trusted; `forbidden` for people who may do nothing, or
 * are disabled; `busy` when the provider does not answer; `quota`; what {@link signIn} throws.
 */
export async function signInAtProvider(
  storage: AccessStorage,
  provider: Provider,
  { search, request, visitor, browser }: ProviderAnswer,
): Promise<SignedIn> {
  const attempt = { name: attemptName, method: "oidc", most: mostAttempts, visitor, reasonOf } as const;
  const { person, providerSession } = await signIn(storage, attempt, async () => {
    if (request === undefined) {
      const advice = "Begin again, in one browser and within ten minutes";
      throw failure(
        "unauthenticated",
        `This sign-in did not begin in this browser, or too long ago. ${advice}.`,
      );
    }
    const identity = await provider.finish(search, request);
    const admitted = await admit(storage, provider, identity, visitor.client);
    return {
      team: admitted.team,
      by: { person: admitted.id },
      person: admitted,
      providerSession: identity.session,
    };
  });
  const session = await startPersonSession(storage, person, { method: "oidc", browser, providerSession });
  return { ...session, device: await knownDevice(storage, attemptName, visitor) };
}

/** The person that an identity stands for, with the rights of their groups now. */
async function admit(
  storage: AccessStorage,
  { options: { rules, name, groups: claim } }: Provider,
  identity: ProviderIdentity,
  client: string | undefined,
): Promise<Person> {
  const given = givenRights(rules, identity.groups ?? []);
  for (;;) {
    const known = await findPersonByIdentity(storage, identity.iss, identity.sub);
    const teams = [given?.team, known?.team].filter((team) => team !== undefined);
    const result = await lockTeams(storage, teams, async (lock): Promise<Person | "moved" | undefined> => {
      const person = await findPersonByIdentity(storage, identity.iss, identity.sub);
      if (person?.team !== known?.team) return "moved";
      if (given !== undefined) return grantRights(storage, lock, { person, identity, given, client });
      if (person !== undefined) await revokeRights(storage, lock, person, client);
      return undefined;
    });
    if (result === "moved") continue;
    if (result !== undefined) return result;
    const problem =
      identity.groups === undefined
        ? `${name} does not say which groups you have: its answer has no "${claim}".`
        : `None of your groups at ${name} gives you access here.`;
    throw failure("forbidden", problem);
  }
}

/** Runs a function under the locks of some teams, which are taken in one order. */
function lockTeams<T>(
  storage: StorageBase,
  teams: readonly TeamName[],
  run: (lock: HeldLock) => Promise<T>,
  held: readonly HeldLock[] = [],
): Promise<T> {
  const [next, ...others] = [...new Set(teams)].toSorted();
  if (next === undefined) return run(combineLocks(...held));
  return storage.lockTeam(next, (lock) => lockTeams(storage, others, run, [...held, lock]));
}

interface Admission {
  readonly person: Person | undefined;
  readonly identity: ProviderIdentity;
  readonly given: GivenRights;
  readonly client: string | undefined;
}

/** Creates or changes a person, so that they have the rights of their groups. */
async function grantRights(
  storage: AccessStorage,
  lock: HeldLock,
  { person, identity, given, client }: Admission,
): Promise<Person> {
  const { audit, registry, now, limits } = storage;
  const { team, abilities, hives, locales } = given;
  if ((await registry.team(team)) === undefined) {
    throw failure("forbidden", `Your group belongs to the team "${team}", which does not exist here.`);
  }
  if (person?.disabled === true) throw failure("forbidden", "An admin has disabled your access.");
  const signedIn = new Date(now()).toISOString();
  const { iss, sub, mail } = identity;
  const current = {
    team,
    abilities,
    hives,
    locales,
    name: cleanLine(identity.name ?? mail ?? "", maxNameLength) || sub,
    mail: mail !== undefined && mail.length <= 254 && /^[^\s@<>]+@[^\s@<>]+$/.test(mail) ? mail : undefined,
    identity: { iss, sub, signedIn },
  };
  if (person === undefined) {
    if (limits.maxTokens < Infinity) {
      const others = (await registry.people()).filter((other) => other.team === team);
      checkRoom("This team", "person", others.length, limits.maxTokens);
    }
    return addPerson(
      storage,
      lock,
      { ...current, disabled: false, passkeys: [], created: signedIn },
      { identity, client },
    );
  }
  const hasMoved = person.team !== team;
  const changed: Person = { ...withMail(person, current.mail), ...current };
  const after = hasMoved ? withoutSessions(changed) : changed;
  const by = { team, person: person.id, by: { person: person.id }, client };
  if (hasMoved) await removeTokensOf(storage, lock, person, by);
  const facts = { before: factsOf(person), after: factsOf(after) };
  const save = (): Promise<void> => registry.savePerson(after, lock);
  const isSame = JSON.stringify(facts.before) === JSON.stringify(facts.after);
  await (isSame ? save() : audit.recordChange({ event: "person_changed", ...by, ...facts }, save));
  if (hasMoved) await forgetSessions(storage, person);
  return after;
}

function factsOf(person: Person): AuditEvent["before"] {
  return { team: person.team, ...personFacts(person) };
}

/** Creates a person under the first free id that is like their name. */
async function addPerson(
  { audit, registry }: StorageBase,
  lock: HeldLock,
  wanted: Omit<Person, "id">,
  { identity, client }: Pick<Admission, "identity" | "client">,
): Promise<Person> {
  const base = idFromName([identity.username, identity.mail, identity.name]);
  for (let n = 1; ; n++) {
    const id = n === 1 ? base : `${base}-${n}`;
    if (!isPersonId(id) || (await registry.person(id)) !== undefined) continue;
    const person: Person = { id, ...wanted };
    const event = { team: person.team, person: id, client, method: "oidc", after: factsOf(person) } as const;
    try {
      await audit.recordChange({ event: "person_added", ...event }, () => registry.addPerson(person, lock));
      return person;
    } catch (error) {
      // Another team has just taken the id.
      if (!isFailure(error, "conflict")) throw error;
    }
  }
}

/** Takes everything from a person who has lost their groups: their rights, sessions and tokens. */
async function revokeRights(
  storage: AccessStorage,
  lock: HeldLock,
  person: Person,
  client: string | undefined,
): Promise<void> {
  const { audit, registry } = storage;
  const after = withoutSessions({ ...person, abilities: [], hives: [], locales: undefined });
  const by = { team: person.team, person: person.id, client, method: "oidc" } as const;
  if (person.abilities.length > 0) {
    const facts = { before: personFacts(person), after: personFacts(after) };
    await audit.recordChange({ event: "person_changed", ...by, ...facts }, () =>
      registry.savePerson(after, lock),
    );
  }
  await removeTokensOf(storage, lock, person, by);
  await forgetSessions(storage, person);
}

/**
 * Ends the sessions of somebody who has signed out at the provider, as far as they began before: all of theirs, or those of
 * the session at the provider that the token names. Where it names the person, too, their sessions end of which the
 * provider did not say to which of its own they belong.
 * @param token the logout token that the provider sent.
 * @throws SkepError `unauthenticated` when it cannot be trusted; `busy` when the provider does not answer.
 */
export async function signOutAtProvider(
  storage: AccessStorage,
  provider: Provider,
  token: string,
): Promise<void> {
  const { iss, sub, session, at } = await provider.verifyLogout(token);
  const { audit, personSessions, registry, now } = storage;
  const named = session === undefined ? undefined : hashToken(session);
  const remains = ({ began, providerSession }: PersonSession): boolean => {
    const isNamed =
      named === undefined ||
      providerSession === named ||
      (sub !== undefined && providerSession === undefined);
    // The token has whole seconds: a session of the same second ends, too.
    return !isNamed || Date.parse(began) >= (at + 1) * 1000;
  };
  const people = (await registry.people()).filter(
    ({ identity }) => identity?.iss === iss && (sub === undefined || identity.sub === sub),
  );
  for (const { id, team } of people) {
    if (personSessions.of(id, now()).every(remains)) continue;
    const event = { event: "session_ended", team, person: id, method: "oidc" } as const;
    await audit.recordChange(event, () =>
      personSessions.change(id, now(), (before) => before.filter(remains)),
    );
  }
}
