/** The audit log. */
import { z } from "zod";
import { auditEvents, signInMethods, type AuditEntry } from "../../../domain/access/audit.ts";
import { named, nullableText, pageOf } from "../objects.ts";
import { once, pageQuery } from "../schemas.ts";

const day = z.iso.date("must be a day, such as 2026-01-31").optional();

export const auditQuery = pageQuery.extend({
  event: z
    .enum(auditEvents, `must be one of ${auditEvents.join(", ")}`)
    .optional()
    .meta({ description: "Only entries of this event." }),
  person: once.meta({ description: "Only entries about or by the person of this id.", examples: ["lea"] }),
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
  more: z.boolean().meta({ description: "Whether further refusals of that hour are not listed." }),
  failed: z.boolean().meta({ description: "Whether the change failed after it had been recorded." }),
});
export type AuditEntryResponse = z.infer<typeof auditEntry>;

export const auditResponse = pageOf("AuditPage", auditEntry);

/** An entry, as responses have it. */
export function toAuditEntry(entry: AuditEntry): AuditEntryResponse {
  const { time, event, team, person, by, client, method, reason, before, after, more, failed } = entry;
  return {
    time,
    event,
    team: team ?? null,
    person: person ?? null,
    by: { token: by?.token ?? null, person: by?.person ?? null, command: by?.command ?? null },
    client: client ?? null,
    method: method ?? null,
    reason: reason ?? null,
    before: before ?? null,
    after: after ?? null,
    more: more === true,
    failed: failed === true,
  };
}
