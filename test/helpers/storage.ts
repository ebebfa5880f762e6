/** Storages for tests: in memory or on the real disk, and everything in them to call the API with. */
import { operator } from "../../src/store/hives/write-context.ts";
import { cpSync, mkdtempSync } from "node:fs";
import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { ServerRequest } from "srvx";
import { expect, onTestFinished, vi } from "vitest";
import { commandAuthor } from "../../src/domain/commits/commit-message.ts";
import { toLocale } from "../../src/domain/hives/locale.ts";
import { toHiveSlug, toTeamName } from "../../src/domain/names.ts";
import type { Ability, ReviewRule } from "../../src/domain/access/token.ts";
import type { AppOptions } from "../../src/http/pipeline/shared.ts";
import { createApp, type App } from "../../src/http/app.ts";
import { createHive } from "../../src/service/admin/hives.ts";
import {
  openLocalStorage,
  openStorage,
  type Storage,
  type StorageOptions,
} from "../../src/service/storage.ts";
import { createTeam } from "../../src/service/admin/teams.ts";
import { createToken } from "./people/tokens.ts";
import type { Disk } from "../../src/disk/disk.ts";
import { Locks } from "../../src/disk/locks/lock.ts";
import { CrashDisk } from "./crash-disk.ts";
import { expectDescribed } from "./http/described.ts";
import { hiveAt, type HiveApi } from "./http/hive-api.ts";

const crashDisks = new WeakMap<Disk, CrashDisk>();

/** A disk in memory. What tests put in place of its methods does not reach those that it calls itself. */
export function memoryDisk(disk: CrashDisk = new CrashDisk()): Disk {
  const made: Disk = {
    promises: disk.promises,
    statSync: (path) => disk.statSync(path),
    readFileSync: (path) => disk.readFileSync(path),
    rmdirSync: (path) => disk.rmdirSync(path),
  };
  crashDisks.set(made, disk);
  return made;
}

let folders = 0;

/**
 * A folder for a storage on a disk in memory. It is the same folder on all of them, as they do not look at the first name
 * of a path, which differs: proper-lockfile keeps its locks by path, whatever the disk.
 * @param name another one for a second storage on the same disk.
 */
export function memoryFolder(name = "storage"): string {
  folders++;
  return `/memory-${process.pid}-${folders}/${name}`;
}

/** An empty folder on the real disk, removed after all tests. */
export function realFolder(): string {
  return mkdtempSync(join(tmpdir(), "skep-test-"));
}

/**
 * Storages on the real disk that are made once for the same options, and copied, which takes less than making another.
 * @param make fills an empty folder.
 * @returns a function that copies one, and gives what `make` gave.
 */
export function copiedStorages<O, T>(
  make: (folder: string, options: O) => Promise<T>,
): (options: O) => Promise<readonly [folder: string, made: T]> {
  const all = new Map<string, readonly [string, Promise<T>]>();
  return async (options) => {
    const name = JSON.stringify(options);
    const [folder, copy] = [realFolder(), realFolder()];
    const [original, making] = all.get(name) ?? [folder, make(folder, options)];
    all.set(name, [original, making]);
    const made = await making;
    // A lock may still be there, and go while it is copied.
    cpSync(original, copy, { recursive: true, filter: (path) => !path.endsWith(".lock") });
    return [copy, made];
  };
}

/** Storages in memory with no options that change what they write. */
const plainStorages = new WeakMap<Storage, CrashDisk>();

/** A storage in memory. */
export function memoryStorage(options: Partial<StorageOptions> = {}): Storage {
  const {
    folder = memoryFolder(),
    disk = memoryDisk(),
    now: _now,
    git: _git,
    sendWebhook: _send,
    sendToEngine: _engines,
    ...others
  } = options;
  const storage = openStorage({ ...options, folder, disk });
  const crashDisk = crashDisks.get(disk);
  if (crashDisk !== undefined && Object.keys(others).length === 0) plainStorages.set(storage, crashDisk);
  return storage;
}

/** The context of what a command writes. */
export const byCommand = { metadata: { author: commandAuthor }, caller: operator };

export interface HiveOptions {
  readonly team?: string;
  readonly source?: string;
  readonly locales?: readonly string[];
}

/** Disks with one Hive by how it was made: making it takes longer than most tests. */
const madeHives = new Map<string, Promise<CrashDisk>>();

/** Makes a Hive, and its team if it is missing. The first Hive on a plain storage in memory is a copy. */
export async function makeHive(storage: Storage, slug: string, options: HiveOptions = {}): Promise<void> {
  const disk = plainStorages.get(storage);
  if (disk?.isNew !== true) return makeNewHive(storage, slug, options);
  const now = storage.now();
  const time = Math.abs(now - Date.now()) < 60_000 ? undefined : now;
  const name = JSON.stringify([storage.folder.split("/").slice(2), slug, options, time]);
  const making = madeHives.get(name) ?? hiveOnNewDisk(storage, slug, options);
  madeHives.set(name, making);
  disk.become(await making);
}

async function hiveOnNewDisk(
  { folder, now }: Storage,
  slug: string,
  options: HiveOptions,
): Promise<CrashDisk> {
  const [disk, time] = [new CrashDisk(), now()];
  await makeNewHive(openStorage({ disk, folder, now: () => time }), slug, options);
  return disk;
}

async function makeNewHive(storage: Storage, slug: string, options: HiveOptions): Promise<void> {
  const { team = "acme", source = "en", locales = ["fr", "de", "pt-BR=pt_BR"] } = options;
  const name = toTeamName(team);
  if ((await storage.registry.team(name)) === undefined) await createTeam(storage, name, undefined);
  const targetLocales = locales.map((locale) => toLocale(locale));
  await createHive(
    storage,
    { slug: toHiveSlug(slug), team: name, sourceLocale: toLocale(source), targetLocales },
    byCommand,
  );
}

export interface TokenOptions {
  readonly team?: string;
  readonly name?: string;
  readonly abilities?: readonly Ability[];
  readonly hives?: readonly string[];
  readonly locales?: readonly string[];
  readonly checks?: "strict";
  readonly review?: ReviewRule;
  readonly lifetimeMs?: number;
}

/** Makes a token, able to read and write all of the team if not told otherwise. */
export async function makeToken(storage: Storage, options: TokenOptions = {}): Promise<string> {
  const { team = "acme", abilities = ["read", "write"], hives = [] } = options;
  const { token } = await createToken(storage, {
    team: toTeamName(team),
    name: options.name,
    abilities,
    hives: hives.map((slug) => toHiveSlug(slug)),
    locales: (options.locales ?? []).map((code) => toLocale(code).code),
    checks: options.checks,
    review: options.review,
    lifetimeMs: options.lifetimeMs,
  });
  return token;
}

/** An answer, read. */
export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body as JSON; undefined when it is empty. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers of every shape
  readonly json: any;
}

export interface CallOptions {
  readonly token?: string | null;
  readonly headers?: Record<string, string>;
  /** A string or bytes are sent as they are, anything else as JSON. */
  readonly body?: unknown;
}

export type Call = (method: string, path: string, options?: CallOptions) => Promise<Reply>;

/** The application, asked about the Hive `web` or anything else, and what it logged. */
export interface Harness extends HiveApi {
  readonly call: Call;
  readonly logged: Record<string, unknown>[];
  readonly stats: App["stats"];
}

/** The application on a storage, with small limits, and what it logs. */
export function appOn(
  storage: Storage,
  options: Partial<AppOptions> = {},
): { readonly app: App; readonly logged: Record<string, unknown>[] } {
  const logged: Record<string, unknown>[] = [];
  const log = { error: (fields: object, message: string) => void logged.push({ ...fields, message }) };
  const app = createApp({
    storage,
    log,
    bodyLimit: 1024 * 1024,
    bodyValues: 200_000,
    bodyBudget: 4 * 1024 * 1024,
    cacheBytes: 1024 * 1024,
    maxClones: 4,
    cloneTimeout: 60_000,
    maxPushes: 4,
    pushTimeout: 60_000,
    maxPushObjects: 1_000,
    maxPushBytes: 16 * 1024 * 1024,
    maxSlowReads: 8,
    slowReadTimeout: 60_000,
    ...options,
  });
  return { app, logged };
}

/** A response of node that is sent nowhere, and a function that gives it once it is complete. */
function responseOf(req: IncomingMessage) {
  let [status, headers, body]: [number, [string, string][], Uint8Array | undefined] = [0, [], undefined];
  const res = Object.assign(new ServerResponse(req), {
    writeHead(code: number, _reason: string, flat: readonly string[]) {
      status = code;
      headers = flat.flatMap((name, index) => (index % 2 === 0 ? [[name, flat[index + 1] ?? ""]] : []));
      return res;
    },
    end(bytes?: Uint8Array) {
      body = bytes;
      return res;
    },
  });
  return { res, responded: () => new Response(body, { status, headers }) };
}

/** The application on a storage, called without a socket. Every answer is held to the OpenAPI document. */
export function harness(
  storage: Storage,
  token: string | undefined,
  options: Partial<AppOptions> = {},
): Harness {
  const { app, logged } = appOn(storage, options);
  const socket = new Socket();
  // As the listening server has it: a read whose response is cached is answered before the rest.
  const read = async (request: ServerRequest): Promise<Response> => {
    const req = new IncomingMessage(socket);
    const { pathname, search } = new URL(request.url);
    const headers = Object.fromEntries(request.headers);
    Object.assign(req, { method: request.method, url: pathname + search, headers, complete: true });
    const passed = await app.admit?.(req);
    const { res, responded } = responseOf(req);
    if (passed !== false && app.respondFast(req, res)) return responded();
    request.runtime = { name: "node", node: { req, res } };
    return app.fetch(request);
  };
  const call: Call = async (method, path, { token: own = token, headers = {}, body } = {}) => {
    const raw = typeof body === "string" || body instanceof Uint8Array;
    const sent = raw ? body : JSON.stringify(body);
    const request = new Request(`http://localhost${path}`, {
      method,
      headers: {
        ...(own == null ? {} : { authorization: `Bearer ${own}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        host: "localhost",
        ...headers,
      },
      ...(sent === undefined ? {} : { body: sent }),
    });
    // From outside a request comes with a turn of the event loop of its own.
    await setImmediate();
    const response = await (method === "GET" ? read(request) : app.fetch(request));
    const { status, headers: answered } = response;
    const text = await response.text();
    expectDescribed({ method, path, body: sent }, { status, headers: answered, text });
    return {
      status,
      headers: answered,
      text,
      json: text === "" || answered.get("content-type")?.startsWith("image/") ? undefined : JSON.parse(text),
    };
  };
  return { call, logged, stats: app.stats, ...hiveAt(() => call) };
}

/** What a test may set of a storage with the Hive `web`, besides that Hive's options. */
export interface WebOptions extends HiveOptions {
  /** Of the token that calls. */
  readonly token?: TokenOptions;
  readonly app?: Partial<AppOptions>;
}

/** A storage with the Hive `web`, the token that calls, and the application on it. */
interface Web extends Harness {
  readonly folder: string;
  readonly storage: Storage;
  readonly token: string;
}

async function addWeb(storage: Storage, { token: options, app: _app, ...hive }: WebOptions): Promise<string> {
  await makeHive(storage, "web", hive);
  return makeToken(storage, options);
}

function webOn(storage: Storage, token: string, { app }: WebOptions): Web {
  return { folder: storage.folder, storage, token, ...harness(storage, token, app) };
}

/** Disks with the Hive `web` and a token by their options: making them takes longer than most tests. */
const madeWebs = new Map<string, Promise<{ readonly disk: CrashDisk; readonly token: string }>>();

async function makeWeb(web: WebOptions, now: (() => number) | undefined) {
  const disk = new CrashDisk();
  const storage = openStorage({ disk, folder: memoryFolder(), ...(now && { now }) });
  return { disk, token: await addWeb(storage, web) };
}

interface MemoryWebOptions extends WebOptions {
  readonly storage?: Partial<StorageOptions>;
}

interface MemoryWeb extends Web {
  readonly disk: Disk;
}

function webOnDisk(crashDisk: CrashDisk, token: string, { storage, ...web }: MemoryWebOptions): MemoryWeb {
  const disk = memoryDisk(crashDisk);
  return { disk, ...webOn(memoryStorage({ disk, ...storage }), token, web) };
}

async function copyWeb({ storage, ...web }: MemoryWebOptions) {
  const name = JSON.stringify([web, storage?.now?.()], (key, value) => (key === "app" ? undefined : value));
  const making = madeWebs.get(name) ?? makeWeb(web, storage?.now);
  madeWebs.set(name, making);
  const { disk, token } = await making;
  return { disk: disk.copy(), token };
}

/** Makes a storage in memory with the Hive `web`, and calls the application on it. */
export async function setUpWeb(options: MemoryWebOptions = {}): Promise<MemoryWeb> {
  const { disk, token } = await copyWeb(options);
  return webOnDisk(disk, token, options);
}

/**
 * Disks with what {@link setUpWeb} makes and some content, which is written once.
 * @param prepare writes the content.
 * @returns a function that gives the next copy, and what `prepare` gave as `made`.
 */
export function prepareDisk<T>(options: MemoryWebOptions, prepare: (web: MemoryWeb) => Promise<T>) {
  const prepareOnce = async () => {
    const { disk, token } = await copyWeb(options);
    const made = await prepare(webOnDisk(disk, token, options));
    return { disk: disk.copy(), token, made };
  };
  let preparing: ReturnType<typeof prepareOnce> | undefined;
  return async () => {
    const { disk, token, made } = await (preparing ??= prepareOnce());
    return { disk: disk.copy(), token, made };
  };
}

/** Makes what {@link setUpWeb} does for tests that all begin with the same content, as {@link prepareDisk} does. */
export function prepareWeb<T>(
  options: MemoryWebOptions,
  prepare: (web: MemoryWeb) => Promise<T>,
): () => Promise<MemoryWeb & { readonly made: T }> {
  const next = prepareDisk(options, prepare);
  return async () => {
    const { disk, token, made } = await next();
    return { ...webOnDisk(disk, token, options), made };
  };
}

const copyRealWeb = copiedStorages((folder, web: WebOptions) => addWeb(openLocalStorage(folder), web));

/** Makes a storage on the real disk, with the installed git, as {@link setUpWeb} does. */
export async function setUpRealWeb({ app = {}, ...web }: WebOptions = {}): Promise<Web> {
  const [folder, token] = await copyRealWeb(web);
  return webOn(openLocalStorage(folder), token, { app });
}

/**
 * Counts who asks for the locks of teams and Hives from now on to the end of the test. The lock for the last uses of tokens
 * does not count: every storage of this process takes it by itself, a while after a request.
 * @returns a function that waits until locks were asked for that many times in all, by those who hold them, too.
 */
export function watchLocks(): (count: number) => Promise<void> {
  const hold = vi.spyOn(Locks.prototype, "hold");
  const askedFor = (): number => hold.mock.calls.filter(([name]) => /^(team|hive)-/.test(name)).length;
  return (count) => vi.waitFor(() => expect(askedFor()).toBe(count), { timeout: 120_000, interval: 1 });
}

/** Runs something once in this test, just before a file whose path ends like this is renamed into place. */
export function runBeforeRename(disk: Disk, ending: string, run: () => Promise<unknown>): void {
  const rename = disk.promises.rename.bind(disk.promises);
  let hasRun = false;
  vi.spyOn(disk.promises, "rename").mockImplementation(async (from, to) => {
    if (!hasRun && to.endsWith(ending)) {
      hasRun = true;
      await run();
    }
    await rename(from, to);
  });
  onTestFinished(() => {
    expect(hasRun).toBe(true);
  });
}
