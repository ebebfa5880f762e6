/** What every way to sign in shares: it bounds attempts, and records who signed in and who was refused. */
import { randomBytes } from "node:crypto";
import { networkOf } from "../domain/access/network.ts";
import type { AuditEvent } from "../domain/access/audit.ts";
import type { SignInMethod } from "../domain/access/audit-events.ts";
import { idInToken } from "../domain/access/token.ts";
import { isSkepError, SkepError, type ErrorCode } from "../domain/errors.ts";
import { authenticate, requireAbility } from "./access.ts";
import { startSession, type NewSession } from "./sessions.ts";
import { signValue, verifiedValue } from "./signed-values.ts";
import type { AccessStorage } from "./storage.ts";

export interface Visitor {
  readonly client: string | undefined;
  /** The cookie of a browser in which somebody has signed in before; see {@link knownDevice}. */
  readonly device: string | undefined;
}

export interface SignInAttempt extends Pick<AuditEvent, "team" | "person" | "by"> {
  /** The id of a person, whether there is one or not, or a name for a form that takes any token. */
  readonly name: string;
  readonly method: SignInMethod;
  /** How many failures it may have at one place; as for a name if not given. */
  readonly most?: number;
  /** The reason in the log for a refusal; by default the code of the error. */
  readonly reasonOf?: (error: SkepError) => string;
  readonly visitor: Visitor;
}

/** How long a browser is known, in seconds. */
export const deviceSeconds = 400 * 24 * 60 * 60;
/** The errors by which people are refused. All others are faults of a server. */
const refusals: ReadonlySet<ErrorCode> = new Set(["unauthenticated", "forbidden", "quota"]);
/** How many names are known in one browser. */
const maxNames = 5;

/**
 * Counts an attempt as a failure before it is made.
 * @param place where it comes from: a network, or a browser that is known.
 * @param limit how many failures the name may have at the place, and what the error calls them.
 * @returns a function that takes the failure back, because the attempt succeeded.
 * @throws SkepError `too-many-attempts`.
 */
export function beginAttempt(
  { attempts, now }: AccessStorage,
  name: string,
  place: string,
  { most, tried }: { readonly most?: number; readonly tried: string },
): () => void {
  const begun = attempts.begin(name, place, now(), most);
  if (typeof begun === "function") return begun;
  const message = `Too many ${tried}; try again in ${Math.ceil(begun / 60)} minutes.`;
  throw new SkepError("too-many-attempts", message, { retryAfter: begun });
}

/**
 * Lets somebody in.
 * @param verify checks what they present, and gives who they are.
 * @throws SkepError `too-many-attempts`; what `verify` throws, which is recorded; `disk-full`, `storage-missing` when it
 * cannot be recorded: then nobody comes in.
 */
export async function signIn<T extends Pick<AuditEvent, "team" | "by">>(
  storage: AccessStorage,
  { name, method, most, visitor, reasonOf = ({ publicCode }) => publicCode, ...about }: SignInAttempt,
  verify: () => Promise<T>,
): Promise<T> {
  const { audit } = storage;
  const { client } = visitor;
  const device = deviceOf(storage, visitor);
  const place = device?.names.includes(name) === true ? `device ${device.id}` : networkOf(client ?? "");
  const refuse = (reason: string): Promise<void> =>
    audit.record({ event: "sign_in_refused", ...about, client, method, reason });
  let takeBack;
  try {
    takeBack = beginAttempt(storage, name, place, { most, tried: "attempts to sign in" });
  } catch (error) {
    await refuse("too_many_attempts");
    throw error;
  }
  let verified: T;
  try {
    verified = await verify();
  } catch (error) {
    if (isSkepError(error) && refusals.has(error.code)) await refuse(reasonOf(error));
    // A fault of this server or of an identity provider does not count as an attempt.
    else takeBack();
    throw error;
  }
  takeBack();
  const { team, by } = verified;
  await audit.record({ event: "signed_in", team, by, client, method });
  return verified;
}

export interface SignedIn extends NewSession {
  /** The value of the cookie by which the browser is known; see {@link knownDevice}. */
  readonly device: string;
}

/** The name of the form that takes tokens. No person has it. */
const tokenForm = ":token";

/**
 * Signs in with a token.
 * @throws SkepError as {@link signIn} and {@link authenticate} do; `forbidden` when the token cannot read.
 */
export async function signInWithToken(
  storage: AccessStorage,
  presented: string,
  visitor: Visitor,
): Promise<SignedIn> {
  const id = idInToken(presented);
  const known = id && (await storage.registry.token(id));
  const about = known && { team: known.team, by: { token: known.id } };
  await signIn(storage, { name: tokenForm, method: "token", visitor, ...about }, async () => {
    const caller = await authenticate(storage, presented);
    requireAbility(caller, "read");
    return { team: caller.team.name, by: { token: caller.principal.token, person: caller.principal.person } };
  });
  const session = await startSession(storage, presented);
  return { ...session, device: await knownDevice(storage, tokenForm, visitor) };
}

interface Device {
  readonly id: string;
  readonly names: readonly string[];
}

/**
 * A cookie by which a browser is known to somebody who signed in with it. Its attempts at their name are counted apart
 * from the attempts of its address, which many may share: so nobody behind the same proxy can lock them out.
 */
export async function knownDevice(storage: AccessStorage, name: string, visitor: Visitor): Promise<string> {
  const key = await storage.sessionKey.readOrCreate();
  const known = deviceOf(storage, visitor);
  const others = known?.names.filter((other) => other !== name) ?? [];
  const device: Device = {
    id: known?.id ?? randomBytes(9).toString("base64url"),
    names: [name, ...others].slice(0, maxNames),
  };
  return signValue(key, "device", device, storage.now() + deviceSeconds * 1000);
}

function deviceOf({ sessionKey, now }: AccessStorage, { device }: Visitor): Device | undefined {
  const value = verifiedValue(sessionKey.read(), "device", device, now());
  if (typeof value !== "object" || value === null || !("id" in value) || !("names" in value))
    return undefined;
  const { id, names } = value;
  if (typeof id !== "string" || !Array.isArray(names)) return undefined;
  return { id, names: names.filter((name) => typeof name === "string") };
}
