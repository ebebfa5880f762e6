/** Persons: who signs in and writes under their own name. */
import type { PersonId, TeamName } from "../names.ts";
import type { LocaleCode } from "../hives/locale.ts";
import type { PageLanguageCode } from "./page-language.ts";
import type { Rights, Token } from "./token.ts";

/** A person of a team. Somebody in two teams is two persons. */
export interface Person extends Rights {
  /** The name that they sign in with; it is never given to anybody else. */
  readonly id: PersonId;
  readonly team: TeamName;
  readonly name: string;
  /** Shown to admins; on commits where the team wants it. Never used to recognise them. */
  readonly mail?: string;
  /** Whether they have shown that mails to the address reach them. */
  readonly mailConfirmed?: true;
  /** Whether they are mailed each day what concerns them; nothing where the address is not confirmed. */
  readonly digest?: "daily";
  /** The language of their pages and mails, where they have chosen one. */
  readonly language?: PageLanguageCode;
  /** The languages that they work in, which come first wherever there are several. */
  readonly languages?: readonly LocaleCode[];
  /** The colours of their pages, where they have chosen some. */
  readonly theme?: Theme;
  /** They and their tokens can do nothing until an admin enables them again. */
  readonly disabled: boolean;
  /** The hash of their password, in the form of PHC. */
  readonly password?: string;
  readonly passkeys: readonly Passkey[];
  /** Who they are at the identity provider; undefined for a person of an invitation. */
  readonly identity?: Identity;
  readonly invitation?: Invitation;
  /** How often all their sessions were ended at once; part of the sessions' signatures. */
  readonly sessionEpoch?: number;
  /** ISO 8601, UTC. */
  readonly created: string;
  /** When they were removed: then only their id, team and name remain. */
  readonly removed?: string;
}

/** How often somebody may be mailed what concerns them. */
export const digests = ["off", "daily"] as const;

/** The colours of pages that somebody can choose; without a choice, their system decides. */
export const themes = ["light", "dark"] as const;
export type Theme = (typeof themes)[number];

/** A public key of a device, by which a person signs in. Binary members are in base64url. */
export interface Passkey {
  readonly id: string;
  readonly key: string;
  readonly counter: number;
  readonly created: string;
  /** When the last challenge was made that it answered. ISO 8601, UTC. */
  readonly used?: string;
}

export interface Identity {
  readonly iss: string;
  readonly sub: string;
  /** When the provider last said what they may do. ISO 8601, UTC. */
  readonly signedIn: string;
}

export interface Invitation {
  /** SHA-256 of the code, which is not stored. */
  readonly hash: string;
  /** ISO 8601, UTC. */
  readonly ends: string;
}

/** Whether a person may sign in: neither disabled nor removed. */
export function isActive({ disabled, removed }: Person): boolean {
  return !disabled && removed === undefined;
}

/** The means to sign in that somebody can have. */
export const signInMeans = ["password", "passkey", "oidc"] as const;
export type SignInMeans = (typeof signInMeans)[number];

/** The means to sign in that a person has; none before they have used their invitation. */
export function signInMeansOf({ password, passkeys, identity }: Person): readonly SignInMeans[] {
  const has = {
    password: password !== undefined,
    passkey: passkeys.length > 0,
    oidc: identity !== undefined,
  };
  return signInMeans.filter((means) => has[means]);
}

/** The languages that a person works in: those they have chosen, or else the only ones that they may write into, if any. */
export function ownLanguagesOf({ languages = [], locales = [] }: Person): readonly LocaleCode[] {
  return languages.length > 0 ? languages : locales;
}

/** The address to which a person may be mailed what they have asked for. */
export function confirmedMail(person: Person): string | undefined {
  return isActive(person) && person.mailConfirmed === true ? person.mail : undefined;
}

/** A person with another address, which is not confirmed, or the same. */
export function withMail(person: Person, mail: string | undefined): Person {
  return mail === person.mail ? person : { ...person, mail, mailConfirmed: undefined };
}

/** What remains of a person who is removed, so that history can still name them. */
export function removedPerson({ id, team, name, created }: Person, removed: string): Person {
  return { id, team, name, abilities: [], hives: [], disabled: true, passkeys: [], created, removed };
}

export const sessionMethods = ["password", "passkey", "oidc", "invitation"] as const;
export type SessionMethod = (typeof sessionMethods)[number];

export interface PersonSession {
  readonly id: string;
  /** ISO 8601, UTC. */
  readonly began: string;
  readonly ends: string;
  readonly method: SessionMethod;
  /** The browser and its system, as it names itself. */
  readonly browser: string;
  /** SHA-256 of the id of the session at the identity provider, which may end this one by it. */
  readonly providerSession?: string;
}

/** How long a person of the identity provider may use tokens without signing in again. */
const signInAgainMs = 30 * 24 * 60 * 60 * 1000;

/** When a person has to sign in at the provider again, so that their tokens work; in milliseconds since 1970. */
export function signInAgainAt({ identity }: Person): number {
  return identity === undefined ? Infinity : Date.parse(identity.signedIn) + signInAgainMs;
}

/** Whether a token belongs to a person, and to the person's team. */
export function isTokenOf(person: Person, token: Token): boolean {
  return token.person === person.id && token.team === person.team;
}
