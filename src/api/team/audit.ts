/** The audit log of the caller's team. */
import { z } from "zod";
import { auditEvents, signInMethods } from "../../domain/access/audit-events.ts";
import { named, nullableText, pageOf, queryParam } from "../objects.ts";
import { operations } from "../operation.ts";
import { pageQuery } from "../page.ts";

const day = z.iso.date("must be a day, such as 2026-01-31").optional();

const filters = {
  event: z
    .enum(auditEvents, `must be one of ${auditEvents.join(", ")}`)
    .optional()
    .meta({ description: "Only entries of this event." }),
  person: queryParam("Only entries about or by the person of this id.", "lea"),
  since: day.meta({ description: "Only entries from this day (UTC) on.", examples: ["2026-01-01"] }),
  until: day.meta({ description: "Only entries up to the end of this day (UTC).", examples: ["2026-01-31"] }),
};

/** The query of the audit log. */
export const auditQuery = pageQuery.extend(filters);

const facts = z.record(z.string(), z.unknown()).nullable();

/** An entry of the log, in an answer. */
export const auditEntry = named("AuditEntry", {
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
export const auditLog = operations(
  {
    noun: "entry",
    about: "The audit log of the team.",
    path: "/api/audit",
    key: "time",
    names: "time",
    entity: auditEntry,
    label: "event",
    group: "Management",
    ability: "admin",
    allHives: true,
    columns: ["time", "event", "person", "by", "client"],
  },
  (op) => ({
    listAuditLog: {
      ...op.list({
        summary: "List the audit log",
        description:
          "Who signed in, who was refused, and who changed what others of the team may do, newest first. Entries are kept for 400 days, and at most 1 GiB of them. Sign-ins with unknown tokens belong to no team: `skep audit` shows them on the server's machine.",
        query: filters,
      }),
      response: pageOf("AuditPage", auditEntry),
    },
  }),
);
