/** What an engine was asked for today, and when one that fails is asked again. */
import { z } from "zod";
import { count, positive, textThat } from "../hives/stored-fields.ts";
import { isEngineName, type EngineName } from "./engine.ts";

/**
 * What became of a request to an engine: `answered`, `failed`, or `refused` without being sent, because the engine is left
 * alone or the day's characters are used up.
 */
export const engineResults = ["answered", "failed", "refused"] as const;
export type EngineResult = (typeof engineResults)[number];

/** Amounts of one day. */
const amounts = {
  /** Characters of source texts that were sent, also those that came back wrong or not at all. */
  characters: count,
  /** As the engine counts them; 0 for one that does not. */
  tokens: count,
  requests: count,
  /** Texts that were stored. */
  saved: count,
  /** Texts that did not pass. */
  refused: count,
};

export const storedUse = z.strictObject({
  name: textThat(isEngineName),
  /** The day of the amounts (UTC), such as `2026-11-29`. */
  day: z.iso.date(),
  ...amounts,
  /** Why the last request failed; undefined after one that was answered. */
  failure: z
    .strictObject({
      /** One line. */
      error: z.string(),
      /** How many have failed, one after the other. */
      attempts: positive,
      /** When it may be asked again, in milliseconds since 1970. */
      retry: positive,
      /** `spent`: its own quota is used up. */
      kind: z.enum(["down", "spent"]),
    })
    .optional(),
});
export type EngineUse = Readonly<z.output<typeof storedUse>>;
export type EngineAmounts = Pick<EngineUse, keyof typeof amounts>;

/** How many failures one after the other close an engine for a while. */
const failuresAllowed = 5;
const firstWaitMs = 30_000;
const longestWaitMs = 30 * 60_000;
/** How long an engine that names a time is waited for, at most. */
const longestNamedWaitMs = 10 * 60_000;

/** The day of a time (UTC). @param now in milliseconds since 1970. */
function dayOf(now: number): string {
  return new Date(now).toISOString().slice(0, 10);
}

/** When the next day begins (UTC), in milliseconds since 1970. */
export function nextDay(now: number): number {
  const day = 86_400_000;
  return (Math.floor(now / day) + 1) * day;
}

const nothing: EngineAmounts = { characters: 0, tokens: 0, requests: 0, saved: 0, refused: 0 };

/** What is known of an engine today. */
export function useOf(known: EngineUse | undefined, name: EngineName, now: number): EngineUse {
  const day = dayOf(now);
  if (known?.day === day) return known;
  return { name, day, ...nothing, ...(known?.failure && { failure: known.failure }) };
}

/** Adds amounts to those of the day; negative ones take back what was reserved. */
export function withAmounts(use: EngineUse, more: Partial<EngineAmounts>): EngineUse {
  const sum = (name: keyof EngineAmounts): number => Math.max(0, use[name] + (more[name] ?? 0));
  return {
    ...use,
    characters: sum("characters"),
    tokens: sum("tokens"),
    requests: sum("requests"),
    saved: sum("saved"),
    refused: sum("refused"),
  };
}

/** An engine did not answer as it should. */
export interface EngineFault {
  /** One line, without the key. */
  readonly error: string;
  /**
   * `access`: it refuses the key. `spent`: its own quota is used up. `down`: it may answer later. `budget`: it was not asked,
   * because the day's characters are used up.
   */
  readonly kind: "access" | "spent" | "down" | "budget";
  /** How long it asks to be left alone. */
  readonly retryAfterMs?: number;
}

/** @param now in milliseconds since 1970. */
export function afterFault(
  use: EngineUse,
  { error, kind, retryAfterMs }: EngineFault,
  now: number,
): EngineUse {
  const attempts = (use.failure?.attempts ?? 0) + 1;
  const named = Math.min(retryAfterMs ?? 0, longestNamedWaitMs);
  const own =
    attempts < failuresAllowed ? 0 : Math.min(firstWaitMs * 2 ** (attempts - failuresAllowed), longestWaitMs);
  const retry = kind === "spent" ? nextDay(now) : now + Math.max(named, own);
  return { ...use, failure: { error, attempts, retry, kind: kind === "spent" ? "spent" : "down" } };
}

/** What is known of an engine that has answered. */
export function afterAnswer(use: EngineUse): EngineUse {
  const { failure: _, ...others } = use;
  return others;
}

/**
 * Until when an engine is left alone, in milliseconds since 1970; undefined if it may be asked now. A time further away than
 * any failure sets was set by a clock that was wrong.
 */
export function restsUntil({ failure }: EngineUse, now: number): number | undefined {
  if (failure === undefined || failure.retry <= now || failure.retry - now > 86_400_000) return undefined;
  return failure.retry;
}

/** How many characters may still be sent today; unlimited if undefined. */
export function charactersLeft(use: EngineUse, most: number | undefined): number {
  return most === undefined ? Infinity : Math.max(0, most - use.characters);
}
