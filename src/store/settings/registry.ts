/**
 * Teams and tokens: one YAML file each, and `settings-version`, which every change of a setting replaces, so that a
 * server needs to look at one file only to know that what it remembers still holds.
 */
import { randomBytes } from "node:crypto";
import { dirname, join } from "node:path";
import { failure, isFailure } from "../../domain/errors.ts";
import { isTeamName, isTokenId, type HiveSlug, type TeamName, type TokenId } from "../../domain/names.ts";
import type { Team } from "../../domain/access/team.ts";
import type { Token } from "../../domain/access/token.ts";
import type { DurableFs } from "../../disk/durable-fs.ts";
import { isTemporary } from "../../disk/temporary-name.ts";
import { together, type HeldLock } from "../../disk/locks/lock-file.ts";
import type { Locks } from "../../disk/locks/lock.ts";
import { formatTeam, formatToken, parseTeam, parseToken } from "./settings-files.ts";
import { isStorage, locksFolder, requireStorage } from "../../disk/storage-folder.ts";
import { WatchedFile } from "../../disk/watched-file.ts";

/** How the version begins while a setting is being changed. */
const changing = "changing";

/**
 * What was read, and the version under which reading it began; dropped as a whole when the version is another, so
 * nothing is remembered under a version that came while it was read.
 */
interface Remembered {
  readonly version: string | undefined;
  readonly teams: Map<TeamName, Team>;
  readonly tokens: Map<TokenId, Token>;
}

/** A settings file as it was read last. */
interface Parsed<T> {
  readonly text: string;
  readonly value: T;
}

export class Registry {
  readonly #fs: DurableFs;
  readonly #locks: Locks;
  readonly #folder: string;
  readonly #version: WatchedFile;
  /** Whether an interrupted change is being ended by {@link recentVersion}. */
  #isEnding = false;
  /** Kept whatever changes: a file whose text is the same is not parsed again, which costs most of reading it. */
  readonly #parsedTeams = new Map<TeamName, Parsed<Team>>();
  readonly #parsedTokens = new Map<TokenId, Parsed<Token>>();
  #remembered: Remembered = { version: undefined, teams: new Map(), tokens: new Map() };

  constructor(fs: DurableFs, locks: Locks, folder: string) {
    this.#fs = fs;
    this.#locks = locks;
    this.#folder = folder;
    this.#version = new WatchedFile(fs.disk, this.#versionPath);
  }

  /** Whether there is a storage in the folder: looking at one never makes it. */
  isStarted(): boolean {
    return isStorage(this.#fs, this.#folder);
  }

  /** Makes a storage where there is none. @returns whether there was none. */
  async start(): Promise<boolean> {
    if (this.isStarted()) return false;
    await this.#fs.makeFolder(join(this.#folder, locksFolder));
    return this.#locks.hold("settings", async () => {
      if (this.isStarted()) return false;
      await this.#renewVersion();
      return true;
    });
  }

  /**
   * The version of all settings, shared by the requests of one tick of the event loop: what was found out under it
   * holds as long as it stays the same. Undefined while a setting is being changed.
   */
  recentVersion(): string | undefined {
    const version = this.#version.recent();
    if (!isChanging(version)) return version;
    // Whoever began the change may have been killed: then nobody else would ever say that it has ended.
    if (!this.#isEnding) {
      this.#isEnding = true;
      this.endInterruptedChange()
        .catch(() => undefined)
        .finally(() => (this.#isEnding = false));
    }
    return undefined;
  }

  /** Whether a change of a setting was begun and never ended. One that is under way is waited for. */
  async hasInterruptedChange(): Promise<boolean> {
    if (!isChanging(this.#version.read())) return false;
    return this.#locks.hold("settings", async () => isChanging(this.#version.read()));
  }

  /**
   * Ends a change of a setting that was cut off: each file is as it was before it or after it, and may be remembered
   * again. Whoever changes a setting holds the lock, so without them there is nobody who would.
   */
  async endInterruptedChange(): Promise<void> {
    if (!isChanging(this.#version.read())) return;
    await this.#locks.hold("settings", async () => {
      if (isChanging(this.#version.read())) await this.#renewVersion();
    });
  }

  /** The team of that name, or undefined. */
  team(name: TeamName): Promise<Team | undefined> {
    const { teams } = this.#current();
    const known = { remembered: teams, parsed: this.#parsedTeams };
    return this.#recall(known, name, this.#teamPath(name), (text) => parseTeam(name, text));
  }

  /** The token with that id, or undefined. @throws SkepError `storage-missing`. */
  async token(id: TokenId): Promise<Token | undefined> {
    const { tokens } = this.#current();
    const known = { remembered: tokens, parsed: this.#parsedTokens };
    const token = await this.#recall(known, id, this.#tokenPath(id), (text) => parseToken(id, text));
    // Nobody may take a disk that is not mounted for tokens that were revoked.
    if (token === undefined) requireStorage(this.#fs, this.#folder);
    return token;
  }

  /** All teams, by name. */
  async teams(): Promise<readonly Team[]> {
    const names = (await this.#listYaml("teams")).filter(isTeamName);
    return present(await Promise.all(names.map((name) => this.team(name))));
  }

  /** All tokens, by id. */
  async tokens(): Promise<readonly Token[]> {
    return present(await Promise.all((await this.#tokenIds()).map((id) => this.token(id))));
  }

  /** The tokens of a team, by id. Files that cannot be read are left out, and those of other teams are not read. */
  async tokensOf(team: TeamName): Promise<readonly Token[]> {
    return this.#tokensThat((token) => token.team === team);
  }

  /** The tokens that are limited to some Hives, this one among them. Files that cannot be read are left out. */
  async tokensFor(slug: HiveSlug): Promise<readonly Token[]> {
    return this.#tokensThat(({ hives }) => hives !== "all" && hives.includes(slug));
  }

  /** @param are what a token never comes to be later: its team stays, and its Hives only get fewer. */
  async #tokensThat(are: (token: Token) => boolean): Promise<readonly Token[]> {
    const ids = (await this.#tokenIds()).filter((id) => {
      const known = this.#parsedTokens.get(id);
      return known === undefined || are(known.value);
    });
    const reading = ids.map((id) => this.token(id).catch(ignoreInvalid));
    return present(await Promise.all(reading)).filter(are);
  }

  async #tokenIds(): Promise<readonly TokenId[]> {
    const ids = new Set((await this.#listYaml("tokens")).filter(isTokenId));
    for (const id of this.#parsedTokens.keys()) if (!ids.has(id)) this.#parsedTokens.delete(id);
    return [...ids];
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
    const ids = await this.#tokenIds();
    const teams = await Promise.all(names.map((name) => unlessInvalid(this.team(name))));
    const tokens = await Promise.all(ids.map((id) => unlessInvalid(this.token(id))));
    return { teams: present(teams), tokens: present(tokens), problems };
  }

  /** Makes or replaces a team, if the caller still holds its lock. */
  saveTeam(team: Team, lock: HeldLock): Promise<void> {
    return this.#change(this.#teamPath(team.name), () => formatTeam(team), lock);
  }

  /** Makes or replaces a token, if the caller still holds its team's lock. */
  saveToken(token: Token, lock: HeldLock): Promise<void> {
    return this.#change(this.#tokenPath(token.id), () => formatToken(token), lock);
  }

  /** Takes a Hive out of the lists of some tokens, if the caller still holds the lock. */
  async forgetHive(slug: HiveSlug, tokens: readonly Token[], lock: HeldLock): Promise<void> {
    for (const { id, hives } of tokens) {
      if (hives === "all" || !hives.includes(slug)) continue;
      // Read again under the lock: a token that was revoked meanwhile must not come back.
      const change = (before: string | undefined): string | undefined => {
        const token = before === undefined ? undefined : parseToken(id, before);
        if (token === undefined || token.hives === "all") return before;
        return formatToken({ ...token, hives: token.hives.filter((other) => other !== slug) });
      };
      await this.#change(this.#tokenPath(id), change, lock);
    }
  }

  /** Removes a token, if the caller still holds its team's lock. */
  removeToken(id: TokenId, lock: HeldLock): Promise<void> {
    return this.#change(this.#tokenPath(id), () => undefined, lock);
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
    // While something is being changed nothing is remembered, also if whoever changed it did not come to the end.
    if (isChanging(version)) return { version, teams: new Map(), tokens: new Map() };
    if (this.#remembered.version !== version) {
      this.#remembered = { version, teams: new Map(), tokens: new Map() };
    }
    return this.#remembered;
  }

  async #recall<K, T>(
    { remembered, parsed }: { readonly remembered: Map<K, T>; readonly parsed: Map<K, Parsed<T>> },
    key: K,
    path: string,
    toValue: (text: string) => T,
  ): Promise<T | undefined> {
    const known = remembered.get(key);
    if (known !== undefined) return known;
    const text = await this.#fs.readText(path);
    if (text === undefined) return undefined;
    try {
      const before = parsed.get(key);
      const value = before?.text === text ? before.value : toValue(text);
      parsed.set(key, { text, value });
      remembered.set(key, value);
      return value;
    } catch (cause) {
      const file = path.slice(this.#folder.length + 1);
      throw failure("content-invalid", `The settings file ${file} is invalid.`, { cause });
    }
  }

  /**
   * Replaces or removes a file; when that cannot be done the file is as it was. One change at a time, over all teams
   * and processes: while one is under way, `settings-version` says so.
   */
  #change(
    path: string,
    change: (before: string | undefined) => string | undefined,
    lock: HeldLock,
  ): Promise<void> {
    return this.#locks.hold("settings", async (settingsLock) => {
      await this.#fs.makeFolder(dirname(path));
      const before = await this.#fs.readText(path);
      const after = change(before);
      if (after === before) return;
      await this.#fs.write(this.#versionPath, `${changing} ${randomName()}\n`);
      try {
        await this.#put(path, after, () => together(lock, settingsLock).assertHeld());
        await this.#renewVersion();
      } catch (error) {
        if (!isFailure(error, "lock-lost")) await this.#put(path, before).catch(() => undefined);
        await this.#renewVersion().catch(() => undefined);
        throw error;
      }
    });
  }

  async #renewVersion(): Promise<void> {
    await this.#fs.write(this.#versionPath, `${randomName()}\n`);
    this.#version.invalidate();
  }

  async #put(path: string, content: string | undefined, assertLockHeld?: () => Promise<void>): Promise<void> {
    if (content !== undefined) return this.#fs.write(path, content, assertLockHeld);
    await assertLockHeld?.();
    await this.#fs.removeFile(path);
  }
}

function isChanging(version: string | undefined): boolean {
  return version?.startsWith(changing) === true;
}

function ignoreInvalid(error: unknown): undefined {
  if (!isFailure(error, "content-invalid")) throw error;
}

function randomName(): string {
  return randomBytes(16).toString("hex");
}

function present<T>(values: readonly (T | undefined)[]): readonly T[] {
  return values.filter((value) => value !== undefined);
}
