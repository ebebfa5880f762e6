/** Opens what a command sends requests to: a server with a token, or a storage of this machine as its owner. */
import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import { z } from "zod";
import { ClientError, type Place } from "../../client/api/client-error.ts";
import { HttpClient } from "../../client/api/http.ts";
import type { CommandContext } from "../../client/context.ts";
import { isSettingsFile } from "../../config/file.ts";
import type { Answered } from "../../http/in-process.ts";
import { commandContext } from "../client/client-command.ts";
import { takeSettings, type StorageFlag } from "../program/settings.ts";
import { chooseTarget, type TargetFlags } from "./target.ts";

/** The flags of a command that has a target. */
export interface TargetedFlags extends TargetFlags, StorageFlag {
  /** The team, on the server's machine. */
  readonly team?: string;
  readonly json: boolean;
}

/** A command that has a target. */
interface Targeted {
  readonly command: CommandUnknownOpts;
  /** The names of the settings that it has flags for. */
  readonly settings: readonly string[];
  /** Loads the routes that answer its requests on a storage. */
  readonly load: () => Promise<Answered>;
  /** What the audit log names as the command. */
  readonly called: string;
}

/** Where requests go, and what it is called where the command could have gone elsewhere. */
export interface Opened {
  readonly http: HttpClient;
  readonly place: Place;
}

/**
 * Runs a function with what the flags of a command name.
 * @throws ClientError as the client does, with the place; `misuse` as {@link chooseTarget} does.
 */
export async function atTarget(
  targeted: Targeted,
  given: TargetedFlags,
  run: (opened: Opened) => Promise<void>,
): Promise<void> {
  const flags = withSettingsFile(given);
  const { context, clear } = commandContext(flags.json);
  let place: Place | undefined;
  try {
    const opened = await open(targeted, flags, context);
    place = opened.place;
    await run(opened);
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    const { kind, message, code, status, sent, cause } = error;
    throw new ClientError(kind, message, { code, status, sent, cause, place });
  } finally {
    clear();
  }
}

/** `--config` named the server's file before it named skep.yaml, as in all other commands of apps. */
function withSettingsFile(flags: TargetedFlags): TargetedFlags {
  const { config, settings } = flags;
  if (config === undefined || settings !== undefined || !isSettingsFile(config)) return flags;
  return { ...flags, config: undefined, settings: config };
}

async function open(
  { command, settings, load, called }: Targeted,
  flags: TargetedFlags,
  context: CommandContext,
): Promise<Opened> {
  const target = await chooseTarget(command, flags, context);
  if (target !== "storage") {
    const { server } = target;
    // With the formats of apps' files, which a storage does not need.
    const { openServer } = await import("../../client/project.ts");
    const http = await openServer({ ...flags, server }, context);
    if (flags.team !== undefined) await requireTeam(http, flags.team);
    return { http, place: { server } };
  }
  await takeSettings(command, settings, false, flags.settings);
  const texts = settings.map((setting) => [setting, String(command.getOptionValue(setting))]);
  const { openStorageTransport, ownServer } = await import("./storage-transport.ts");
  const { transport, folder } = await openStorageTransport(Object.fromEntries(texts), {
    load,
    team: flags.team,
    command: called,
  });
  // Nobody but this process changes what it answers, and it has waited for locks already.
  const options = { server: ownServer, name: `The storage in ${folder}`, transport, maxAttempts: 1 };
  return { http: new HttpClient(options), place: { storage: folder } };
}

/** @throws ClientError `denied` when the token is of another team. */
async function requireTeam(http: HttpClient, team: string): Promise<void> {
  const schema = z.object({ name: z.string() });
  const { data } = await http.send({ method: "GET", path: "/api/team", schema, hasCommit: false });
  if (data.name === team) return;
  throw new ClientError("denied", `The token is of the team ${data.name}, not of ${team}.`, {
    code: "other_team",
  });
}
