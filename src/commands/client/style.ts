/** `skep style`: shows and sets the style of a locale. */
import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import { ClientError } from "../../client/api/client-error.ts";
import { print, printable } from "../output/print.ts";
import { clientGroup, clientPart, printResult, runOnHive, type ClientFlags } from "./client-command.ts";

const textHelp = "its new style; an empty text removes it";

export function styleCommand(): CommandUnknownOpts {
  const style = clientGroup("style");
  clientPart(style, "show", "Show the style of a locale.")
    .argument("<locale>", "a locale of the Hive")
    .action((locale, flags) => run(locale, undefined, flags));
  clientPart(style, "edit", "Set the style of a locale.")
    .argument("<locale>", "a locale of the Hive")
    .argument("[text]", textHelp)
    .option("--file <file>", "a file with its new style")
    .action(async (locale, text, { file, ...flags }) => {
      const given = await givenText(text, file);
      if (given === undefined) throw new ClientError("misuse", "Give the text or --file.");
      return run(locale, given, flags);
    });
  // `skep style LOCALE …` shows or sets, as it did before it had commands of its own.
  const shortForm = { hidden: true, isDefault: true };
  clientPart(style, "edit-or-show", "Use skep style edit or skep style show instead.", false, shortForm)
    .argument("[locale]", "a locale of the Hive")
    .argument("[text]", textHelp)
    .option("--file <file>", "a file with its new style")
    .action(async (locale, text, { file, ...flags }) => {
      if (locale === undefined) return style.outputHelp();
      return run(locale, await givenText(text, file), flags);
    });
  return style;
}

/** The text that a command was given, if it was given one. */
async function givenText(text: string | undefined, file: string | undefined): Promise<string | undefined> {
  if (text !== undefined && file !== undefined)
    throw new ClientError("misuse", "Give either the text or --file.");
  const { readGivenText } = await import("../../client/tree/files.ts");
  return file === undefined ? text : readGivenText(file);
}

/** Shows the style of a locale, or sets it if there is a new one. */
async function run(locale: string, given: string | undefined, flags: ClientFlags): Promise<void> {
  const style = await runOnHive(flags, "none", ({ hive: { glossary } }) =>
    given === undefined ? glossary.style(locale) : glossary.setStyle(locale, given),
  );
  printResult(flags, style, ({ text: own, locale: code }) => {
    if (given !== undefined) print(`${own === "" ? "Removed" : "Set"} the style of ${code}.`);
    else print(own === "" ? "It has no style." : own.split("\n").map(printable).join("\n"));
  });
}
