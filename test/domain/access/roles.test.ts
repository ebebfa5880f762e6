/** Roles, and the abilities that they name. */
import { expect, it } from "vitest";
import { abilitiesOf, roleOf, roles } from "../../../src/domain/access/roles.ts";
import { abilities, type Ability } from "../../../src/domain/access/token.ts";

it.each<[readonly Ability[], string]>([
  [["read"], "reader"],
  [["write", "read"], "translator"],
  [["read", "write", "approve"], "reviewer"],
  [["read", "write", "approve", "admin"], "lead"],
  [["admin"], "lead"],
  [["read", "admin"], "lead"],
  [["write"], "custom"],
  [["read", "approve"], "custom"],
  [["write", "approve"], "custom"],
  [[], "custom"],
])("%j are the abilities of a %s", (given, role) => {
  expect(roleOf({ abilities: given })).toBe(role);
});

it("every role names its own abilities, and every ability has a role", () => {
  for (const role of roles) expect(roleOf({ abilities: abilitiesOf(role) })).toBe(role);
  expect(new Set(roles.flatMap(abilitiesOf))).toEqual(new Set(abilities));
});
