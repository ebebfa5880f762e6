/** An app's tree in a temporary folder, and a server in this process that has its Hive. */
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createToken, request, serveInProcess, skep, skepOk, type Ended } from "./process.ts";
import { copiedStorages, realFolder } from "./storage.ts";

export interface AppTree {
  readonly folder: string;
  readonly storage: string;
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
}

export interface AppOptions {
  readonly patterns: readonly string[];
  readonly locales?: readonly string[];
  readonly abilities?: readonly string[];
  /** More lines of `skep.yaml`. */
  readonly settings?: string;
}

/** Storages by their locales and abilities, with a token and one of somebody else. */
const copyStorage = copiedStorages(
  async (folder, { locales, abilities }: Required<Pick<AppOptions, "locales" | "abilities">>) => {
    await skepOk(folder, "team", "create", "acme");
    const flags = locales.flatMap((code) => ["--locale", code]);
    await skepOk(folder, "hive", "create", "web", "--team", "acme", ...flags);
    return { token: await createToken(folder, abilities), other: await createToken(folder) };
  },
);

/** Makes an app whose Hive `web` has the source locale `en`. */
export async function makeApp(options: AppOptions): Promise<AppTree> {
  const { patterns, locales = ["fr", "pt-BR=pt_BR"], abilities = ["read", "write"], settings = "" } = options;
  const [storage, { token, other }] = await copyStorage({ locales, abilities });
  const folder = realFolder();
  const { url } = await serveInProcess(storage);
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
  const ask = async (method: string, path: string, body?: object) => {
    const { status, json } = await request({ url }, other, method, `/api/hives/web${path}`, body);
    if (status !== 200) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(json)}`);
    return json;
  };
  return {
    folder,
    storage,
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
  };
}
