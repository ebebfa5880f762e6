/** What the operations of the audit log do. */
import { toOffsetLimit, toPage } from "../../api/page.ts";
import { auditLog } from "../../api/team/audit.ts";
import { toAuditEntry } from "../schemas/people/people-schemas.ts";
import { implement } from "./implement.ts";

export const auditOperations = implement(auditLog, {
  listAuditLog: async ({ storage, grant, query, runSlowRead }) => {
    const { event, person, since, until, ...page } = query;
    const wanted = { team: grant.team, event, person, since, until, ...toOffsetLimit(page) };
    const entries = await runSlowRead((signal) => storage.audit.read(wanted, signal));
    return { result: toPage(entries, page, toAuditEntry) };
  },
});
