/**
 * The mails that a server sends, and to whom: to confirmed addresses what they asked for, and to others what an admin
 * sends.
 */
import { confirmedMail, type Person } from "../../domain/access/person.ts";
import { invalid, SkepError } from "../../domain/errors.ts";
import { isMailable, type Mail } from "../../domain/mail.ts";
import { describeError, type Log } from "../../log.ts";
import type { AccessStorage } from "../storage.ts";
import type { PersonId } from "../../domain/names.ts";
import type { HiveCounts } from "../inbox/counts.ts";
import type { ShownEvent } from "../inbox/inbox.ts";
import type { Outbox } from "./outbox.ts";

/** What a mail says of a link. */
export interface MailedLink {
  readonly person: Person;
  readonly url: string;
}

export interface Digest {
  readonly person: Person;
  /** The newest first. */
  readonly events: readonly ShownEvent[];
  /** How many there are in all. */
  readonly total: number;
  /** The Hives in which work waits. */
  readonly waiting: readonly HiveCounts[];
  /** The path and query of the link that ends digests. */
  readonly unsubscribe: string;
}

/** Writes mails. Whatever they quote may be anything. */
export interface MailTexts {
  readonly invitation: (link: MailedLink) => Promise<Omit<Mail, "to">>;
  readonly confirmation: (link: MailedLink) => Promise<Omit<Mail, "to">>;
  readonly reset: (link: MailedLink) => Promise<Omit<Mail, "to">>;
  /** @param publicUrl the address of the server as people open it. */
  readonly digest: (digest: Digest, publicUrl: string) => Promise<Omit<Mail, "to">>;
}

/** How many mails an address gets within an hour, besides the daily one. */
const maxInHour = 5;
/** How many links a person may have sent to addresses that they give. */
const maxOfPerson = 10;

export interface MailingOptions {
  readonly outbox: Pick<Outbox, "post">;
  readonly texts: MailTexts;
  /** The address of the server as people open it. */
  readonly publicUrl: string;
  readonly log: Pick<Log, "error">;
}

export class Mailing {
  readonly #options: MailingOptions;

  constructor(options: MailingOptions) {
    this.#options = options;
  }

  /** The address of a page. @param path and its query, below the server's own address. */
  urlOf(path: string): string {
    return this.#options.publicUrl + path;
  }

  /** Mails a link. */
  async sendLink(kind: Exclude<keyof MailTexts, "digest">, to: string, link: MailedLink): Promise<void> {
    const { outbox, texts } = this.#options;
    outbox.post({ ...(await texts[kind](link)), to }, kind);
  }

  async sendDigest(to: string, digest: Digest): Promise<void> {
    const { outbox, texts, publicUrl } = this.#options;
    outbox.post({ ...(await texts.digest(digest, publicUrl)), to }, "digest");
  }

  /** Does something that nobody waits for: its failure is logged. */
  inBackground(work: () => Promise<void>): void {
    work().catch((error: unknown) =>
      this.#options.log.error({ error: describeError(error) }, "could not prepare a mail"),
    );
  }
}

/** @param field the member of the request that asks for a mail. @throws SkepError `invalid` on it where none can be sent. */
export function requireMailing(mailing: Mailing | undefined, field: string): Mailing {
  if (mailing !== undefined) return mailing;
  throw invalid(field, "this server sends no mail: it was started without --smtp-url");
}

/**
 * The address of a person to which a mail can be sent that they have not asked for.
 * @param field the member of the request that asks for the mail.
 * @throws SkepError `invalid` on the field without such an address.
 */
export function addressOf({ mail }: Pick<Person, "mail">, field: string): string {
  if (mail !== undefined && isMailable(mail)) return mail;
  throw invalid(field, "this person has no mail address to which Skep can send");
}

/** The confirmed address of a person. @throws SkepError `invalid` on `mail` where there is none. */
export function requireConfirmed(person: Person): string {
  const mail = confirmedMail(person);
  if (mail !== undefined) return mail;
  throw invalid("mail", "confirm your mail address first, by the link that was sent to it");
}

/**
 * Counts a mail to an address.
 * @param by the person who has it sent to an address that may be another's.
 * @throws SkepError `too-many-attempts` when the address has got, or the person has sent, as many as they may.
 */
export function countMail({ mailed, now }: AccessStorage, to: string, by?: PersonId): void {
  const ofAddress = mailed.begin(to.toLowerCase(), "", now(), maxInHour);
  const ofPerson = by === undefined ? undefined : mailed.begin(by, "", now(), maxOfPerson);
  const waits = [ofAddress, ofPerson].filter((begun) => typeof begun === "number");
  if (waits.length === 0) return;
  const message = "Too many mails were sent to this address, or by you, within an hour; try again later.";
  const data = { retryAfter: Math.max(...waits) };
  throw new SkepError("too-many-attempts", message, data, { publicCode: "too_many_changes" });
}
