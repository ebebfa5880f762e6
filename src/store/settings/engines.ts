/**
 * The engines of each team, `engines/<team>.yaml`, with their keys; and what they were asked for today,
 * `engine-use/<team>.json`, which may be lost: the day begins anew then.
 */
import { z } from "zod";
import type { DurableFs } from "../../disk/durable-fs.ts";
import type { HeldLock } from "../../disk/held-lock.ts";
import {
  engineTypes,
  engineUrlProblem,
  formalities,
  isEngineName,
  keyProblem,
  suggestModes,
  type Engine,
  type EngineName,
} from "../../domain/engines/engine.ts";
import { useOf, type EngineUse } from "../../domain/engines/engine-use.ts";
import { jsonOrUndefined } from "../../domain/json.ts";
import { isTeamName, type TeamName } from "../../domain/names.ts";
import type { Documents } from "../record/record.ts";
import { count, positive, textThat, time } from "./fields.ts";
import { listForm, ListFiles, type ListPlace } from "./list-files.ts";

const name = textThat(isEngineName);
const storedEngine = z.strictObject({
  name,
  type: z.enum(engineTypes),
  url: z
    .string()
    .refine((text) => engineUrlProblem(text) === undefined)
    .optional(),
  model: z.string().optional(),
  key: z
    .string()
    .refine((text) => keyProblem(text) === undefined)
    .optional(),
  locales: z.array(z.string()).readonly().optional(),
  maxCharactersPerDay: positive.optional(),
  instructions: z.string().optional(),
  formality: z.record(z.string(), z.enum(formalities)).optional(),
  suggest: z.enum(suggestModes),
  added: time,
});

export const engineLists: ListPlace<TeamName, Engine> = {
  folder: "engines",
  ending: ".yaml",
  isName: isTeamName,
  form: listForm(["engines", "engines"], storedEngine, (one: Engine) => one),
};

const use = z.strictObject({
  name,
  day: z.iso.date(),
  characters: count,
  tokens: count,
  requests: count,
  saved: count,
  refused: count,
  failure: z
    .strictObject({ error: z.string(), attempts: positive, retry: positive, kind: z.enum(["down", "spent"]) })
    .optional(),
});
const useFile = z.strictObject({ format: z.literal(1), engines: z.array(use) });

export class EngineStore {
  readonly #documents: Documents;
  readonly #now: () => number;
  /** The engines of each team, in the order they were added; the team may have been removed. */
  readonly lists: ListFiles<TeamName, Engine>;

  /**
   * @param root the storage's folder.
   * @param now the time in milliseconds since 1970.
   */
  constructor(fs: DurableFs, root: string, documents: Documents, now: () => number) {
    this.#documents = documents;
    this.#now = now;
    this.lists = new ListFiles(fs, root, documents, engineLists);
  }

  /** What the engines of a team were asked for today. */
  async uses(team: TeamName): Promise<(engine: EngineName) => EngineUse> {
    return this.#usesIn(await this.#documents.read(pathOf(team)));
  }

  /**
   * Changes what is known of one engine today, one change at a time over all servers.
   * @param change gives what is known then, and a result.
   * @throws SkepError `busy`, `disk-full`, `storage-missing`; what `change` throws.
   */
  changeUse<T>(
    team: TeamName,
    engineName: EngineName,
    change: (before: EngineUse) => readonly [after: EngineUse, result: T],
  ): Promise<T> {
    return this.#documents.change(pathOf(team), async (stored) => {
      const before = this.#usesIn(stored)(engineName);
      const [after, result] = change(before);
      if (after === before) return [stored, result];
      const others = parsed(stored).filter((one) => one.name !== engineName);
      return [`${JSON.stringify({ format: 1, engines: [...others, after] })}\n`, result];
    });
  }

  /** Forgets what an engine was asked for: another one may get its name. */
  forgetUse(team: TeamName, engineName: EngineName): Promise<void> {
    return this.#documents.change(pathOf(team), async (stored) => {
      const engines = parsed(stored).filter((one) => one.name !== engineName);
      if (engines.length === parsed(stored).length) return [stored, undefined];
      return [engines.length === 0 ? undefined : `${JSON.stringify({ format: 1, engines })}\n`, undefined];
    });
  }

  /** Saves the engines of a team, while the caller holds its lock. */
  save(team: TeamName, engines: readonly Engine[], lock: HeldLock): Promise<void> {
    return this.lists.save(team, engines, lock);
  }

  /** The file of a team by its path in the storage, for a backup: without keys, so that a copy neither leaks nor spends. */
  capture(team: TeamName): readonly (readonly [path: string, text: string])[] {
    return this.lists.capture(team, this.lists.read(team).map(withoutKey));
  }

  #usesIn(stored: string | undefined): (engine: EngineName) => EngineUse {
    const all = parsed(stored);
    return (engineName) =>
      useOf(
        all.find((one) => one.name === engineName),
        engineName,
        this.#now(),
      );
  }
}

function withoutKey(engine: Engine): Engine {
  const { key: _, ...others } = engine;
  return others;
}

function pathOf(team: TeamName): string {
  return `engine-use/${team}.json`;
}

function parsed(text: string | undefined): readonly EngineUse[] {
  return useFile.safeParse(text === undefined ? undefined : jsonOrUndefined(text)).data?.engines ?? [];
}
