import * as fc from "fast-check";
import { expect, it } from "vitest";
import { toTeamName } from "../../../src/domain/names.ts";
import { BodyBudget, type BodyShare } from "../../../src/http/requests/body.ts";

const [a, b, c] = ["a", "b", "c"].map((name) => toTeamName(name));

it("the body budget leaves room for another team, however many requests one team has", () => {
  const budget = new BodyBudget(120);
  const fill = (team = toTeamName("d")): number => {
    let taken = 0;
    try {
      for (; ; taken += 5) budget.open(team).take(5);
    } catch {
      return taken;
    }
  };
  expect([fill(a), fill(b), fill(c)]).toEqual([60, 30, 15]);
});

it("the body budget holds nothing at the end, and never more than its limit", () => {
  const team = fc.constantFrom("a", "b", "c").map((name) => toTeamName(name));
  const request = fc.record({ team, sizes: fc.array(fc.nat(40), { maxLength: 5 }), ends: fc.boolean() });
  fc.assert(
    fc.property(fc.array(request, { maxLength: 20 }), (requests) => {
      const budget = new BodyBudget(100);
      const open: BodyShare[] = [];
      for (const { team: one, sizes, ends } of requests) {
        const share = budget.open(one);
        open.push(share);
        try {
          for (const size of sizes) share.take(size);
        } catch (error) {
          expect(error).toMatchObject({ code: "busy" });
        }
        expect(budget.used).toBeLessThanOrEqual(100);
        if (ends) open.shift()?.release();
      }
      for (const share of open) share.release();
      expect(budget.used).toBe(0);
      budget.open(toTeamName("d")).take(100);
    }),
  );
});
