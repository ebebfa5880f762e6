/** Authenticates a request, and checks that its token has the ability that a route requires. */
import type { H3Event } from "h3";
import type { Ability } from "../../domain/access/token.ts";
import { authenticate, requireAbility, type Caller } from "../../service/access.ts";
import type { Storage } from "../../service/storage.ts";
import type { AuthContext } from "../responses/respond-read.ts";
import { note } from "../requests/trace.ts";

/**
 * Authenticates a caller and checks the ability of their token.
 * @throws SkepError `unauthenticated` without a valid token, `forbidden` when it lacks the ability.
 */
export async function authorize({ req }: H3Event, ability: Ability, storage: Storage): Promise<AuthContext> {
  // Read before the token: a cached response may be kept under an older version than it was made from, never a newer.
  const settings = storage.registry.version.recent();
  const caller = await callerOf(storage, req.headers.get("authorization"));
  note(req, { token: caller.token.id });
  requireAbility(caller, ability);
  return { caller, settings };
}

/**
 * Authenticates a git client, which only supports Basic: the token is the password, and the user name is ignored. As on
 * other git hosts, the token may also be the user name, if the password is empty or `x-oauth-basic`. Bearer works, too.
 * @throws SkepError `unauthenticated` unless the header holds a valid token.
 */
export function gitCallerOf(storage: Storage, authorization: string | null): Promise<Caller> {
  const [, basic] = /^Basic +([A-Za-z0-9+/]+=*) *$/i.exec(authorization ?? "") ?? [];
  if (basic === undefined) return callerOf(storage, authorization);
  const [, user, password] = /^([^:]*):(.*)$/s.exec(Buffer.from(basic, "base64").toString("latin1")) ?? [];
  return authenticate(storage, password === "" || password === "x-oauth-basic" ? user : password);
}

/** @throws SkepError `unauthenticated` unless the header holds a valid token. */
function callerOf(storage: Storage, authorization: string | null): Promise<Caller> {
  const [, token] = /^Bearer +([^ ]+) *$/i.exec(authorization ?? "") ?? [];
  return authenticate(storage, token);
}
