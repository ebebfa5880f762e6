/** `skep mcp`: the tools of the server for an editor that speaks the Model Context Protocol over standard input and output. */
import { Command, type CommandUnknownOpts } from "@commander-js/extra-typings";
import { exitCodesHelp } from "../../client/api/client-error.ts";
import { takeFromProgram } from "../program/settings.ts";
import { commandContext } from "./client-command.ts";

export function mcpCommand(): CommandUnknownOpts {
  return new Command("mcp")
    .option("--config <file>", "the settings of the app (default: the nearest skep.yaml upwards)")
    .option("--server <url>", "the server (overrides SKEP_SERVER and skep.yaml)")
    .option("--token-file <file>", "a file with the token (overrides SKEP_TOKEN)")
    .option("--model <name>", "the name of the model that writes, for the history")
    .addHelpText("after", exitCodesHelp)
    .hook("preAction", (_, action) => takeFromProgram(action))
    .action(async ({ model, ...flags }) => {
      const { openServer } = await import("../../client/project.ts");
      const { sendAsModel } = await import("../../client/api/mcp-api.ts");
      const { serveStdio } = await import("@modelcontextprotocol/server/stdio");
      const { makeMcpServer } = await import("../../http/mcp/tools.ts");
      const { readVersion } = await import("../../http/routes/server-info.ts");
      const { context } = commandContext(true);
      const http = await openServer(flags, context);
      const version = await readVersion();
      const make = () => makeMcpServer(version, (request) => sendAsModel(http, model, request));
      const onerror = (error: Error) => {
        // The SDK reports a line that is JSON but not a message by an error of its schema, and answers nothing.
        if (error.name === "ZodError") process.stdout.write(invalidRequest);
        else context.warn(error.message);
      };
      serveStdio(make, { maxSubscriptions: 0, onerror });
    });
}

/** Answers a line that is no message. Its id is not known, so it is `null`, as JSON-RPC has it. */
const invalidRequest = `${JSON.stringify({
  jsonrpc: "2.0",
  error: { code: -32600, message: "Send one JSON-RPC message per line: batches are not supported." },
  id: null,
})}\n`;
