/** The commands of each noun, and what they need to work on a storage of this machine. */
import { readFileSync } from "node:fs";
import type { NounCommands } from "../../api/command-table.ts";
import { nouns, type NounName } from "../../api/nouns.ts";
import type { Answered } from "../../http/in-process.ts";
import { ownFile } from "../../own-files.ts";

interface OnMachine {
  readonly load: () => Promise<Answered>;
  /** The settings of a server that an operation depends on, by its verb. */
  readonly settings: Readonly<Record<string, readonly string[]>>;
}

/** What is loaded of each noun to answer its requests in this process. */
export const onMachine: Readonly<Record<NounName, OnMachine>> = {
  channel: {
    load: async () => (await import("../../http/operations/channels.ts")).channelOperations,
    settings: {},
  },
  comment: {
    load: async () => (await import("../../http/operations/comments.ts")).commentOperations,
    settings: {},
  },
  engine: {
    load: async () => (await import("../../http/operations/engines.ts")).engineOperations,
    settings: { try: ["engineAllow"] },
  },
  file: {
    load: async () => (await import("../../http/operations/files.ts")).fileOperations,
    settings: {},
  },
  hive: {
    load: async () => (await import("../../http/operations/hives.ts")).hiveOperations,
    settings: {},
  },
  locale: {
    load: async () => (await import("../../http/operations/locales.ts")).localeOperations,
    settings: {},
  },
  mirror: {
    load: async () => (await import("../../http/operations/mirrors.ts")).mirrorOperations,
    settings: {},
  },
  person: {
    load: async () => (await import("../../http/operations/people.ts")).personOperations,
    settings: { create: ["publicUrl"], invite: ["publicUrl"] },
  },
  token: {
    load: async () => (await import("../../http/operations/tokens.ts")).tokenOperations,
    settings: {},
  },
  webhook: {
    load: async () => (await import("../../http/operations/webhooks.ts")).webhookOperations,
    settings: { test: ["webhookAllow"] },
  },
};

/** The file that the build writes, so that schemas need not be loaded. */
const built = ownFile("api/commands.json");

let table: readonly NounCommands[] | undefined;

/** The commands of a noun. */
export async function commandsOfNoun(name: NounName): Promise<NounCommands> {
  table ??= readBuilt();
  const found = table.find(({ noun }) => noun === name);
  if (found !== undefined) return found;
  const { commandsOf } = await import("../../api/command-table.ts");
  return commandsOf(await nouns[name]());
}

function readBuilt(): readonly NounCommands[] {
  try {
    return JSON.parse(readFileSync(built, "utf8"));
  } catch {
    // It is run from its sources, for which nothing was built.
    return [];
  }
}
