/** `skep team`: creates, changes and lists teams. */
import { Command, Option, type CommandUnknownOpts } from "@commander-js/extra-typings";
import { toTeamName } from "../domain/names.ts";
import { nonZero, print, printList, printNotice } from "./output/print.ts";
import { toLimit, toWholeNumber } from "./program/arguments.ts";
import { listCommand, openNamed, openOrStart, storageCommand } from "./program/command.ts";

export function teamCommand(): CommandUnknownOpts {
  const team = new Command("team");

  storageCommand("create", team)
    .description("Create a team. A team owns Hives and tokens and has one quota.")
    .argument("<team>", "its name: lower-case letters, digits and hyphens")
    .option("--max-strings <n>", "how many source strings its Hives may have together", toWholeNumber)
    .action(async (text, flags) => {
      const { createTeam } = await import("../service/admin/teams.ts");
      const name = toTeamName(text);
      const { storage, isNew } = await openOrStart(flags);
      if (isNew) {
        // The folder may have been there, open to others. If this fails, skep serve says how to close it.
        for (const { repair } of await storage.verifier.checkMode()) await repair?.().catch(() => undefined);
        printNotice(`Created a storage in ${storage.folder}.`);
      }
      await createTeam(storage, name, flags.maxStrings);
      print(`Created the team ${name}.`);
    });

  storageCommand("update", team)
    .description("Change a team's quota, and whether commits carry people's mail addresses.")
    .argument("<team>", "its name")
    .option("--max-strings <n|none>", "how many source strings its Hives may have together", toLimit)
    .addOption(
      new Option(
        "--mail-on-commits <yes|no>",
        "whether commits carry the mail address of the person, which stays in the history",
      ).choices(["yes", "no"]),
    )
    .action(async (text, flags, command) => {
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
        print(`New commits of the team ${name} carry ${mailOnCommits === "yes" ? "" : "no "}mail addresses.`);
    });

  listCommand(team, "List the teams with their Hives, quotas and numbers of strings.").action(
    async (flags) => {
      const { listTeams } = await import("../service/admin/teams.ts");
      const rows = (await listTeams(await openNamed(flags))).map((usage) => ({
        name: usage.team.name,
        strings: usage.strings,
        max_strings: usage.team.maxStrings ?? null,
        hives: usage.team.hives,
      }));
      const columns = {
        TEAM: (row: Row) => row.name,
        STRINGS: (row: Row) => nonZero(row.strings),
        MAX: (row: Row) => String(row.max_strings ?? "none"),
        HIVES: (row: Row) => row.hives.join(", "),
      };
      type Row = (typeof rows)[number];
      printList(rows, flags.json, columns, { empty: "There is no team; skep team create makes one." });
    },
  );
  return team;
}
