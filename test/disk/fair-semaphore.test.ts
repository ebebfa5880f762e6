import { setImmediate } from "node:timers/promises";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FairSemaphore } from "../../src/disk/fair-semaphore.ts";
import { runs } from "../helpers/runs.ts";

const patient = new AbortController().signal;

function semaphore(size: number, maxWaiting = 100): FairSemaphore {
  return new FairSemaphore({ size, maxWaiting, refusal: "Too many at once.", retryAfter: 5 });
}

describe("a fair semaphore", () => {
  it("keeps a place for the next owner, however many one owner asks for", async () => {
    const places = semaphore(16);
    for (let i = 0; i < 16; i++) void places.acquire("a", patient);
    expect([places.running, places.waiting]).toEqual([8, 8]);
    for (let i = 0; i < 16; i++) void places.acquire("b", patient);
    expect([places.running, places.waiting]).toEqual([12, 20]);
    await places.acquire("c", patient);
    await places.acquire("d", patient);
  });

  it("alternates between owners if there is one place", async () => {
    const places = semaphore(1);
    const order: string[] = [];
    const run = (name: string): Promise<void> =>
      places.run(name, patient, async () => {
        order.push(`${name} begins`);
        await setImmediate();
        order.push(`${name} ends`);
      });
    await Promise.all([run("a"), run("a"), run("a"), run("b"), run("b")]);
    expect(order.filter((_, place) => place % 2 === 0)).toEqual(
      ["a", "a", "b", "a", "b"].map((owner) => `${owner} begins`),
    );
    expect(order.filter((_, place) => place % 2 === 1)).toEqual(
      ["a", "a", "b", "a", "b"].map((owner) => `${owner} ends`),
    );
  });

  it("refuses operations of an owner that has enough waiting, and no others", async () => {
    const places = semaphore(2, 1);
    await places.acquire("a", patient);
    void places.acquire("a", patient);
    await expect(places.acquire("a", patient)).rejects.toMatchObject({
      code: "busy",
      data: { retryAfter: 5 },
    });
    const release = await places.acquire("b", patient);
    void places.acquire("b", patient);
    release();
    expect([places.running, places.waiting]).toEqual([2, 1]);
  });

  it("frees a place once, also after a failure", async () => {
    const places = semaphore(2);
    const release = await places.acquire("a", patient);
    await expect(places.run("b", patient, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
    release();
    release();
    expect(places.running).toBe(0);
  });

  it("starts no operation whose caller is gone", async () => {
    const places = semaphore(1);
    const release = await places.acquire("a", patient);
    const gone = new AbortController();
    const waiting = places.acquire("b", gone.signal);
    gone.abort(new Error("gone"));
    await expect(waiting).rejects.toThrow("gone");
    await expect(places.acquire("b", gone.signal)).rejects.toThrow("gone");
    release();
    expect([places.running, places.waiting]).toEqual([0, 0]);
  });

  it("never runs more than its size, starves nobody, and is empty at the end", async () => {
    const step = fc.record({
      owner: fc.constantFrom("a", "b", "c", "d"),
      does: fc.constantFrom("ask", "ask", "end", "leave"),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 6 }),
        fc.array(step, { maxLength: 60 }),
        async (size, steps) => {
          const places = semaphore(size, Infinity);
          const running = new Map<string, (() => void)[]>();
          const waiting = new Map<string, AbortController[]>();
          const owners = ["a", "b", "c", "d"];
          for (const owner of owners) {
            running.set(owner, []);
            waiting.set(owner, []);
          }
          const ask = (owner: string): void => {
            const gone = new AbortController();
            const those = waiting.get(owner) ?? [];
            those.push(gone);
            const stop = (): void => void those.splice(those.indexOf(gone), 1);
            places.acquire(owner, gone.signal).then((release) => {
              stop();
              running.get(owner)?.push(release);
            }, stop);
          };
          const count = (lists: ReadonlyMap<string, readonly unknown[]>): number =>
            [...lists.values()].reduce((sum, list) => sum + list.length, 0);
          const end = async (owner: string): Promise<void> => {
            running.get(owner)?.shift()?.();
            await setImmediate();
          };
          for (const { owner, does } of steps) {
            if (does === "ask") ask(owner);
            else if (does === "leave") waiting.get(owner)?.[0]?.abort();
            else await end(owner);
            await setImmediate();
            expect(count(running)).toBe(places.running);
            expect(count(waiting)).toBe(places.waiting);
            expect(places.running).toBeLessThanOrEqual(size);
            const free = size - places.running;
            // Whoever has less than there is free would have got a place.
            for (const one of owners) {
              const isWaiting = (waiting.get(one) ?? []).length > 0;
              if (isWaiting) expect(running.get(one)?.length ?? 0).toBeGreaterThanOrEqual(free);
            }
          }
          while (places.running > 0) for (const owner of owners) await end(owner);
          expect(places.waiting).toBe(0);
        },
      ),
      { numRuns: runs(60) },
    );
  });
});
