/** Groups of identity providers: where they stand, and what they give. */
import { describe, expect, it } from "vitest";
import {
  givenRights,
  groupsIn,
  hasGroupOverage,
  idFromName,
  type GivenRights,
} from "../../../src/domain/access/provider-rules.ts";
import { toTeamName } from "../../../src/domain/names.ts";

const rights = (team: string): GivenRights => ({ team: toTeamName(team), abilities: ["read"], hives: "all" });

describe("the groups in claims", () => {
  it.each([
    ["Okta", { groups: ["a", "b"] }, "groups", ["a", "b"]],
    ["Keycloak", { realm_access: { roles: ["a"] } }, "realm_access.roles", ["a"]],
    [
      "Keycloak's clients",
      { resource_access: { "my.app": { roles: ["a"] } } },
      "resource_access.my.app.roles",
      undefined,
    ],
    ["Entra", { roles: ["a"], groups: ["f81d4fae-7dec"] }, "roles", ["a"]],
    ["Google", { hd: "example.org" }, "hd", ["example.org"]],
    ["a claim with dots", { "https://example.org/groups": ["a"] }, "https://example.org/groups", ["a"]],
    ["a claim by its whole name first", { "a.b": ["whole"], a: { b: ["parts"] } }, "a.b", ["whole"]],
    ["none", { sub: "1" }, "groups", undefined],
    ["an empty list", { groups: [] }, "groups", []],
    ["an object", { groups: { a: 1 } }, "groups", undefined],
    ["a number", { groups: 7 }, "groups", undefined],
    ["other values", { groups: ["a", 7, null, ["b"], { c: 1 }, "x".repeat(1_001)] }, "groups", ["a"]],
    ["an inherited member", { a: {} }, "a.constructor.name", undefined],
    ["an inherited claim", {}, "toString", undefined],
    ["a member of a text", { a: "text" }, "a.length", undefined],
  ])("of %s", (_, claims, path, groups) => {
    expect(groupsIn(claims, path)).toEqual(groups);
  });

  it("are at most 10,000", () => {
    const groups = Array.from({ length: 20_000 }, (_, i) => `g${i}`);
    expect(groupsIn({ groups }, "groups")).toHaveLength(10_000);
  });

  it.each([
    [{ _claim_names: { groups: "src1" } }, "groups", true],
    [{ _claim_names: { realm: "src1" } }, "realm.roles", true],
    [{ hasgroups: true }, "groups", true],
    [{ hasgroups: "true" }, "groups", true],
    [{ _claim_names: { address: "src1" } }, "groups", false],
    [{ groups: ["a"] }, "groups", false],
  ])("that are too many are known: %j", (claims, path, isOverage) => {
    expect(hasGroupOverage(claims, path)).toBe(isOverage);
  });
});

describe("rules", () => {
  const rules = {
    groups: [
      { group: "lead", ...rights("first") },
      { group: "all", ...rights("second") },
      { group: "lead", ...rights("third") },
    ],
  };

  it.each([
    [["all", "lead"], "first"],
    [["all"], "second"],
    [["ALL"], undefined],
    [[], undefined],
  ])("give people with %j the first that matches", (groups, team) => {
    expect(givenRights(rules, groups)?.team).toBe(team);
  });

  it("give strangers what they are to get", () => {
    expect(givenRights({ ...rules, strangers: rights("guests") }, ["x"])?.team).toBe("guests");
  });
});

it.each([
  [["Léa.Dupont@example.org"], "lea-dupont"],
  [["", "Łukasz"], "ukasz"],
  [["山田"], "person"],
  [["山田", "yamada@example.jp"], "yamada"],
  [["@@@"], "person"],
  [[`${"x".repeat(31)}--y`], "x".repeat(31)],
  [["../../etc/passwd"], "etc-passwd"],
  [["x".repeat(1_000_000)], "x".repeat(32)],
  [[undefined], "person"],
])("an id is made of %j", (names, id) => {
  expect(idFromName(names)).toBe(id);
});
