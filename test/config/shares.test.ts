/** What each of several workers gets of the limits of the server. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { defaults } from "../../src/config/settings.ts";
import { shareOf } from "../../src/config/shares.ts";

const places = ["maxClones", "maxPushes", "maxSlowReads", "maxStreams"] as const;
const bytes = ["bodyBudget", "cacheBytes", "memoryBudget"] as const;

it("shares of all workers together are the limits of the server, or one place each", () => {
  const count = fc.record({ workers: fc.integer({ min: 1, max: 40 }), limit: fc.nat(200) });
  fc.assert(
    fc.property(count, ({ workers, limit }) => {
      const given = Object.fromEntries([...places, ...bytes].map((name) => [name, limit]));
      const config = { ...defaults, ...given, workers };
      const shares = Array.from({ length: workers }, (_, i) => shareOf(config, i + 1));
      for (const name of places) {
        const parts = shares.map((share) => share[name]);
        const sum = parts.reduce((all, part) => all + part, 0);
        expect(sum).toBe(limit === 0 ? 0 : Math.max(limit, workers));
        expect(Math.max(...parts) - Math.min(...parts)).toBeLessThanOrEqual(1);
      }
      for (const name of bytes) {
        const sum = shares.reduce((all, share) => all + share[name], 0);
        expect(sum).toBeLessThanOrEqual(limit);
        expect(limit - sum).toBeLessThan(workers);
      }
    }),
  );
});

it("the share of a single process is everything", () => {
  expect(shareOf(defaults, 1)).toEqual(defaults);
});
