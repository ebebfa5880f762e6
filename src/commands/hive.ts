/** `skep hive`: make, list and delete Hives. */
import { Command } from "commander";
import { formatLocale, toLocale, type Locale } from "../domain/locale.ts";
import { toHiveSlug, toTeamName } from "../domain/names.ts";
import { createHive, deleteHive, listHives, ownerOf, type HiveSummary } from "../service/hives.ts";
import {
  collect,
  commandOrigin,
  openNamed,
  print,
  printList,
  storageCommand,
  type StorageFlag,
} from "./command.ts";
import { requireYes } from "./confirm.ts";

interface CreateFlags extends StorageFlag {
  readonly team: string;
  readonly name?: string;
  readonly sourceLocale: string;
  readonly locale: readonly string[];
}

export function hiveCommand(): Command {
  const hive = new Command("hive").description("Make, list and delete Hives.");

  hive.addCommand(
    storageCommand("create")
      .description("Make a Hive: a git repository for the texts of one project.")
      .argument("<slug>", "how it is addressed: lower-case letters, digits and hyphens")
      .requiredOption("--team <team>", "the team that owns it")
      .option("--name <name>", "what people call it; the slug if not given")
      .option("--source-locale <code[=custom]>", "the locale of the source strings", "en")
      .option(
        "--locale <code[=custom]>",
        "a locale to translate into, such as fr or pt-BR=pt_BR; may be repeated",
        collect((text) => text),
        [],
      )
      .action(async (text: string, flags: CreateFlags) => {
        const slug = toHiveSlug(text);
        await createHive(
          openNamed(flags),
          {
            slug,
            team: toTeamName(flags.team),
            name: flags.name,
            sourceLocale: toLocale(flags.sourceLocale, "source-locale"),
            targetLocales: flags.locale.map((locale) => toLocale(locale)),
          },
          commandOrigin,
        );
        print(`Made the Hive ${slug}.`);
      }),
  );

  hive.addCommand(
    storageCommand("list")
      .description("List the Hives.")
      .option("--json", "print JSON", false)
      .action(async (flags: StorageFlag & { json: boolean }) => {
        printList((await listHives(openNamed(flags))).map(toRow), {
          json: flags.json,
          columns: {
            HIVE: (row) => row.slug,
            TEAM: (row) => row.team,
            STRINGS: (row) => String(row.string_count ?? "?"),
            SOURCE: (row) => row.source_locale ?? "?",
            LOCALES: (row) => row.locales?.map(formatRow).join(", ") ?? row.problem ?? "?",
            NAME: (row) => row.name ?? "?",
          },
        });
      }),
  );

  hive.addCommand(
    storageCommand("delete")
      .description("Delete a Hive with all its texts and its history.")
      .argument("<slug>", "the Hive")
      .option("--yes", "do it; without this nothing is deleted", false)
      .action(async (text: string, flags: StorageFlag & { yes: boolean }) => {
        const storage = openNamed(flags);
        const slug = toHiveSlug(text);
        const { name } = await ownerOf(storage, slug);
        requireYes(
          flags.yes,
          `This deletes the Hive ${slug} of the team ${name} with all its texts and its history.`,
        );
        await deleteHive(storage, slug);
        print(`Deleted the Hive ${slug}.`);
      }),
  );
  return hive;
}

interface LocaleRow {
  readonly code: string;
  readonly custom_code: string | null;
}

function toLocaleRow({ code, customCode }: Locale): LocaleRow {
  return { code, custom_code: customCode ?? null };
}

function formatRow({ code, custom_code: custom }: LocaleRow): string {
  return custom === null ? code : `${code}=${custom}`;
}

function toRow({ slug, team, settings, strings, problem }: HiveSummary) {
  return {
    slug,
    team,
    name: settings?.name ?? null,
    source_locale: settings === undefined ? null : formatLocale(settings.sourceLocale),
    locales: settings?.targetLocales.map(toLocaleRow) ?? null,
    string_count: strings ?? null,
    ...(problem === undefined ? {} : { problem }),
  };
}
