/** The file of rules is strict: whoever writes it is told the line. */
import { describe, expect, it } from "vitest";
import { parseRules } from "../../src/config/oidc-rules.ts";

const parse = (text: string) => parseRules("rules.yaml", text);

it("gives rules in their order, with what they leave out", () => {
  const rules = parse(`
groups:
  - group: translators
    team: acme
    abilities: [read, write]
    hives: [web, app]
    locales: [fr, pt-BR]
  - group: "0012"
    team: acme
    hives: all
strangers:
  team: guests
`);
  expect(rules).toEqual({
    groups: [
      {
        group: "translators",
        team: "acme",
        abilities: ["read", "write"],
        hives: ["web", "app"],
        locales: ["fr", "pt-BR"],
      },
      { group: "0012", team: "acme", abilities: ["read"], hives: "all", locales: undefined },
    ],
    strangers: { team: "guests", abilities: ["read"], hives: "all", locales: undefined },
  });
});

it.each(["groups: []", "groups: []\nstrangers: refuse", "strangers: refuse"])(
  "gives strangers nothing if it does not say so: %j",
  (text) => {
    expect(parse(text)).toEqual({ groups: [] });
  },
);

describe("a mistake", () => {
  it.each([
    ["", "1: must hold groups, strangers"],
    ["- a", "1: must hold groups, strangers"],
    ["groups: [\n", "is not YAML"],
    ["\ngroup: []", '2: "group" must be one of groups, strangers'],
    ["groups:\n  a: b", "2: groups: must be a list"],
    ["groups:\n  - team: acme", "2: group: must be given"],
    ["groups:\n  - group: a", "2: team: must be given"],
    ["groups:\n  - group: ''\n    team: acme", "2: group: must be text"],
    ["groups:\n  - group: [a]\n    team: acme", "2: group: must be text"],
    ["groups:\n  - {group: a, team: ACME}", '2: team: "ACME" is not the name of a team'],
    ["groups:\n  - group: a\n    team: acme\n    ability: [read]", '4: "ability" must be one of'],
    ["groups:\n  - group: a\n    team: acme\n    abilities: [reed]", '4: abilities: "reed" must be one of'],
    ["groups:\n  - group: a\n    team: acme\n    abilities: all", "4: abilities: must be a list"],
    ["groups:\n  - group: a\n    team: acme\n    abilities: []", "4: abilities: must not be empty"],
    ["groups:\n  - group: a\n    team: acme\n    hives: []", "4: hives: must not be empty"],
    ["groups:\n  - group: a\n    team: acme\n    locales: []", "4: locales: must not be empty"],
    ["groups:\n  - group: a\n    team: acme\n    hives: web", "4: hives: must be a list"],
    ["groups:\n  - group: a\n    team: acme\n    hives: [We b]", '4: hives: "We b" is not the slug'],
    [
      "groups:\n  - group: a\n    team: acme\n    locales: [klingon1]",
      '4: locales: "klingon1" is not a locale',
    ],
    ["groups:\n  - {group: a, team: acme, abilities: [admin], locales: [fr]}", "admin cannot be limited"],
    ["groups:\n  - group: a\n    team: acme\n    team: other", "is not YAML"],
    ["groups: &a\n  - *a", "must hold group, team"],
    ["strangers: allow", "1: strangers: must be refuse"],
    ["strangers:\n  abilities: [read]", "team: must be given"],
    ["strangers:\n  team: acme\n  group: a", '3: "group" must be one of'],
  ])("is named with its line: %j", (text, problem) => {
    expect(() => parse(text)).toThrow(problem);
    expect(() => parse(text)).toThrow(/^rules\.yaml:\d+: /);
  });
});
