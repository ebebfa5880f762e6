/**
 * Invitations: a link by which a person chooses what they sign in with. It works once, and for a day. Its code names the
 * person and is signed, so that a code which was used or replaced is told from one that never was.
 */
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { roleOf, type ShownRole } from "../../domain/access/roles.ts";
import { confirmedMail, type Invitation, type Passkey, type Person } from "../../domain/access/person.ts";
import { networkOf } from "../../domain/access/network.ts";
import { failure, invalid } from "../../domain/errors.ts";
import { isPersonId, toPersonId, type PersonId } from "../../domain/names.ts";
import type { HeldLock } from "../../disk/held-lock.ts";
import { requireLasting } from "../admin/granted-rights.ts";
import { randomSecret } from "../admin/tokens.ts";
import { startPersonSession } from "../sessions.ts";
import { beginAttempt, knownDevice, signIn, type SignedIn, type Visitor } from "../sign-in.ts";
import { isEqual, sign, signValue, verifiedValue } from "../signed-values.ts";
import type { AccessStorage } from "../storage.ts";
import {
  auditedAs,
  createPerson,
  findPerson,
  forgetSessions,
  invitedEvent,
  managePerson,
  withoutSessions,
  type NewPerson,
} from "./people.ts";
import { hashToken, type TeamGrant } from "../access.ts";
import { nobody } from "./sign-in.ts";

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
  storage: AccessStorage,
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
  storage: AccessStorage,
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
  storage: AccessStorage,
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
export async function invitedPerson(
  storage: AccessStorage,
  code: string,
  { client }: Visitor,
): Promise<Person> {
  const takeBack = beginAttempt(storage, ":invitation", networkOf(client ?? ""), {
    most: maxWrong,
    tried: "wrong codes",
  });
  const [, unsigned = "", id = "", signed = ""] =
    /^(([a-z0-9-]{1,64})\.\w{32})\.([\w-]{43})$/.exec(code) ?? [];
  const key = storage.sessionKey.read();
  const isGenuine = key !== undefined && isPersonId(id) && isEqual(signed, signatureOf(key, unsigned));
  const reset = isGenuine ? undefined : resetIn(storage, code);
  if (!isGenuine && reset === undefined) {
    throw failure("not-found", "There is no such invitation. Was all of the link copied?");
  }
  takeBack();
  const person = await storage.registry.person(reset?.id ?? toPersonId(id));
  const isUsable =
    reset === undefined
      ? (one: Person) => isOpen(one, code, storage.now())
      : (one: Person) => mayReset(one) && isDeepStrictEqual(resetOf(one), reset);
  if (person !== undefined && isUsable(person)) return person;
  throw failure("gone", "This invitation was used or replaced, or has ended. Ask for a new one.");
}

const resettableMs = 60 * 60 * 1000;

/** What a link to choose a new password is made for: it holds as long as nobody has used one, and the address is the same. */
function resetOf({ id, mail = "", sessionEpoch = 0 }: Person) {
  return { id, mail, epoch: sessionEpoch };
}

function mayReset(person: Person): boolean {
  return confirmedMail(person) !== undefined && person.identity === undefined;
}

function resetIn({ sessionKey, now }: AccessStorage, code: string): ReturnType<typeof resetOf> | undefined {
  return resetForm.safeParse(verifiedValue(sessionKey.read(), "reset", code, now())).data;
}

const resetForm = z.strictObject({
  id: z.custom<PersonId>((value) => typeof value === "string" && isPersonId(value)),
  mail: z.string(),
  epoch: z.number(),
});

/** How often somebody may ask for a new password of one person. */
const maxResets = 5;

/**
 * Counts a request for a new password, whether there is such a person or not.
 * @param name the user name as it was typed.
 * @throws SkepError `too-many-attempts`.
 */
export function countForgotten(storage: AccessStorage, name: string, { client }: Visitor): void {
  const asked = isPersonId(name) ? name : nobody;
  const limit = { most: maxResets, tried: "requests for a new password" };
  beginAttempt(storage, `:forgotten ${asked}`, networkOf(client ?? ""), limit);
}

/**
 * Makes the link by which somebody who has forgotten their password chooses another, once and within an hour.
 * @param name the user name as it was typed; its request was counted.
 * @returns the person, their address and the path of the link; undefined for whoever has no confirmed address, which nobody
 * may learn.
 */
export async function forgottenPassword(
  storage: AccessStorage,
  name: string,
  { client }: Visitor,
): Promise<{ readonly person: Person; readonly to: string; readonly path: string } | undefined> {
  const person = await findPerson(storage, name);
  const to = person && mayReset(person) ? confirmedMail(person) : undefined;
  if (person === undefined || to === undefined) return undefined;
  const key = await storage.sessionKey.readOrCreate();
  const ends = storage.now() + resettableMs;
  const code = signValue(key, "reset", resetOf(person), ends);
  const { id, team } = person;
  const after = { ends: new Date(ends).toISOString(), mailed: true };
  await storage.audit.record({ event: "invited", team, person: id, by: { person: id }, client, after });
  return { person, to, path: `/invitation?code=${encodeURIComponent(code)}` };
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
  storage: AccessStorage,
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
  storage: AccessStorage,
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
