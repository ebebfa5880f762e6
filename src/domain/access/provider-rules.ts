/** The rights of people by their groups at an identity provider, and the groups in its claims. */
import type { HiveSlug, TeamName } from "../names.ts";
import type { LocaleCode } from "../hives/locale.ts";
import type { Ability } from "./token.ts";

export interface GivenRights {
  readonly team: TeamName;
  readonly abilities: readonly Ability[];
  readonly hives: "all" | readonly HiveSlug[];
  /** The target locales into which may be written; undefined for all. */
  readonly locales?: readonly LocaleCode[];
}

export interface GroupRule extends GivenRights {
  readonly group: string;
}

export interface ProviderRules {
  readonly groups: readonly GroupRule[];
  /** The rights of people without any of the groups; undefined for none. */
  readonly strangers?: GivenRights;
}

/**
 * The rights of somebody with some groups. The first rule that matches counts: rights of several rules are never added up.
 * @returns undefined for none.
 */
export function givenRights(
  { groups: rules, strangers }: ProviderRules,
  groups: readonly string[],
): GivenRights | undefined {
  const own = new Set(groups);
  return rules.find(({ group }) => own.has(group)) ?? strangers;
}

/** Statements of a provider about somebody. */
export type IdentityClaims = Readonly<Record<string, unknown>>;

/** How many groups are looked at, and how long the name of one may be. */
const maxGroups = 10_000;
const maxLength = 1_000;

/**
 * The groups in claims.
 * @param path the name of a claim, which may contain dots; or names of members, separated by dots.
 * @returns undefined when the claims say nothing of groups.
 */
export function groupsIn(claims: IdentityClaims, path: string): readonly string[] | undefined {
  const value = memberOf(claims, path) ?? path.split(".").reduce<unknown>(memberOf, claims);
  const list: readonly unknown[] | undefined =
    typeof value === "string" ? [value] : Array.isArray(value) ? value : undefined;
  return list
    ?.slice(0, maxGroups)
    .filter((group): group is string => typeof group === "string" && group.length <= maxLength);
}

function memberOf(value: unknown, name: string): unknown {
  const isMember = typeof value === "object" && value !== null && Object.hasOwn(value, name);
  return isMember ? Reflect.get(value, name) : undefined;
}

/**
 * Whether a provider left groups out because there are too many: Entra then names another place where an application
 * could ask for them.
 */
export function hasGroupOverage(claims: IdentityClaims, path: string): boolean {
  const [first = ""] = path.split(".");
  const isElsewhere = [path, first].some(
    (name) => memberOf(memberOf(claims, "_claim_names"), name) !== undefined,
  );
  return isElsewhere || String(memberOf(claims, "hasgroups")) === "true";
}

const maxIdLength = 32;

/** An id for a person, made from the first of the provider's names for them that gives one. */
export function idFromName(names: readonly (string | undefined)[]): string {
  for (const name of names) {
    const id = (name ?? "")
      .replace(/@.*$/s, "")
      .slice(0, 200)
      .normalize("NFKD")
      .replaceAll(/\p{M}/gu, "")
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, "-")
      .slice(0, maxIdLength)
      .replaceAll(/^-+|-+$/g, "");
    if (id !== "") return id;
  }
  return "person";
}
