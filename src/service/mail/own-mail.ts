/**
 * What a person decides of themselves: the mail address, confirmed by a link, the digest, the language of pages and mails,
 * the languages that they work in, and their colours.
 */
import { personFacts } from "../../domain/access/audit.ts";
import type { PageLanguageCode } from "../../domain/access/page-language.ts";
import { isActive, withMail, type Person, type Theme } from "../../domain/access/person.ts";
import { failure, invalid } from "../../domain/errors.ts";
import { dayOfDigest } from "../../domain/inbox/digest.ts";
import { toLocale } from "../../domain/hives/locale.ts";
import { isMailable } from "../../domain/mail.ts";
import { isPersonId, type PersonId } from "../../domain/names.ts";
import { auditedBy, reauthoriseTeam, type TeamGrant } from "../access.ts";
import { personOf } from "../people/own.ts";
import { toMail } from "../people/people.ts";
import { signValue, verifiedValue } from "../signed-values.ts";
import type { AccessStorage, StorageBase } from "../storage.ts";
import { countMail, requireMailing, type Mailing } from "./mailing.ts";

const confirmableMs = 24 * 60 * 60 * 1000;
/** For how long digests can be ended by a link of theirs. */
const endableMs = 400 * 24 * 60 * 60 * 1000;

export interface OwnChange {
  /** Null for none. */
  readonly mail?: string | null;
  readonly digest?: "off" | "daily";
  /** Null to leave it to the browser. */
  readonly language?: PageLanguageCode | null;
  /** Codes of BCP 47; none where all come in their own order. */
  readonly languages?: readonly string[];
  readonly theme?: Theme | "system";
}

/** The person of a caller, as they are stored. @throws SkepError `forbidden` for a token of nobody. */
export async function ownPerson(
  { registry }: StorageBase,
  grant: Pick<TeamGrant, "person">,
): Promise<Person> {
  const person = await registry.person(personOf(grant));
  if (person !== undefined && isActive(person)) return person;
  throw failure("not-found", "There is no such person any more.", { publicCode: "unknown_person" });
}

/**
 * Changes what the caller's person has chosen. An address has to be confirmed: the link for it is mailed to the address, also
 * again to one that is there.
 * @throws SkepError `forbidden` for a token of nobody; `invalid` on what is no language; on `mail` for what is no
 * address, and for a person of the identity provider, which says what the address is, and on what needs mails where
 * none can be sent; `too-many-attempts` when the address has got as many mails as it may.
 */
export async function changeOneself(
  storage: AccessStorage,
  grant: TeamGrant,
  { mail, digest, ...chosen }: OwnChange,
  mailing: Mailing | undefined,
): Promise<Person> {
  const address = mail == null ? undefined : toMail(mail);
  if (digest === "daily") requireMailing(mailing, "digest");
  const before = await ownPerson(storage, grant);
  if (address !== undefined) {
    requireMailing(mailing, "mail");
    if (!isMailable(address)) throw invalid("mail", "cannot be mailed to");
    if (!isConfirmed(before, address)) countMail(storage, address, before.id);
  }
  const changed = await changeOwn(storage, grant, async (person) => {
    if (mail !== undefined && person.identity !== undefined && address !== person.mail)
      throw invalid("mail", "the identity provider says what your mail address is");
    const own = withChoices(person, chosen);
    const moved = mail === undefined ? own : withMail(own, address);
    if (digest === undefined) return moved;
    // The first one comes in the morning, and not at once.
    if (digest === "daily" && person.digest === undefined)
      await storage.inboxes.update(person.id, (now) => ({ ...now, digest: dayOfDigest(storage.now()) }));
    return { ...moved, digest: digest === "daily" ? "daily" : undefined };
  });
  if (mailing !== undefined && address !== undefined && !isConfirmed(changed, address)) {
    const url = mailing.urlOf(await confirmationPath(storage, changed));
    await mailing.sendLink("confirmation", address, { person: changed, url });
  }
  return changed;
}

/** @throws SkepError `invalid` on what is no language. */
function withChoices(
  person: Person,
  { language = person.language, languages, theme = person.theme }: Omit<OwnChange, "mail" | "digest">,
): Person {
  const codes = languages?.map((code, i) => toLocale(code, `languages.${i}`).code) ?? person.languages ?? [];
  return {
    ...person,
    language: language ?? undefined,
    languages: codes.length === 0 ? undefined : [...new Set(codes)],
    theme: theme === "system" ? undefined : theme,
  };
}

function isConfirmed({ mail, mailConfirmed }: Person, address: string): boolean {
  return mail === address && mailConfirmed === true;
}

/** The path and query of the link by which a person confirms their address, below the server's own address. */
async function confirmationPath(storage: AccessStorage, { id, mail }: Person): Promise<string> {
  const key = await storage.sessionKey.readOrCreate();
  const code = signValue(key, "mail", { id, mail }, storage.now() + confirmableMs);
  return `/account/mail?code=${encodeURIComponent(code)}`;
}

/**
 * Whose address a link is for.
 * @throws SkepError `not-found` for any that was not made for the address that the caller's person has now.
 */
export function confirmable(storage: AccessStorage, person: Person, code: string): string {
  const { id, mail } = linked(storage, "mail", code);
  if (mail !== undefined && mail === person.mail && id === person.id) return mail;
  throw failure(
    "not-found",
    "This link is not for the mail address that you have now, or it has ended. Ask for a new one on your account.",
  );
}

/**
 * Confirms the address of the caller's person, who is signed in by what they chose themselves: whoever has but a token of
 * theirs must not take their account over by an address of another.
 * @throws SkepError as {@link confirmable}; `forbidden` for a token.
 */
export function confirmMail(storage: AccessStorage, grant: TeamGrant, code: string): Promise<Person> {
  if (grant.token !== undefined)
    throw failure(
      "forbidden",
      "Sign in with your password or passkey to confirm an address, not with a token.",
    );
  return changeOwn(storage, grant, async (person) => {
    confirmable(storage, person, code);
    return { ...person, mailConfirmed: true };
  });
}

function changeOwn(
  storage: StorageBase,
  grant: TeamGrant,
  change: (person: Person) => Promise<Person>,
): Promise<Person> {
  return storage.lockTeam(grant.team, async (lock) => {
    await reauthoriseTeam(storage, grant);
    const person = await ownPerson(storage, grant);
    const after = await change(person);
    const [was, is] = [personFacts(person), personFacts(after)];
    if (JSON.stringify(was) === JSON.stringify(is)) return after;
    const event = { event: "person_changed", ...auditedBy(grant), person: person.id } as const;
    await storage.audit.recordChange({ ...event, before: was, after: is }, () =>
      storage.registry.savePerson(after, lock),
    );
    return after;
  });
}

/** The path and query of the link by which digests to an address end, below the server's own address. */
export async function unsubscribePath(storage: AccessStorage, { id, mail }: Person): Promise<string> {
  const key = await storage.sessionKey.readOrCreate();
  const code = signValue(key, "unsubscribe", { id, mail }, storage.now() + endableMs);
  return `/unsubscribe?code=${encodeURIComponent(code)}`;
}

/** The person whose digests a link ends. @throws SkepError `not-found` for any other link. */
export async function subscriber(storage: AccessStorage, code: string): Promise<Person> {
  const { id, mail } = linked(storage, "unsubscribe", code);
  const person = id && (await storage.registry.person(id));
  if (person && person.mail === mail && person.removed === undefined) return person;
  throw failure("not-found", "There is no such link. Was all of it copied?");
}

/** Ends the digests of a link. The link is the only proof. @throws SkepError as {@link subscriber}. */
export async function unsubscribe(
  storage: AccessStorage,
  code: string,
  client: string | undefined,
): Promise<void> {
  const { team, id } = await subscriber(storage, code);
  await storage.lockTeam(team, async (lock) => {
    const person = await storage.registry.person(id);
    if (person?.digest === undefined) return;
    const after = { ...person, digest: undefined };
    const facts = { before: personFacts(person), after: personFacts(after) };
    const event = { event: "person_changed", team, person: id, by: { person: id }, client } as const;
    await storage.audit.recordChange({ ...event, ...facts }, () => storage.registry.savePerson(after, lock));
  });
}

function linked(
  { sessionKey, now }: AccessStorage,
  purpose: string,
  code: string,
): { readonly id?: PersonId; readonly mail?: string } {
  const value = verifiedValue(sessionKey.read(), purpose, code, now());
  if (typeof value !== "object" || value === null || !("id" in value) || !("mail" in value)) return {};
  const { id, mail } = value;
  return typeof id === "string" && isPersonId(id) && typeof mail === "string" ? { id, mail } : {};
}
