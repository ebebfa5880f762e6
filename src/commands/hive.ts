/** `skep hive`, which also lists the Hives that were deleted. */
import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import { ClientError } from "../client/api/client-error.ts";
import { keptUntil } from "../domain/deletion-time.ts";
import type { TrashEntry } from "../domain/hives/trash.ts";
import { nounCommand } from "./operations/operation-command.ts";
import { printList } from "./output/print.ts";
import { toTeam } from "./program/arguments.ts";
import { openNamed, takeStorage } from "./program/command.ts";

export async function hiveCommand(): Promise<CommandUnknownOpts> {
  const hive = await nounCommand("hive", { list: listDeleted });
  const list = hive.commands.find((command) => command.name() === "list");
  list?.option("--trash", "list the deleted Hives that can be restored, on the server's machine", false);
  return hive;
}

/** `skep hive list --trash`. */
async function listDeleted(command: CommandUnknownOpts): Promise<boolean> {
  const { trash, server, team, json }: Readonly<Record<string, unknown>> = command.opts();
  if (trash !== true) return false;
  if (server !== undefined) {
    const message = "Deleted Hives are listed on the server's machine: give --storage instead of --server.";
    throw new ClientError("misuse", message, { code: "machine_only" });
  }
  const storage = await openNamed(await takeStorage(command));
  const { listTrash } = await import("../service/admin/trash.ts");
  const name = typeof team === "string" ? toTeam(team) : undefined;
  printTrash(await listTrash(storage, name), json === true);
  return true;
}

function printTrash(entries: readonly TrashEntry[], json: boolean): void {
  const rows = entries.map(({ id, slug, team, deleted }) => ({
    id,
    slug,
    team: team ?? null,
    deleted: new Date(deleted).toISOString(),
    expires: new Date(keptUntil(deleted)).toISOString(),
  }));
  printList(
    rows,
    json,
    {
      HIVE: (row) => row.slug,
      TEAM: (row) => row.team ?? "?",
      DELETED: (row) => row.deleted,
      EXPIRES: (row) => row.expires,
      ENTRY: (row) => row.id,
    },
    { empty: "There is no deleted Hive." },
  );
}
