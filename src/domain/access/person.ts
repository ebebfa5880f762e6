/** Persons: who signs in and writes under their own name. */
import { z } from "zod";
import type { LocaleCode } from "../hives/locale.ts";
import { count, hash, localeCode, positive, teamName, time } from "../hives/stored-fields.ts";
import type { Decoded } from "../json-codec.ts";
import type { PersonId } from "../names.ts";
import { pageLanguageCodes } from "./page-language.ts";
import { storedRights, type Token } from "./token.ts";

/** How often somebody may be mailed what concerns them. */
export const digests = ["off", "daily"] as const;

/** The colours of pages that somebody can choose; without a choice, their system decides. */
export const themes = ["light", "dark"] as const;
export type Theme = (typeof themes)[number];

const base64url = z.string().regex(/^[\w-]+$/);

/** A public key of a device, by which a person signs in. Binary members are in base64url. */
const storedPasskey = z.strictObject({
  id: base64url,
  key: base64url,
  counter: count,
  created: time,
  /** When the last challenge was made that it answered. */
  used: time.optional(),
});
export type Passkey = Decoded<z.output<typeof storedPasskey>>;

const storedIdentity = z.strictObject({
  iss: z.string(),
  sub: z.string(),
  /** When the provider last said what they may do. */
  signed_in: time,
});
export type Identity = Decoded<z.output<typeof storedIdentity>>;

const storedInvitation = z.strictObject({
  /** SHA-256 of the code, which is not stored. */
  hash,
  ends: time,
});
export type Invitation = Decoded<z.output<typeof storedInvitation>>;

/** The stored fields of a person, in their order. Their id is the name of their file. */
export const storedPerson = z.strictObject({
  team: teamName,
  name: z.string(),
  /** Shown to admins; on commits where the team wants it. Never used to recognise them. */
  mail: z.string().optional(),
  /** Whether they are mailed each day what concerns them; nothing where the address is not confirmed. */
  digest: z.literal("daily").optional(),
  /** The language of their pages and mails, where they have chosen one. */
  language: z.enum(pageLanguageCodes).optional(),
  /** The languages that they work in, which come first wherever there are several. */
  languages: z.array(localeCode).optional(),
  /** The colours of their pages, where they have chosen some. */
  theme: z.enum(themes).optional(),
  ...storedRights.shape,
  /** They and their tokens can do nothing until an admin enables them again. */
  disabled: z.boolean(),
  /** The hash of their password, in the form of PHC. */
  password: z.string().optional(),
  passkeys: z.array(storedPasskey),
  invitation: storedInvitation.optional(),
  created: time,
  /** When they were removed: then only their id, team and name remain. */
  removed: time.optional(),
  /** Whether they have shown that mails to their address reach them. */
  mail_confirmed: z.literal(true).optional(),
  /** Who they are at the identity provider; undefined for a person of an invitation. */
  identity: storedIdentity.optional(),
  /** How often all their sessions were ended at once; part of the sessions' signatures. */
  session_epoch: positive.optional(),
});

/** A person of a team. Somebody in two teams is two persons. */
export interface Person extends Decoded<z.output<typeof storedPerson>> {
  /** The name that they sign in with; it is never given to anybody else. */
  readonly id: PersonId;
  /** What a person may do has no end. */
  readonly expires?: undefined;
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

export const storedSession = z.strictObject({
  id: base64url,
  began: time,
  ends: time,
  method: z.enum(sessionMethods),
  /** The browser and its system, as it names itself. */
  browser: z.string(),
  /** SHA-256 of the id of the session at the identity provider, which may end this one by it. */
  provider_session: hash.optional(),
});
export type PersonSession = Decoded<z.output<typeof storedSession>>;

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
