/** Makes and removes stored tokens. */
import { randomInt } from "node:crypto";
import { failure, invalid } from "../../domain/errors.ts";
import { excerpt } from "../../domain/text.ts";
import { checkRoom } from "../../domain/plans/quota.ts";
import { isTokenId, toTokenId, type TeamName, type TokenId } from "../../domain/names.ts";
import { tokenFacts, type AuditEvent } from "../../domain/access/audit.ts";
import type { Rights, Token } from "../../domain/access/token.ts";
import type { HeldLock } from "../../disk/held-lock.ts";
import { hashToken } from "../access.ts";
import type { StorageBase } from "../storage.ts";

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/** Ids are in one case, because they are used as file names, and some file systems ignore case. */
const base36 = "0123456789abcdefghijklmnopqrstuvwxyz";
const idLength = 12;
/** 32 digits of base 62 are 190 bits. */
const secretLength = 32;

function randomText(alphabet: string, length: number): string {
  return Array.from({ length }, () => alphabet.charAt(randomInt(alphabet.length))).join("");
}

/** A new id, which may be a part of a file's name. */
export function randomId(): string {
  return randomText(base36, idLength);
}

/** A secret, which only its owner keeps. */
export function randomSecret(): string {
  return randomText(base62, secretLength);
}

export interface MadeToken {
  /** Shown once; only its hash is stored. */
  readonly token: string;
  readonly id: TokenId;
  readonly stored: Token;
}

export interface TokenFields extends Omit<Rights, "expires">, Pick<Token, "team" | "person" | "name"> {
  /** In milliseconds since 1970; without it, now. */
  readonly created?: number;
  /** In milliseconds since 1970. */
  readonly expires: number | undefined;
  /** Who creates it, for the audit log. */
  readonly by: Pick<AuditEvent, "by" | "client">;
}

/**
 * Creates and stores a token. The caller holds the team's lock and has checked the token's reach.
 * @throws SkepError `quota` when the team has reached its limit of tokens.
 */
export async function mintToken(
  { registry, audit, limits, now }: StorageBase,
  lock: HeldLock,
  { team, person, name, checks, review, created = now(), expires, by, ...rights }: TokenFields,
): Promise<MadeToken> {
  if (limits.maxTokens < Infinity) {
    checkRoom("This team", "token", await registry.countTokensOf(team), limits.maxTokens);
  }
  const id = toTokenId(randomId());
  const token = `skep_${id}_${randomSecret()}`;
  const stored: Token = {
    id,
    hash: hashToken(token),
    team,
    person,
    name,
    ...withoutRepeats(rights),
    checks,
    review,
    created: new Date(created).toISOString(),
    expires: expires === undefined ? undefined : new Date(expires).toISOString(),
  };
  const event = { event: "token_created", team, ...by, after: tokenFacts(stored) } as const;
  await audit.recordChange(event, () => registry.saveToken(stored, lock));
  return { token, id, stored };
}

/** Rights as they are stored: each once, and the ability `read` where none is named. */
export function withoutRepeats<R extends Pick<Rights, "abilities" | "hives" | "locales">>(rights: R): R {
  const { abilities, hives, locales } = rights;
  return {
    ...rights,
    abilities: abilities.length > 0 ? [...new Set(abilities)] : ["read"],
    hives: hives === "all" ? hives : [...new Set(hives)],
    locales: locales && [...new Set(locales)],
  };
}

/**
 * Checks the abilities of a token that is limited to some locales, or strict about checks.
 * @throws SkepError `invalid` on the field for `admin`, which implies more than these limits leave.
 */
export function requireNoAdmin(
  { abilities, locales, checks }: Pick<Rights, "abilities" | "checks"> & { readonly locales?: unknown },
  field: string,
): void {
  if (!abilities.includes("admin")) return;
  if (locales !== undefined) throw invalid(field, "admin cannot be limited to some locales");
  if (checks !== undefined)
    throw invalid(field, "admin cannot be strict about checks, which it may turn off");
}

/** The team that a token belongs to. @throws SkepError `not-found` when there is none of that id. */
export async function teamOfToken({ registry }: StorageBase, id: string): Promise<TeamName> {
  const token = isTokenId(id) ? await registry.token(id) : undefined;
  if (token !== undefined) return token.team;
  throw failure("not-found", `There is no token "${excerpt(id)}".`, { publicCode: "unknown_token" });
}

/** Removes a token. The caller holds the team's lock. @param by who revokes it, for the audit log. */
export function removeToken(
  { audit, registry }: StorageBase,
  lock: HeldLock,
  token: Token,
  by: Pick<AuditEvent, "by" | "client">,
): Promise<void> {
  const event = { event: "token_revoked", team: token.team, ...by, before: tokenFacts(token) } as const;
  return audit.recordChange(event, () => registry.removeToken(token.id, lock));
}
