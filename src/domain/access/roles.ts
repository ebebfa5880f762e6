/** Roles of persons: names for the abilities that people commonly have together. They are not stored. */
import { abilities, allows, type Ability, type Rights } from "./token.ts";

const abilitiesByRole = {
  reader: ["read"],
  translator: ["read", "write"],
  reviewer: ["read", "write", "approve"],
  lead: ["read", "write", "approve", "admin"],
} as const satisfies Readonly<Record<string, readonly Ability[]>>;

/** A role that can be given. */
export type Role = keyof typeof abilitiesByRole;

/** The roles that can be given, each with one ability more than the one before. */
export const roles = ["reader", "translator", "reviewer", "lead"] as const satisfies readonly Role[];

/** A role, or `custom` for abilities that have no name together. */
export const shownRoles = [...roles, "custom"] as const;
export type ShownRole = (typeof shownRoles)[number];

/** The abilities that a role names. */
export function abilitiesOf(role: Role): readonly Ability[] {
  return abilitiesByRole[role];
}

/** The role whose abilities somebody has, no more and no fewer. `admin` implies the others, so it alone is a lead. */
export function roleOf(rights: Pick<Rights, "abilities">): ShownRole {
  const has = (ability: Ability): boolean => allows(rights, ability);
  const isExactly = (role: Role): boolean =>
    abilities.every((ability) => has(ability) === abilitiesOf(role).includes(ability));
  return roles.find(isExactly) ?? "custom";
}
