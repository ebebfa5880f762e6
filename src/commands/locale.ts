/** `skep locale`: adds, changes and removes locales of a Hive. */
import { Command } from "commander";
import { formatLocale, toLocale } from "../domain/hives/locale.ts";
import { toHiveSlug } from "../domain/names.ts";
import { counted } from "../domain/text.ts";
import { print } from "./output/print.ts";
import {
  commandContext,
  openNamed,
  requireYes,
  storageCommand,
  type StorageFlag,
} from "./program/command.ts";

export function localeCommand(): Command {
  const locale = new Command("locale");

  locale.addCommand(
    storageCommand("add")
      .description("Add locales to translate into.")
      .argument("<slug>", "the Hive")
      .argument(
        "<code[=custom]...>",
        "BCP 47 codes, each with the code your app uses if it is another: pt-BR=pt_BR; tl alone is fil=tl",
      )
      .action(async (slug: string, texts: readonly string[], flags: StorageFlag) => {
        const { addLocales } = await import("../service/admin/locales.ts");
        const added = texts.map((text) => toLocale(text));
        await addLocales(await openNamed(flags), toHiveSlug(slug), added, commandContext);
        print(
          `Added the ${added.length === 1 ? "locale" : "locales"} ${added.map(formatLocale).join(", ")}.`,
        );
      }),
  );

  locale.addCommand(
    storageCommand("set")
      .description(
        "Change the custom code of a locale, the source locale too; the canonical code alone removes it.",
      )
      .argument("<slug>", "the Hive")
      .argument("<code[=custom]>", "the locale's BCP 47 code, and the code your app uses")
      .action(async (slug: string, text: string, flags: StorageFlag) => {
        const { setLocale } = await import("../service/admin/locales.ts");
        const changed = toLocale(text);
        await setLocale(await openNamed(flags), toHiveSlug(slug), changed, commandContext);
        print(`The locale is ${formatLocale(changed)} now.`);
      }),
  );

  locale.addCommand(
    storageCommand("remove")
      .description("Remove a locale with all its translations. The history keeps them.")
      .argument("<slug>", "the Hive")
      .argument("<code>", "the locale, by any of its codes")
      .option("--yes", "confirm the removal; without this flag nothing is removed", false)
      .action(async (slug: string, code: string, flags: StorageFlag & { yes: boolean }) => {
        const { removeLocale } = await import("../service/admin/locales.ts");
        const storage = await openNamed(flags);
        const context = { ...commandContext, dryRun: !flags.yes };
        const { result } = await removeLocale(storage, toHiveSlug(slug), code, context);
        const what = `the locale ${code} with ${counted(result.translations, "translation")}`;
        requireYes(flags.yes, `This removes ${what}.`);
        print(`Removed ${what}.`);
      }),
  );
  return locale;
}
