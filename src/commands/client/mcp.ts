/** `skep mcp`: the tools of the server for an editor that speaks the Model Context Protocol over standard input and output. */
import { Command } from "commander";
import { exitCodesHelp } from "../../client/api/client-error.ts";
import type { ProjectFlags } from "../../client/project.ts";
import { takeFromProgram } from "../program/settings.ts";
import { commandContext } from "./client-command.ts";

export function mcpCommand(): Command {
  return new Command("mcp")
    .option("--config <file>", "the settings of the app (default: the nearest skep.yaml upwards)")
    .option("--server <url>", "the server (overrides SKEP_SERVER and skep.yaml)")
    .option("--token-file <file>", "a file with the token (overrides SKEP_TOKEN)")
    .option("--model <name>", "the name of the model that writes, for the history")
    .addHelpText("after", exitCodesHelp)
    .hook("preAction", (_, action) => takeFromProgram(action))
    .action(async ({ model, ...flags }: ProjectFlags & { readonly model?: string }) => {
      const { openServer } = await import("../../client/project.ts");
      const { sendAsModel } = await import("../../client/api/mcp-api.ts");
      const { serveStdio } = await import("@modelcontextprotocol/server/stdio");
      const { makeMcpServer } = await import("../../http/mcp/mcp-server.ts");
      const { readVersion } = await import("../../http/routes/server-info.ts");
      const { context } = commandContext(true);
      const http = await openServer(flags, context);
      const version = await readVersion();
      const make = () => makeMcpServer(version, (request) => sendAsModel(http, model, request));
      serveStdio(make, { maxSubscriptions: 0, onerror: ({ message }) => context.warn(message) });
    });
}
