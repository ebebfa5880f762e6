/** An app's tree in a temporary folder, and a server in this process that has its Hive. */
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Ability } from "../../src/domain/access/token.ts";
import { request, serveStorage, skep, type Ended } from "./process.ts";
import { makeToken, memoryDisk, memoryStorage, prepareDisk, realFolder } from "./storage.ts";

export interface AppTree {
  readonly folder: string;
  readonly url: string;
  readonly token: string;
  /** Writes files by their paths. */
  readonly write: (files: Readonly<Record<string, string>>) => void;
  readonly read: (path: string) => string;
  readonly has: (path: string) => boolean;
  readonly mode: (path: string) => number;
  /** Runs a command of `skep` in the tree, such as `push` or `branch merge`. */
  readonly run: (command: string, ...args: readonly string[]) => Promise<Ended>;
  /** The texts of a locale that the Hive has, by file. */
  readonly texts: (locale: string) => Promise<Readonly<Record<string, unknown>>>;
  /** Sends translations as somebody else would. */
  readonly translate: (locale: string, files: object) => Promise<void>;
  /** Sends source strings as somebody else would. */
  readonly sync: (files: object) => Promise<void>;
  /** Changes the Hive as an administrator. @param path below the Hive's. */
  readonly manage: (method: string, path: string, body: object) => Promise<void>;
}

export interface AppOptions {
  readonly patterns: readonly string[];
  readonly locales?: readonly string[];
  readonly abilities?: readonly Ability[];
  /** More lines of `skep.yaml`. */
  readonly settings?: string;
}

/** Disks by their locales and abilities, with tokens of somebody else and of an administrator. */
const disks = new Map<string, ReturnType<typeof diskOf>>();

const diskOf = (locales: readonly string[], abilities: readonly Ability[]) =>
  prepareDisk({ locales, token: { abilities } }, async ({ storage }) => ({
    other: await makeToken(storage),
    admin: await makeToken(storage, { abilities: ["admin"] }),
  }));

/** Makes an app whose Hive `web` has the source locale `en`. */
export async function makeApp(options: AppOptions): Promise<AppTree> {
  const { patterns, locales = ["fr", "pt-BR=pt_BR"], abilities = ["read", "write"], settings = "" } = options;
  const name = JSON.stringify([locales, abilities]);
  const nextDisk = disks.get(name) ?? diskOf(locales, abilities);
  disks.set(name, nextDisk);
  const { disk, token, made } = await nextDisk();
  const folder = realFolder();
  const { url } = await serveStorage(memoryStorage({ disk: memoryDisk(disk) }));
  const write = (files: Readonly<Record<string, string>>): void => {
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), content);
      chmodSync(join(folder, path), 0o644);
    }
  };
  const lines = patterns.map((pattern) => `  - ${pattern}\n`).join("");
  write({ "skep.yaml": `server: ${url}\nhive: web\n${settings}files:\n${lines}` });
  const secret = join(realFolder(), "token");
  writeFileSync(secret, token);
  const ask = async (method: string, path: string, body?: object, as = made.other) => {
    const { status, json } = await request({ url }, as, method, `/api/hives/web${path}`, body);
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(json)}`);
    return json;
  };
  return {
    folder,
    url,
    token,
    write,
    read: (path) => readFileSync(join(folder, path), "utf8"),
    has: (path) => existsSync(join(folder, path)),
    mode: (path) => statSync(join(folder, path)).mode & 0o777,
    run: (command, ...args) =>
      skep(...command.split(" "), "--config", join(folder, "skep.yaml"), "--token-file", secret, ...args),
    texts: async (locale) => {
      const { files } = await ask("GET", `/export?locale=${locale}&names=hive`);
      return Object.fromEntries(
        Object.entries<string>(files).map(([name, content]) => [name, JSON.parse(content)]),
      );
    },
    translate: async (locale, files) => {
      await ask("POST", `/translations/${locale}`, { files, overwrite_strategy: "overwrite" });
    },
    sync: async (files) => {
      await ask("PUT", "/strings", { files });
    },
    manage: async (method, path, body) => {
      await ask(method, path, body, made.admin);
    },
  };
}
