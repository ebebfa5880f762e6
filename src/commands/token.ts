/** `skep token`: creates, lists and revokes tokens. */
import { Command, Option } from "commander";
import { toLocale } from "../domain/hives/locale.ts";
import { toHiveSlug, toTokenId, type TeamName } from "../domain/names.ts";
import { abilities, hasExpired, reviewRules, type Ability, type ReviewRule } from "../domain/access/token.ts";
import { print, printList, printNotice } from "./output/print.ts";
import { collect, toAbility, toTeam, toDuration } from "./program/arguments.ts";
import { openNamed, storageCommand, listCommand } from "./program/command.ts";
import type { ListFlags, StorageFlag } from "./program/command.ts";

interface CreateFlags extends StorageFlag {
  readonly team: TeamName;
  readonly name?: string;
  readonly ability: readonly Ability[];
  readonly hive: readonly string[];
  readonly locale: readonly string[];
  readonly checks?: "strict";
  readonly review?: ReviewRule;
  readonly expires?: number;
}

export function tokenCommand(): Command {
  const token = new Command("token");

  token.addCommand(
    storageCommand("create")
      .description("Create a token and print it. It cannot be shown again: only a hash of it is stored.")
      .requiredOption("--team <team>", "the team it belongs to", toTeam)
      .option("--name <name>", "a name for the token, which is the author of its commits")
      .option(
        "--ability <ability>",
        `${abilities.join(", ")}; may be repeated; read if not given`,
        collect(toAbility),
        [],
      )
      .option(
        "--hive <slug>",
        "a Hive it may access; may be repeated; all Hives of the team if not given",
        collect(String),
        [],
      )
      .option(
        "--locale <code>",
        "a locale into which it may write translations, and nothing else; may be repeated; no such limit if not given",
        collect(String),
        [],
      )
      .addOption(
        new Option("--checks <how>", "strict: it may not let texts pass that a Hive's checks refuse").choices(
          ["strict"],
        ),
      )
      .addOption(
        new Option(
          "--review <when>",
          "whether translations that it writes wait for a review; only those of models do if not given",
        ).choices(reviewRules),
      )
      .option(
        "--expires <span>",
        "how long it is valid, such as 12h or 90d; it never expires if not given",
        toDuration,
      )
      .action(async (flags: CreateFlags) => {
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
      }),
  );

  token.addCommand(
    listCommand("List the tokens, without their secrets.")
      .option("--team <team>", "only tokens of this team", toTeam)
      .action(async (flags: ListFlags & { team?: TeamName }) => {
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
      }),
  );

  token.addCommand(
    storageCommand("revoke")
      .description("Revoke a token. It is refused from the next request.")
      .argument("<id>", "the id of the token, as skep token list shows it")
      .action(async (id: string, flags: StorageFlag) => {
        const { revokeToken } = await import("../service/admin/tokens.ts");
        await revokeToken(await openNamed(flags), toTokenId(id, "id"));
        print(`Revoked the token ${id}.`);
      }),
  );
  return token;
}
