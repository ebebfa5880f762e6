/** `skep webhook`, with the command that added one before there was `create`. */
import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import { failure } from "../domain/errors.ts";
import { toHiveSlug, toTeamName } from "../domain/names.ts";
import type { StorageBase } from "../service/storage.ts";
import { openNamed, storageCommand, storageSettings } from "./program/command.ts";
import { givenSettings } from "./program/settings.ts";
import { nounCommand } from "./operations/operation-command.ts";

export async function webhookCommand(): Promise<CommandUnknownOpts> {
  const webhook = await nounCommand("webhook");
  const add = storageCommand("add", webhook, true)
    .description("Use skep webhook create instead.")
    .argument("<name>", "the Hive, or the team")
    .argument("<url>", "https://…")
    .option("--hive", "read the name as the name of a Hive, if a team has it too", false)
    .option("--team", "read the name as the name of a team, if a Hive has it too", false)
    .action(async (name, url, flags) => {
      const about = await flagOf(await openNamed(flags), name, flags);
      const own = givenSettings(add, storageSettings);
      await webhook.parseAsync(["create", url, ...about, ...own], { from: "user" });
    });
  return webhook;
}

/**
 * The flag that names what a webhook is for.
 * @throws SkepError `not-found` when neither a Hive nor a team has the name, `conflict` when both do.
 */
async function flagOf(
  { registry }: StorageBase,
  name: string,
  { hive, team }: { readonly hive: boolean; readonly team: boolean },
): Promise<readonly [flag: string, name: string]> {
  const teams = await registry.teams();
  const slug = toHiveSlug(name, "name");
  const isHive = !team && teams.some(({ hives }) => hives.includes(slug));
  const isTeam = !hive && teams.some((each) => each.name === toTeamName(name));
  if (isHive && isTeam) throw failure("conflict", `${name} is a Hive and a team; add --hive or --team.`);
  if (isHive) return ["--hive", name];
  if (isTeam) return ["--team", name];
  throw failure("not-found", `No Hive and no team is called "${name}".`);
}
