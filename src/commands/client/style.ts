/** `skep style`: shows and sets the style of a locale. */
import type { Command } from "commander";
import { readFile } from "node:fs/promises";
import { ClientError } from "../../client/api/client-error.ts";
import { print, printable } from "../output/print.ts";
import { clientCommand, printJson, runOnHive, type ClientFlags } from "./client-command.ts";

interface StyleFlags extends ClientFlags {
  readonly file?: string;
}

export function styleCommand(): Command {
  return clientCommand("style", false)
    .argument("<locale>", "a locale of the Hive")
    .argument("[text]", "its new style; an empty text removes it")
    .option("--file <file>", "a file with its new style")
    .action(async (locale: string, text: string | undefined, { file, ...flags }: StyleFlags) => {
      if (text !== undefined && file !== undefined)
        throw new ClientError("misuse", "Give either the text or --file.");
      const given = file === undefined ? text : await readText(file);
      const style = await runOnHive(flags, "none", ({ hive: { glossary } }) =>
        given === undefined ? glossary.style(locale) : glossary.setStyle(locale, given),
      );
      if (flags.json) printJson(style);
      else if (given === undefined)
        print(style.text === "" ? "It has no style." : style.text.split("\n").map(printable).join("\n"));
      else
        print(
          style.text === "" ? `Removed the style of ${style.locale}.` : `Set the style of ${style.locale}.`,
        );
    });
}

/** @throws ClientError `misuse` */
async function readText(file: string): Promise<string> {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(await readFile(file));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ClientError("misuse", `${file}: cannot be read: ${reason}`, { cause });
  }
}
