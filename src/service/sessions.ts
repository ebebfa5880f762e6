/**
 * Sessions of the console. A session is a value that a browser keeps in place of a token: it names the token, and is
 * signed with the storage's key and the token's hash. So every server of the storage knows it, nothing is stored for
 * it, the token cannot be read from it, and it ends with the token at the next request. The token's epoch is signed,
 * too, so that all sessions of a token can be ended without it. A session that was signed out of is named in its token's
 * file until it would have ended.
 */
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { hasExpired, type Token } from "../domain/access/token.ts";
import { isTokenId } from "../domain/names.ts";
import { auditedBy, authenticate, requireAbility, type Caller } from "./access.ts";
import type { Storage } from "./storage.ts";

/** How long a session lasts unless its token ends first. */
const lifetimeSeconds = 7 * 24 * 60 * 60;

/** A session that was begun: what the browser is to keep, and for how long. */
export interface NewSession {
  readonly caller: Caller;
  readonly value: string;
  readonly seconds: number;
}

/** A session that a request came with. */
export interface Session {
  readonly caller: Caller;
  /** What each form of this session has to send along; other sites cannot know it. */
  readonly formKey: string;
  /** Names it among the sessions of its token, and when it ends at the latest, in seconds since 1970. */
  readonly id: string;
  readonly ends: number;
}

/**
 * Begins a session with a token.
 * @throws SkepError as {@link authenticate} does; `forbidden` when the token cannot read.
 */
export async function startSession(storage: Storage, presented: string): Promise<NewSession> {
  const caller = await authenticate(storage, presented);
  requireAbility(caller, "read");
  const key = await storage.sessionKey.readOrCreate();
  const now = Math.floor(storage.now() / 1000);
  const { id, expires } = caller.token;
  const tokenEnds = expires === undefined ? Infinity : Math.floor(Date.parse(expires) / 1000);
  const ends = Math.min(now + lifetimeSeconds, tokenEnds);
  const unsigned = [id, ends.toString(36), randomBytes(16).toString("base64url")].join(".");
  return { caller, value: `${unsigned}.${signature(key, unsigned, caller.token)}`, seconds: ends - now };
}

/**
 * The session that a value stands for.
 * @returns undefined when the value is not one of this storage, it or its token has ended, or the key was replaced.
 * @throws SkepError `storage-missing`, or `content-invalid` when the token's file cannot be read.
 */
export async function resumeSession(storage: Storage, value: string): Promise<Session | undefined> {
  const [, unsigned = "", id = "", ends = "", session = "", signed = ""] =
    /^(([0-9A-Za-z]{1,64})\.([0-9a-z]{1,9})\.([\w-]{22}))\.([\w-]{43})$/.exec(value) ?? [];
  const key = storage.sessionKey.read();
  if (key === undefined || !isTokenId(id)) return undefined;
  const token = await storage.registry.token(id);
  if (token === undefined || !isEqual(signed, signature(key, unsigned, token))) return undefined;
  const now = storage.now();
  if (parseInt(ends, 36) * 1000 <= now || hasExpired(token, now)) return undefined;
  if (token.endedSessions?.some((ended) => ended.id === session) === true) return undefined;
  const team = await storage.registry.team(token.team);
  if (team === undefined) return undefined;
  storage.tokenUse.note(id, now);
  const formKey = sign(key, ["form", value]);
  return { caller: { token, team }, formKey, id: session, ends: parseInt(ends, 36) };
}

/** How many sessions of a token are named as ended; when there are more, all of them end. */
const maxEnded = 200;

/**
 * Ends a session, or all of its token, on every server of the storage at their next request. The token stays valid.
 * @throws SkepError as other changes of settings do, such as `disk-full`: then no session has ended.
 */
export function endSessions(
  { lockTeam, registry, audit, now }: Storage,
  { caller: { token: own, team, client }, id, ends }: Session,
  which: "this" | "all",
): Promise<void> {
  return lockTeam(team.name, async (lock) => {
    const token = await registry.token(own.id);
    // A token revoked meanwhile has no session left.
    if (token === undefined) return;
    const living = token.endedSessions?.filter((ended) => ended.ends * 1000 > now()) ?? [];
    const ended = [...living, { id, ends }];
    const isAll = which === "all" || ended.length > maxEnded;
    const next = isAll
      ? { ...token, sessionEpoch: (token.sessionEpoch ?? 0) + 1, endedSessions: undefined }
      : { ...token, endedSessions: ended };
    const by = auditedBy({ team: team.name, token: own.id, client });
    const event = { event: "session_ended", ...by, after: { sessions: which } } as const;
    await audit.recordChange(event, () => registry.saveToken(next, lock));
  });
}

/** Whether a form was sent from a page of this session. */
export function isFormOf({ formKey }: Session, presented: string): boolean {
  return isEqual(formKey, presented);
}

function signature(key: Buffer, unsigned: string, { hash, sessionEpoch }: Token): string {
  const epoch = sessionEpoch === undefined ? [] : [String(sessionEpoch)];
  return sign(key, ["session", unsigned, hash, ...epoch]);
}

function sign(key: Buffer, parts: readonly string[]): string {
  return createHmac("sha256", key).update(JSON.stringify(parts)).digest("base64url");
}

function isEqual(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
