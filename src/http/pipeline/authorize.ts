/** Before anything else: who asks, and whether their token has the ability that a route takes. */
import type { H3Event } from "h3";
import { requireAbility } from "../../service/access.ts";
import type { Storage } from "../../service/storage.ts";
import type { Ability } from "../../domain/access/token.ts";
import type { AuthContext } from "../responses/respond-read.ts";
import { note } from "../requests/trace.ts";
import { callerOf } from "./auth.ts";

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
