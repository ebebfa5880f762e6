/** `skep team`: creates, changes, shows and lists teams. */
import { Option, type CommandUnknownOpts } from "@commander-js/extra-typings";
import { ClientError, type Place } from "../client/api/client-error.ts";
import type { CommandContext } from "../client/context.ts";
import { toTeamName } from "../domain/names.ts";
import { toPrintableJson } from "../domain/text.ts";
import type { Team } from "../domain/access/team.ts";
import type { StorageBase } from "../service/storage.ts";
import { commandContext } from "./client/client-command.ts";
import { machineCommand } from "./operations/machine-only.ts";
import { addTargetFlags } from "./operations/operation-command.ts";
import { textOf } from "./operations/results.ts";
import { chooseTarget, type TargetFlags } from "./operations/target.ts";
import { alignCells, nonZero, print, printList, printNotice } from "./output/print.ts";
import { toLimit, toWholeNumber } from "./program/arguments.ts";
import { commandGroup, openNamed, openOrStart, storageSettings } from "./program/command.ts";
import { takeFromProgram, takeSettings, type StorageFlag } from "./program/settings.ts";

export function teamCommand(): CommandUnknownOpts {
  const team = commandGroup("team");

  machineCommand("create", team)
    .description("Create a team. A team owns Hives and tokens and has one quota.")
    .argument("<team>", "its name: lower-case letters, digits and hyphens")
    .option("--max-strings <n>", "how many source strings its Hives may have together", toWholeNumber)
    .option("--json", "print the team as JSON", false)
    .action(async (text, { json, maxStrings, ...flags }) => {
      const { createTeam } = await import("../service/admin/teams.ts");
      const name = toTeamName(text);
      const { storage, isNew } = await openOrStart(flags);
      if (isNew) {
        // The folder may have been there, open to others. If this fails, skep serve says how to close it.
        for (const { repair } of await storage.verifier.checkMode()) await repair?.().catch(() => undefined);
        printNotice(`Created a storage in ${storage.folder}.`);
      }
      const created = await createTeam(storage, name, maxStrings);
      print(json ? toPrintableJson(await objectOf(storage, created), 2) : `Created the team ${name}.`);
    });

  editing("edit", team)
    .option("--mail-on-commits", "commits carry the mail address of the person, which stays in the history")
    .option("--no-mail-on-commits", "the opposite of --mail-on-commits")
    .option("--json", "print the team as JSON", false)
    .action((text, flags, command) => change(command, text, flags));

  editing("update", team, true)
    .addOption(new Option("--mail-on-commits <yes|no>", "the same").choices(["yes", "no"]))
    .action((text, { mailOnCommits: mail, ...flags }, command) =>
      change(command, text, { ...flags, mailOnCommits: mail && mail === "yes", json: false }),
    );

  showCommand(team);

  machineCommand("list", team)
    .description("List the teams with their Hives, quotas and numbers of strings.")
    .option("--json", "print JSON", false)
    .action(async ({ json, ...flags }) => {
      const { listTeams } = await import("../service/admin/teams.ts");
      const rows = (await listTeams(await openNamed(flags))).map((usage) => ({
        name: usage.team.name,
        strings: usage.strings,
        max_strings: usage.team.maxStrings ?? null,
        hives: usage.team.hives,
      }));
      printList(
        rows,
        json,
        {
          TEAM: (row) => row.name,
          STRINGS: (row) => nonZero(row.strings),
          MAX: (row) => String(row.max_strings ?? "none"),
          HIVES: (row) => row.hives.join(", "),
        },
        { empty: "There is no team; skep team create makes one." },
      );
    });
  return team;
}

function editing(name: string, team: CommandUnknownOpts, hidden = false) {
  return machineCommand(name, team, hidden)
    .description("Change a team's quota, and whether commits carry people's mail addresses.")
    .argument("<team>", "its name")
    .option("--max-strings <n|none>", "how many source strings its Hives may have together", toLimit);
}

interface EditFlags extends StorageFlag {
  readonly maxStrings?: number | "none";
  readonly mailOnCommits?: boolean;
  readonly json: boolean;
}

async function change(
  command: CommandUnknownOpts,
  text: string,
  { maxStrings, mailOnCommits, json, ...flags }: EditFlags,
): Promise<void> {
  if (maxStrings === undefined && mailOnCommits === undefined)
    command.error("error: --max-strings or --mail-on-commits is required");
  const { updateTeam } = await import("../service/admin/teams.ts");
  const storage = await openNamed(flags);
  const updated = await updateTeam(storage, toTeamName(text), {
    maxStrings: maxStrings === "none" ? null : maxStrings,
    mailOnCommits,
  });
  if (json) return print(toPrintableJson(await objectOf(storage, updated), 2));
  const { name } = updated;
  if (maxStrings !== undefined)
    print(`The team ${name} may hold ${updated.maxStrings ?? "any number of"} source strings.`);
  if (mailOnCommits !== undefined)
    print(`New commits of the team ${name} carry ${mailOnCommits ? "" : "no "}mail addresses.`);
}

/** A team as the API answers with it. */
type TeamObject = Readonly<Record<string, unknown>>;

async function objectOf(storage: StorageBase, team: Team): Promise<TeamObject> {
  const { usageOf } = await import("../service/admin/teams.ts");
  const { strings } = await usageOf(storage, team);
  const { name, maxStrings } = team;
  const left = maxStrings === undefined ? null : Math.max(0, maxStrings - strings);
  return { name, string_count: strings, max_strings: maxStrings ?? null, strings_left: left };
}

interface ShowFlags extends TargetFlags, StorageFlag {
  readonly json: boolean;
}

function showCommand(team: CommandUnknownOpts): void {
  const command = team
    .command("show")
    .description("Show a team's quota and how much of it is used. At a server, it is the team of the token.")
    .argument("[team]", "its name; needed on the server's machine where there are several")
    .option("--json", "print the team as JSON", false);
  addTargetFlags(command, storageSettings);
  command.action(async (name) => {
    takeFromProgram(command);
    // The flags were declared from a table.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    const flags = command.opts() as unknown as ShowFlags;
    const { context, clear } = commandContext(flags.json);
    const target = await chooseTarget(command, flags, context);
    const shown =
      target === "storage"
        ? await ownTeam(command, name)
        : await teamAt({ ...flags, server: target.server }, name, context).finally(clear);
    if (flags.json) return print(toPrintableJson(shown, 2));
    // What is left of no limit would read as nothing.
    const members = Object.entries(shown).filter(
      ([member, value]) => value !== undefined && value !== 0 && (value !== null || member === "max_strings"),
    );
    const lines = members.map(([member, value]) => [
      member.replaceAll("_", " "),
      value === null ? "none" : textOf(value),
    ]);
    for (const line of alignCells(lines, Infinity)) print(line);
  });
}

/** The team of a token. @throws ClientError `denied` where it is another one than is named. */
async function teamAt(
  flags: TargetFlags & { readonly server: string },
  name: string | undefined,
  context: CommandContext,
): Promise<TeamObject> {
  const { openServer } = await import("../client/project.ts");
  const { z } = await import("zod");
  const http = await openServer(flags, context);
  const schema = z.looseObject({ name: z.string() });
  const { data } = await http.send({ method: "GET", path: "/api/team", schema, hasCommit: false });
  const place: Place = { server: flags.server };
  if (name === undefined || data.name === name) return data;
  const message = `The token is of the team ${data.name}, not of ${name}.`;
  throw new ClientError("denied", message, { code: "other_team", place });
}

/** A team of the storage on this machine. */
async function ownTeam(command: CommandUnknownOpts, text: string | undefined): Promise<TeamObject> {
  await takeSettings(command, storageSettings);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const storage = await openNamed(command.opts() as unknown as StorageFlag);
  const { findTeam } = await import("../service/admin/teams.ts");
  if (text !== undefined) return objectOf(storage, await findTeam(storage, toTeamName(text)));
  const teams = await storage.registry.teams();
  const [only, ...others] = teams;
  if (only !== undefined && others.length === 0) return objectOf(storage, only);
  const message =
    only === undefined
      ? "There is no team yet: skep team create makes one."
      : `There are several teams (${teams.map((each) => each.name).join(", ")}): name one.`;
  throw new ClientError("misuse", message, { code: "team_needed" });
}
