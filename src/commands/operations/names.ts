/** Names that a server or a storage knows, for completion. They are asked for seldom, and never for long. */
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { nouns, type NounName } from "../../api/nouns.ts";
import { HttpClient } from "../../client/api/http.ts";
import { readToken } from "../../client/api/token.ts";
import { transportFor, type Transport } from "../../client/api/transport.ts";
import { toHiveSlug } from "../../domain/names.ts";
import type { Storage } from "../../service/storage.ts";
import { isRecord } from "../../domain/record.ts";
import type { NameKind } from "../output/value-kinds.ts";
import { databaseOf } from "../program/command.ts";
import { commandsOfNoun, onMachine } from "./nouns.ts";

/** A name, with what it is a name of; the latter may be empty. */
type Name = readonly [name: string, about: string];

/** What a command line says of the place where its names are known. */
export interface NamesFrom {
  /** The settings that name a storage of this machine or a database, by their names. */
  readonly storage?: Readonly<Record<string, string>>;
  readonly server?: string;
  readonly config?: string;
  readonly tokenFile?: string;
  readonly team?: string;
  readonly hive?: string;
}

/** Names to look up. */
export interface WantedNames {
  readonly kind: NameKind;
  /** The noun of the command. */
  readonly noun: string;
}

interface NamesOptions {
  readonly folder: string;
  readonly environment: NodeJS.ProcessEnv;
  /** In milliseconds since 1970. */
  readonly now: number;
  /** How long it may take. */
  readonly limitMs: number;
}

/** For how long names are taken from the cache. */
const freshMs = 60_000;
/** After that, files of the cache are removed. */
const keptMs = 86_400_000;

/**
 * Looks names up in the place that a command line or the environment names. What is found in the folder is asked with the
 * token of `skep login` alone: a token of the environment never goes to a server that a file names.
 * @returns none where there is no such place, or it does not answer in time.
 */
export async function namesOf(
  wanted: WantedNames,
  from: NamesFrom,
  options: NamesOptions,
): Promise<readonly Name[]> {
  const ending = new AbortController();
  const late = wait(options.limitMs, [], { signal: ending.signal });
  const names = lookUp(wanted, from, options).catch((): readonly Name[] => []);
  try {
    return await Promise.race([names, late]);
  } finally {
    ending.abort();
  }
}

async function lookUp(wanted: WantedNames, from: NamesFrom, options: NamesOptions): Promise<readonly Name[]> {
  if (from.storage === undefined) return namesAt(wanted, from, options);
  const { storage: folder, ...settings } = from.storage;
  const own = folder === undefined ? settings : { storage: resolve(options.folder, folder) };
  const place = ["storage", own, from.team, from.hive, wanted];
  return cached(place, options, () => namesIn(own, wanted, from, options));
}

/** Instead of a wait before a request is sent again. */
function giveUp(): Promise<never> {
  return Promise.reject(new Error("It is not asked again."));
}

/** The names of a server. */
async function namesAt(
  wanted: WantedNames,
  from: NamesFrom,
  options: NamesOptions,
): Promise<readonly Name[]> {
  const { environment, limitMs } = options;
  const { findSettingsFile, readConfig } = await import("../../client/tree/config.ts");
  const hasFile = from.config !== undefined || (await findSettingsFile(options.folder)) !== undefined;
  const config = hasFile ? await readConfig(options.folder, from.config).catch(() => undefined) : undefined;
  const named = from.server ?? (environment.SKEP_SERVER || undefined);
  const { serverUrl } = await import("../../client/tree/schema.ts");
  const server = named === undefined ? config?.server : serverUrl.safeParse(named).data;
  const hive = from.hive ?? (environment.SKEP_HIVE || config?.hive);
  if (server === undefined) return [];
  const { Credentials } = await import("../../client/login/credentials.ts");
  const login = (): Promise<string | undefined> => new Credentials(environment).find(server);
  const token =
    named === undefined ? ((await login()) ?? "") : await readToken(from.tokenFile, environment, login);
  if (token === "") return [];
  const path = await pathOf(wanted, hive);
  if (path === undefined) return [];
  const transport = await transportFor(environment);
  const limited: Transport = (url, request) =>
    transport(url, { ...request, signal: AbortSignal.any([request.signal, AbortSignal.timeout(limitMs)]) });
  const http = new HttpClient({ server, token, transport: limited, sleep: giveUp });
  return cached(["server", server, token, path], options, () => listed(http, path, wanted));
}

/** The path of a list; undefined where it is of a Hive, and none is named. */
async function pathOf({ kind, noun }: WantedNames, hive: string | undefined): Promise<string | undefined> {
  if (kind === "hives") return "/api/hives";
  if (kind === "ids") return isNoun(noun) ? (await commandsOfNoun(noun)).path : undefined;
  return hive === undefined ? undefined : `/api/hives/${encodeURIComponent(hive)}/${kind}`;
}

function isNoun(text: string): text is NounName {
  return text in nouns;
}

/** One page of a list, which is as much as anybody reads. */
async function listed(http: HttpClient, path: string, { kind, noun }: WantedNames): Promise<readonly Name[]> {
  const { z } = await import("zod");
  const schema = z.object({ data: z.array(z.record(z.string(), z.unknown())) });
  const { data } = await http.send({ method: "GET", path, schema, hasCommit: false });
  const [names, about] = await membersOf(kind, noun);
  return data.data.flatMap((entity): Name[] => {
    // It is not translated into.
    if (kind === "locales" && entity["is_source"] === true) return [];
    const name = names.map((member) => entity[member]).find((value) => typeof value === "string");
    const { [about]: label } = entity;
    const known = typeof label === "string" && label !== name ? label : "";
    return typeof name === "string" ? [[name, known]] : [];
  });
}

/** The members that name an entity, the best first, and the one that describes it. */
async function membersOf(kind: NameKind, noun: string): Promise<readonly [readonly string[], string]> {
  if (kind === "hives") return [["slug"], "name"];
  if (kind === "locales") return [["custom_code", "code"], "name"];
  if (kind !== "ids" || !isNoun(noun)) return [["name"], ""];
  const { names = "id", label } = await commandsOfNoun(noun);
  return [[names], label];
}

/** Opens a storage to read it alone: a database that is none yet stays as it is. */
async function openToRead(
  settings: Readonly<Record<string, string>>,
  { limitMs }: NamesOptions,
): Promise<Storage> {
  const { storage: folder = "" } = settings;
  const database = databaseOf({ storage: folder, otherHost: "", ...settings });
  if (database !== undefined) {
    const { openTemporaryCopy } = await import("../program/temporary-copy.ts");
    return openTemporaryCopy({ ...database, withinMs: limitMs }, { isOnlyRead: true });
  }
  const { requireOwner } = await import("../../service/storage-owner.ts");
  await requireOwner(folder);
  const { openLocalStorage } = await import("../../service/storage.ts");
  return openLocalStorage(folder);
}

/** The names of a storage. */
async function namesIn(
  place: Readonly<Record<string, string>>,
  wanted: WantedNames,
  from: NamesFrom,
  options: NamesOptions,
): Promise<readonly Name[]> {
  const storage = await openToRead(place, options);
  if (!storage.registry.version.exists()) return [];
  const { kind, noun } = wanted;
  if (kind === "hives") {
    const teams = await storage.registry.teams();
    const own = teams.filter(({ name }) => from.team === undefined || name === from.team);
    return own.flatMap(({ name, hives }) => hives.map((hive): Name => [hive, name]));
  }
  if (kind === "locales" || kind === "branches") {
    if (from.hive === undefined) return [];
    const slug = toHiveSlug(from.hive);
    await storage.refresh?.([slug]);
    if (kind === "locales") {
      const { settings } = await storage.hives.at(slug).settings();
      return settings.targetLocales.map(({ code, customCode = code }): Name => [customCode, ""]);
    }
    const { listBranches } = await import("../../service/content/branches.ts");
    const { entries } = await (await listBranches(storage, slug, { offset: 0, limit: 500 })).read();
    return entries.map(({ name }): Name => [name, ""]);
  }
  if (!isNoun(noun)) return [];
  const path = await pathOf(wanted, from.hive);
  if (path === undefined) return [];
  const { ownServer, transportOn } = await import("./storage-transport.ts");
  const asked = { load: onMachine[noun].load, team: from.team, command: `${noun} list` };
  const transport = await transportOn(storage, place, asked);
  return listed(new HttpClient({ server: ownServer, transport }), path, wanted);
}

/** Takes names from the cache of this user, or looks them up and keeps them there. */
async function cached(
  key: readonly unknown[],
  { environment, now }: NamesOptions,
  find: () => Promise<readonly Name[]>,
): Promise<readonly Name[]> {
  const { XDG_CACHE_HOME: own } = environment;
  const home = own === undefined || own === "" ? join(environment.HOME || homedir(), ".cache") : own;
  const folder = join(home, "skep", "completion");
  const path = join(folder, `${createHash("sha256").update(JSON.stringify(key)).digest("hex")}.json`);
  const kept = await readFile(path, "utf8")
    .then(fromJson)
    .catch(() => undefined);
  if (kept !== undefined && kept.time <= now && now < kept.time + freshMs) return kept.names;
  const names = await find();
  await keep(folder, path, { time: now, names }).catch(() => undefined);
  return names;
}

interface Kept {
  readonly time: number;
  readonly names: readonly Name[];
}

function fromJson(text: string): Kept | undefined {
  const value: unknown = JSON.parse(text);
  if (!isRecord(value) || typeof value["time"] !== "number" || !Array.isArray(value["names"]))
    return undefined;
  const names = value["names"].flatMap((each: unknown): Name[] => {
    const [name, about]: readonly unknown[] = Array.isArray(each) ? each : [];
    return typeof name === "string" && typeof about === "string" ? [[name, about]] : [];
  });
  return { time: value["time"], names };
}

async function keep(folder: string, path: string, kept: Kept): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const name of await readdir(folder)) {
    const { mtimeMs } = await stat(join(folder, name));
    if (mtimeMs < kept.time - keptMs) await rm(join(folder, name), { force: true });
  }
  await writeFile(path, JSON.stringify(kept), { mode: 0o600 });
}
