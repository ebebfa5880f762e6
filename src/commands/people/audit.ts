/** `skep audit`: shows the audit log. */
import { Option, type CommandUnknownOpts } from "@commander-js/extra-typings";
import { auditEvents } from "../../domain/access/audit-events.ts";
import type { AuditEntryResponse } from "../../http/schemas/people/people-schemas.ts";
import { printList, printNotice } from "../output/print.ts";
import { toDay, toTeam, toWholeNumber } from "../program/arguments.ts";
import { openNamed, storageCommand } from "../program/command.ts";

export function auditCommand(): CommandUnknownOpts {
  return storageCommand("audit")
    .option("--team <team>", "only entries of this team", toTeam)
    .addOption(new Option("--event <event>", "only entries of this event").choices(auditEvents))
    .option("--person <id>", "only entries about or by this person")
    .option("--since <day>", "only from this day on, such as 2026-01-31 (UTC)", toDay)
    .option("--until <day>", "only up to the end of this day", toDay)
    .option("--limit <n>", "show at most this many entries", toWholeNumber, 50)
    .option("--json", "print JSON", false)
    .action(async (flags) => {
      const { toAuditEntry } = await import("../../http/schemas/people/people-schemas.ts");
      const storage = await openNamed(flags);
      const { entries, total } = await storage.audit.read({ ...flags, offset: 0 });
      printList(entries.map(toAuditEntry), flags.json, {
        TIME: ({ time }) => time,
        EVENT: ({ event, failed }) => (failed ? `${event} (failed)` : event),
        TEAM: ({ team }) => team ?? "",
        PERSON: ({ person }) => person ?? "",
        BY: ({ by }) => actorOf(by),
        CLIENT: ({ client }) => client ?? "",
        DETAILS: detailsOf,
      });
      if (total > entries.length)
        printNotice(`Showed ${entries.length} of ${total} entries; --limit shows more.`);
    });
}

function actorOf({ token, person, command }: AuditEntryResponse["by"]): string {
  const parts = [person, token && `token ${token}`, command && `skep ${command}`];
  return parts.filter((part) => part !== null && part !== "").join(", ");
}

function detailsOf({ method, reason, before, after, more }: AuditEntryResponse): string {
  const parts = [method, reason, ...[before, after].map((facts) => facts && JSON.stringify(facts))];
  return [...parts.filter((part) => part !== null), ...(more ? ["and more in this hour"] : [])].join(" ");
}
