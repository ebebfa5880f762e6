/** The `Authorization` header, and who is behind it. */
import { authenticate, type Caller } from "../../service/access.ts";
import type { Storage } from "../../service/storage.ts";

/**
 * The caller of a git client, which knows only Basic: the token is the password, and the user name anything. As other
 * hosts of git do, it is also taken as the user name, where the password is empty or `x-oauth-basic`; and so is Bearer.
 * @throws SkepError `unauthenticated` unless the header holds a good token.
 */
export function gitCallerOf(storage: Storage, authorization: string | null): Promise<Caller> {
  const [, basic] = /^Basic +([A-Za-z0-9+/]+=*) *$/i.exec(authorization ?? "") ?? [];
  if (basic === undefined) return callerOf(storage, authorization);
  const [, user, password] = /^([^:]*):(.*)$/s.exec(Buffer.from(basic, "base64").toString("latin1")) ?? [];
  return authenticate(storage, password === "" || password === "x-oauth-basic" ? user : password);
}

/** @throws SkepError `unauthenticated` unless the header holds a good token. */
export function callerOf(storage: Storage, authorization: string | null): Promise<Caller> {
  const [, token] = /^Bearer +([^ ]+) *$/i.exec(authorization ?? "") ?? [];
  return authenticate(storage, token);
}
