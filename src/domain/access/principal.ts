/** Who a request acts for: a token, a person, a person by one of their tokens, or the owner of the storage. */
import {
  commandAuthor,
  engineAuthor,
  personAuthor,
  tokenAuthor,
  type Author,
} from "../commits/commit-message.ts";
import type { HiveSlug, PersonId, TokenId } from "../names.ts";
import { signInAgainAt, type Person } from "./person.ts";
import type { Team } from "./team.ts";
import { abilities, allows, type ReviewRule, type Rights, type Token } from "./token.ts";

/** Names a principal. At least one member is there; token and person are for a token of a person. */
export interface PrincipalId {
  readonly token?: TokenId;
  readonly person?: PersonId;
  /** The command that the owner of the storage runs on its machine, such as `webhook create`. */
  readonly command?: string;
  /** The engine that a rule of a locale asks: it is the author of its texts. Nothing that comes over the network is one. */
  readonly engine?: string;
}

export interface Principal extends PrincipalId, Rights {
  readonly name?: string;
  readonly mail?: string;
}

/** The principal of a token that belongs to no person. */
export function principalOfToken({ id, ...token }: Token): Principal {
  const { name, abilities: can, hives, locales, checks, review, expires } = token;
  return { token: id, name, abilities: can, hives, locales, checks, review, expires };
}

/** The owner of the storage, who runs a command on its machine. They may do everything, in every team. */
export function principalOfOwner(command: string): Principal {
  return { command, abilities: ["admin"], hives: "all" };
}

/** An engine that translates by a rule: it reads and writes in the Hives of its team. @param review as the rule says. */
export function principalOfEngine(engine: string, review?: ReviewRule): Principal {
  return { engine, abilities: ["read", "write"], hives: "all", review };
}

/** The rights of a person who is signed in. */
export function principalOfPerson({
  id,
  name,
  mail,
  abilities: can,
  hives,
  locales,
  checks,
  review,
}: Person): Principal {
  return { person: id, name, mail, abilities: can, hives, locales, checks, review };
}

/** A person by one of their tokens: what both may do, for as long as the person need not sign in again. */
export function principalOfPersonalToken(person: Person, token: Token): Principal {
  const again = signInAgainAt(person);
  const until = again === Infinity ? undefined : new Date(again).toISOString();
  return {
    token: token.id,
    person: person.id,
    name: person.name,
    mail: person.mail,
    ...intersectRights({ ...person, expires: until }, token),
  };
}

/** The rights that both have, with the stricter of their limits. */
export function intersectRights(one: Rights, other: Rights): Rights {
  return {
    abilities: abilities.filter((ability) => allows(one, ability) && allows(other, ability)),
    hives: both(one.hives, other.hives),
    locales: bothOptional(one.locales, other.locales),
    checks: one.checks ?? other.checks,
    review: stricter(one.review, other.review),
    expires: [one.expires, other.expires].filter((at) => at !== undefined).toSorted()[0],
  };
}

/** Whether rights are at most what others are: neither more abilities nor Hives, and no wider limits. */
export function isWithin(rights: Rights, limits: Rights): boolean {
  const { hives, locales, review, checks } = rights;
  const own = limits.hives;
  return (
    rights.abilities.every((ability) => allows(limits, ability)) &&
    (own === "all" || (hives !== "all" && hives.every((slug) => own.includes(slug)))) &&
    (limits.locales === undefined || locales?.every((code) => limits.locales?.includes(code)) === true) &&
    stricter(review, limits.review) === review &&
    (limits.checks === undefined || checks === limits.checks)
  );
}

function both(one: Rights["hives"], other: Rights["hives"]): Rights["hives"] {
  if (one === "all") return other;
  return other === "all" ? one : one.filter((slug: HiveSlug) => other.includes(slug));
}

function bothOptional(one: Rights["locales"], other: Rights["locales"]): Rights["locales"] {
  if (one === undefined) return other;
  return other === undefined ? one : one.filter((code) => other.includes(code));
}

/** `always` limits most, and then the rule by origin. */
function stricter(one: ReviewRule | undefined, other: ReviewRule | undefined): ReviewRule | undefined {
  if (one === "always" || other === "always") return "always";
  return one === other ? one : undefined;
}

/** The author of what a principal commits for their team. */
export function authorOf(
  { token, person, command, engine, name, mail }: Principal,
  { mailOnCommits }: Team,
): Author {
  if (engine !== undefined) return engineAuthor(engine);
  if (command !== undefined) return commandAuthor;
  if (person === undefined) return tokenAuthor(token ?? "", name);
  const author = personAuthor(person, name);
  return mailOnCommits && mail !== undefined ? { ...author, email: mail } : author;
}

/** Who wrote a text, as review markers say it: the person, whichever token they used. */
export function writerOf({ token, person }: PrincipalId): string | undefined {
  return person ?? token;
}
