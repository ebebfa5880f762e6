/** `skep follower`: manages the servers that may copy a storage. */
import { Command } from "commander";
import { toFollowerName, toHiveSlug } from "../domain/names.ts";
import { print, printNotice } from "./output/print.ts";
import { openNamed, storageCommand, type StorageFlag } from "./program/command.ts";
import { listAllCommand } from "./storage-commands.ts";

const rules = `
On the other machine, with a storage folder of its own:
  SKEP_FOLLOW_TOKEN=<secret> skep serve --follow https://skep.example.org

The secret shows everything in the storage, the hashes of tokens too. It changes
nothing, and stands for no token. With --takes-over it can also end all changes here:
give that to the follower that you would promote.`;

export function followerCommand(): Command {
  const follower = new Command("follower");

  follower.addCommand(
    storageCommand("add")
      .description(
        "Let a server copy the storage, and print its secret. It cannot be shown again: only a hash of it is stored.",
      )
      .argument("<name>", "a name for the server")
      .option(
        "--takes-over",
        "let it also tell this server that another one took over (skep serve --fence)",
        false,
      )
      .addHelpText("after", rules)
      .action(async (name: string, { takesOver, ...flags }: StorageFlag & { takesOver: boolean }) => {
        const { addFollower } = await import("../service/replication/followers.ts");
        print(await addFollower(await openNamed(flags), toFollowerName(name), takesOver));
        printNotice(`Added the follower ${name}. Keep its secret safe: it cannot be shown again.`);
      }),
  );

  follower.addCommand(
    listAllCommand(
      "List the servers that may copy the storage.",
      async (storage) => {
        const { listFollowers } = await import("../service/replication/followers.ts");
        const followers = await listFollowers(storage);
        return followers.map(({ name, created, mayTakeOver }) => ({
          name,
          created,
          may_take_over: mayTakeOver,
        }));
      },
      {
        FOLLOWER: (row) => row.name,
        CREATED: (row) => row.created,
        "TAKES OVER": (row) => (row.may_take_over ? "yes" : ""),
      },
    ),
  );

  follower.addCommand(
    storageCommand("remove")
      .description("Remove a follower. It is refused from its next request on, and keeps what it has copied.")
      .argument("<name>", "its name")
      .action(async (name: string, flags: StorageFlag) => {
        const { removeFollower } = await import("../service/replication/followers.ts");
        await removeFollower(await openNamed(flags), toFollowerName(name));
        print(`Removed the follower ${name}.`);
      }),
  );
  follower.addCommand(
    storageCommand("accept")
      .description(
        "In a follower's storage, take a Hive over as the primary has it, although that has lost commits or the whole Hive. The lost commits of branches stay here, in refs/skep/lost; a Hive that is lost is removed. A server need not be stopped: it does so within half a minute.",
      )
      .argument("<slug>", "the Hive that the log names")
      .action(async (text: string, flags: StorageFlag) => {
        const { acceptLoss } = await import("../service/replication/promotion.ts");
        const slug = toHiveSlug(text);
        await acceptLoss(await openNamed(flags), slug);
        print(`The Hive ${slug} is taken over as the primary has it.`);
      }),
  );
  return follower;
}
