/** What persons sign in with, as they change it themselves: their password and their passkeys. */
import { networkOf } from "../../domain/access/network.ts";
import { isActive, type Passkey, type Person } from "../../domain/access/person.ts";
import { failure, invalid } from "../../domain/errors.ts";
import { checkRoom } from "../../domain/plans/quota.ts";
import { auditedBy, reauthoriseTeam, type TeamGrant } from "../access.ts";
import { beginAttempt } from "../sign-in.ts";
import type { AccessStorage, StorageBase } from "../storage.ts";
import { listOwnSessions, personOf } from "./own.ts";
import { isPassword } from "./sign-in.ts";

/** For how long after a sign-in its session proves by itself who it is. */
const freshMs = 10 * 60_000;
const maxPasskeys = 10;

/** What proves that it is the person, and not somebody at a browser that was left open. */
export interface OwnProof {
  /** The present password; undefined where the person has none. */
  readonly password: string | undefined;
  /** The id of the session. */
  readonly session: string;
}

/** A change of what a person signs in with. @param id of the passkey that is removed. */
export type SignInChange =
  | { readonly password: string }
  | { readonly passkey: Passkey }
  | { readonly removed: string };

/** Whether a caller is a person who chooses what they sign in with: no token, and nobody of an identity provider. */
export async function ownSignIn(
  { registry }: StorageBase,
  grant: Pick<TeamGrant, "person" | "token">,
): Promise<Person | undefined> {
  if (grant.person === undefined || grant.token !== undefined) return undefined;
  const person = await registry.person(grant.person);
  return person === undefined || !isActive(person) || person.identity !== undefined ? undefined : person;
}

/** Whether a session was begun so recently that whoever has it is taken for its person. */
export function isFresh(storage: AccessStorage, grant: TeamGrant, session: string): boolean {
  const own = listOwnSessions(storage, grant).find(({ id }) => id === session);
  return own !== undefined && storage.now() - Date.parse(own.began) < freshMs;
}

/**
 * Changes what the caller's person signs in with, and ends their other sessions.
 * @param choose gives the change, once the proof is accepted: hashing a password takes long.
 * @throws SkepError `forbidden` for a token, and for a person of an identity provider; `invalid` on `present` for a wrong
 * proof, and on `passkey` for the last way to sign in; `too-many-attempts`; `quota`; what `choose` throws.
 */
export async function changeOwnSignIn(
  storage: AccessStorage,
  grant: TeamGrant,
  proof: OwnProof,
  choose: (person: Person) => Promise<SignInChange>,
): Promise<void> {
  const person = await ownSignIn(storage, grant);
  if (person === undefined)
    throw failure("forbidden", "Only a person who was invited changes what they sign in with, in a session.");
  await requireProof(storage, grant, person, proof);
  const change = await choose(person);
  await storage.lockTeam(grant.team, async (lock) => {
    await reauthoriseTeam(storage, grant);
    const now = await ownSignIn(storage, grant);
    // An admin may have invited them again meanwhile, which takes what they signed in with.
    if (now === undefined || now.password !== person.password)
      throw invalid("present", "has changed meanwhile");
    const after = changed(now, change);
    const event = {
      event: "person_changed",
      ...auditedBy(grant),
      person: now.id,
      before: { sign_in: waysOf(now) },
      after: { sign_in: "password" in change ? [...waysOf(now), "new password"] : waysOf(after) },
    } as const;
    await storage.audit.recordChange(event, () => storage.registry.savePerson(after, lock));
    await storage.personSessions.change(now.id, storage.now(), (sessions) =>
      sessions.filter(({ id }) => id === proof.session),
    );
  });
}

/** What a person signs in with, as the audit log has it. */
function waysOf({ password, passkeys }: Person): readonly string[] {
  return [
    ...(password === undefined ? [] : ["password"]),
    ...passkeys.map(({ created }) => `passkey ${created}`),
  ];
}

function changed(person: Person, change: SignInChange): Person {
  if ("password" in change) return { ...person, password: change.password };
  if ("passkey" in change) {
    checkRoom("You", "passkey", person.passkeys.length, maxPasskeys);
    return { ...person, passkeys: [...person.passkeys, change.passkey] };
  }
  const passkeys = person.passkeys.filter(({ id }) => id !== change.removed);
  if (passkeys.length === person.passkeys.length) throw invalid("passkey", "you have no such passkey");
  if (passkeys.length === 0 && person.password === undefined)
    throw invalid("passkey", "is all that you can sign in with");
  return { ...person, passkeys };
}

/** A wrong password counts as an attempt to sign in does, and is recorded as one. */
async function requireProof(
  storage: AccessStorage,
  grant: TeamGrant,
  { password: stored }: Person,
  { password, session }: OwnProof,
): Promise<void> {
  const person = personOf(grant);
  if (stored === undefined) {
    if (isFresh(storage, grant, session)) return;
    throw invalid("present", "sign in again, so that it is certain who you are");
  }
  const tried = "attempts to sign in";
  const takeBack = beginAttempt(storage, person, networkOf(grant.client ?? ""), { tried });
  if (await isPassword(stored, password ?? "")) {
    takeBack();
    return;
  }
  const { team, client } = grant;
  const reason = "wrong_password";
  await storage.audit.record({ event: "sign_in_refused", team, person, client, method: "password", reason });
  throw invalid("present", "is not your password");
}
