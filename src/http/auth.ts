/** The `Authorization` header, and who is behind it. */
import { authenticate, type Caller } from "../service/access.ts";
import type { Storage } from "../service/storage.ts";

/**
 * The caller of a git client, which knows only Basic: the token is the password, the user name is anything. Bearer
 * is taken too.
 * @throws SkepError `unauthenticated` unless the header holds a good token.
 */
export function gitCallerOf(storage: Storage, authorization: string | null): Promise<Caller> {
  const [, basic] = /^Basic +([A-Za-z0-9+/]+=*) *$/i.exec(authorization ?? "") ?? [];
  if (basic === undefined) return callerOf(storage, authorization);
  const [, password] = /^[^:]*:(.*)$/s.exec(Buffer.from(basic, "base64").toString("latin1")) ?? [];
  return authenticate(storage, password);
}

/** @throws SkepError `unauthenticated` unless the header holds a good token. */
export function callerOf(storage: Storage, authorization: string | null): Promise<Caller> {
  const [, token] = /^Bearer +([^ ]+) *$/i.exec(authorization ?? "") ?? [];
  return authenticate(storage, token);
}
