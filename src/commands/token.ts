/** `skep token`: creates, lists and revokes tokens. */
import { Command, Option, type CommandUnknownOpts } from "@commander-js/extra-typings";
import { toLocale } from "../domain/hives/locale.ts";
import { toHiveSlug, toTokenId } from "../domain/names.ts";
import { hasExpired } from "../domain/access/token.ts";
import { print, printList, printNotice } from "./output/print.ts";
import { toTeam, toDuration } from "./program/arguments.ts";
import { openNamed, storageCommand, listCommand } from "./program/command.ts";
import { addRights } from "./program/rights.ts";

export function tokenCommand(): CommandUnknownOpts {
  const token = new Command("token");

  addRights(storageCommand("create", token), "usual")
    .description("Create a token and print it. It cannot be shown again: only a hash of it is stored.")
    .requiredOption("--team <team>", "the team it belongs to", toTeam)
    .option("--name <name>", "a name for the token, which is the author of its commits")
    .addOption(
      new Option("--checks <how>", "strict: it may not let texts pass that a Hive's checks refuse").choices([
        "strict",
      ]),
    )
    .option(
      "--expires <span>",
      "how long it is valid, such as 12h or 90d; it never expires if not given",
      toDuration,
    )
    .action(async (flags) => {
      const { createToken } = await import("../service/admin/tokens.ts");
      const { token: secret, id } = await createToken(await openNamed(flags), {
        team: flags.team,
        name: flags.name,
        abilities: flags.ability,
        hives: flags.hive.map((slug) => toHiveSlug(slug, "hive")),
        locales: flags.locale.map((code) => toLocale(code).code),
        checks: flags.checks,
        review: flags.review,
        lifetimeMs: flags.expires,
      });
      print(secret);
      printNotice(`Created the token ${id}. Keep it safe: it cannot be shown again.`);
    });

  listCommand(token, "List the tokens, without their secrets.")
    .option("--team <team>", "only tokens of this team", toTeam)
    .action(async (flags) => {
      const { listTokens } = await import("../service/admin/tokens.ts");
      const storage = await openNamed(flags);
      const tokens = (await listTokens(storage, flags.team)).map((one) => ({
        id: one.id,
        team: one.team,
        name: one.name ?? null,
        abilities: one.abilities,
        hives: one.hives,
        locales: one.locales ?? null,
        checks: one.checks ?? null,
        review: one.review ?? null,
        created: one.created,
        expires: one.expires ?? null,
        expired: hasExpired(one, storage.now()),
      }));
      printList(tokens, flags.json, {
        TOKEN: (row) => row.id,
        TEAM: (row) => row.team,
        ABILITIES: (row) => row.abilities.join(", "),
        HIVES: (row) => (row.hives === "all" ? "all" : row.hives.join(", ") || "none"),
        LOCALES: (row) => row.locales?.join(", ") ?? "all",
        CHECKS: (row) => row.checks ?? "",
        REVIEW: (row) => row.review ?? "",
        CREATED: (row) => row.created,
        EXPIRES: (row) => `${row.expires ?? "never"}${row.expired ? " (expired)" : ""}`,
        NAME: (row) => row.name ?? "",
      });
    });

  storageCommand("revoke", token)
    .description("Revoke a token. It is refused from the next request.")
    .argument("<id>", "the id of the token, as skep token list shows it")
    .action(async (id, flags) => {
      const { revokeToken } = await import("../service/admin/tokens.ts");
      await revokeToken(await openNamed(flags), toTokenId(id, "id"));
      print(`Revoked the token ${id}.`);
    });
  return token;
}
