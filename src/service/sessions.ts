/**
 * Sessions of the console. A session is a value that a browser keeps: it names a token or a person, and is signed with the
 * storage's key, so every server of the storage knows it.
 *
 * A session of a token is signed with the token's hash, too. Nothing is stored for it, the token cannot be read from it,
 * and it ends with the token at the next request. The token's epoch is signed, so that all sessions of a token can be ended
 * without it. A session that was signed out of is named in its token's file until it would have ended.
 *
 * A session of a person counts while it is in their list. The person's epoch is signed, so that one change of the person
 * can end all their sessions.
 */
import { randomBytes } from "node:crypto";
import type { AuditEvent } from "../domain/access/audit.ts";
import type { Person, PersonSession, SessionMethod } from "../domain/access/person.ts";
import { cleanLine } from "../domain/commits/commit-message.ts";
import { failure } from "../domain/errors.ts";
import type { Token } from "../domain/access/token.ts";
import { isPersonId, isTokenId, type PersonId, type TokenId } from "../domain/names.ts";
import { auditedBy, authenticate, callerOf, hashToken, requireAbility, type Caller } from "./access.ts";
import { isEqual, sign } from "./signed-values.ts";
import type { AccessStorage } from "./storage.ts";

/** How long a session lasts unless its token ends first. */
const lifetimeSeconds = 7 * 24 * 60 * 60;

/** A session that was begun: what the browser is to keep, and for how long. */
export interface NewSession {
  readonly value: string;
  readonly seconds: number;
}

export interface Session {
  readonly caller: Caller;
  /** What each form of this session has to send along; other sites cannot know it. */
  readonly formKey: string;
  /** Names it among the sessions of its token or person, and when it ends at the latest, in seconds since 1970. */
  readonly id: string;
  readonly ends: number;
}

/**
 * Begins a session with a token.
 * @throws SkepError as {@link authenticate} does; `forbidden` when the token cannot read.
 */
export async function startSession(storage: AccessStorage, presented: string): Promise<NewSession> {
  const caller = await authenticate(storage, presented);
  requireAbility(caller, "read");
  const key = await storage.sessionKey.readOrCreate();
  const now = Math.floor(storage.now() / 1000);
  const { token: id, expires } = caller.principal;
  const token = id && (await storage.registry.token(id));
  if (id === undefined || token === undefined) throw failure("unauthenticated", "Unauthenticated.");
  const tokenEnds = expires === undefined ? Infinity : Math.floor(Date.parse(expires) / 1000);
  const ends = Math.min(now + lifetimeSeconds, tokenEnds);
  const unsigned = [id, ends.toString(36), newId()].join(".");
  return { value: `${unsigned}.${signature(key, unsigned, token)}`, seconds: ends - now };
}

/** How many sessions a person has at most; a further one ends the oldest. */
const maxSessions = 20;
/** How long a session of a person of the identity provider lasts, who may have left it. */
const providerLifetimeSeconds = 24 * 60 * 60;
const maxBrowserLength = 200;

export interface SignIn {
  readonly method: SessionMethod;
  /** The `User-Agent` of the browser. */
  readonly browser: string;
  /** The id of the session at the identity provider. */
  readonly providerSession?: string;
}

/**
 * Begins a session of a person, who has proved who they are.
 * @throws SkepError `disk-full`, `busy`; `content-invalid` when their sessions cannot be read.
 */
export async function startPersonSession(
  { sessionKey, personSessions, now: clock }: AccessStorage,
  person: Person,
  { method, browser, providerSession }: SignIn,
): Promise<NewSession> {
  const key = await sessionKey.readOrCreate();
  const now = clock();
  const seconds = person.identity === undefined ? lifetimeSeconds : providerLifetimeSeconds;
  const ends = Math.floor(now / 1000) + seconds;
  const session: PersonSession = {
    id: newId(),
    began: new Date(now).toISOString(),
    ends: new Date(ends * 1000).toISOString(),
    method,
    browser: cleanLine(browser, maxBrowserLength),
    providerSession: providerSession && hashToken(providerSession),
  };
  await personSessions.change(person.id, now, (before) => [...before, session].slice(-maxSessions));
  const unsigned = [`~${person.id}`, ends.toString(36), session.id].join(".");
  return { value: `${unsigned}.${personSignature(key, unsigned, person)}`, seconds };
}

/**
 * The session that a value stands for.
 * @returns undefined when the value is not one of this storage, it or its token has ended, or the key was replaced.
 * @throws SkepError `storage-missing`, or `content-invalid` when the token's file cannot be read.
 */
export async function resumeSession(storage: AccessStorage, value: string): Promise<Session | undefined> {
  const [, unsigned = "", holder = "", until = "", id = "", signed = ""] =
    /^((~?[0-9A-Za-z-]{1,64})\.([0-9a-z]{1,9})\.([\w-]{22}))\.([\w-]{43})$/.exec(value) ?? [];
  const key = storage.sessionKey.read();
  const ends = parseInt(until, 36);
  const left = ends - storage.now() / 1000;
  // One that ends later than any may was begun while the clock was ahead.
  if (key === undefined || !(left > 0 && left <= 2 * lifetimeSeconds)) return undefined;
  const signedValue = { key, unsigned, id, signed };
  const name = holder.slice(1);
  let caller: Caller | undefined;
  if (isTokenId(holder)) caller = await callerByToken(storage, holder, signedValue);
  else if (holder.startsWith("~") && isPersonId(name))
    caller = await callerByPerson(storage, name, signedValue);
  return caller && { caller, formKey: sign(key, ["form", value]), id, ends };
}

/** The parts of a session's value that prove it. */
interface SignedValue {
  readonly key: Buffer;
  readonly unsigned: string;
  readonly id: string;
  readonly signed: string;
}

async function callerByToken(
  storage: AccessStorage,
  id: TokenId,
  { key, unsigned, id: session, signed }: SignedValue,
): Promise<Caller | undefined> {
  const token = await storage.registry.token(id);
  if (token === undefined || !isEqual(signed, signature(key, unsigned, token))) return undefined;
  if (token.endedSessions?.some((ended) => ended.id === session) === true) return undefined;
  const caller = await callerOf(storage, token);
  if (caller !== undefined) storage.tokenUse.note(id, storage.now());
  return caller;
}

async function callerByPerson(
  storage: AccessStorage,
  id: PersonId,
  { key, unsigned, id: session, signed }: SignedValue,
): Promise<Caller | undefined> {
  const person = await storage.registry.person(id);
  if (person === undefined || !isEqual(signed, personSignature(key, unsigned, person))) return undefined;
  const isListed = storage.personSessions.of(id, storage.now()).some((listed) => listed.id === session);
  return isListed ? callerOf(storage, person) : undefined;
}

/** How many sessions of a token are named as ended; when there are more, all of them end. */
const maxEnded = 200;

/**
 * Ends a session, or all of its token or person, on every server of the storage at their next request. The token stays
 * valid.
 * @throws SkepError as other changes of settings do, such as `disk-full`: then no session has ended.
 */
export async function endSessions(
  storage: AccessStorage,
  { caller: { principal, team, client }, id, ends }: Session,
  which: "this" | "all",
): Promise<void> {
  const { audit, lockTeam, registry, now } = storage;
  const { token: own, person } = principal;
  const by = auditedBy({ team: team.name, token: own, person, client });
  const event = { event: "session_ended", ...by, after: { sessions: which } } as const;
  if (own === undefined && person !== undefined) {
    return endPersonSessions(storage, person, { ...event, person }, which === "all" ? undefined : id);
  }
  if (own === undefined) return;
  await lockTeam(team.name, async (lock) => {
    const token = await registry.token(own);
    // A token revoked meanwhile has no session left.
    if (token === undefined) return;
    const living = token.endedSessions?.filter((ended) => ended.ends * 1000 > now()) ?? [];
    const ended = [...living, { id, ends }];
    const isAll = which === "all" || ended.length > maxEnded;
    const next = isAll
      ? { ...token, sessionEpoch: (token.sessionEpoch ?? 0) + 1, endedSessions: undefined }
      : { ...token, endedSessions: ended };
    await audit.recordChange(event, () => registry.saveToken(next, lock));
  });
}

/** Ends a session of a person, or all of theirs. @param id names it; undefined for all. */
export function endPersonSessions(
  { audit, personSessions, now }: AccessStorage,
  person: PersonId,
  event: AuditEvent,
  id: string | undefined,
): Promise<void> {
  const remains = ({ id: other }: PersonSession): boolean => id !== undefined && other !== id;
  return audit.recordChange(event, () =>
    personSessions.change(person, now(), (before) => before.filter(remains)),
  );
}

/** Whether a form was sent from a page of this session. */
export function isFormOf({ formKey }: Session, presented: string): boolean {
  return isEqual(formKey, presented);
}

function signature(key: Buffer, unsigned: string, { hash, sessionEpoch }: Token): string {
  const epoch = sessionEpoch === undefined ? [] : [String(sessionEpoch)];
  return sign(key, ["session", unsigned, hash, ...epoch]);
}

/** Begins otherwise than a token's, so that neither can be taken for the other. */
function personSignature(key: Buffer, unsigned: string, { sessionEpoch = 0 }: Person): string {
  return sign(key, ["person-session", unsigned, String(sessionEpoch)]);
}

function newId(): string {
  return randomBytes(16).toString("base64url");
}
