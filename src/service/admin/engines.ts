/** Manages engines, the machines that translate for a team. */
import type { AuditFacts } from "../../domain/access/audit.ts";
import {
  engineLimits,
  engineProblem,
  isKeyReference,
  toEngineName,
  type Engine,
  type EngineName,
} from "../../domain/engines/engine.ts";
import { engineFacts } from "../../domain/engines/engine.ts";
import { charactersLeft, restsUntil, type EngineUse } from "../../domain/engines/engine-use.ts";
import { failure, invalid } from "../../domain/errors.ts";
import type { TeamName } from "../../domain/names.ts";
import { checkRoom } from "../../domain/plans/quota.ts";
import { excerpt } from "../../domain/text.ts";
import type { DeliveryStorage, StorageBase } from "../storage.ts";
import { changeTeamList, type TeamOwner } from "./managed-list.ts";

/** `spent`: as much as a day allows, or its own quota. */
export type EngineStatus = "ready" | "down" | "spent" | "no_key";

export interface EngineSummary {
  readonly engine: Engine;
  readonly team: TeamName;
  readonly status: EngineStatus;
  /** When it is asked again, in milliseconds since 1970. */
  readonly retry: number | undefined;
  readonly use: EngineUse;
}

/** What may be asked for, where `null` is none. */
export interface EngineWish {
  readonly type?: Engine["type"];
  readonly url?: string | null;
  readonly model?: string | null;
  readonly key?: string | null;
  readonly locales?: readonly string[] | null;
  readonly maxCharactersPerDay?: number | null;
  readonly instructions?: string | null;
  readonly formality?: Engine["formality"] | null;
  readonly suggest?: Engine["suggest"];
}

/** Who manages engines; only the owner of the storage may say where on its machine a key is. */
export interface EngineOwner extends TeamOwner {
  readonly isStorageOwner: boolean;
}

/**
 * Adds an engine to a team.
 * @returns the engine. @throws SkepError `invalid` by member; `conflict` (`engine_exists`); `quota`.
 */
export function addEngine(
  storage: DeliveryStorage,
  owner: EngineOwner,
  { name, type, ...wish }: EngineWish & { readonly name: string; readonly type: Engine["type"] },
): Promise<Engine> {
  const own = toEngineName(name);
  const { engines } = storage;
  return changeTeamList(storage, engines.lists, owner, async (before) => {
    if (before.some((other) => other.name === own)) {
      const taken = `There is an engine "${own}" already.`;
      throw failure("conflict", taken, { publicCode: "engine_exists" });
    }
    checkRoom("This team", "engine", before.length, engineLimits.engines);
    const usual: Engine = {
      name: own,
      type,
      maxCharactersPerDay: engineLimits.usualCharacters,
      suggest: "ask",
      added: new Date(storage.now()).toISOString(),
    };
    const added = changed(usual, wish, owner);
    await engines.forgetUse(owner.team, own);
    return {
      after: [...before, added],
      result: added,
      entry: { event: "engine_added", after: factsOf(added) },
    };
  });
}

/**
 * Changes an engine; what the wish leaves out stays. Another address or type needs the key again: the one that is stored was
 * given for the address that it had.
 * @throws SkepError `invalid` by member; `not-found` (`unknown_engine`).
 */
export function updateEngine(
  storage: DeliveryStorage,
  owner: EngineOwner,
  name: string,
  wish: EngineWish,
): Promise<Engine> {
  return changeTeamList(storage, storage.engines.lists, owner, (all) => {
    const before = named(all, name);
    const result = changed(before, wish, owner);
    if (before.key !== undefined && wish.key === undefined && isElsewhere(before, result))
      throw invalid(
        "key",
        "must be given again with another url or type: the present one is for the present url",
      );
    const after = all.map((other) => (other === before ? result : other));
    const entry = { event: "engine_changed", before: factsOf(before), after: factsOf(result) } as const;
    return Promise.resolve({ after, result, entry });
  });
}

function isElsewhere(before: Engine, after: Engine): boolean {
  return before.type !== after.type || before.url !== after.url;
}

/** @throws SkepError `invalid` by member. */
function changed(before: Engine, wish: EngineWish, { isStorageOwner }: EngineOwner): Engine {
  if (typeof wish.key === "string" && isKeyReference(wish.key) && !isStorageOwner)
    throw invalid(
      "key",
      "must be the key itself: where it is on the server's machine is said by a command there",
    );
  const given = Object.entries(wish).filter(([, value]) => value !== undefined);
  const cleared = new Set(given.filter(([, value]) => value === null).map(([member]) => member));
  const kept = Object.entries({ ...before, ...Object.fromEntries(given) }).filter(
    ([member]) => !cleared.has(member),
  );
  // The members are those of both, without those that are null.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const engine = Object.fromEntries(kept) as unknown as Engine;
  const problem = engineProblem(engine);
  if (problem !== undefined) throw invalid(...problem);
  return engine;
}

/** Removes an engine. @throws SkepError `not-found` (`unknown_engine`). */
export function removeEngine(storage: DeliveryStorage, owner: EngineOwner, name: string): Promise<Engine> {
  return changeTeamList(storage, storage.engines.lists, owner, async (all) => {
    const result = named(all, name);
    await storage.engines.forgetUse(owner.team, result.name);
    return {
      after: all.filter((other) => other !== result),
      result,
      entry: { event: "engine_removed", before: factsOf(result) },
    };
  });
}

/** One engine of a team. @throws SkepError `not-found` (`unknown_engine`). */
export function findEngine({ engines }: DeliveryStorage, team: TeamName, name: string): Engine {
  return named(engines.lists.read(team), name);
}

/** The team that has an engine of a name, for commands. @throws SkepError `not-found`, `conflict` where several have one. */
export async function teamOfEngine({ engines }: DeliveryStorage, name: string): Promise<TeamName> {
  const teams: TeamName[] = [];
  for (const team of await engines.lists.names())
    if (engines.lists.read(team).some((engine) => engine.name === name)) teams.push(team);
  const [only, ...others] = teams;
  if (only === undefined) throw unknown(name);
  if (others.length > 0)
    throw failure("conflict", `Several teams have an engine "${excerpt(name)}"; add --team.`);
  return only;
}

/** The engines of a team with their states, in the order they were added. @throws SkepError `content-invalid`. */
export async function listEngines(
  storage: DeliveryStorage,
  team: TeamName,
): Promise<readonly EngineSummary[]> {
  const all = storage.engines.lists.read(team);
  if (all.length === 0) return [];
  const useOf = await storage.engines.uses(team);
  return all.map((engine) => summarise(storage, team, engine, useOf(engine.name)));
}

/** One engine with its state. */
export async function summariseEngine(
  storage: DeliveryStorage,
  team: TeamName,
  engine: Engine,
): Promise<EngineSummary> {
  return summarise(storage, team, engine, (await storage.engines.uses(team))(engine.name));
}

function summarise(storage: StorageBase, team: TeamName, engine: Engine, use: EngineUse): EngineSummary {
  const until = restsUntil(use, storage.now());
  const isSpent = use.failure?.kind === "spent" && until !== undefined;
  const isLimited = charactersLeft(use, engine.maxCharactersPerDay) === 0;
  const { needsKey } = engineFacts[engine.type];
  const working = isSpent || isLimited ? "spent" : until === undefined ? "ready" : "down";
  const status = needsKey && engine.key === undefined ? "no_key" : working;
  return { engine, team, status, retry: until, use };
}

function named(engines: readonly Engine[], name: string): Engine {
  const found = engines.find((engine) => engine.name === name);
  if (found === undefined) throw unknown(name);
  return found;
}

function unknown(name: EngineName | string): Error {
  const message = `There is no engine "${excerpt(name)}".`;
  return failure("not-found", message, { publicCode: "unknown_engine" });
}

/** What the audit log has: never the key, but whether there is one. */
function factsOf({ name, type, url, model, key }: Engine): AuditFacts {
  return { name, type, url, model, has_key: key !== undefined };
}
