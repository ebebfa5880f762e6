/** Persons, and entries of the audit log. */
import type { z } from "zod";
import { auditEntry } from "../../../api/team/audit.ts";
import { roleOf } from "../../../domain/access/roles.ts";
import { signInMeansOf, type Person } from "../../../domain/access/person.ts";
import { person as personAnswer, type PersonAnswer } from "../../../api/people.ts";
import { encode } from "../../../domain/json-codec.ts";
import type { AuditEntry } from "../../../domain/access/audit.ts";

/** A person, without what they sign in with. */
export function toPersonResponse(person: Person, now: number): PersonAnswer {
  const { invitation } = person;
  const isOpen = invitation !== undefined && Date.parse(invitation.ends) > now;
  return encode(personAnswer, {
    ...person,
    role: roleOf(person),
    mailConfirmed: person.mailConfirmed === true,
    signIn: signInMeansOf(person),
    invitedUntil: isOpen ? invitation.ends : null,
  });
}

export type AuditEntryResponse = z.infer<typeof auditEntry>;

/** An entry, as responses have it. */
export function toAuditEntry(entry: AuditEntry): AuditEntryResponse {
  return encode(auditEntry, {
    ...entry,
    by: entry.by ?? {},
    more: entry.more === true,
    failed: entry.failed === true,
  });
}
