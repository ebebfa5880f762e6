/** What is allowed by two that each allow something. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { intersectRights } from "../../../src/domain/access/principal.ts";
import { abilities, allows, hasExpired, reaches, type Rights } from "../../../src/domain/access/token.ts";
import { toHiveSlug } from "../../../src/domain/names.ts";
import { toLocale } from "../../../src/domain/hives/locale.ts";
import { forAllSync } from "../../helpers/runs.ts";

const hives = ["web", "app", "shop"].map((slug) => toHiveSlug(slug));
const locales = ["fr", "de", "it"].map((code) => toLocale(code).code);
const times = ["2026-01-01T00:00:00.000Z", "2026-06-01T00:00:00.000Z"];
const rights: fc.Arbitrary<Rights> = fc.record({
  abilities: fc.subarray([...abilities]),
  hives: fc.oneof(fc.constant("all" as const), fc.subarray(hives)),
  locales: fc.option(fc.subarray(locales), { nil: undefined }),
  checks: fc.constantFrom("strict" as const, undefined),
  review: fc.constantFrom("always" as const, "never" as const, undefined),
  expires: fc.option(fc.constantFrom(...times), { nil: undefined }),
});

describe("what a token of a person may do", () => {
  it("is what both may do, and never more", () => {
    forAllSync(75, rights, rights, (one, other) => {
      const both = intersectRights(one, other);
      for (const ability of abilities)
        expect(allows(both, ability)).toBe(allows(one, ability) && allows(other, ability));
      for (const slug of hives)
        expect(reaches(both, hives, slug)).toBe(reaches(one, hives, slug) && reaches(other, hives, slug));
      for (const locale of locales) {
        const isIn = ({ locales: own }: Rights): boolean => own === undefined || own.includes(locale);
        expect(isIn(both)).toBe(isIn(one) && isIn(other));
      }
      for (const now of [...times, "2026-03-01T00:00:00.000Z"].map((time) => Date.parse(time)))
        expect(hasExpired(both, now)).toBe(hasExpired(one, now) || hasExpired(other, now));
      expect(both.checks === "strict").toBe(one.checks === "strict" || other.checks === "strict");
      const strictness = ["never", undefined, "always"];
      const strict = Math.max(strictness.indexOf(one.review), strictness.indexOf(other.review));
      expect(strictness.indexOf(both.review)).toBe(strict);
    });
  });
});
