/** Settings of the process, from flags and environment, checked once. */
import { totalmem } from "node:os";
import { getHeapStatistics } from "node:v8";
import { InvalidArgumentError } from "commander";
import { parseTrustedProxies, type TrustedProxies } from "./http/client-address.ts";

/** What `skep serve` needs to know. */
export interface ServeConfig {
  readonly storage: string;
  readonly host: string;
  readonly port: number;
  /** The largest request body in bytes. */
  readonly bodyLimit: number;
  /** How many bytes of bodies may be in memory at once, over all requests. */
  readonly bodyBudget: number;
  /** How many bytes of answers are kept in memory. */
  readonly cacheBytes: number;
  /** How many bytes of Hives' content may be in memory, about. */
  readonly memoryBudget: number;
  /** How many requests for clones are answered at once. */
  readonly maxClones: number;
  /** How long one of them may take, in milliseconds. */
  readonly cloneTimeout: number;
  /** How many loose objects a Hive may have before git packs them; 0 never packs. */
  readonly packAfter: number;
  /** The proxies whose word about a client's address is taken; none if undefined. */
  readonly trustProxy?: TrustedProxies | undefined;
}

/** The memory of the machine, or of the container we are in. */
function availableMemory(): number {
  const limit = process.constrainedMemory();
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}

const mebibyte = 1024 * 1024;

export const defaults = {
  storage: "./storage",
  host: "127.0.0.1",
  port: 4488,
  bodyLimit: 32 * mebibyte,
  bodyBudget: 128 * mebibyte,
  cacheBytes: 64 * mebibyte,
  // A quarter of the machine or container, and of what node can use of it.
  memoryBudget: Math.floor(Math.min(availableMemory(), 2 * getHeapStatistics().heap_size_limit) / 4),
  maxClones: 16,
  cloneTimeout: 600_000,
  packAfter: 4_000,
} as const satisfies ServeConfig;

/** Parses a port; 0 takes a free one. */
export function toPort(text: string): number {
  const port = toWholeNumber(text);
  if (port > 65_535) throw new InvalidArgumentError("It must be at most 65535.");
  return port;
}

/** Parses the address or name of a host. */
export function toHost(text: string): string {
  if (text.trim() === "") throw new InvalidArgumentError("It must not be empty; 0.0.0.0 listens everywhere.");
  return text;
}

/** Parses which proxies to trust; see {@link parseTrustedProxies}. */
export function toTrustedProxies(text: string): TrustedProxies {
  try {
    return parseTrustedProxies(text);
  } catch (error) {
    throw new InvalidArgumentError(error instanceof Error ? error.message : String(error));
  }
}

/** Parses a whole number that is not negative. */
export function toWholeNumber(text: string): number {
  const number = Number(text);
  if (!/^[0-9]+$/.test(text) || !Number.isSafeInteger(number)) {
    throw new InvalidArgumentError("It must be a whole number, 0 or more.");
  }
  return number;
}

const units: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };
const longestSeconds = 100 * 365 * 86_400;

/** Parses a span of time such as `90d` into milliseconds. */
export function toDuration(text: string): number {
  const [, amount = "", unit = ""] = /^([1-9][0-9]{0,9})([smhd])$/.exec(text) ?? [];
  const seconds = Number(amount) * (units[unit] ?? 0);
  if (seconds === 0) throw new InvalidArgumentError("It must be a number with s, m, h or d, such as 90d.");
  if (seconds > longestSeconds) throw new InvalidArgumentError("It must be at most 100 years.");
  return seconds * 1000;
}

const longestTimeout = 86_400_000;

/** Parses how long something may take, such as `10m`, into milliseconds. */
export function toTimeout(text: string): number {
  const duration = toDuration(text);
  if (duration > longestTimeout) throw new InvalidArgumentError("It must be at most a day.");
  return duration;
}
