/** `skep serve`: the server. */
import { Option, type Command } from "commander";
import {
  defaults,
  toHost,
  toPort,
  toTimeout,
  toTrustedProxies,
  toWholeNumber,
  type ServeConfig,
} from "../config.ts";
import { createApp } from "../http/app.ts";
import { listen } from "../http/server.ts";
import { createLog, describeError, type Log } from "../log.ts";
import { MirrorWorker } from "../service/mirror-worker.ts";
import { packInBackground, type Background } from "../service/maintenance.ts";
import type { Storage } from "../service/storage.ts";
import { purgeInBackground } from "../service/trash.ts";
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
    .description(
      "Serve the Hives of a storage folder over HTTP. The API is described at /docs, and as OpenAPI at /openapi.json.",
    )
    .addOption(
      new Option("--host <host>", "the address to listen on")
        .env("SKEP_HOST")
        .default(defaults.host)
        .argParser(toHost),
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
      new Option("--body-budget <bytes>", "how much memory the bodies of all requests may take at once")
        .env("SKEP_BODY_BUDGET")
        .default(defaults.bodyBudget)
        .argParser(toWholeNumber),
    )
    .addOption(
      new Option("--cache-bytes <bytes>", "how much memory answers that are kept may take")
        .env("SKEP_CACHE_BYTES")
        .default(defaults.cacheBytes)
        .argParser(toWholeNumber),
    )
    .addOption(
      new Option("--memory-budget <bytes>", "how much memory the Hives' content may take, about")
        .env("SKEP_MEMORY_BUDGET")
        .default(defaults.memoryBudget, "a quarter of the machine's")
        .argParser(toWholeNumber),
    )
    .addOption(
      new Option("--max-clones <n>", "how many git clones and fetches are answered at once; others get a 503")
        .env("SKEP_MAX_CLONES")
        .default(defaults.maxClones)
        .argParser(toWholeNumber),
    )
    .addOption(
      new Option("--clone-timeout <time>", "how long one of them may take, in s, m or h")
        .env("SKEP_CLONE_TIMEOUT")
        .default(defaults.cloneTimeout, "10m")
        .argParser(toTimeout),
    )
    .addOption(
      new Option(
        "--pack-after <objects>",
        "about how many loose objects a Hive may have before git packs it in the background; 0 never does",
      )
        .env("SKEP_PACK_AFTER")
        .default(defaults.packAfter)
        .argParser(toWholeNumber),
    )
    .addOption(
      new Option(
        "--trust-proxy <addresses>",
        "the proxies in front, whose X-Forwarded-For is believed: addresses, networks such as 10.0.0.0/8, loopback, linklocal, uniquelocal, with commas (default: none)",
      )
        .env("SKEP_TRUST_PROXY")
        .argParser(toTrustedProxies),
    )
    .action(runServer);
}

async function runServer(config: ServeConfig): Promise<void> {
  const log = createLog();
  const storage = openNamed(config);
  await storage.checkWritable();
  const isEmpty = (await storage.registry.teams()).length === 0;
  const { url, close } = await listen(createApp({ ...config, storage, log }), config);
  tell(isEmpty ? `Skep listens on ${url}\n\n${firstSteps(config.storage)}` : `Skep listens on ${url}`);
  const mirrors = new MirrorWorker({ storage, log });
  mirrors.start();
  const packing = startPacking(storage, config, log);
  const purging = purgeInBackground(storage, (error) =>
    log.error({ error: describeError(error) }, "could not purge the trash"),
  );
  endOnSignals(async () => {
    await Promise.all([mirrors.stop(), packing.stop(), purging.stop(), close()]);
  });
  void tidy(storage, log);
  keepGoing(log);
}

/** Removes what earlier processes left unfinished. */
async function tidy(storage: Storage, log: Log): Promise<void> {
  try {
    await storage.verifier.removeLeftovers();
  } catch (error) {
    log.error({ error: describeError(error) }, "could not remove what unfinished writes left");
  }
}

function startPacking(storage: Storage, { packAfter }: ServeConfig, log: Log): Background {
  return packInBackground(storage, {
    packAfter,
    withoutGit: () =>
      tell(
        "git is not installed: Hives are not packed, and get slower and larger over thousands of commits.",
      ),
    failed: (hive, error) => log.error({ hive, error: describeError(error) }, "could not pack a Hive"),
  });
}

/** The first signal lets the requests in flight end, and the process ends by itself then; a second one ends it. */
function endOnSignals(close: () => Promise<unknown>): void {
  let ending = false;
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    process.on(signal, () => {
      if (ending) process.exit(1);
      ending = true;
      tell("Skep stops when the requests in flight are answered; a second signal stops it at once.");
      void close();
    });
  }
}

/** What no request caught ends no request but its own: everything stored is on disk, whole, at any moment. */
function keepGoing(log: Log): void {
  const report = (error: unknown): void => log.error({ error: describeError(error) }, "uncaught error");
  process.on("uncaughtException", report);
  process.on("unhandledRejection", report);
}
