/** What members of stored entities may hold. */
import { z } from "zod";
import { isBranchName } from "../commits/branch-name.ts";
import { isCustomCode, isStoredLocaleCode } from "./locale.ts";
import { isHiveSlug, isOid, isPersonId, isTeamName } from "../names.ts";

/** A text for which a function holds. Files may have been edited by hand, so whatever they hold is checked. */
export function textThat<T extends string>(holds: (text: string) => text is T) {
  return z.custom<T>((value) => typeof value === "string" && holds(value));
}

export const oid = textThat(isOid);
export const hiveSlug = textThat(isHiveSlug);
export const teamName = textThat(isTeamName);
export const personId = textThat(isPersonId);
export const branchName = textThat(isBranchName);
export const localeCode = textThat(isStoredLocaleCode);
export const customCode = textThat(isCustomCode);
export const time = z.iso.datetime();
/** A SHA-256 hash. */
export const hash = z.string().regex(/^[0-9a-f]{64}$/);
export const count = z.number().int().nonnegative();
export const positive = z.number().int().positive();
