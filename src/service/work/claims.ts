/** Lists and ends claims on strings. */
import { hash } from "node:crypto";
import { writerOf } from "../../domain/access/principal.ts";
import { allows } from "../../domain/access/token.ts";
import { branchNameOf, slugOf, type HiveBranch } from "../../domain/commits/branch-name.ts";
import { failure } from "../../domain/errors.ts";
import { localeNamed, shownCodes, unknownLocale } from "../../domain/hives/hive-settings.ts";
import { pageOf, type OffsetLimit, type Page } from "../../domain/pagination.ts";
import type { StringAddress } from "../../domain/move.ts";
import type { Caller } from "../access.ts";
import type { Versioned } from "../content/queries.ts";
import { nameOf } from "../review/review.ts";
import { ownerOf } from "./held.ts";
import type { Storage } from "../storage.ts";

export interface ClaimQuery extends OffsetLimit {
  /** A code as the caller gave it; all locales when undefined. */
  readonly locale?: string;
}

/** A claim, as it is shown to others: who works on which strings, and for how long. */
export interface ShownClaim {
  readonly id: string;
  /** The name or the id of the person or token. */
  readonly by: string;
  readonly isOwn: boolean;
  /** The code that the Hive shows. */
  readonly locale: string;
  /** In milliseconds since 1970. */
  readonly expiresAt: number;
  readonly items: readonly StringAddress[];
}

/**
 * The claims of a branch that have not ended, the oldest first.
 * @throws SkepError `invalid` on `locale` when the Hive does not have it.
 */
export async function listClaims(
  storage: Storage,
  caller: Caller,
  branch: HiveBranch,
  { locale: code, ...paging }: ClaimQuery,
): Promise<Versioned<Page<ShownClaim>>> {
  const { settings, commit } = await storage.hives.at(branch).snapshot();
  const locale = code === undefined ? undefined : localeNamed(settings, code);
  if (code !== undefined && locale === undefined) throw unknownLocale(settings, code);
  const { claims } = await storage.claims.read(slugOf(branch));
  const here = claims.filter(
    (claim) =>
      claim.branch === branchNameOf(branch) && (locale === undefined || claim.locale === locale.code),
  );
  const shown = shownCodes(settings);
  const page = pageOf(here, paging);
  const entries = await Promise.all(
    page.entries.map(async (claim): Promise<ShownClaim> => ({
      id: claim.id,
      by: await nameOf(storage, claim.by),
      isOwn: claim.owner === ownerOf(caller),
      locale: shown(claim.locale),
      expiresAt: claim.ends,
      items: claim.items.map(({ file, key }) => ({ file, key })),
    })),
  );
  const version = hash("sha256", JSON.stringify([entries, page.total]), "hex");
  return { commit: commit.oid, version, read: () => ({ ...page, entries }) };
}

/**
 * Ends a claim of the caller. An administrator can end every claim.
 * @returns how many strings were claimed.
 * @throws SkepError `not-found` (`unknown_claim`) for a claim that has ended, or belongs to somebody else.
 */
export async function releaseClaim(
  { claims: store }: Storage,
  { principal }: Caller,
  branch: HiveBranch,
  id: string,
): Promise<number> {
  return store.change(slugOf(branch), async (before) => {
    const found = before.claims.find((claim) => claim.id === id);
    if (found === undefined || (found.by !== writerOf(principal) && !allows(principal, "admin"))) {
      throw failure("not-found", "There is no such claim; it may have ended.", {
        publicCode: "unknown_claim",
      });
    }
    const claims = before.claims.filter((claim) => claim !== found);
    return [{ ...before, claims }, found.items.length];
  });
}
