import { expect, it } from "vitest";
import { toHiveSlug } from "../../../src/domain/names.ts";
import { MemoryBudget } from "../../../src/disk/memory-budget.ts";
import { OpenHives } from "../../../src/store/hives/open-hives.ts";

it("Hives that another process removed are dropped from memory as others are opened, a few checks each time", () => {
  let looks = 0;
  const removed = new Set<string>();
  const hiveOf = (name: string) => ({
    bytes: 1,
    evict: () => {},
    exists: () => {
      looks++;
      return !removed.has(name);
    },
  });
  const open = new OpenHives<ReturnType<typeof hiveOf>>(new MemoryBudget(Infinity));
  const names = Array.from({ length: 100 }, (_, i) => `h${i}`);
  for (const name of names) open.add(toHiveSlug(name), hiveOf(name));
  expect(looks).toBeLessThan(5 * names.length);

  for (const name of names.slice(10)) removed.add(name);
  for (let i = 0; i < 30; i++) open.add(toHiveSlug(`new${i}`), hiveOf(`new${i}`));
  const left = names.filter((name) => open.get(toHiveSlug(name)) !== undefined);
  expect(left).toEqual(names.slice(0, 10));
  open.close(toHiveSlug("h0"));
  expect(open.get(toHiveSlug("h0"))).toBeUndefined();
});
