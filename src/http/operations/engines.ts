/** What the operations of engines do. */
import { engine, engines, type EngineAnswer } from "../../api/engines.ts";
import { toPageOf } from "../../api/page.ts";
import { encode } from "../../domain/json-codec.ts";
import type { Engine } from "../../domain/engines/engine.ts";
import {
  addEngine,
  findEngine,
  listEngines,
  removeEngine,
  summariseEngine,
  teamOfEngine,
  updateEngine,
  type EngineOwner,
  type EngineSummary,
  type EngineWish,
} from "../../service/admin/engines.ts";
import { teamOwner } from "../../service/admin/managed-list.ts";
import { tryEngine } from "../../service/engines/try-engine.ts";
import { implement, type OperationRequest } from "./implement.ts";

function ownerIn({ grant, context }: OperationRequest): EngineOwner {
  const isStorageOwner = grant.command !== undefined;
  return { ...teamOwner(grant, context.caller.reauthorise), isStorageOwner };
}

/** An engine as answers have it. */
export function toEngine({ engine: own, status, retry, use }: EngineSummary): EngineAnswer {
  const {
    name,
    type,
    url,
    model,
    key,
    locales,
    maxCharactersPerDay,
    instructions,
    formality,
    suggest,
    added,
  } = own;
  const { characters, tokens, requests, saved, refused, failure } = use;
  return encode(engine, {
    name,
    type,
    url,
    model,
    hasKey: key !== undefined,
    locales,
    maxCharactersPerDay,
    instructions,
    formality,
    suggest,
    added,
    state: status,
    error: failure?.error,
    retry: retry === undefined ? undefined : new Date(retry).toISOString(),
    used: { characters, tokens, requests, saved, refused },
  });
}

async function answer({ storage, grant }: OperationRequest, one: Engine) {
  return { result: toEngine(await summariseEngine(storage, grant.team, one)) };
}

/** What a body asks for, with the names of the domain. */
function wishOf({
  max_characters_per_day: maxCharactersPerDay,
  ...others
}: Omit<EngineWish, "maxCharactersPerDay"> & {
  readonly max_characters_per_day?: number | null;
}): EngineWish {
  const { type, url, model, key, locales, instructions, formality, suggest } = others;
  return { type, url, model, key, locales, instructions, formality, suggest, maxCharactersPerDay };
}

export const engineOperations = implement(
  engines,
  {
    listEngines: async ({ storage, grant, query }) => ({
      result: toPageOf(await listEngines(storage, grant.team), query, toEngine),
    }),
    getEngine: async (request) => {
      const { storage, grant, param } = request;
      return answer(request, findEngine(storage, grant.team, param("engine")));
    },
    addEngine: async (request) => {
      const { name, type, ...others } = request.body;
      const wish = { ...wishOf(others), name, type };
      return answer(request, await addEngine(request.storage, ownerIn(request), wish));
    },
    updateEngine: async (request) => {
      const { storage, param, body } = request;
      return answer(request, await updateEngine(storage, ownerIn(request), param("engine"), wishOf(body)));
    },
    removeEngine: async (request) => {
      const { storage, param } = request;
      return answer(request, await removeEngine(storage, ownerIn(request), param("engine")));
    },
    tryEngine: async ({ event, storage, grant, param, body }) => {
      const { text, to, from = "en", syntax = "brace" } = body;
      const trial = { text, to, from, syntax };
      const { signal } = event.req;
      return { result: await tryEngine(storage, grant.team, param("engine"), trial, signal) };
    },
  },
  teamOfEngine,
);
