/** Who manages webhooks in tests. */
import type { TeamName } from "../../../src/domain/names.ts";
import type { TeamOwner } from "../../../src/service/admin/managed-list.ts";

/** A command on the storage's machine. */
export function webhookOwner(team: TeamName): TeamOwner {
  return { team, reauthorise: () => Promise.resolve(), by: { by: { command: "test" } } };
}
