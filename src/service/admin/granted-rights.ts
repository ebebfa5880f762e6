/** What callers may grant, and to whom: never more than they have themselves. */
import { failure, type Issues } from "../../domain/errors.ts";
import { toLocale } from "../../domain/hives/locale.ts";
import type { HiveSlug } from "../../domain/names.ts";
import { excerpt } from "../../domain/text.ts";
import { allows, reaches, type Ability, type Rights } from "../../domain/access/token.ts";
import type { Caller } from "../access.ts";

/** Rights that a caller wants to grant, as they were given. */
export interface WantedRights {
  /** An empty list means `read`. */
  readonly abilities: readonly Ability[];
  /** By default the reach of the caller. */
  readonly hives?: "all" | readonly string[];
  /** Codes of the target locales into which may be written. If undefined, those of the caller, if they have a limit. */
  readonly locales?: readonly string[];
  /** As the caller's own if that is reviewed always. */
  readonly review?: Rights["review"];
}

/**
 * The rights that a caller wants to grant. An issue is added for whatever goes beyond their own.
 * @param field the member that names the abilities.
 */
export function rightsWithin(
  caller: Caller,
  { abilities, hives, locales: codes, review: asked }: WantedRights,
  issues: Issues,
  field = "abilities",
): Omit<Rights, "checks" | "expires"> {
  const { principal } = caller;
  const isReviewed = principal.review === "always";
  const review = asked ?? (isReviewed ? "always" : undefined);
  const who = nameOf(caller);
  const lacking = abilities.find((ability) => !allows(principal, ability));
  if (lacking !== undefined) issues.add(field, `${who.lacks} the ${lacking} ability ${who.self}`);
  const within = hivesWithin(caller, hives, issues);
  const locales = localesWithin(caller, codes, issues);
  if (isReviewed && review !== "always") {
    issues.add("review", `must be always, as it is for ${who.object} ${who.self}`);
  }
  return { abilities, hives: within, locales, review };
}

function hivesWithin(caller: Caller, asked: WantedRights["hives"], issues: Issues): Rights["hives"] {
  const { principal: own, team } = caller;
  const who = nameOf(caller);
  if (asked === undefined) {
    return own.hives === "all" ? "all" : own.hives.filter((slug) => team.hives.includes(slug));
  }
  if (asked === "all") {
    if (own.hives !== "all") issues.add("hives", `${who.is} limited to some Hives ${who.self}`);
    return own.hives;
  }
  if (asked.length === 0) issues.add("hives", "must name a Hive, or be all");
  return asked.filter((slug): slug is HiveSlug => {
    const isReached = reaches(own, team.hives, slug);
    // Whoever reaches all Hives may know that there is none.
    const subject = own.hives === "all" ? `the team ${team.name} has no` : `${who.has} access to no`;
    if (!isReached) issues.add("hives", () => `${subject} Hive "${excerpt(slug)}"`);
    return isReached;
  });
}

function localesWithin(caller: Caller, codes: WantedRights["locales"], issues: Issues): Rights["locales"] {
  const { locales: own } = caller.principal;
  if (codes === undefined) return own;
  const locales = codes.map((code, i) => toLocale(code, `locales.${i}`).code);
  if (locales.length === 0) issues.add("locales", "must name a locale");
  const beyond = own && locales.find((code) => !own.includes(code));
  if (beyond !== undefined) {
    const who = nameOf(caller);
    issues.add("locales", `${who.is} limited to other locales than ${beyond} ${who.self}`);
  }
  return locales;
}

/**
 * Checks that a caller's rights have no end, before they let a person do more: what a person may do has no end, and would
 * outlive the rights that gave it.
 * @throws SkepError `forbidden` for a caller whose rights end.
 */
export function requireLasting({ principal: { expires } }: Caller): void {
  if (expires === undefined) return;
  const advice = "use a token without an end, or sign in as a person";
  throw failure(
    "forbidden",
    `This token ends on ${expires}, and the rights of persons do not end, so it cannot add, invite or enable persons or let them do more: ${advice}.`,
    { publicCode: "limited_token" },
  );
}

function nameOf({ principal: { token } }: Caller) {
  return token === undefined
    ? { is: "you are", has: "you have", lacks: "you lack", object: "you", self: "yourself" }
    : {
        is: "this token is",
        has: "this token has",
        lacks: "this token lacks",
        object: "this token",
        self: "itself",
      };
}

/** Whether a caller reaches all Hives that others of their team reach, and may therefore manage them. */
export function isWithinRights({ principal: { hives: own } }: Caller, { hives }: Rights): boolean {
  if (own === "all") return true;
  return hives !== "all" && hives.length > 0 && hives.every((slug) => own.includes(slug));
}
