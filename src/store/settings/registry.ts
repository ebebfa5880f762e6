/** Teams, tokens and persons, one YAML file each. */
import { basename, dirname, join } from "node:path";
import { failure, unlessInvalid, unlessFailed } from "../../domain/errors.ts";
import {
  isPersonId,
  isTeamName,
  isTokenId,
  type HiveSlug,
  type PersonId,
  type TeamName,
  type TokenId,
} from "../../domain/names.ts";
import type { Person } from "../../domain/access/person.ts";
import type { Team } from "../../domain/access/team.ts";
import type { Rights, Token } from "../../domain/access/token.ts";
import { invalidFile } from "../../disk/watched-file.ts";
import { readTextNow } from "../../disk/disk.ts";
import type { DurableFs } from "../../disk/durable-fs.ts";
import { isTemporary } from "../../disk/temporary-name.ts";
import { combineLocks, type HeldLock } from "../../disk/held-lock.ts";
import type { Locks } from "../../disk/locks/lock.ts";
import { formatPerson, parsePerson } from "./people-files.ts";
import { formatTeam, formatToken, parseTeam, parseToken } from "./settings-files.ts";
import { requireStorage } from "../../disk/storage-folder.ts";
import type { Documents } from "../record/record.ts";
import { mapInGroups } from "../../slices.ts";
import { SettingsVersion } from "./settings-version.ts";

/**
 * The cache, and the version that it belongs to. It is dropped as a whole when another process changes the version, so
 * that nothing that was read before a change is kept after it.
 */
interface Cache {
  readonly version: string | undefined;
  readonly teams: Map<TeamName, Team>;
  readonly tokens: Map<TokenId, Token>;
  readonly people: Map<PersonId, Person>;
  /** The ids of all tokens, once they were listed. */
  tokenIds?: Set<TokenId>;
}

/** A settings file as it was last read. */
interface Parsed<T> {
  readonly text: string;
  readonly value: T;
}

interface RegistryOptions {
  readonly fs: DurableFs;
  readonly locks: Locks;
  readonly root: string;
  readonly documents: Documents;
  /** Runs before each change; what it throws prevents it. */
  readonly assertAllowed: () => void;
}

export class Registry {
  readonly #fs: DurableFs;
  readonly #folder: string;
  readonly #documents: Documents;
  readonly version: SettingsVersion;
  readonly #assertAllowed: () => void;
  /**
   * Survives changes of the version: a file with the same text is not parsed again, which is most of the cost of
   * reading it.
   */
  readonly #parsedTeams = new Map<TeamName, Parsed<Team>>();
  readonly #parsedTokens = new Map<TokenId, Parsed<Token>>();
  readonly #parsedPeople = new Map<PersonId, Parsed<Person>>();
  #cache = emptyCache(undefined);

  constructor({ fs, locks, root, documents, assertAllowed }: RegistryOptions) {
    this.#assertAllowed = assertAllowed;
    this.#fs = fs;
    this.#folder = root;
    this.#documents = documents;
    this.version = new SettingsVersion(fs, locks, root);
  }

  /** The team of that name, or undefined. */
  team(name: TeamName): Promise<Team | undefined> {
    const { teams } = this.#currentCache();
    const known = { cached: teams, parsed: this.#parsedTeams };
    return this.#read(known, name, teamPath(name), (text) => parseTeam(name, text));
  }

  /** The token with that id, or undefined. @throws SkepError `storage-missing`. */
  async token(id: TokenId): Promise<Token | undefined> {
    const { tokens } = this.#currentCache();
    const known = { cached: tokens, parsed: this.#parsedTokens };
    const token = await this.#read(known, id, tokenPath(id), (text) => parseToken(id, text));
    // An unmounted disk must not look like revoked tokens.
    if (token === undefined) requireStorage(this.#fs, this.#folder);
    return token;
  }

  /** The person with that id, who may have been removed; or undefined. @throws SkepError `storage-missing`. */
  async person(id: PersonId): Promise<Person | undefined> {
    const { people } = this.#currentCache();
    const known = { cached: people, parsed: this.#parsedPeople };
    const person = await this.#read(known, id, personPath(id), (text) => parsePerson(id, text));
    if (person === undefined) requireStorage(this.#fs, this.#folder);
    return person;
  }

  /** All persons who were not removed, by id. Unreadable files are left out. */
  async people(): Promise<readonly Person[]> {
    const ids = (await this.#listYaml("people")).filter(isPersonId).toSorted();
    const people = await mapInGroups(ids, (id) => unlessInvalid(this.person(id)));
    return present(people).filter(({ removed }) => removed === undefined);
  }

  /** Whether there is a team, which is what a storage in use has. */
  async hasTeams(): Promise<boolean> {
    return (await this.#listYaml("teams")).length > 0;
  }

  /** All teams, by name. */
  async teams(): Promise<readonly Team[]> {
    const names = (await this.#listYaml("teams")).filter(isTeamName);
    return present(await mapInGroups(names, (name) => this.team(name)));
  }

  /** All tokens, by id. */
  async tokens(): Promise<readonly Token[]> {
    return present(await mapInGroups(await this.#tokenIds(), (id) => this.token(id)));
  }

  /** The tokens of a team, by id. Unreadable files are left out, and files known to be of other teams are not read. */
  async tokensOf(team: TeamName): Promise<readonly Token[]> {
    return this.#tokensThat((token) => token.team === team);
  }

  /** The tokens and persons who are limited to some Hives including this one. Unreadable files are left out. */
  async limitedTo(slug: HiveSlug): Promise<readonly (Token | Person)[]> {
    const isLimited = (holder: Rights): boolean => isLimitedTo(holder, slug);
    return [...(await this.#tokensThat(isLimited)), ...(await this.people()).filter(isLimited)];
  }

  /** @param matches must never become true for a token later: its team stays the same, and its Hives only get fewer. */
  async #tokensThat(matches: (token: Token) => boolean): Promise<readonly Token[]> {
    const ids = (await this.#tokenIds()).filter((id) => {
      const known = this.#parsedTokens.get(id);
      return known === undefined || matches(known.value);
    });
    return present(await this.#readTokens(ids)).filter(matches);
  }

  #readTokens(ids: readonly TokenId[]): Promise<readonly (Token | undefined)[]> {
    return mapInGroups(ids, (id) => unlessInvalid(this.token(id)));
  }

  /** How many tokens a team has. Files of its tokens that were read before are not read again. */
  async countTokensOf(team: TeamName): Promise<number> {
    const ids = await this.#tokenIds();
    const unknown = ids.filter((id) => !this.#parsedTokens.has(id));
    await this.#readTokens(unknown);
    return ids.filter((id) => this.#parsedTokens.get(id)?.value.team === team).length;
  }

  async #tokenIds(): Promise<readonly TokenId[]> {
    const cache = this.#currentCache();
    const ids = cache.tokenIds ?? new Set((await this.#listYaml("tokens")).filter(isTokenId));
    cache.tokenIds = ids;
    for (const id of this.#parsedTokens.keys()) if (!ids.has(id)) this.#parsedTokens.delete(id);
    return [...ids].toSorted();
  }

  /** The readable teams, tokens and persons, also those who were removed, and the problems of the unreadable files. */
  async readable(): Promise<{
    teams: readonly Team[];
    tokens: readonly Token[];
    people: readonly Person[];
    problems: readonly string[];
  }> {
    const problems: string[] = [];
    const unlessNoted = <T>(reading: Promise<T>): Promise<T | undefined> =>
      unlessFailed(reading, ["content-invalid"], ({ message }) => void problems.push(message));
    const names = (await this.#listYaml("teams")).filter(isTeamName);
    const ids = await this.#tokenIds();
    const teams = await mapInGroups(names, (name) => unlessNoted(this.team(name)));
    const tokens = await mapInGroups(ids, (id) => unlessNoted(this.token(id)));
    const persons = (await this.#listYaml("people")).filter(isPersonId);
    const people = await mapInGroups(persons, (id) => unlessNoted(this.person(id)));
    return { teams: present(teams), tokens: present(tokens), people: present(people), problems };
  }

  /** Creates or replaces a team, if the caller still holds its lock. */
  saveTeam(team: Team, lock: HeldLock): Promise<void> {
    return this.change(teamPath(team.name), () => formatTeam(team), lock);
  }

  /** Creates or replaces a token, if the caller still holds its team's lock. */
  saveToken(token: Token, lock: HeldLock): Promise<void> {
    return this.change(tokenPath(token.id), () => formatToken(token), lock);
  }

  /**
   * Creates a person, if the caller still holds their team's lock.
   * @throws SkepError `conflict` when somebody of any team has the id, or had it.
   */
  addPerson(person: Person, lock: HeldLock): Promise<void> {
    const { id } = person;
    const add = (before: string | undefined): string => {
      if (before === undefined) return formatPerson(person);
      throw failure("conflict", `The id "${id}" belongs to a person already, or did.`, {
        publicCode: "person_exists",
      });
    };
    return this.change(personPath(id), add, lock);
  }

  /** Replaces a person, if the caller still holds their team's lock. */
  savePerson(person: Person, lock: HeldLock): Promise<void> {
    return this.change(personPath(person.id), () => formatPerson(person), lock);
  }

  /** Removes a Hive from the lists of some tokens and persons, if the caller still holds the lock. */
  async forgetHive(slug: HiveSlug, holders: readonly (Token | Person)[], lock: HeldLock): Promise<void> {
    for (const holder of holders) {
      if (!isLimitedTo(holder, slug)) continue;
      const without = <T extends Token | Person>(now: T): T =>
        now.hives === "all" ? now : { ...now, hives: now.hives.filter((other) => other !== slug) };
      // Read again under the lock: a token that was revoked meanwhile must not come back.
      if ("hash" in holder) {
        const { id } = holder;
        const change = (before: string): string => formatToken(without(parseToken(id, before)));
        await this.change(tokenPath(id), (before) => before && change(before), lock);
      } else {
        const { id } = holder;
        const change = (before: string): string => formatPerson(without(parsePerson(id, before)));
        await this.change(personPath(id), (before) => before && change(before), lock);
      }
    }
  }

  /** Removes a token, if the caller still holds its team's lock. */
  removeToken(id: TokenId, lock: HeldLock): Promise<void> {
    return this.change(tokenPath(id), () => undefined, lock);
  }

  async #listYaml(folder: string): Promise<readonly string[]> {
    const names = await this.#fs.list(join(this.#folder, folder));
    return names.flatMap((name) =>
      name.endsWith(".yaml") && !isTemporary(name) ? [name.slice(0, -".yaml".length)] : [],
    );
  }

  #currentCache(): Cache {
    const version = this.version.current();
    // Nothing is cached during a change, nor after one that was interrupted.
    if (version === undefined) return emptyCache(version);
    if (this.#cache.version !== version) this.#cache = emptyCache(version);
    return this.#cache;
  }

  async #read<K, T>(
    { cached, parsed }: { readonly cached: Map<K, T>; readonly parsed: Map<K, Parsed<T>> },
    key: K,
    path: string,
    toValue: (text: string) => T,
  ): Promise<T | undefined> {
    const known = cached.get(key);
    if (known !== undefined) return known;
    const text = readTextNow(this.#fs.disk, join(this.#folder, path));
    if (text === undefined) return undefined;
    try {
      const before = parsed.get(key);
      const value = before?.text === text ? before.value : toValue(text);
      parsed.set(key, { text, value });
      cached.set(key, value);
      return value;
    } catch (cause) {
      throw invalidFile(path, cause);
    }
  }

  /**
   * Replaces or removes a file of settings; on failure it stays as it was. There is one change at a time over all teams
   * and processes, and {@link version} says while one is under way.
   * @param path in the storage.
   */
  change(
    path: string,
    change: (before: string | undefined) => string | undefined,
    lock: HeldLock,
  ): Promise<void> {
    return this.version.hold(async (settingsLock) => {
      this.#assertAllowed();
      const before = await this.#fs.readText(join(this.#folder, path));
      const after = change(before);
      // Another server may have made the same change, and the caller has to know that it was not first.
      if (after === before) return lock.assertHeld();
      const cache = this.#currentCache();
      let version: string | undefined;
      await this.version.begin();
      try {
        await this.#documents.put(path, after, combineLocks(lock, settingsLock));
      } finally {
        // A change that cannot be ended now counts as interrupted: whoever reads next ends it.
        version = await this.version.renew().catch(() => undefined);
      }
      // Without the lock, others may have changed something else meanwhile.
      const isAlone = await settingsLock.assertHeld().then(
        () => true,
        () => false,
      );
      if (isAlone) this.#cache = { ...withChange(cache, path, after !== undefined), version };
    });
  }
}

function teamPath(name: TeamName): string {
  return `teams/${name}.yaml`;
}

function tokenPath(id: TokenId): string {
  return `tokens/${id}.yaml`;
}

function personPath(id: PersonId): string {
  return `people/${id}.yaml`;
}

function isLimitedTo({ hives }: Rights, slug: HiveSlug): boolean {
  return hives !== "all" && hives.includes(slug);
}

function emptyCache(version: string | undefined): Cache {
  return { version, teams: new Map(), tokens: new Map(), people: new Map() };
}

/** A cache after a change by this process, which is to read that file again. */
function withChange(cache: Cache, path: string, isThere: boolean): Cache {
  const [folder, name] = [basename(dirname(path)), basename(path, ".yaml")];
  if (folder === "teams" && isTeamName(name)) cache.teams.delete(name);
  if (folder === "people" && isPersonId(name)) cache.people.delete(name);
  if (folder !== "tokens" || !isTokenId(name)) return cache;
  cache.tokens.delete(name);
  cache.tokenIds?.[isThere ? "add" : "delete"](name);
  return cache;
}

function present<T>(values: readonly (T | undefined)[]): readonly T[] {
  return values.filter((value) => value !== undefined);
}
