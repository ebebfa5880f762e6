/** `skep serve`: runs the server. */
import { Command } from "commander";
import { toConfig } from "../config/settings.ts";
import { addSettings } from "./program/settings.ts";

export function serveCommand(): Command {
  return addSettings(new Command("serve"))
    .addHelpText("after", settingsHelp)
    .action(async (texts: Readonly<Record<string, string>>) => {
      const config = toConfig(texts);
      // Loaded here, so that help and mistakes do not wait for the whole server.
      if (config.workers === 1) await (await import("./serve/server.ts")).runServer(config);
      else await (await import("./serve/supervisor.ts")).runSupervisor(config, texts);
    });
}

const settingsHelp = `
Every setting is a flag, a variable or a line in the file; the first of these
that is given counts. In the file the names are those of the flags with _ for -:

  port: 4488
  body_limit: 64MiB`;
