/** The audit log of the caller's team. */
import { toOffsetLimit, toPage } from "../../../api/page.ts";
import { teamGroup, type TeamRoute } from "../../pipeline/route.ts";
import { auditQuery, auditResponse, toAuditEntry } from "../../schemas/people/people-schemas.ts";

export const auditRoutes: readonly TeamRoute[] = [
  teamGroup("Management", { ability: "admin", requiresAllHives: true })("listAuditLog", "GET", "/api/audit", {
    summary: "List the audit log",
    description:
      "Who signed in, who was refused, and who changed what others of the team may do, newest first. Entries are kept for 400 days, and at most 1 GiB of them. Sign-ins with unknown tokens belong to no team: `skep audit` shows them on the server's machine.",
    query: auditQuery,
    response: auditResponse,
    async handler({ storage, grant, query, runSlowRead }) {
      const { event, person, since, until, ...page } = query;
      const wanted = { team: grant.team, event, person, since, until, ...toOffsetLimit(page) };
      const entries = await runSlowRead((signal) => storage.audit.read(wanted, signal));
      return { result: toPage(entries, page, toAuditEntry) };
    },
  }),
];
