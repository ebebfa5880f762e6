/**
 * Invitations: a link by which a person chooses what they sign in with. It works once, and for a day. Its code names the
 * person and is signed, so that a code which was used or replaced is told from one that never was.
 */
import { roleOf, type ShownRole } from "../../domain/access/roles.ts";
import type { Invitation, Passkey, Person } from "../../domain/access/person.ts";
import { networkOf } from "../../domain/access/network.ts";
import { failure, invalid } from "../../domain/errors.ts";
import { isPersonId, type PersonId } from "../../domain/names.ts";
import type { HeldLock } from "../../disk/held-lock.ts";
import { requireLasting } from "../admin/reach.ts";
import { randomSecret } from "../admin/tokens.ts";
import { startPersonSession } from "../sessions.ts";
import { beginAttempt, knownDevice, signIn, type SignedIn, type Visitor } from "../sign-in.ts";
import { isEqual, sign } from "../signed-values.ts";
import type { Storage } from "../storage.ts";
import {
  auditedAs,
  createPerson,
  forgetSessions,
  invitedEvent,
  managePerson,
  withoutSessions,
  type NewPerson,
} from "./people.ts";
import { hashToken, type TeamGrant } from "../access.ts";

const lifetimeMs = 24 * 60 * 60 * 1000;

export interface NewInvitation {
  readonly url: string;
  /** ISO 8601, UTC. */
  readonly ends: string;
  /** What the person may do. */
  readonly role: ShownRole;
}

/**
 * Invites a person, who can then choose what they sign in with. An earlier invitation of theirs ends.
 * @param publicUrl the address of the server as people open it.
 * @throws SkepError `not-found` for nobody that the manager may manage; `forbidden` when the manager's rights end, since
 * whoever has the link could sign in for longer; `invalid` without an address, and for a person of
 * the identity provider.
 */
export async function invitePerson(
  storage: Storage,
  manager: TeamGrant,
  id: string,
  publicUrl: string | undefined,
): Promise<NewInvitation> {
  const invite = await inviter(storage, publicUrl, "id");
  return managePerson(storage, manager, id, async (person, caller, lock) => {
    requireLasting(caller);
    if (person.identity !== undefined) {
      throw invalid("id", "this person signs in at the identity provider, and needs no invitation");
    }
    const { invitation, url } = invite(person.id);
    await storage.audit.recordChange(invitedEvent(auditedAs(manager, person), invitation), () =>
      storage.registry.savePerson({ ...person, invitation }, lock),
    );
    return { url, ends: invitation.ends, role: roleOf(person) };
  });
}

/**
 * Creates a person who is invited at once, so that there is nobody without the invitation if it fails.
 * @throws SkepError as {@link createPerson}; `invalid` on `invite` without an address.
 */
export async function createInvitedPerson(
  storage: Storage,
  manager: TeamGrant,
  wanted: NewPerson,
  publicUrl: string | undefined,
): Promise<{ readonly person: Person; readonly invitation: NewInvitation }> {
  const invite = await inviter(storage, publicUrl, "invite");
  const { invitation, url } = invite(wanted.id);
  const person = await createPerson(storage, manager, wanted, invitation);
  return { person, invitation: { url, ends: invitation.ends, role: roleOf(person) } };
}

/**
 * Makes a function that makes invitations, each with its link.
 * @param field the member of the request that asks for one.
 * @throws SkepError `invalid` on the field without an address.
 */
async function inviter(
  storage: Storage,
  publicUrl: string | undefined,
  field: string,
): Promise<(id: PersonId) => { readonly invitation: Invitation; readonly url: string }> {
  if (publicUrl === undefined) {
    throw invalid(
      field,
      "nobody can be invited without --public-url, the address at which people open the server",
    );
  }
  const key = await storage.sessionKey.readOrCreate();
  return (id) => {
    const unsigned = `${id}.${randomSecret()}`;
    const code = `${unsigned}.${signatureOf(key, unsigned)}`;
    const ends = new Date(storage.now() + lifetimeMs).toISOString();
    const url = `${publicUrl}/invitation?code=${encodeURIComponent(code)}`;
    return { invitation: { hash: hashToken(code), ends }, url };
  };
}

/** How many wrong codes an address may try in 15 minutes. */
const maxWrong = 20;

/**
 * The person of an invitation. Looking does not use it up: programs open the links in mails, too.
 * @throws SkepError `gone` when it was used or replaced, or has ended; `not-found` for any other code;
 * `too-many-attempts` after many of these.
 */
export async function invitedPerson(storage: Storage, code: string, { client }: Visitor): Promise<Person> {
  const takeBack = beginAttempt(storage, ":invitation", networkOf(client ?? ""), {
    most: maxWrong,
    tried: "wrong codes",
  });
  const [, unsigned = "", id = "", signed = ""] =
    /^(([a-z0-9-]{1,64})\.\w{32})\.([\w-]{43})$/.exec(code) ?? [];
  const key = storage.sessionKey.read();
  const isGenuine = key !== undefined && isPersonId(id) && isEqual(signed, signatureOf(key, unsigned));
  if (!isGenuine) {
    throw failure("not-found", "There is no such invitation. Was all of the link copied?");
  }
  takeBack();
  const person = await storage.registry.person(id);
  if (person !== undefined && isOpen(person, code, storage.now())) return person;
  throw failure("gone", "This invitation was used or replaced, or has ended. Ask for a new one.");
}

function isOpen({ invitation, disabled, removed, identity }: Person, code: string, now: number): boolean {
  if (invitation === undefined || disabled || removed !== undefined || identity !== undefined) return false;
  const left = Date.parse(invitation.ends) - now;
  // One that ends later than any may was made while the clock was ahead.
  return isEqual(invitation.hash, hashToken(code)) && left > 0 && left <= 2 * lifetimeMs;
}

/** What a person signs in with from now on. */
export type Credentials = { readonly password: string } | { readonly passkey: Passkey };

/**
 * Uses an invitation: the person has what they chose in place of all before, and is signed in; their other sessions end.
 * @param choose gives what the person chose.
 * @throws SkepError as {@link invitedPerson}; what `choose` throws: then the invitation can still be used.
 */
export async function useInvitation(
  storage: Storage,
  code: string,
  { visitor, browser }: { readonly visitor: Visitor; readonly browser: string },
  choose: (person: Person) => Promise<Credentials>,
): Promise<SignedIn> {
  const invited = await invitedPerson(storage, code, visitor);
  const { id, team } = invited;
  const attempt = { name: id, method: "invitation", visitor, team, person: id } as const;
  const { person } = await signIn(storage, attempt, async () => {
    // Hashing a password takes long, so an attempt counts before.
    const chosen = await choose(invited);
    const changed = await storage.lockTeam(team, (lock) => take(storage, code, { visitor, chosen, lock }));
    return { person: changed, team, by: { person: id } };
  });
  const session = await startPersonSession(storage, person, { method: "invitation", browser });
  return { ...session, device: await knownDevice(storage, id, visitor) };
}

async function take(
  storage: Storage,
  code: string,
  given: { readonly visitor: Visitor; readonly chosen: Credentials; readonly lock: HeldLock },
): Promise<Person> {
  const { visitor, chosen, lock } = given;
  // Read again under the lock: of two who use it at once, one does.
  const person = await invitedPerson(storage, code, visitor);
  const changed = withoutSessions({
    ...person,
    password: "password" in chosen ? chosen.password : undefined,
    passkeys: "passkey" in chosen ? [chosen.passkey] : [],
    invitation: undefined,
  });
  const event = {
    event: "invitation_used",
    team: person.team,
    person: person.id,
    by: { person: person.id },
    client: visitor.client,
    after: { sign_in: "password" in chosen ? "password" : "passkey" },
  } as const;
  await storage.audit.recordChange(event, () => storage.registry.savePerson(changed, lock));
  await forgetSessions(storage, changed);
  return changed;
}

function signatureOf(key: Buffer, unsigned: string): string {
  return sign(key, ["invitation", unsigned]);
}
