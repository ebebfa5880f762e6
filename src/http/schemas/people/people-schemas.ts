/** Persons, and entries of the audit log. */
import { z } from "zod";
import { roleOf } from "../../../domain/access/roles.ts";
import { signInMeansOf, type Person } from "../../../domain/access/person.ts";
import { person as personAnswer, type PersonAnswer } from "../../../api/people.ts";
import { named, nullableText, pageOf, queryParam } from "../../../api/objects.ts";
import { encode } from "../../../domain/json-codec.ts";
import { auditEvents, signInMethods, type AuditEntry } from "../../../domain/access/audit.ts";
import { pageQuery } from "../../../api/page.ts";

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

const day = z.iso.date("must be a day, such as 2026-01-31").optional();

export const auditQuery = pageQuery.extend({
  event: z
    .enum(auditEvents, `must be one of ${auditEvents.join(", ")}`)
    .optional()
    .meta({ description: "Only entries of this event." }),
  person: queryParam("Only entries about or by the person of this id.", "lea"),
  since: day.meta({ description: "Only entries from this day (UTC) on.", examples: ["2026-01-01"] }),
  until: day.meta({ description: "Only entries up to the end of this day (UTC).", examples: ["2026-01-31"] }),
});

const facts = z.record(z.string(), z.unknown()).nullable();

const auditEntry = named("AuditEntry", {
  time: z.iso.datetime(),
  event: z.enum(auditEvents),
  team: nullableText,
  person: nullableText.meta({ description: "The id of the person that it is about." }),
  by: named("AuditActor", { token: nullableText, person: nullableText, command: nullableText }).meta({
    description: "The token, the person or the command on the server's machine that did it.",
  }),
  client: nullableText.meta({ description: "The address of the client." }),
  method: z.enum(signInMethods).nullable().meta({ description: "How somebody signed in, or tried to." }),
  reason: nullableText.meta({ description: "Why a sign-in was refused, as the `code` of an error." }),
  before: facts.meta({ description: "What it was about, as it was before; never a secret." }),
  after: facts.meta({ description: "As it was after." }),
  more: z.boolean().meta({
    description:
      "Whether further refusals of that address, or sign-ins or ends of sessions of that person or token, are not listed in that hour.",
  }),
  failed: z.boolean().meta({ description: "Whether the change failed after it had been recorded." }),
});
export type AuditEntryResponse = z.infer<typeof auditEntry>;

export const auditResponse = pageOf("AuditPage", auditEntry);

/** An entry, as responses have it. */
export function toAuditEntry(entry: AuditEntry): AuditEntryResponse {
  return encode(auditEntry, {
    ...entry,
    by: entry.by ?? {},
    more: entry.more === true,
    failed: entry.failed === true,
  });
}
