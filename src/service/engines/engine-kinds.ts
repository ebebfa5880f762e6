/** The implementations of all types of engines, and what one request to an engine costs and leaves behind. */
import { readFile } from "node:fs/promises";
import type { Engine, EngineType } from "../../domain/engines/engine.ts";
import { engineFacts } from "../../domain/engines/engine.ts";
import {
  afterAnswer,
  afterFault,
  charactersLeft,
  restsUntil,
  withAmounts,
  type EngineFault,
} from "../../domain/engines/engine-use.ts";
import { failure } from "../../domain/errors.ts";
import type { LocaleCode } from "../../domain/hives/locale.ts";
import type { TeamName } from "../../domain/names.ts";
import { keyProblem } from "../../domain/engines/engine.ts";
import type { Storage } from "../storage.ts";
import { apertium } from "./apertium.ts";
import { deepl } from "./deepl.ts";
import type { EngineCall, EngineKind } from "./engine-kind.ts";
import { EngineFailure } from "./engine-request.ts";
import { libretranslate } from "./libretranslate.ts";
import { openai } from "./openai.ts";

export const engineKinds: Readonly<Record<EngineType, EngineKind>> = {
  openai,
  deepl,
  libretranslate,
  apertium,
};

/** The most characters of a key file that are read. */
const maxKeyFile = 8_192;

/** The key of an engine, wherever it is stored. @throws EngineFailure where it cannot be read; it does not say from where. */
async function keyOf({ key, type }: Engine, env = process.env): Promise<string | undefined> {
  const found = key === undefined ? undefined : await keyAt(key, env);
  if (found === undefined && engineFacts[type].needsKey) throw noKey("it has no key");
  const problem = found === undefined ? undefined : keyProblem(found);
  if (problem !== undefined) throw noKey(`its key ${problem}`);
  return found;
}

async function keyAt(key: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  if (key.startsWith("env:")) {
    const { [key.slice("env:".length)]: value } = env;
    if (value === undefined || value === "")
      throw noKey("the server has no such environment variable as its key names");
    return value;
  }
  if (!key.startsWith("file:")) return key;
  try {
    const text = await readFile(key.slice("file:".length), "utf8");
    return text.slice(0, maxKeyFile).trim();
  } catch {
    throw noKey("the file with its key cannot be read");
  }
}

function noKey(error: string): EngineFailure {
  return new EngineFailure({ kind: "access", error });
}

/** The parts of a storage that requests to engines need. */
export type EngineParts = Pick<Storage, "engines" | "sendToEngine" | "engineAsked" | "now">;

/** A request to an engine of a team. */
export interface EngineUseRequest {
  readonly team: TeamName;
  readonly engine: Engine;
  readonly from: LocaleCode;
  readonly to: LocaleCode;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** How many characters of source texts it sends. */
  readonly characters: number;
  /** Whether one that is down is asked all the same, as somebody wants to know. */
  readonly isTrial?: boolean;
}

/**
 * Asks an engine once. The characters are counted before it is asked, so that no budget is exceeded, however it ends.
 * @throws SkepError `engine-failed` while it is left alone, where the day's characters are used up, and where it fails; the
 * reason of the signal where that was aborted.
 */
export async function askEngine<T extends { readonly tokens: number }>(
  storage: EngineParts,
  { team, engine, characters, isTrial = false, ...request }: EngineUseRequest,
  ask: (call: EngineCall) => Promise<T>,
): Promise<T> {
  const { engines, sendToEngine: send, now } = storage;
  const { name, type } = engine;
  const refusal = await engines.changeUse<EngineFault | undefined>(team, name, (before) => {
    const until = restsUntil(before, now());
    if (!isTrial && until !== undefined) {
      const { error = "", kind = "down" } = before.failure ?? {};
      return [before, { error, kind, retryAfterMs: until - now() }];
    }
    if (charactersLeft(before, engine.maxCharactersPerDay) < characters) {
      const error = `it may be sent ${engine.maxCharactersPerDay} characters a day, which are used up`;
      return [before, { error, kind: "budget" }];
    }
    return [withAmounts(before, { characters, requests: 1 }), undefined];
  });
  if (refusal !== undefined) {
    storage.engineAsked?.(type, "refused", { characters: 0, tokens: 0 });
    throw engineFailed(name, new EngineFailure(refusal));
  }
  try {
    const key = await keyOf(engine);
    const answer = await ask({ engine, key, send, ...request });
    await engines.changeUse(team, name, (before) => [
      withAmounts(afterAnswer(before), { tokens: answer.tokens }),
      undefined,
    ]);
    storage.engineAsked?.(type, "answered", { characters, tokens: answer.tokens });
    return answer;
  } catch (error) {
    if (!(error instanceof EngineFailure)) throw error;
    storage.engineAsked?.(type, "failed", { characters, tokens: 0 });
    await engines.changeUse(team, name, (before) => [afterFault(before, error.fault, now()), undefined]);
    throw engineFailed(name, error);
  }
}

function engineFailed(name: string, cause: EngineFailure): Error {
  return failure("engine-failed", `The engine ${name} failed: ${cause.message}.`, { cause });
}
