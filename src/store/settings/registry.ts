/** Teams, tokens and persons, one YAML file each. */
import { join } from "node:path";
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
import type { DurableFs } from "../../disk/durable-fs.ts";
import { combineLocks, type HeldLock, type LockScope } from "../../disk/held-lock.ts";
import type { Locks } from "../../disk/locks/lock.ts";
import { formatPerson, parsePerson } from "./people-files.ts";
import { formatTeam, formatToken, parseTeam, parseToken } from "./settings-files.ts";
import type { Documents } from "../record/record.ts";
import { mapInGroups } from "../../slices.ts";
import { SettingsFolder } from "./settings-folder.ts";
import { SettingsVersion } from "./settings-version.ts";

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
  readonly #root: string;
  readonly #documents: Documents;
  readonly version: SettingsVersion;
  readonly #assertAllowed: () => void;
  readonly #teams: SettingsFolder<TeamName, Team>;
  readonly #tokens: SettingsFolder<TokenId, Token>;
  readonly #people: SettingsFolder<PersonId, Person>;

  constructor({ fs, locks, root, documents, assertAllowed }: RegistryOptions) {
    this.#assertAllowed = assertAllowed;
    this.#fs = fs;
    this.#root = root;
    this.#documents = documents;
    this.version = new SettingsVersion(fs, locks, root);
    const source = { fs, root, version: this.version };
    this.#teams = new SettingsFolder(source, { folder: "teams", isName: isTeamName, parse: parseTeam });
    this.#tokens = new SettingsFolder(source, { folder: "tokens", isName: isTokenId, parse: parseToken });
    this.#people = new SettingsFolder(source, { folder: "people", isName: isPersonId, parse: parsePerson });
  }

  /** The team of that name, or undefined. */
  async team(name: TeamName): Promise<Team | undefined> {
    return this.#teams.read(name);
  }

  /** The token with that id, or undefined. @throws SkepError `storage-missing`. */
  async token(id: TokenId): Promise<Token | undefined> {
    return this.#tokens.readMounted(id);
  }

  /** The person with that id, who may have been removed; or undefined. @throws SkepError `storage-missing`. */
  async person(id: PersonId): Promise<Person | undefined> {
    return this.#people.readMounted(id);
  }

  /** All persons who were not removed, by id. Unreadable files are left out. */
  async people(): Promise<readonly Person[]> {
    const ids = (await this.#people.list()).toSorted();
    const people = await mapInGroups(ids, (id) => unlessInvalid(this.person(id)));
    return present(people).filter(({ removed }) => removed === undefined);
  }

  /** Whether there is a team, which is what a storage in use has. */
  async hasTeams(): Promise<boolean> {
    return (await this.#teams.list()).length > 0;
  }

  /** The team that has a Hive. @throws SkepError `not-found`, naming the storage, when none has it. */
  async teamOfHive(slug: HiveSlug): Promise<Team> {
    const owner = (await this.teams()).find(({ hives }) => hives.includes(slug));
    if (owner !== undefined) return owner;
    throw failure("not-found", `There is no Hive "${slug}" in the storage ${this.#root}.`);
  }

  /** All teams, by name. */
  async teams(): Promise<readonly Team[]> {
    return present(await mapInGroups(await this.#teams.list(), (name) => this.team(name)));
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
      const known = this.#tokens.known(id);
      return known === undefined || matches(known);
    });
    return present(await this.#readTokens(ids)).filter(matches);
  }

  #readTokens(ids: readonly TokenId[]): Promise<readonly (Token | undefined)[]> {
    return mapInGroups(ids, (id) => unlessInvalid(this.token(id)));
  }

  /** How many tokens a team has. Files of its tokens that were read before are not read again. */
  async countTokensOf(team: TeamName): Promise<number> {
    const ids = await this.#tokenIds();
    await this.#readTokens(ids.filter((id) => this.#tokens.known(id) === undefined));
    return ids.filter((id) => this.#tokens.known(id)?.team === team).length;
  }

  async #tokenIds(): Promise<readonly TokenId[]> {
    return [...(await this.#tokens.names())].toSorted();
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
    const teams = await mapInGroups(await this.#teams.list(), (name) => unlessNoted(this.team(name)));
    const tokens = await mapInGroups(await this.#tokenIds(), (id) => unlessNoted(this.token(id)));
    const people = await mapInGroups(await this.#people.list(), (id) => unlessNoted(this.person(id)));
    return { teams: present(teams), tokens: present(tokens), people: present(people), problems };
  }

  /** What a caller of a team reads besides settings that everybody reads. @param token of the caller, if there is one. */
  scopeOf(team: TeamName, token: TokenId | undefined): LockScope {
    return [this.#teams.pathOf(team), ...(token === undefined ? [] : [this.#tokens.pathOf(token)])];
  }

  /** Creates or replaces a team, if the caller still holds its lock. */
  saveTeam(team: Team, lock: HeldLock): Promise<void> {
    return this.change(this.#teams.pathOf(team.name), () => formatTeam(team), lock);
  }

  /** Creates or replaces a token, if the caller still holds its team's lock. */
  saveToken(token: Token, lock: HeldLock): Promise<void> {
    return this.change(this.#tokens.pathOf(token.id), () => formatToken(token), lock);
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
    return this.change(this.#people.pathOf(id), add, lock);
  }

  /** Replaces a person, if the caller still holds their team's lock. */
  savePerson(person: Person, lock: HeldLock): Promise<void> {
    return this.change(this.#people.pathOf(person.id), () => formatPerson(person), lock);
  }

  /** Removes a Hive from the lists of some tokens and persons, if the caller still holds the lock. */
  async forgetHive(slug: HiveSlug, holders: readonly (Token | Person)[], lock: HeldLock): Promise<void> {
    const without = <T extends Token | Person>(now: T): T =>
      now.hives === "all" ? now : { ...now, hives: now.hives.filter((other) => other !== slug) };
    // Read again under the lock: a token that was revoked meanwhile must not come back.
    const edit = (path: string, change: (before: string) => string): Promise<void> =>
      this.change(path, (before) => before && change(before), lock);
    for (const holder of holders) {
      if (!isLimitedTo(holder, slug)) continue;
      if ("hash" in holder)
        await edit(this.#tokens.pathOf(holder.id), (text) =>
          formatToken(without(parseToken(holder.id, text))),
        );
      else
        await edit(this.#people.pathOf(holder.id), (text) =>
          formatPerson(without(parsePerson(holder.id, text))),
        );
    }
  }

  /** Removes a token, if the caller still holds its team's lock. */
  removeToken(id: TokenId, lock: HeldLock): Promise<void> {
    return this.change(this.#tokens.pathOf(id), () => undefined, lock);
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
      const before = await this.#fs.readText(join(this.#root, path));
      const after = change(before);
      // Another server may have made the same change, and the caller has to know that it was not first.
      if (after === before) return lock.assertHeld();
      const current = this.version.current();
      let renewed: string | undefined;
      await this.version.begin();
      try {
        await this.#documents.put(path, after, combineLocks(lock, settingsLock));
      } finally {
        // A change that cannot be ended now counts as interrupted: whoever reads next ends it.
        renewed = await this.version.renew().catch(() => undefined);
      }
      // Without the lock, others may have changed something else meanwhile.
      const isAlone = await settingsLock.assertHeld().then(
        () => true,
        () => false,
      );
      if (!isAlone) return;
      for (const files of [this.#teams, this.#tokens, this.#people])
        files.keepAfter(path, after !== undefined, [current, renewed]);
    });
  }
}

function isLimitedTo({ hives }: Rights, slug: HiveSlug): boolean {
  return hives !== "all" && hives.includes(slug);
}

function present<T>(values: readonly (T | undefined)[]): readonly T[] {
  return values.filter((value) => value !== undefined);
}
