/** The audit log: who signed in, who was refused, and who changed what others may do. */
import { z } from "zod";
import { teamName, textThat, time } from "../hives/stored-fields.ts";
import { isTokenId, type TeamName } from "../names.ts";
import type { OffsetLimit } from "../pagination.ts";
import { holdsToken } from "../redact.ts";
import type { Person } from "./person.ts";
import { auditEvents, signInMethods, type AuditEventName } from "./audit-events.ts";
import type { Token } from "./token.ts";

/** Who made something happen: a token, a person, or a command on the server's machine. */
const actor = z.object({
  token: textThat(isTokenId).optional(),
  person: z.string().optional(),
  /** The name of the command, such as `token create`. */
  command: z.string().optional(),
});

/** Properties of a person, a token, a mirror, a webhook or an engine; never secrets or their hashes. */
const facts = z.record(z.string(), z.unknown());
export type AuditFacts = Readonly<z.output<typeof facts>>;

/** An event, and when it happened. */
export const storedEntry = z.object({
  time,
  event: z.enum(auditEvents),
  /** The team that it is about; undefined where none is known, as for a sign-in with an unknown token. */
  team: teamName.optional(),
  person: z.string().optional(),
  by: actor.optional(),
  /** The address of the client; undefined for commands. */
  client: z.string().optional(),
  method: z.enum(signInMethods).optional(),
  /** Why a sign-in was refused: the code of an error, such as `too_many_attempts`, or a message. */
  reason: z.string().optional(),
  before: facts.optional(),
  after: facts.optional(),
  /** Whether further such events of the hour are not listed. */
  more: z.literal(true).optional(),
  /** Whether the change failed after it had been recorded. */
  failed: z.literal(true).optional(),
});
export type AuditEntry = Readonly<z.output<typeof storedEntry>>;
export type AuditEvent = Omit<AuditEntry, "time">;

export interface AuditQuery extends OffsetLimit {
  readonly team?: TeamName;
  readonly event?: AuditEventName;
  readonly person?: string;
  /** The first and the last day, as `2026-01-31`, in UTC. */
  readonly since?: string;
  readonly until?: string;
}

/** The members of a token that the audit log records; never its secret. */
export function tokenFacts({
  id,
  name,
  abilities,
  hives,
  locales,
  checks,
  review,
  expires,
}: Token): AuditFacts {
  return { id, name, abilities, hives, locales, checks, review, expires };
}

/** The members of a person that the audit log records; never what they sign in with. */
export function personFacts(person: Person): AuditFacts {
  const { name, mail, mailConfirmed, digest, language, languages, theme, ...rights } = person;
  const { abilities, hives, locales, review, disabled } = rights;
  return {
    name,
    mail,
    mail_confirmed: mailConfirmed,
    digest,
    language,
    languages,
    theme,
    abilities,
    hives,
    locales,
    review,
    disabled,
  };
}

/** How many elements of a list an entry names. */
const maxListed = 200;

/** An entry as one line. Whatever looks like a token is left out. */
export function formatAuditEntry({ time: at, event, team, ...rest }: AuditEntry): string {
  // The time is first: lines are in its order. The team comes next, so that lines of others need not be parsed.
  return JSON.stringify({ time: at, event, team, ...rest }, (_, value: unknown) => {
    if (typeof value === "string" && holdsToken(value)) return "***";
    if (!Array.isArray(value) || value.length <= maxListed) return value;
    return [...value.slice(0, maxListed), `and ${value.length - maxListed} more`];
  });
}

const hourMs = 60 * 60 * 1000;
const dayMs = 24 * hourMs;

/** Take something away: what is there bounds how often, and whoever stops an attack must never be refused. */
const takingAway: ReadonlySet<AuditEventName> = new Set([
  "person_disabled",
  "person_removed",
  "token_revoked",
  "session_ended",
  "mirror_removed",
  "webhook_removed",
  "engine_removed",
]);

/** Whether a change may be refused because whoever makes it has made too many; commands on the server's machine may not. */
export function isRefusable({ event, by }: AuditEvent): boolean {
  return (by?.token ?? by?.person) !== undefined && !takingAway.has(event);
}

/** Bounds the bytes of entries: so many at once, and as many again in each day. */
export class DayBudget {
  readonly #bytes: number;
  readonly #spent = new Map<string, { readonly bytes: number; readonly at: number }>();
  #hour = 0;

  constructor(bytes: number) {
    this.#bytes = bytes;
  }

  /** @returns for how many milliseconds there is no room for so many bytes; an entry that is larger than all waits for all. */
  wait(of: string, bytes: number, now: number): number {
    const excess = this.#spentAt(of, now) + Math.min(bytes, this.#bytes) - this.#bytes;
    return excess <= 0 ? 0 : Math.ceil((excess / this.#bytes) * dayMs);
  }

  /** Counts bytes, whether or not there is room for them. @param now in milliseconds since 1970. */
  spend(of: string, bytes: number, now: number): void {
    this.#spent.set(of, { bytes: this.#spentAt(of, now) + bytes, at: now });
    const hour = Math.floor(now / hourMs);
    if (hour === this.#hour) return;
    this.#hour = hour;
    for (const name of this.#spent.keys()) if (this.#spentAt(name, now) === 0) this.#spent.delete(name);
  }

  #spentAt(of: string, now: number): number {
    const spent = this.#spent.get(of);
    if (spent === undefined) return 0;
    return Math.max(0, spent.bytes - (Math.max(0, now - spent.at) / dayMs) * this.#bytes);
  }
}

/** Bounds how many events are listed an hour: an attack must neither fill the disk nor hide other entries. */
export class HourLimit {
  readonly #each: number;
  readonly #inAll: number;
  readonly #counts = new Map<string, number>();
  #hour = 0;
  #total = 0;

  /** @param each how many are listed of an address or actor an hour. @param inAll how many of all of them. */
  constructor(each: number, inAll: number) {
    this.#each = each;
    this.#inAll = inAll;
  }

  /**
   * Counts an event.
   * @param of a text that stands for the address or actor.
   * @param now in milliseconds since 1970.
   * @returns whether it is listed; `last` says that no further one of the hour is.
   */
  count(of: string, now: number): "listed" | "last" | "left out" {
    const hour = Math.floor(now / hourMs);
    if (hour !== this.#hour) {
      this.#hour = hour;
      this.#total = 0;
      this.#counts.clear();
    }
    if (this.#total > this.#inAll) return "left out";
    const count = (this.#counts.get(of) ?? 0) + 1;
    if (count > this.#each + 1) return "left out";
    this.#counts.set(of, count);
    this.#total++;
    return count > this.#each || this.#total > this.#inAll ? "last" : "listed";
  }
}
