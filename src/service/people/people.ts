/** Creates, lists, changes and removes persons, for callers within their own reach, and for commands. */
import { abilitiesOf, type Role } from "../../domain/access/roles.ts";
import { personFacts, type AuditEvent } from "../../domain/access/audit.ts";
import { removedPerson, withMail, type Invitation, type Person } from "../../domain/access/person.ts";
import { isWithin } from "../../domain/access/principal.ts";
import { failure, invalid, Issues } from "../../domain/errors.ts";
import { toDisplayName } from "../../domain/hives/hive-settings.ts";
import { isPersonId, type PersonId, type TeamName } from "../../domain/names.ts";
import { checkRoom } from "../../domain/plans/quota.ts";
import { excerpt, textProblem } from "../../domain/text.ts";
import type { HeldLock } from "../../disk/held-lock.ts";
import { auditedBy, reauthoriseTeam, type Caller, type TeamGrant } from "../access.ts";
import { isWithinRights, requireLasting, rightsWithin, type WantedRights } from "../admin/granted-rights.ts";
import { removeToken, requireNoAdmin, withoutRepeats } from "../admin/tokens.ts";
import type { AccessStorage, StorageBase } from "../storage.ts";

export interface NewPerson extends WantedRights {
  readonly id: PersonId;
  /** The id if not given. */
  readonly name?: string;
  /** In place of abilities. */
  readonly role?: Role;
  readonly mail?: string;
}

/** What is to change; null takes a value away, and what is undefined stays. */
export interface PersonChange extends Partial<Pick<WantedRights, "abilities" | "hives">> {
  /** In place of abilities. */
  readonly role?: Role;
  readonly name?: string;
  readonly mail?: string | null;
  readonly locales?: readonly string[] | null;
  readonly review?: WantedRights["review"] | null;
  readonly disabled?: boolean;
}

/** The person with an id who was not removed. */
export async function findPerson({ registry }: StorageBase, id: string): Promise<Person | undefined> {
  const person = isPersonId(id) ? await registry.person(id) : undefined;
  return person?.removed === undefined ? person : undefined;
}

/** The team of a person, also one who was removed. @throws SkepError `not-found` when nobody has the id. */
export async function teamOfPerson({ registry }: StorageBase, id: string): Promise<TeamName> {
  const person = isPersonId(id) ? await registry.person(id) : undefined;
  if (person !== undefined) return person.team;
  throw failure("not-found", `There is no person "${excerpt(id)}".`, { publicCode: "unknown_person" });
}

/** The person whom an identity provider names so. */
export async function findPersonByIdentity(
  { registry }: StorageBase,
  iss: string,
  sub: string,
): Promise<Person | undefined> {
  return (await registry.people()).find(({ identity }) => identity?.iss === iss && identity.sub === sub);
}

/**
 * Creates a person.
 * @param invitation the one that they have at once.
 * @throws SkepError `conflict` when somebody has or had the id; `forbidden` when the manager's rights end; `invalid` on
 * each field that is wrong or exceeds the manager's rights; `quota`; what {@link reauthoriseTeam} throws.
 */
export function createPerson(
  storage: StorageBase,
  manager: TeamGrant,
  wanted: NewPerson,
  invitation?: Invitation,
): Promise<Person> {
  const { id } = wanted;
  const name = toDisplayName(wanted.name ?? id);
  const mail = wanted.mail === undefined ? undefined : toMail(wanted.mail);
  return manage(storage, manager, async (caller, lock) => {
    requireLasting(caller);
    const person: Person = {
      id,
      team: caller.team.name,
      name,
      mail,
      ...checkedRights(caller, wanted),
      disabled: false,
      passkeys: [],
      invitation,
      created: new Date(storage.now()).toISOString(),
    };
    const { maxTokens } = storage.limits;
    if (maxTokens < Infinity) {
      checkRoom("This team", "person", (await peopleOf(storage, caller.team.name)).length, maxTokens);
    }
    const { audit, registry } = storage;
    const by = auditedAs(manager, person);
    const add = () => registry.addPerson(person, lock);
    await audit.recordChange({ event: "person_added", ...by, after: personFacts(person) }, () =>
      invitation === undefined ? add() : audit.recordChange(invitedEvent(by, invitation), add),
    );
    return person;
  });
}

/** The event of an invitation. */
export function invitedEvent(by: ReturnType<typeof auditedAs>, { ends }: Invitation): AuditEvent {
  return { event: "invited", ...by, after: { ends } };
}

/**
 * Whether a caller may manage a person of their team: who reaches no more Hives, and who is reviewed, if the caller always
 * is. An invitation would be a takeover of more than they have.
 */
function manages(caller: Caller, person: Person): boolean {
  const isReviewed = caller.principal.review === "always";
  return isWithinRights(caller, person) && (!isReviewed || person.review === "always");
}

/** The persons of a team, by id. */
async function peopleOf({ registry }: StorageBase, team: TeamName): Promise<readonly Person[]> {
  return (await registry.people()).filter((person) => person.team === team);
}

/** The persons that a caller may manage, by id. */
export async function listPeople(storage: StorageBase, caller: Caller): Promise<readonly Person[]> {
  return (await peopleOf(storage, caller.team.name)).filter((person) => manages(caller, person));
}

/**
 * The person with an id that a caller may manage; also one who was removed, whose name the history may need.
 * @throws SkepError `not-found` for anybody else, whether they exist or not.
 */
export async function getPerson({ registry }: StorageBase, caller: Caller, id: string): Promise<Person> {
  const person = isPersonId(id) ? await registry.person(id) : undefined;
  if (person?.team === caller.team.name && manages(caller, person)) return person;
  throw unknownPerson();
}

/**
 * Changes a person. Their sessions and tokens have the changed rights from the next request; disabling ends all sessions.
 * @throws SkepError `not-found` for nobody that the manager may manage; `forbidden` when the person would get more, and
 * the manager's rights end; `invalid` on each field that is wrong or exceeds the manager's rights, and on rights that
 * the identity provider decides.
 */
export function changePerson(
  storage: AccessStorage,
  manager: TeamGrant,
  id: string,
  change: PersonChange,
): Promise<Person> {
  return managePerson(storage, manager, id, async (person, caller, lock) => {
    const { role, abilities, hives, locales, review, name, mail, disabled = person.disabled } = change;
    const isOfRights = [role, abilities, hives, locales, review].some((wanted) => wanted !== undefined);
    if (isOfRights && person.identity !== undefined) {
      throw invalid(
        abilitiesField(change),
        "the groups at the identity provider decide what this person may do",
      );
    }
    const rights = isOfRights
      ? checkedRights(caller, {
          role,
          abilities: abilities ?? person.abilities,
          hives: hives ?? person.hives,
          locales: locales === undefined ? person.locales : (locales ?? undefined),
          review: review === undefined ? person.review : (review ?? undefined),
        })
      : {};
    const address = mail === undefined ? person.mail : mail === null ? undefined : toMail(mail);
    const changed: Person = {
      ...withMail(person, address),
      ...rights,
      name: name === undefined ? person.name : toDisplayName(name),
      disabled,
    };
    if (!isWithin(changed, person) || (person.disabled && !disabled)) {
      requireLasting(caller);
    }
    const after = disabled && !person.disabled ? withoutSessions(changed) : changed;
    const event =
      disabled === person.disabled ? "person_changed" : disabled ? "person_disabled" : "person_enabled";
    const facts = { before: personFacts(person), after: personFacts(after) };
    await storage.audit.recordChange({ event, ...auditedAs(manager, person), ...facts }, () =>
      storage.registry.savePerson(after, lock),
    );
    if (after.sessionEpoch !== person.sessionEpoch) await forgetSessions(storage, person);
    return after;
  });
}

/** Empties the list of a person's sessions, which have ended: they must not look as if they were open. */
export function forgetSessions({ personSessions, now }: AccessStorage, { id }: Person): Promise<void> {
  return personSessions.change(id, now(), () => []);
}

/**
 * Removes a person with their tokens; the id and the name stay for the history.
 * @throws SkepError `not-found` for nobody that the manager may manage.
 */
export function removePerson(storage: AccessStorage, manager: TeamGrant, id: string): Promise<Person> {
  return managePerson(storage, manager, id, async (person, _, lock) => {
    const { audit, registry, now } = storage;
    const removed = removedPerson(person, new Date(now()).toISOString());
    const by = auditedAs(manager, person);
    await audit.recordChange({ event: "person_removed", ...by, before: personFacts(person) }, () =>
      registry.savePerson(removed, lock),
    );
    await removeTokensOf(storage, lock, person, by);
    await forgetSessions(storage, person);
    await storage.inboxes.remove(person.id);
    return removed;
  });
}

/** Who does something to a person, as the audit log names them. */
export function auditedAs(
  manager: TeamGrant,
  { id: person, team }: Pick<Person, "id" | "team">,
): Pick<AuditEvent, "team" | "person" | "by" | "client"> {
  return { ...auditedBy(manager), team, person };
}

/** Revokes the tokens of a person. The caller holds the lock of their team. @param by who does it, for the audit log. */
export async function removeTokensOf(
  storage: StorageBase,
  lock: HeldLock,
  person: Person,
  by: Pick<AuditEvent, "by" | "client">,
): Promise<void> {
  for (const token of await storage.registry.tokensOf(person.team)) {
    if (token.person === person.id) await removeToken(storage, lock, token, by);
  }
}

/** A person all of whose sessions have ended. */
export function withoutSessions(person: Person): Person {
  return { ...person, sessionEpoch: (person.sessionEpoch ?? 0) + 1 };
}

/**
 * Runs a function on a person under their team's lock, as they are then.
 * @throws SkepError `not-found` for nobody that the manager may manage; what {@link reauthoriseTeam} throws.
 */
export function managePerson<T>(
  storage: StorageBase,
  manager: TeamGrant,
  id: string,
  run: (person: Person, caller: Caller, lock: HeldLock) => Promise<T>,
): Promise<T> {
  return manage(storage, manager, async (caller, lock) => {
    const person = await getPerson(storage, caller, id);
    if (person.removed !== undefined) throw unknownPerson();
    return run(person, caller, lock);
  });
}

function manage<T>(
  storage: StorageBase,
  manager: TeamGrant,
  run: (caller: Caller, lock: HeldLock) => Promise<T>,
): Promise<T> {
  return storage.lockTeam(manager.team, async (lock) => run(await reauthoriseTeam(storage, manager), lock));
}

function checkedRights(
  caller: Caller,
  { role, ...wanted }: WantedRights & Pick<NewPerson, "role">,
): ReturnType<typeof rightsWithin> {
  const issues = new Issues();
  const field = abilitiesField({ role });
  const abilities = role === undefined ? wanted.abilities : abilitiesOf(role);
  const rights = rightsWithin(caller, { ...wanted, abilities }, issues, field);
  issues.throwIfAny();
  requireNoAdmin(rights, field);
  return withoutRepeats(rights);
}

/** The member of a request that says what somebody may do. */
function abilitiesField({ role }: Pick<NewPerson, "role">): "role" | "abilities" {
  return role === undefined ? "abilities" : "role";
}

/** Nobody is recognised by it. @throws SkepError `invalid` on `mail`. */
export function toMail(text: string): string {
  const problem = textProblem(text);
  if (problem !== undefined) throw invalid("mail", problem);
  if (text.length <= 254 && /^[^\s@<>]+@[^\s@<>]+$/.test(text)) return text;
  throw invalid("mail", "must be a mail address of at most 254 characters");
}

function unknownPerson(): Error {
  return failure("not-found", "There is no such person whom you may manage.", {
    publicCode: "unknown_person",
  });
}
