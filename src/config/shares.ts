/** The limits of one of several workers: limits of the whole server are divided between them. */
import type { ServeConfig } from "./settings.ts";

/**
 * The limits of one worker. Each gets the same part, and the first ones the remainder; of limits that are counts,
 * each gets at least one.
 * @param worker its number, from 1.
 */
export function shareOf(config: ServeConfig, worker: number): ServeConfig {
  const { workers } = config;
  const bytes = (all: number): number => Math.floor(all / workers);
  const places = (all: number): number => {
    const part = Math.floor(all / workers) + (worker <= all % workers ? 1 : 0);
    return all === 0 ? 0 : Math.max(1, part);
  };
  return {
    ...config,
    bodyBudget: bytes(config.bodyBudget),
    cacheBytes: bytes(config.cacheBytes),
    memoryBudget: bytes(config.memoryBudget),
    maxClones: places(config.maxClones),
    maxPushes: places(config.maxPushes),
    maxSlowReads: places(config.maxSlowReads),
    maxStreams: places(config.maxStreams),
  };
}
