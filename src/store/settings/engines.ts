/**
 * The engines of each team, `engines/<team>.yaml`, with their keys; and what they were asked for today,
 * `engine-use/<team>.json`, which may be lost: the day begins anew then.
 */
import { z } from "zod";
import type { DurableFs } from "../../disk/durable-fs.ts";
import type { HeldLock } from "../../disk/held-lock.ts";
import { storedEngine, type Engine, type EngineName } from "../../domain/engines/engine.ts";
import { storedUse, useOf, type EngineUse } from "../../domain/engines/engine-use.ts";
import { isTeamName, type TeamName } from "../../domain/names.ts";
import type { Documents } from "../record/record.ts";
import { listForm, ListFiles, type ListPlace } from "./list-files.ts";
import { VolatileFiles } from "./volatile-files.ts";

export const engineLists: ListPlace<TeamName, Engine> = {
  folder: "engines",
  ending: ".yaml",
  isName: isTeamName,
  form: listForm(["engines", "engines"], storedEngine),
};

const useFile = z
  .strictObject({ format: z.literal(1), engines: z.array(storedUse) })
  .transform(({ engines }): readonly EngineUse[] => engines);

export class EngineStore {
  readonly #uses: VolatileFiles<TeamName, readonly EngineUse[]>;
  readonly #now: () => number;
  /** The engines of each team, in the order they were added; the team may have been removed. */
  readonly lists: ListFiles<TeamName, Engine>;

  /**
   * @param root the storage's folder.
   * @param now the time in milliseconds since 1970.
   */
  constructor(fs: DurableFs, root: string, documents: Documents, now: () => number) {
    this.#uses = new VolatileFiles(documents, {
      pathOf: (team) => `engine-use/${team}.json`,
      schema: useFile,
      empty: [],
      toJson: (engines) => (engines.length === 0 ? undefined : { format: 1, engines }),
    });
    this.#now = now;
    this.lists = new ListFiles(fs, root, documents, engineLists);
  }

  /** What the engines of a team were asked for today. */
  async uses(team: TeamName): Promise<(engine: EngineName) => EngineUse> {
    const uses = await this.#uses.read(team);
    return (engine) => this.#useIn(uses, engine);
  }

  /**
   * Changes what is known of one engine today.
   * @param change gives what is known then, and a result.
   * @throws as {@link VolatileFiles.change}.
   */
  changeUse<T>(
    team: TeamName,
    engine: EngineName,
    change: (before: EngineUse) => readonly [after: EngineUse, result: T],
  ): Promise<T> {
    return this.#uses.change(team, (uses) => {
      const before = this.#useIn(uses, engine);
      const [after, result] = change(before);
      return [after === before ? uses : [...withoutUse(uses, engine), after], result];
    });
  }

  /** Forgets what an engine was asked for: another one may get its name. */
  forgetUse(team: TeamName, engine: EngineName): Promise<unknown> {
    return this.#uses.update(team, (uses) => withoutUse(uses, engine));
  }

  /** Saves the engines of a team, while the caller holds its lock. */
  save(team: TeamName, engines: readonly Engine[], lock: HeldLock): Promise<void> {
    return this.lists.save(team, engines, lock);
  }

  /** The file of a team by its path in the storage, for a backup: without keys, so that a copy neither leaks nor spends. */
  capture(team: TeamName): readonly (readonly [path: string, text: string])[] {
    return this.lists.capture(team, this.lists.read(team).map(withoutKey));
  }

  #useIn(uses: readonly EngineUse[], engine: EngineName): EngineUse {
    const found = uses.find((one) => one.name === engine);
    return useOf(found, engine, this.#now());
  }
}

function withoutKey(engine: Engine): Engine {
  const { key: _, ...others } = engine;
  return others;
}

function withoutUse(uses: readonly EngineUse[], engine: EngineName): readonly EngineUse[] {
  return uses.some((one) => one.name === engine) ? uses.filter((one) => one.name !== engine) : uses;
}
