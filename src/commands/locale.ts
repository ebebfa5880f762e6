/** `skep locale`, with the commands that it had before `create` and `edit`. */
import { Option, type CommandUnknownOpts } from "@commander-js/extra-typings";
import { formatLocale, toLocale } from "../domain/hives/locale.ts";
import { nounCommand } from "./operations/operation-command.ts";
import { print } from "./output/print.ts";
import { commandContext, openHive, storageCommand } from "./program/command.ts";

export async function localeCommand(): Promise<CommandUnknownOpts> {
  const locale = await nounCommand("locale");

  storageCommand("add", locale, true)
    .description("Use skep locale create instead.")
    .argument("<slug>", "the Hive")
    .argument(
      "<code[=custom]...>",
      "BCP 47 codes, each with your app's code if it differs: pt-BR=pt_BR; tl alone means fil=tl",
    )
    .action(async (name, texts, flags) => {
      const { addLocales } = await import("../service/admin/locales.ts");
      const added = texts.map((text) => toLocale(text));
      const { storage, slug } = await openHive(flags, name);
      await addLocales(storage, slug, added, commandContext);
      print(`Added the ${added.length === 1 ? "locale" : "locales"} ${added.map(formatLocale).join(", ")}.`);
    });

  storageCommand("set", locale, true)
    .description("Use skep locale edit instead.")
    .argument("<slug>", "the Hive")
    .argument("<code[=custom]>", "the locale's BCP 47 code, and the code your app uses")
    .addOption(
      new Option(
        "--review <what>",
        "all: every text waits for a review, whoever writes it; writer: the writer's token decides",
      ).choices(["all", "writer"]),
    )
    .option("--two-people", "nobody may approve their own text")
    .option("--no-two-people", "they may")
    .action(async (name, text, { review, twoPeople, ...flags }) => {
      const { changeLocale } = await import("../service/admin/locales.ts");
      const { code, customCode } = toLocale(text);
      const isReview = review !== undefined || twoPeople !== undefined;
      const change = {
        customCode: customCode ?? (isReview ? undefined : null),
        review: review === "writer" ? null : review,
        twoPeople,
      };
      const { storage, slug } = await openHive(flags, name);
      const { result } = await changeLocale(storage, slug, code, change, commandContext);
      const rules = [
        ...(result.review === "all" ? ["all its texts are reviewed"] : []),
        ...(result.twoPeople === true ? ["by another person than their writer"] : []),
      ];
      print([`The locale is ${formatLocale(result)} now`, ...rules].join(", ") + ".");
    });
  return locale;
}
