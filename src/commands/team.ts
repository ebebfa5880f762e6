/** `skep team`: creates, changes and lists teams. */
import { Command, Option } from "commander";
import { toTeamName } from "../domain/names.ts";
import { print, printNotice } from "./output/print.ts";
import { toLimit, toWholeNumber } from "./program/arguments.ts";
import { openNamed, openOrStart, storageCommand, type StorageFlag } from "./program/command.ts";
import { listAllCommand } from "./storage-commands.ts";

interface UpdateFlags extends StorageFlag {
  readonly maxStrings?: number | "none";
  readonly mailOnCommits?: "yes" | "no";
}

export function teamCommand(): Command {
  const team = new Command("team");

  team.addCommand(
    storageCommand("create")
      .description("Create a team. A team owns Hives and tokens and has one quota.")
      .argument("<team>", "its name: lower-case letters, digits and hyphens")
      .option("--max-strings <n>", "how many source strings its Hives may have together", toWholeNumber)
      .action(async (text: string, flags: StorageFlag & { maxStrings?: number }) => {
        const { createTeam } = await import("../service/admin/teams.ts");
        const name = toTeamName(text);
        const { storage, isNew } = await openOrStart(flags);
        if (isNew) printNotice(`Created a storage in ${storage.folder}.`);
        await createTeam(storage, name, flags.maxStrings);
        print(`Created the team ${name}.`);
      }),
  );

  team.addCommand(
    storageCommand("update")
      .description("Change a team's quota, and whether commits carry people's mail addresses.")
      .argument("<team>", "its name")
      .option("--max-strings <n|none>", "how many source strings its Hives may have together", toLimit)
      .addOption(
        new Option(
          "--mail-on-commits <yes|no>",
          "whether commits carry the mail address of the person, which stays in the history",
        ).choices(["yes", "no"]),
      )
      .action(async (text: string, flags: UpdateFlags, command: Command) => {
        const { maxStrings, mailOnCommits } = flags;
        if (maxStrings === undefined && mailOnCommits === undefined)
          command.error("error: --max-strings or --mail-on-commits is required");
        const { updateTeam } = await import("../service/admin/teams.ts");
        const { name, ...updated } = await updateTeam(await openNamed(flags), toTeamName(text), {
          maxStrings: maxStrings === "none" ? null : maxStrings,
          mailOnCommits: mailOnCommits && mailOnCommits === "yes",
        });
        if (maxStrings !== undefined)
          print(`The team ${name} may hold ${updated.maxStrings ?? "any number of"} source strings.`);
        if (mailOnCommits !== undefined)
          print(
            `New commits of the team ${name} carry ${mailOnCommits === "yes" ? "" : "no "}mail addresses.`,
          );
      }),
  );

  team.addCommand(
    listAllCommand(
      "List the teams with their Hives, quotas and numbers of strings.",
      async (storage) => {
        const { listTeams } = await import("../service/admin/teams.ts");
        return (await listTeams(storage)).map((usage) => ({
          name: usage.team.name,
          strings: usage.strings,
          max_strings: usage.team.maxStrings ?? null,
          hives: usage.team.hives,
        }));
      },
      {
        TEAM: (row) => row.name,
        STRINGS: (row) => String(row.strings),
        MAX: (row) => String(row.max_strings ?? "none"),
        HIVES: (row) => row.hives.join(", "),
      },
    ),
  );
  return team;
}
