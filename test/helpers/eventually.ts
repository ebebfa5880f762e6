/** Waiting for what another process, a disk or a timer does. */
import { vi } from "vitest";

/** Repeats a check until it passes, for as long as a machine that does much else at the same time may take. */
export function eventually<T>(check: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(check, { timeout: 120_000, interval: 10 });
}
