/**
 * The tokens that `skep login` got, by server: in the keyring of macOS or Windows, else in a file that only this user
 * reads. The keyring that Linux has without a desktop ends with the session of its user, so there it is the file.
 */
import { hasCode } from "../tree/files.ts";
import { randomBytes } from "node:crypto";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { homedir, platform } from "node:os";
import { dirname, join } from "node:path";
import { z } from "zod";
import { ClientError } from "../api/client-error.ts";

export interface Keyring {
  readonly get: (server: string) => string | null;
  readonly set: (server: string, token: string) => void;
  readonly remove: (server: string) => void;
}

/** The system's keyring; undefined where there is none that lasts. */
async function systemKeyring(): Promise<Keyring | undefined> {
  if (!["darwin", "win32"].includes(platform())) return undefined;
  try {
    const { Entry } = await import("@napi-rs/keyring");
    const entry = (server: string) => new Entry("skep", server);
    return {
      get: (server) => entry(server).getPassword(),
      set: (server, token) => entry(server).setPassword(token),
      remove: (server) => void entry(server).deletePassword(),
    };
  } catch {
    return undefined;
  }
}

/** By server: the token, or that it is in the keyring. */
const stored = z.record(
  z.string(),
  z.union([z.strictObject({ token: z.string() }), z.strictObject({ keyring: z.literal(true) })]),
);
type Stored = z.output<typeof stored>;

export class Credentials {
  readonly path: string;
  readonly #keyring: () => Promise<Keyring | undefined>;

  constructor(environment: NodeJS.ProcessEnv, keyring: () => Promise<Keyring | undefined> = systemKeyring) {
    const { XDG_CONFIG_HOME: own } = environment;
    const folder = own === undefined || own === "" ? join(homedir(), ".config") : own;
    this.path = join(folder, "skep", "credentials.json");
    this.#keyring = keyring;
  }

  /** The servers with a token. @throws ClientError `error` when the file cannot be read. */
  async servers(): Promise<readonly string[]> {
    return Object.keys(await this.#read());
  }

  /** The token for a server, if there is one. @throws ClientError `error` when the file cannot be read. */
  async find(server: string): Promise<string | undefined> {
    const entry = (await this.#read())[server];
    if (entry === undefined || "token" in entry) return entry?.token;
    return (await this.#keyring())?.get(server) ?? undefined;
  }

  /** Keeps a token. @returns where, for people. @throws ClientError `error` when the file cannot be written. */
  async save(server: string, token: string): Promise<string> {
    const isInKeyring = await this.#setInKeyring(server, token);
    const entry = isInKeyring ? { keyring: true as const } : { token };
    await this.#write({ ...(await this.#read()), [server]: entry });
    return isInKeyring ? "the keyring" : this.path;
  }

  /** Forgets a token. @throws ClientError `error` when the file cannot be written. */
  async remove(server: string): Promise<void> {
    const { [server]: entry, ...others } = await this.#read();
    if (entry === undefined) return;
    if ("keyring" in entry) (await this.#keyring())?.remove(server);
    await this.#write(others);
  }

  async #setInKeyring(server: string, token: string): Promise<boolean> {
    try {
      const keyring = await this.#keyring();
      keyring?.set(server, token);
      return keyring !== undefined;
    } catch {
      // A keyring that is locked, or has no place for this program.
      return false;
    }
  }

  async #read(): Promise<Stored> {
    try {
      return stored.parse(JSON.parse(await readFile(this.path, "utf8")));
    } catch (cause) {
      if (hasCode(cause, "ENOENT")) return {};
      throw new ClientError("error", `${this.path}: cannot be read; remove it and sign in again.`, { cause });
    }
  }

  async #write(content: Stored): Promise<void> {
    const temporary = `${this.path}.${randomBytes(6).toString("hex")}`;
    try {
      await mkdir(dirname(this.path), { recursive: true, mode: 0o700 });
      await writeFile(temporary, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600, flag: "wx" });
      await rename(temporary, this.path);
    } catch (cause) {
      await rm(temporary, { force: true });
      throw new ClientError("error", `${this.path}: cannot be written.`, { cause });
    }
  }
}
