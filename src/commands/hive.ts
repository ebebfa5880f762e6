/** `skep hive`: creates, changes, lists and deletes Hives. */
import { Command, InvalidArgumentError, Option, type CommandUnknownOpts } from "@commander-js/extra-typings";
import { pluralModes, pushPolicies, type PushPolicy } from "../domain/hives/hive-settings.ts";
import { checkLevels, toSyntaxRule } from "../domain/checks/check-settings.ts";
import { syntaxNames } from "../domain/checks/syntax-names.ts";
import { formatLocale, toLocale } from "../domain/hives/locale.ts";
import { toHiveSlug } from "../domain/names.ts";
import { keptDays, keptUntil } from "../domain/deletion-time.ts";
import type { TrashEntry } from "../domain/hives/trash.ts";
import type { HiveSummary } from "../service/admin/hives.ts";
import { nonZero, print, printable, printList } from "./output/print.ts";
import { collect, toTeam, toLimit } from "./program/arguments.ts";
import {
  commandContext,
  listCommand,
  openHive,
  openNamed,
  requireYes,
  storageCommand,
} from "./program/command.ts";

function pluralsOption() {
  return new Option(
    "--plurals <which>",
    "source strings that are plural forms: x_one and x_other (i18next), groups with one and other (nested), both (auto), or none",
  ).choices(pluralModes);
}

function checksOption() {
  return new Option(
    "--checks <level>",
    "how writes of texts with errors are handled: without a check (off), with a report (warn), or refused (refuse)",
  ).choices(checkLevels);
}

function syntaxOption() {
  const names = syntaxNames.join(", ");
  return new Option(
    "--syntax <pattern=syntax>",
    `the syntax of messages in some files, such as *.json=icu; the last matching rule counts; may be repeated (${names})`,
  ).argParser(
    collect((text: string) => {
      const at = text.lastIndexOf("=");
      return toSyntaxRule(text.slice(0, Math.max(at, 0)), text.slice(at + 1), "--syntax");
    }),
  );
}

export function hiveCommand(): CommandUnknownOpts {
  const hive = new Command("hive");

  storageCommand("create", hive)
    .description("Create a Hive: a git repository for the texts of one project.")
    .argument("<slug>", "the name in addresses: lower-case letters, digits and hyphens")
    .requiredOption("--team <team>", "the team that owns it", toTeam)
    .option("--name <name>", "the display name (default: the slug)")
    .option("--source-locale <code[=custom]>", "the locale of the source strings", "en")
    .option(
      "--locale <code[=custom]>",
      "locales to translate into, such as fr or fr,pt-BR=pt_BR; may be repeated",
      (text: string, before: readonly string[]) => [...before, ...text.split(",")],
      [],
    )
    .addOption(pluralsOption().default("auto"))
    .addOption(checksOption())
    .addOption(syntaxOption())
    .action(async (text, flags) => {
      const { createHive } = await import("../service/admin/hives.ts");
      const slug = toHiveSlug(text);
      await createHive(
        await openNamed(flags),
        {
          slug,
          team: flags.team,
          name: flags.name,
          sourceLocale: toLocale(flags.sourceLocale, "source-locale"),
          targetLocales: flags.locale.map((locale) => toLocale(locale)),
          plurals: flags.plurals,
          checks: { level: flags.checks, syntax: flags.syntax },
        },
        commandContext,
      );
      print(`Created the Hive ${slug}.`);
    });

  storageCommand("update", hive)
    .description(
      "Change the settings of a Hive: its name, the limit on deletions, plural forms, checks, or pushes.",
    )
    .argument("<slug>", "the Hive")
    .option("--name <name>", "the display name")
    .option(
      "--max-deletions <n|none>",
      "how many source strings one sync or undo over the API may delete, unless the request gives another limit",
      toLimit,
    )
    .addOption(pluralsOption())
    .addOption(checksOption())
    .addOption(syntaxOption())
    .addOption(
      new Option(
        "--push <which>",
        "which branches accept git push: all but main (branches), main too (all), or none",
      ).choices(pushPolicies),
    )
    .action(async (text, flags) => {
      const { name, maxDeletions, plurals, push, checks: level, syntax } = flags;
      if ([name, maxDeletions, plurals, push, level, syntax].every((given) => given === undefined)) {
        throw new InvalidArgumentError(
          "Give --name, --max-deletions, --plurals, --push, --checks or --syntax.",
        );
      }
      const checks = level === undefined && syntax === undefined ? undefined : { level, syntax };
      const { updateHive } = await import("../service/admin/hives.ts");
      const { storage, slug } = await openHive(flags, text);
      await updateHive(storage, slug, { name, maxDeletions, plurals, push, checks }, commandContext);
      if (name !== undefined) print(`The Hive ${slug} is called ${printable(name)}.`);
      if (maxDeletions !== undefined) {
        const limit = maxDeletions === "none" ? "any number of" : maxDeletions;
        print(`One request may delete ${limit} source strings of ${slug}.`);
      }
      if (plurals !== undefined) print(`Plural forms in ${slug}: ${plurals}.`);
      if (level !== undefined) print(`Checks of ${slug}: ${level}.`);
      for (const rule of syntax ?? []) print(`${rule.files} of ${slug} is ${rule.syntax}.`);
      if (push !== undefined) print(`Branches of ${slug} that take pushes: ${pushed[push]}.`);
    });

  listCommand(hive, "List the Hives.")
    .option("--team <team>", "only Hives of this team", toTeam)
    .option("--trash", "list the deleted Hives that can be restored", false)
    .action(async (flags) => {
      const storage = await openNamed(flags);
      if (flags.trash) {
        const { listTrash } = await import("../service/admin/trash.ts");
        return printTrash(await listTrash(storage, flags.team), flags.json);
      }
      const { listHives } = await import("../service/admin/hives.ts");
      const columns = {
        HIVE: (row: HiveRow) => row.slug,
        TEAM: (row: HiveRow) => row.team,
        STRINGS: (row: HiveRow) => (row.string_count === null ? "?" : nonZero(row.string_count)),
        SOURCE: (row: HiveRow) => row.source_locale ?? "?",
        NAME: (row: HiveRow) => row.name ?? "?",
        // The last column, so that hundreds of locales do not move the others.
        LOCALES: ({ locales, problem }: HiveRow) =>
          locales?.map(({ code, custom_code: own }) => (own === null ? code : `${code}=${own}`)).join(", ") ??
          problem ??
          "?",
      };
      const rows = (await listHives(storage, flags.team)).map(toRow);
      printList(rows, flags.json, columns, { empty: "There is no Hive; skep hive create makes one." });
    });

  storageCommand("delete", hive)
    .description(
      `Delete a Hive with all its texts and its history. It can be restored for ${keptDays} days, but without its mirrors and the access of tokens that list it.`,
    )
    .argument("<slug>", "the Hive")
    .option("--yes", "confirm the deletion; without this flag nothing is deleted", false)
    .action(async (text, flags) => {
      const { deleteHive } = await import("../service/admin/hives.ts");
      const { purgeTrash } = await import("../service/admin/trash.ts");
      const { storage, slug } = await openHive(flags, text);
      const { name } = await storage.registry.teamOfHive(slug);
      requireYes(
        flags.yes,
        `This deletes the Hive ${slug} of the team ${name} with all its texts and its history; it is kept for ${keptDays} days.`,
      );
      const expires = await deleteHive(storage, slug);
      await purgeTrash(storage);
      const until = new Date(expires).toISOString();
      print(`Deleted the Hive ${slug}. Until ${until} it comes back with: skep hive restore ${slug}`);
    });

  storageCommand("restore", hive)
    .description(
      "Restore a deleted Hive with all its texts and its history. Its mirrors and the access of tokens that listed it are not restored.",
    )
    .argument("<slug>", "the Hive, or the entry in the trash if several have that slug")
    .option("--team <team>", "the team that will own it (default: its former team)", toTeam)
    .action(async (text, flags) => {
      const { restoreHive } = await import("../service/admin/trash.ts");
      const slug = await restoreHive(await openNamed(flags), { text, team: flags.team });
      print(`Restored the Hive ${slug}.`);
    });
  return hive;
}

const pushed: Record<PushPolicy, string> = { branches: "all but main", all: "all", none: "none" };

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

type HiveRow = ReturnType<typeof toRow>;

function toRow({ slug, team, settings, strings, problem }: HiveSummary) {
  return {
    slug,
    team,
    name: settings?.name ?? null,
    source_locale: settings === undefined ? null : formatLocale(settings.sourceLocale),
    locales:
      settings?.targetLocales.map(({ code, customCode }) => ({ code, custom_code: customCode ?? null })) ??
      null,
    string_count: strings ?? null,
    max_deletions: settings?.maxDeletions ?? null,
    plurals: settings === undefined ? null : (settings.plurals ?? "auto"),
    push: settings === undefined ? null : (settings.push ?? "branches"),
    problem,
  };
}
