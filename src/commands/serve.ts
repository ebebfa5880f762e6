/** `skep serve`, which is `skep server run`, too: runs the server. */
import { Command, type CommandUnknownOpts } from "@commander-js/extra-typings";
import { toConfig } from "../config/settings.ts";
import { machineOnly } from "./operations/machine-only.ts";
import { addSettings } from "./program/settings.ts";

/** @param command the one that is to run the server. */
export function serveCommand(command: CommandUnknownOpts = new Command("serve")): CommandUnknownOpts {
  return addSettings(machineOnly(command, false))
    .addHelpText("after", settingsHelp)
    .action(async (texts) => {
      const config = toConfig(texts);
      // Loaded here, so that help and mistakes do not wait for the whole server.
      await (await import("./serve/server.ts")).runServer(config);
    });
}

const settingsHelp = `
Give a setting as a flag, as a variable or in the settings file. A flag takes
precedence over a variable, and a variable over the file. In the file, write _
in the place of - in names:

  port: 4488
  body_limit: 64MiB`;
