/** `skep open`: prints the address of a page of the console, and opens it where there is a browser. */
import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import { print } from "../output/print.ts";
import { openBrowser } from "../program/browser.ts";
import { clientCommand, printJson, runOnHive } from "./client-command.ts";

export function openCommand(): CommandUnknownOpts {
  return clientCommand("open")
    .argument("[string]", "a key with its file, such as auth.json:failed, or a file (default: the Hive)")
    .option("--locale <code>", "the page that translates into this locale; of a string, its text in it")
    .action(async (place, { locale, ...flags }) => {
      const { consoleAddress } = await import("../../client/console-page.ts");
      const url = await runOnHive(flags, "read", ({ hive }) => consoleAddress(hive, { place, locale }));
      if (flags.json) return printJson({ url });
      print(url);
      openBrowser(url);
    });
}
