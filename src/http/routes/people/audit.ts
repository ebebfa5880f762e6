/** The audit log of a team. */
import { toTokenId } from "../../../domain/names.ts";
import { withExample } from "../../openapi/route-docs.ts";
import { teamRoute } from "../../pipeline/route.ts";
import { auditQuery, auditResponse, toAuditEntry } from "../../schemas/people/audit-schemas.ts";
import { metaExample, toMeta, toOffsetLimit } from "../../schemas/page.ts";

const example = toAuditEntry({
  time: "2026-01-01T00:00:00.000Z",
  event: "token_created",
  by: { token: toTokenId("k3v9x0q2m8za") },
  client: "192.0.2.1",
  after: { id: "p0q2m8zak3v9", name: "CI", abilities: ["read", "write"], hives: ["web"] },
});

export const auditRoute = teamRoute({
  id: "listAuditLog",
  method: "GET",
  path: "/api/audit",
  ability: "admin",
  requiresAllHives: true,
  group: "Management",
  summary: "List the audit log",
  description:
    "Who signed in, who was refused, and who changed what others of the team may do, newest first. Entries are kept for 400 days. Sign-ins with unknown tokens belong to no team: `skep audit` shows them on the server's machine.",
  query: auditQuery,
  response: withExample(auditResponse, { data: [{ ...example, team: "acme" }], meta: metaExample }),
  async handler({ storage, grant, query, slowly }) {
    const { event, person, since, until, ...page } = query;
    const wanted = { team: grant.team, event, person, since, until, ...toOffsetLimit(page) };
    const { entries, total } = await slowly((signal) => storage.audit.read(wanted, signal));
    return { result: { data: entries.map(toAuditEntry), meta: toMeta(page, total) } };
  },
});
