/** Who manages webhooks in tests. */
import type { TeamName } from "../../../src/domain/names.ts";
import type { WebhookOwner } from "../../../src/service/admin/webhooks.ts";

/** A command on the storage's machine. */
export function webhookOwner(team: TeamName): WebhookOwner {
  return { team, reauthorise: () => Promise.resolve(), by: { by: { command: "test" } } };
}
