/**
 * The settings of a copy. They are those of the primary, except that a team's list has only the Hives whose repository
 * is here, and is the one that the primary named together with that team.
 */
import { parseTeam, formatTeam } from "../../store/settings/settings-files.ts";
import { isTeamName, type HiveSlug, type TeamName } from "../../domain/names.ts";
import type { Storage } from "../storage.ts";

export class CopiedSettings {
  readonly #storage: Storage;
  readonly #isShown: (slug: HiveSlug, team: TeamName) => boolean;
  readonly #assertHeld: () => Promise<void>;
  /** What the primary has. */
  readonly #wanted = new Map<string, string>();
  /** What is here; undefined until it was read. */
  #written: Map<string, string> | undefined;
  /** The files that may have to be written. */
  readonly #due = new Set<string>();
  #writing: Promise<void> = Promise.resolve();

  /**
   * @param isShown whether a team's list has a Hive.
   * @param assertHeld runs before each change; what it throws prevents the change.
   */
  constructor(
    storage: Storage,
    isShown: (slug: HiveSlug, team: TeamName) => boolean,
    assertHeld: () => Promise<void>,
  ) {
    this.#storage = storage;
    this.#isShown = isShown;
    this.#assertHeld = assertHeld;
  }

  /** Notes what has changed. @param isComplete whether all other files are gone. */
  async take(changes: ReadonlyMap<string, string | null>, isComplete: boolean): Promise<void> {
    this.#written ??= new Map(await this.#storage.replicated.settings());
    if (isComplete) {
      for (const path of [...this.#wanted.keys(), ...this.#written.keys()]) this.#due.add(path);
      this.#wanted.clear();
    }
    for (const [path, text] of changes) {
      this.#due.add(path);
      if (text === null) this.#wanted.delete(path);
      else this.#wanted.set(path, text);
    }
  }

  /** To be called when a Hive of a team may have to be shown, or not any more. */
  touch(team: TeamName): void {
    this.#due.add(`teams/${team}.yaml`);
  }

  /** Writes what has changed. What was noted before is durable on return. */
  write(): Promise<void> {
    const write = (): Promise<void> => this.#write();
    return (this.#writing = this.#writing.then(write, write));
  }

  async #write(): Promise<void> {
    const written = this.#written;
    if (written === undefined || this.#due.size === 0) return;
    const due = [...this.#due];
    this.#due.clear();
    const changes = new Map<string, string | null>();
    for (const path of due) {
      const text = this.#textOf(path) ?? null;
      if (text !== (written.get(path) ?? null)) changes.set(path, text);
    }
    if (changes.size === 0) return;
    try {
      await this.#storage.registry.copy(changes, this.#assertHeld);
    } catch (error) {
      // Some may have been written.
      this.#written = new Map(await this.#storage.replicated.settings());
      for (const path of due) this.#due.add(path);
      throw error;
    }
    for (const [path, text] of changes) {
      if (text === null) written.delete(path);
      else written.set(path, text);
    }
  }

  #textOf(path: string): string | undefined {
    const text = this.#wanted.get(path);
    const [, name] = /^teams\/(.*)\.yaml$/.exec(path) ?? [];
    if (text === undefined || name === undefined || !isTeamName(name)) return text;
    let team;
    try {
      team = parseTeam(name, text);
    } catch {
      // Nobody can use it, here or there.
      return text;
    }
    const hives = team.hives.filter((slug) => this.#isShown(slug, team.name));
    return hives.length === team.hives.length ? text : formatTeam({ ...team, hives });
  }
}
