/**
 * Passkeys (WebAuthn). A page gets a challenge, and the browser a signed cookie with it, so that nothing is stored for a
 * page that was only opened. The library that verifies answers is loaded with the first answer.
 */
import { randomBytes } from "node:crypto";
import { isIP } from "node:net";
import { z } from "zod";
import { onDemand } from "../../on-demand.ts";
import { isActive, type Passkey, type Person } from "../../domain/access/person.ts";
import { failure, invalid } from "../../domain/errors.ts";
import { jsonOrUndefined } from "../../domain/json.ts";
import { isPersonId } from "../../domain/names.ts";
import type { SignedIn } from "../sign-in.ts";
import { signValue, verifiedValue } from "../signed-values.ts";
import type { AccessStorage, StorageBase } from "../storage.ts";
import { findPerson } from "./people.ts";
import { nobody, signInPerson, type PersonVisitor } from "./sign-in.ts";

const challengeMs = 5 * 60 * 1000;
const loadWebauthn = onDemand(() => import("@simplewebauthn/server"));

/** A challenge for a page, and the value of the cookie that goes with it. */
export interface Challenge {
  readonly challenge: string;
  readonly cookie: string;
  readonly seconds: number;
}

/** Whether browsers use passkeys at an address: they do over TLS, and on this machine by its name; never at an IP address. */
export function takesPasskeys(publicUrl: string | undefined): publicUrl is string {
  if (publicUrl === undefined) return false;
  const { protocol, hostname } = new URL(publicUrl);
  if (isIP(hostname.replace(/^\[|\]$/g, "")) !== 0) return false;
  return protocol === "https:" || hostname === "localhost" || hostname.endsWith(".localhost");
}

/** @throws SkepError `disk-full`, where the storage has no key yet. */
export async function makeChallenge({ sessionKey, now }: AccessStorage): Promise<Challenge> {
  const key = await sessionKey.readOrCreate();
  const challenge = randomBytes(32).toString("base64url");
  const cookie = signValue(key, "passkey", { challenge, made: now() }, now() + challengeMs);
  return { challenge, cookie, seconds: challengeMs / 1000 };
}

/**
 * The options with which a browser makes a passkey, as JSON.
 * @param beside passkeys that stay: a device that has one of them makes no other, which would take its place.
 */
export function creationOptions(
  { id, name }: Person,
  publicUrl: string,
  { challenge }: Challenge,
  beside: readonly Passkey[] = [],
): object {
  return {
    challenge,
    rp: { id: new URL(publicUrl).hostname, name: "Skep" },
    user: { id: Buffer.from(id).toString("base64url"), name: id, displayName: name },
    // Ed25519, P-256, and RSA for older devices.
    pubKeyCredParams: [-8, -7, -257].map((alg) => ({ type: "public-key", alg })),
    timeout: challengeMs,
    excludeCredentials: beside.map((passkey) => ({ type: "public-key", id: passkey.id })),
    attestation: "none",
    authenticatorSelection: {
      residentKey: "required",
      requireResidentKey: true,
      userVerification: "required",
    },
  };
}

/** The options with which a browser asks for a passkey of this server, of whomever. */
export function requestOptions(publicUrl: string, { challenge }: Challenge): object {
  return {
    challenge,
    rpId: new URL(publicUrl).hostname,
    timeout: challengeMs,
    userVerification: "required",
    allowCredentials: [],
  };
}

/** What a browser answered, and the cookie that it came with. */
export interface PasskeyAnswer {
  /** As JSON. */
  readonly answer: string;
  readonly cookie: string | undefined;
  readonly publicUrl: string;
}

const base64url = z.string().regex(/^[\w-]+$/);
const credential = { id: base64url, rawId: base64url, type: z.literal("public-key") };
const extensions = z.looseObject({}).default({});
const created = z.object({
  ...credential,
  clientExtensionResults: extensions,
  response: z.object({
    clientDataJSON: base64url,
    attestationObject: base64url,
  }),
});
const requested = z.object({
  ...credential,
  clientExtensionResults: extensions,
  response: z.object({
    clientDataJSON: base64url,
    authenticatorData: base64url,
    signature: base64url,
    userHandle: base64url.optional(),
  }),
});
const signedChallenge = z.object({ challenge: z.string(), made: z.number() });

function challengeIn({ sessionKey, now }: AccessStorage, cookie: string | undefined) {
  return signedChallenge.safeParse(verifiedValue(sessionKey.read(), "passkey", cookie, now())).data;
}

function expectedAt(publicUrl: string) {
  const { origin, hostname } = new URL(publicUrl);
  return { expectedOrigin: origin, expectedRPID: hostname, requireUserVerification: true };
}

/**
 * The passkey that a browser has made.
 * @throws SkepError `invalid` on `passkey` when it is none for this server, or the page was open for too long.
 */
export async function createdPasskey(
  storage: AccessStorage,
  { answer, cookie, publicUrl }: PasskeyAnswer,
): Promise<Passkey> {
  const challenge = challengeIn(storage, cookie);
  if (challenge === undefined) throw invalid("passkey", "the page was open for too long; try again");
  const response = created.safeParse(jsonOrUndefined(answer)).data;
  if (response === undefined) throw invalid("passkey", "the browser has made none");
  const { verifyRegistrationResponse } = await loadWebauthn();
  const expected = { ...expectedAt(publicUrl), expectedChallenge: challenge.challenge };
  const verified = await verifyRegistrationResponse({ response, ...expected }).catch((cause: unknown) => {
    throw invalid("passkey", "it cannot be used here; open this page at the address of your invitation", {
      cause,
    });
  });
  if (!verified.verified) throw invalid("passkey", "it cannot be verified");
  const { id, publicKey, counter } = verified.registrationInfo.credential;
  return {
    id,
    key: Buffer.from(publicKey).toString("base64url"),
    counter,
    created: new Date(storage.now()).toISOString(),
  };
}

/**
 * Signs a person in with their passkey.
 * @throws SkepError `unauthenticated`; `too-many-attempts`; `busy`.
 */
export async function signInWithPasskey(
  storage: AccessStorage,
  { answer, cookie, publicUrl }: PasskeyAnswer,
  from: PersonVisitor,
): Promise<SignedIn> {
  const refused = failure("unauthenticated", "Unauthenticated.");
  const response = requested.safeParse(jsonOrUndefined(answer)).data;
  const handle = Buffer.from(response?.response.userHandle ?? "", "base64url").toString("utf8");
  const person = await findPerson(storage, handle);
  // An unknown id is counted as a known one is, so that the counts do not tell them apart.
  const name = isPersonId(handle) ? handle : nobody;
  return signInPerson(storage, name, person, { ...from, method: "passkey" }, async () => {
    const challenge = challengeIn(storage, cookie);
    const passkey = person?.passkeys.find(({ id }) => id === response?.id);
    if (challenge === undefined || response === undefined || person === undefined || !passkey) throw refused;
    const { verifyAuthenticationResponse } = await loadWebauthn();
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response,
      ...expectedAt(publicUrl),
      expectedChallenge: challenge.challenge,
      credential: {
        id: passkey.id,
        publicKey: Buffer.from(passkey.key, "base64url"),
        counter: passkey.counter,
      },
    }).catch(() => {
      throw refused;
    });
    if (!verified) throw refused;
    return useChallenge(storage, person, { passkey, made: challenge.made, ...authenticationInfo });
  });
}

/**
 * Notes that a challenge was answered. A passkey answers each once, on all servers: the next has to be a later one.
 * @throws SkepError `unauthenticated` when it was answered before, or the person may do nothing any more.
 */
function useChallenge(
  { lockTeam, registry }: StorageBase,
  { id, team }: Person,
  { passkey, made, newCounter }: { passkey: Passkey; made: number; newCounter: number },
): Promise<Person> {
  return lockTeam(team, async (lock) => {
    const person = await registry.person(id);
    const stored = person?.passkeys.find((other) => other.id === passkey.id);
    const isNew = stored !== undefined && (stored.used === undefined || Date.parse(stored.used) < made);
    if (person === undefined || !isActive(person) || !isNew || stored.counter !== passkey.counter) {
      throw failure("unauthenticated", "Unauthenticated.");
    }
    const used = { ...stored, counter: newCounter, used: new Date(made).toISOString() };
    const passkeys = person.passkeys.map((other) => (other.id === used.id ? used : other));
    const changed: Person = { ...person, passkeys };
    await registry.savePerson(changed, lock);
    return changed;
  });
}
