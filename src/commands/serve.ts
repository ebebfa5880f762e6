/** `skep serve`: the server. */
import { Command } from "commander";
import { addSettings, configOf } from "./program/settings.ts";

export function serveCommand(): Command {
  return addSettings(new Command("serve"))
    .addHelpText("after", settingsHelp)
    .action(async (_: unknown, command: Command) => {
      const config = configOf(command);
      // Loaded here, so that help and mistakes do not wait for the whole server.
      const { runServer } = await import("./server.ts");
      await runServer(config);
    });
}

const settingsHelp = `
Every setting is a flag, a variable or a line in the file; the first of these
that is given counts. In the file the names are those of the flags with _ for -:

  port: 4488
  body_limit: 64MiB`;
