/** Which locales a Hive lacks, and what `skep.yaml` must say of their codes. */
import { expect, it } from "vitest";
import { localeToGive, planLocales } from "../../src/client/new-locales.ts";

const source = { code: "en", canonical: "en" };

function found(pattern: string, code: string, canonical: string, ofFormat?: string) {
  return { pattern, code, canonical, ofFormat };
}

it("adds a locale once, and names the codes that other patterns have for it", () => {
  const foreign = [found("a", "pt_BR", "pt-BR"), found("b", "pt-BR", "pt-BR"), found("a", "fr", "fr")];
  expect(planLocales({ foreign, present: new Map() }, { source, targets: [] })).toEqual({
    missing: [
      { code: "fr", canonical: "fr" },
      { code: "pt-BR", canonical: "pt-BR" },
    ],
    otherCodes: [{ pattern: "a", locale: "pt-BR", code: "pt_BR" }],
    ambiguous: [],
  });
});

it("gives formats with codes of their own the BCP 47 code, and names those that they do not derive", () => {
  const foreign = [found("a", "b+ast", "ast", "ast"), found("a", "kn-rIN", "kn-IN", "kn-rIN")];
  expect(planLocales({ foreign, present: new Map() }, { source, targets: [] })).toMatchObject({
    missing: [
      { code: "ast", canonical: "ast" },
      { code: "kn-IN", canonical: "kn-IN" },
    ],
    otherCodes: [{ pattern: "a", locale: "ast", code: "b+ast" }],
  });
});

it("says which code belongs to a locale that the Hive calls otherwise, unless that one has files too", () => {
  const targets = [{ code: "fil", canonical: "fil" }];
  const foreign = [found("a", "tl", "fil")];
  const other = [{ pattern: "a", locale: "fil", code: "tl" }];
  const none = { missing: [], otherCodes: [], ambiguous: [] };
  const plan = (present: ReadonlyMap<string, ReadonlySet<string>>) =>
    planLocales({ foreign, present }, { source, targets });
  expect(plan(new Map())).toEqual({ ...none, otherCodes: other });
  const inRegion = { code: "fil-PH", canonical: "fil-PH" };
  const beside = [{ pattern: "a", locale: "fil-PH", code: "tl" }];
  expect(plan(new Map([["a", new Set(["fil"])]]))).toEqual({
    ...none,
    missing: [inRegion],
    otherCodes: beside,
  });
  expect(
    planLocales(
      { foreign: [...foreign, found("a", "fil", "fil")], present: new Map() },
      { source, targets: [] },
    ),
  ).toEqual({ ...none, missing: [...targets, inRegion], otherCodes: beside });
});

it.each([
  ["with a region", [found("a", "pt-BR", "pt-BR"), found("a", "pt_BR", "pt-BR")], "pt_BR"],
  ["of a format with codes of its own", [found("a", "he", "he", "iw"), found("a", "iw", "he", "iw")], "iw"],
  [
    "whose main region has files",
    [found("a", "fil", "fil"), found("a", "tl", "fil"), found("a", "fil-PH", "fil-PH")],
    "tl",
  ],
  [
    "of which there are three",
    [found("a", "he", "he"), found("a", "iw", "he"), found("a", "IW", "he")],
    "IW",
  ],
])("leaves out a second code %s", (_, foreign, code) => {
  const { ambiguous } = planLocales({ foreign, present: new Map() }, { source, targets: [] });
  expect(ambiguous.map((one) => one.code)).toEqual([code]);
});

it("is given to commands with the custom code", () => {
  expect(localeToGive({ code: "pt_BR", canonical: "pt-BR" })).toBe("pt-BR=pt_BR");
  expect(localeToGive({ code: "fr", canonical: "fr" })).toBe("fr");
});
