/** `skep serve`: the server. */
import { Option, type Command } from "commander";
import { serve } from "h3";
import { defaults, toPort, toWholeNumber, type ServeConfig } from "../config.ts";
import { createApp } from "../http/app.ts";
import { createLog } from "../log.ts";
import { openNamed, storageCommand, tell } from "./command.ts";

const firstSteps = (storage: string): string => {
  const at = storage === defaults.storage ? "" : ` --storage ${storage}`;
  return [
    "This storage is empty. Three commands make a first team, Hive and token:",
    "",
    `  skep team create acme${at}`,
    `  skep hive create web --team acme --locale fr --locale pt-BR=pt_BR${at}`,
    `  skep token create --team acme --ability read --ability write${at}`,
    "",
  ].join("\n");
};

export function serveCommand(): Command {
  return storageCommand("serve")
    .description("Serve the Hives of a storage folder over HTTP.")
    .addOption(
      new Option("--host <host>", "the address to listen on").env("SKEP_HOST").default(defaults.host),
    )
    .addOption(
      new Option("--port <port>", "the port to listen on; 0 takes a free one")
        .env("SKEP_PORT")
        .default(defaults.port)
        .argParser(toPort),
    )
    .addOption(
      new Option("--body-limit <bytes>", "the largest request body")
        .env("SKEP_BODY_LIMIT")
        .default(defaults.bodyLimit)
        .argParser(toWholeNumber),
    )
    .addOption(
      new Option("--cache-bytes <bytes>", "how much memory answers that are kept may take")
        .env("SKEP_CACHE_BYTES")
        .default(defaults.cacheBytes)
        .argParser(toWholeNumber),
    )
    .action(runServer);
}

async function runServer(config: ServeConfig): Promise<void> {
  const storage = openNamed(config);
  const isEmpty = (await storage.registry.teams()).length === 0;
  const app = createApp({
    storage,
    log: createLog(),
    bodyLimit: config.bodyLimit,
    cacheBytes: config.cacheBytes,
  });
  const server = serve(app, {
    hostname: config.host,
    port: config.port,
    manual: true,
    silent: true,
    gracefulShutdown: false,
  });
  await server.serve();
  const listening = `Skep listens on ${server.url?.replace(/\/$/, "") ?? ""}`;
  tell(isEmpty ? `${listening}\n\n${firstSteps(config.storage)}` : listening);
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    // The process ends by itself, with 0, once the requests in flight are answered.
    process.once(signal, () => void server.close());
  }
}
