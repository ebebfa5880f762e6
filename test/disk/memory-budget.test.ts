import { describe, expect, it } from "vitest";
import { MemoryBudget, type Evictable } from "../../src/disk/memory-budget.ts";

function item(bytes: number): Evictable & { isThere: boolean } {
  return {
    bytes,
    isThere: true,
    evict() {
      this.isThere = false;
    },
  };
}

describe("a memory budget", () => {
  it("evicts the least recently used item, and never the one in use", () => {
    const budget = new MemoryBudget(100);
    const [a, b, c, huge] = [item(40), item(40), item(40), item(500)];
    for (const one of [a, b, a, c]) budget.use(one);
    expect([a.isThere, b.isThere, c.isThere]).toEqual([true, false, true]);
    budget.use(huge);
    expect([a.isThere, c.isThere, huge.isThere]).toEqual([false, false, true]);
  });

  it("counts the current size of an item, and nothing for removed ones", () => {
    const budget = new MemoryBudget(100);
    const growing = { ...item(10) };
    const other = item(60);
    budget.use(growing);
    budget.use(other);
    growing.bytes = 90;
    budget.use(growing);
    expect(other.isThere).toBe(false);
    budget.remove(growing);
    budget.use(other);
    expect(growing.isThere).toBe(true);
  });
});
