/**
 * Teams and tokens: one YAML file each, and `settings-version`, which every change of a setting replaces, so that a
 * server needs to look at one file only to know that what it remembers still holds.
 */
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { parse, stringify } from "yaml";
import { z } from "zod";
import { failure, isFailure } from "../domain/errors.ts";
import {
  isHiveSlug,
  isTeamName,
  isTokenId,
  type HiveSlug,
  type TeamName,
  type TokenId,
} from "../domain/names.ts";
import type { Team } from "../domain/team.ts";
import { abilities, type Token } from "../domain/token.ts";
import { isTemporary, type DurableFs } from "./durable-fs.ts";
import { WatchedFile } from "./watched-file.ts";

const slug = z.custom<HiveSlug>((value) => typeof value === "string" && isHiveSlug(value));
const teamName = z.custom<TeamName>((value) => typeof value === "string" && isTeamName(value));
const time = z.iso.datetime();

const teamFile = z.object({
  name: teamName,
  max_strings: z.number().int().nonnegative().optional(),
  hives: z.array(slug),
});

const tokenFile = z.object({
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  team: teamName,
  name: z.string().optional(),
  abilities: z.array(z.enum(abilities)),
  hives: z.union([z.literal("all"), z.array(slug)]),
  created: time,
  expires: time.optional(),
});

/**
 * What was read, and the version under which reading it began; dropped as a whole when the version is another, so
 * nothing is remembered under a version that came while it was read.
 */
interface Remembered {
  readonly version: string | undefined;
  readonly teams: Map<TeamName, Team>;
  readonly tokens: Map<TokenId, Token>;
}

export class Registry {
  readonly #fs: DurableFs;
  readonly #folder: string;
  readonly #version: WatchedFile;
  #remembered: Remembered = { version: undefined, teams: new Map(), tokens: new Map() };

  constructor(fs: DurableFs, folder: string) {
    this.#fs = fs;
    this.#folder = folder;
    this.#version = new WatchedFile(fs.disk, this.#versionPath);
  }

  /** The team of that name, or undefined. */
  team(name: TeamName): Promise<Team | undefined> {
    const { teams } = this.#current();
    return this.#recall(teams, name, this.#teamPath(name), (text) => toTeam(teamFile.parse(parse(text))));
  }

  /** The token with that id, or undefined. */
  token(id: TokenId): Promise<Token | undefined> {
    const { tokens } = this.#current();
    return this.#recall(tokens, id, this.#tokenPath(id), (text) => toToken(id, tokenFile.parse(parse(text))));
  }

  /** All teams, by name. */
  async teams(): Promise<readonly Team[]> {
    const names = (await this.#listYaml("teams")).filter(isTeamName);
    return present(await Promise.all(names.map((name) => this.team(name))));
  }

  /** All tokens, by id. */
  async tokens(): Promise<readonly Token[]> {
    const ids = (await this.#listYaml("tokens")).filter(isTokenId);
    return present(await Promise.all(ids.map((id) => this.token(id))));
  }

  /** The teams and tokens that can be read, and what is wrong with the files of the others. */
  async readable(): Promise<{
    teams: readonly Team[];
    tokens: readonly Token[];
    problems: readonly string[];
  }> {
    const problems: string[] = [];
    const unlessInvalid = async <T>(reading: Promise<T>): Promise<T | undefined> => {
      try {
        return await reading;
      } catch (error) {
        if (!isFailure(error, "content-invalid")) throw error;
        problems.push(error.message);
        return undefined;
      }
    };
    const names = (await this.#listYaml("teams")).filter(isTeamName);
    const ids = (await this.#listYaml("tokens")).filter(isTokenId);
    const teams = await Promise.all(names.map((name) => unlessInvalid(this.team(name))));
    const tokens = await Promise.all(ids.map((id) => unlessInvalid(this.token(id))));
    return { teams: present(teams), tokens: present(tokens), problems };
  }

  /** Makes or replaces a team. The caller holds its lock. */
  saveTeam(team: Team): Promise<void> {
    const { name, maxStrings, hives } = team;
    const content = { name, ...(maxStrings === undefined ? {} : { max_strings: maxStrings }), hives };
    return this.#change(this.#teamPath(name), stringify(content));
  }

  /** Makes or replaces a token. The caller holds its team's lock. */
  saveToken({ id, ...content }: Token): Promise<void> {
    return this.#change(this.#tokenPath(id), stringify(content));
  }

  /** Removes a token. The caller holds its team's lock. */
  removeToken(id: TokenId): Promise<void> {
    return this.#change(this.#tokenPath(id), undefined);
  }

  get #versionPath(): string {
    return join(this.#folder, "settings-version");
  }

  #teamPath(name: TeamName): string {
    return join(this.#folder, "teams", `${name}.yaml`);
  }

  #tokenPath(id: TokenId): string {
    return join(this.#folder, "tokens", `${id}.yaml`);
  }

  async #listYaml(folder: string): Promise<readonly string[]> {
    const names = await this.#fs.list(join(this.#folder, folder));
    return names.flatMap((name) =>
      name.endsWith(".yaml") && !isTemporary(name) ? [name.slice(0, -".yaml".length)] : [],
    );
  }

  #current(): Remembered {
    const version = this.#version.read();
    if (this.#remembered.version !== version) {
      this.#remembered = { version, teams: new Map(), tokens: new Map() };
    }
    return this.#remembered;
  }

  async #recall<K, T>(
    known: Map<K, T>,
    key: K,
    path: string,
    toValue: (text: string) => T,
  ): Promise<T | undefined> {
    const value = known.get(key);
    if (value !== undefined) return value;
    const bytes = await this.#fs.read(path);
    if (bytes === undefined) return undefined;
    try {
      const read = toValue(Buffer.from(bytes).toString("utf8"));
      known.set(key, read);
      return read;
    } catch (cause) {
      const file = path.slice(this.#folder.length + 1);
      throw failure("content-invalid", `The settings file ${file} is invalid.`, { cause });
    }
  }

  /** Replaces or removes a file, then the version; when that cannot be done the file is as it was. */
  async #change(path: string, content: string | undefined): Promise<void> {
    await this.#fs.makeFolder(join(path, ".."));
    const before = await this.#fs.read(path);
    try {
      await this.#put(path, content);
      await this.#renewVersion();
    } catch (error) {
      await this.#put(path, before).catch(() => undefined);
      await this.#renewVersion().catch(() => undefined);
      throw error;
    }
  }

  #renewVersion(): Promise<void> {
    return this.#fs.write(this.#versionPath, `${randomBytes(16).toString("hex")}\n`);
  }

  async #put(path: string, content: Uint8Array | string | undefined): Promise<void> {
    await (content === undefined ? this.#fs.removeFile(path) : this.#fs.write(path, content));
  }
}

function toTeam({ name, max_strings: maxStrings, hives }: z.infer<typeof teamFile>): Team {
  return { name, ...(maxStrings === undefined ? {} : { maxStrings }), hives };
}

function toToken(id: TokenId, { name, expires, ...file }: z.infer<typeof tokenFile>): Token {
  return {
    id,
    ...file,
    ...(name === undefined ? {} : { name }),
    ...(expires === undefined ? {} : { expires }),
  };
}

function present<T>(values: readonly (T | undefined)[]): readonly T[] {
  return values.filter((value) => value !== undefined);
}
