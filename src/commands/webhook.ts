/** `skep webhook`: manages the addresses that commits are sent to. */
import { Command, type CommandUnknownOpts } from "@commander-js/extra-typings";
import { toConfig } from "../config/settings.ts";
import { failure } from "../domain/errors.ts";
import { toWebhookUrl } from "../domain/hives/webhook.ts";
import { toHiveSlug, toTeamName, type HiveSlug, type TeamName } from "../domain/names.ts";
import type { Storage } from "../service/storage.ts";
import { print, printable, printNotice } from "./output/print.ts";
import { openNamed, storageCommand, storageSettings } from "./program/command.ts";
import { output } from "./program/output.ts";
import { addSettings, type StorageFlag } from "./program/settings.ts";
import { listAllCommand } from "./storage-commands.ts";

const rules = `
The server (skep serve) sends every commit of main from now on to each webhook, by a
POST request that is signed as Standard Webhooks specifies (standardwebhooks.com). The
secret is printed once. Without a 2xx response, the request is repeated after 2 s, 4 s,
and so on up to half an hour; the commits of a Hive arrive in order. A 410 disables the
webhook: remove it, and add it again.

Addresses are https and public, unless --webhook-allow of the server allows others.`;

interface AddFlags extends StorageFlag {
  readonly team: boolean;
  readonly hive: boolean;
}

export function webhookCommand(): CommandUnknownOpts {
  const webhook = new Command("webhook");

  storageCommand("add", webhook)
    .description("Send the commits of a Hive, or of all Hives of a team, to an address.")
    .argument("<name>", "the Hive, or the team")
    .argument("<url>", "https://…")
    .option("--hive", "read the name as the name of a Hive, if a team has it too", false)
    .option("--team", "read the name as the name of a team, if a Hive has it too", false)
    .addHelpText("after", rules)
    .action(async (name, text, flags) => {
      const { addWebhook } = await import("../service/admin/webhooks.ts");
      const storage = await openNamed(flags);
      const url = toWebhookUrl(text);
      const { team, hive } = await whatIs(storage, name, flags);
      const { id, secrets } = await addWebhook(storage, { team }, { url, hive });
      const about = hive === undefined ? `all Hives of the team ${team}` : `the Hive ${hive}`;
      printNotice(`Added the webhook ${id} for ${about}. Its secret is not shown again:`);
      print(secrets[0]?.secret ?? "");
    });

  listAllCommand(
    webhook,
    "List the webhooks with the state and the last error of each.",
    async (storage) => {
      const { listWebhooks } = await import("../service/admin/webhooks.ts");
      const { toWebhook } = await import("../http/schemas/event-schemas.ts");
      const teams = await storage.webhooks.lists.names();
      const webhooks = (await Promise.all(teams.map((team) => listWebhooks(storage, team)))).flat();
      return webhooks.map((summary) => Object.assign({ team: summary.team }, toWebhook(summary)));
    },
    {
      ID: (row) => row.id,
      TEAM: (row) => row.team,
      HIVE: (row) => row.hive ?? "all",
      URL: (row) => row.url,
      STATE: (row) => row.state,
      PENDING: (row) => String(row.pending),
      RECEIVED: (row) => row.received ?? "-",
      "NEXT TRY": (row) => row.retry ?? "-",
      ERROR: (row) => row.error ?? "-",
    },
  );

  storageCommand("remove", webhook)
    .description("Remove a webhook. Nothing more is sent to its address.")
    .argument("<id>", "the id of the webhook, as in the list")
    .action(async (id, flags) => {
      const { removeWebhook, teamOfWebhook } = await import("../service/admin/webhooks.ts");
      const storage = await openNamed(flags);
      await removeWebhook(storage, { team: await teamOfWebhook(storage, id) }, id);
      print(`Removed the webhook ${id}.`);
    });

  addSettings(webhook.command("test"), [...storageSettings, "webhookAllow"])
    .description("Send a ping to a webhook from this machine, once.")
    .argument("<id>", "the id of the webhook, as in the list")
    .action(async (id, flags) => {
      const { findWebhook, teamOfWebhook } = await import("../service/admin/webhooks.ts");
      const { testWebhook } = await import("../service/events/webhook-delivery.ts");
      const { toWebhookBody } = await import("../http/schemas/event-schemas.ts");
      const storage = await openNamed(flags, toConfig(flags));
      const target = findWebhook(storage, await teamOfWebhook(storage, id), id);
      const outcome = await testWebhook(storage, target, toWebhookBody, new AbortController().signal);
      if (outcome.kind === "received") return print("It was received.");
      output().exitCode = 1;
      const error = outcome.kind === "failed" ? outcome.error : "its receiver is gone (410)";
      return print(printable(`It was not received: ${error}`));
    });

  storageCommand("rotate", webhook)
    .description("Replace the secret of a webhook. For a day, requests are signed with both secrets.")
    .argument("<id>", "the id of the webhook, as in the list")
    .action(async (id, flags) => {
      const { rotateSecret, teamOfWebhook } = await import("../service/admin/webhooks.ts");
      const storage = await openNamed(flags);
      const { secrets } = await rotateSecret(storage, { team: await teamOfWebhook(storage, id) }, id);
      printNotice("The new secret is not shown again:");
      print(secrets[0]?.secret ?? "");
    });
  return webhook;
}

/** Finds the team or the Hive with a name. @throws SkepError `not-found` when there is none, `conflict` when both exist. */
async function whatIs(
  storage: Storage,
  name: string,
  flags: Omit<AddFlags, "storage">,
): Promise<{ readonly team: TeamName; readonly hive: HiveSlug | undefined }> {
  const teams = await storage.registry.teams();
  const slug = toHiveSlug(name, "name");
  const owner = flags.team ? undefined : teams.find(({ hives }) => hives.includes(slug));
  const named = flags.hive ? undefined : teams.find((team) => team.name === toTeamName(name));
  if (owner !== undefined && named !== undefined) {
    throw failure("conflict", `${name} is a Hive and a team; add --hive or --team.`);
  }
  if (owner !== undefined) return { team: owner.name, hive: slug };
  if (named !== undefined) return { team: named.name, hive: undefined };
  throw failure("not-found", `No Hive and no team is called "${name}".`);
}
