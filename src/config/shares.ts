/** The limits of one of several workers: those that are for the whole server are shared out between them. */
import type { ServeConfig } from "./settings.ts";

/**
 * What one worker is to keep to. Each gets the same part, and the first get what is left over; of what can be counted,
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
