/** `skep style`: shows and sets the style of a locale. */
import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import { ClientError } from "../../client/api/client-error.ts";
import { print, printable } from "../output/print.ts";
import { clientCommand, printResult, runOnHive } from "./client-command.ts";

export function styleCommand(): CommandUnknownOpts {
  return clientCommand("style", false)
    .argument("<locale>", "a locale of the Hive")
    .argument("[text]", "its new style; an empty text removes it")
    .option("--file <file>", "a file with its new style")
    .action(async (locale, text, { file, ...flags }) => {
      if (text !== undefined && file !== undefined)
        throw new ClientError("misuse", "Give either the text or --file.");
      const { readGivenText } = await import("../../client/tree/files.ts");
      const given = file === undefined ? text : await readGivenText(file);
      const style = await runOnHive(flags, "none", ({ hive: { glossary } }) =>
        given === undefined ? glossary.style(locale) : glossary.setStyle(locale, given),
      );
      printResult(flags, style, ({ text: own, locale: code }) => {
        if (given !== undefined) print(`${own === "" ? "Removed" : "Set"} the style of ${code}.`);
        else print(own === "" ? "It has no style." : own.split("\n").map(printable).join("\n"));
      });
    });
}
