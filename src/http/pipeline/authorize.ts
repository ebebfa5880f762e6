/** Before anything else: who asks, and whether their token has the ability that a route takes. */
import type { H3Event } from "h3";
import type { Ability } from "../../domain/access/token.ts";
import { authenticate, requireAbility, type Caller } from "../../service/access.ts";
import type { Storage } from "../../service/storage.ts";
import type { AuthContext } from "../responses/respond-read.ts";
import { note } from "../requests/trace.ts";

/**
 * Finds out who asks and whether they may.
 * @throws SkepError `unauthenticated` without a good token, `forbidden` when it lacks the ability.
 */
export async function authorize({ req }: H3Event, ability: Ability, storage: Storage): Promise<AuthContext> {
  // Before the token is looked at: what is remembered may be older than what it was made from, never newer.
  const settings = storage.registry.recentVersion();
  const caller = await callerOf(storage, req.headers.get("authorization"));
  note(req, { token: caller.token.id });
  requireAbility(caller, ability);
  return { caller, settings };
}

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
function callerOf(storage: Storage, authorization: string | null): Promise<Caller> {
  const [, token] = /^Bearer +([^ ]+) *$/i.exec(authorization ?? "") ?? [];
  return authenticate(storage, token);
}
