/** The permissions for managing a team. */
import { allows } from "../../../domain/access/token.ts";
import { authorizeTeam, requireAbility, type TeamGrant } from "../../../service/access.ts";
import { teamWriteContext, type WriteContext } from "../../../service/write-context.ts";
import type { SignedInRequest } from "./page.ts";

type Asking = Pick<SignedInRequest, "storage" | "session" | "isCopy">;

/** Whether the caller may create and restore Hives, and manage webhooks and other settings of all Hives. */
export function canManageTeam({ session: { caller }, isCopy }: Omit<Asking, "storage">): boolean {
  return allows(caller.principal, "admin") && caller.principal.hives === "all" && !isCopy;
}

/**
 * Authorises a change of the team.
 * @param requiresAllHives whether the token must reach all Hives of the team.
 * @throws SkepError `forbidden` for tokens that may not manage it.
 */
export function manageTeam(
  { storage, session: { caller } }: Omit<Asking, "isCopy">,
  requiresAllHives: boolean,
): { readonly grant: TeamGrant; readonly context: WriteContext } {
  requireAbility(caller, "admin");
  const grant = authorizeTeam(caller, "admin", requiresAllHives);
  return { grant, context: teamWriteContext(storage, grant, {}) };
}
