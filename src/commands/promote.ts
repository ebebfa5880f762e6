/** `skep promote` and `skep demote`: decide which copy of a storage is the primary. */
import type { Command } from "commander";
import { printNotice, print } from "./output/print.ts";
import { toWholeNumber } from "./program/arguments.ts";
import { openNamed, storageCommand, type StorageFlag } from "./program/command.ts";

const promotion = `
Stop the follower's server first, and make sure that the old primary is down or that
nobody writes to it: nothing else can keep it from accepting changes until it hears of
this one. What it accepted and this follower had not fetched is not here. Of several
followers, promote the one that has the most.

Then serve the storage without --follow, and with --fence URL, the address of the old
primary, and the same secret, if it was made with --takes-over: that server is told
until it knows, and refuses all changes from then on. With any other secret, run skep
demote over there. A server with --fence is one process: leave --workers out. Let the other followers follow this server: add them with
skep follower add. The old primary's storage cannot become a copy again; begin one in
an empty folder, and keep the old one for what only it has.`;

export function promoteCommand(): Command {
  return storageCommand("promote")
    .addHelpText("after", promotion)
    .action(async (flags: StorageFlag) => {
      const { promote } = await import("../service/replication/promotion.ts");
      const { generation, followed } = await promote(await openNamed(flags));
      print(`Promoted this storage to generation ${generation}.`);
      if (followed === undefined) return;
      printNotice(
        `The old primary does not know yet: serve this storage with --fence ${followed}, or run skep demote over there.`,
      );
    });
}

export function demoteCommand(): Command {
  return storageCommand("demote")
    .option(
      "--generation <n>",
      "the generation of the server that took over; one more than this storage's if not given",
      toWholeNumber,
    )
    .action(async ({ generation, ...flags }: StorageFlag & { generation?: number }) => {
      const { demote } = await import("../service/replication/promotion.ts");
      const to = await demote(await openNamed(flags), generation);
      print(`Nothing can be changed in this storage any more: generation ${to} took over.`);
    });
}
