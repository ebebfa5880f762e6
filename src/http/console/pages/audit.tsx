/** The audit log of the team. */
import type { AuditEntry } from "../../../domain/access/audit.ts";
import { check } from "../../schemas/schemas.ts";
import { auditQuery } from "../../schemas/people/audit-schemas.ts";
import { toOffsetLimit } from "../../schemas/page.ts";
import { Listing } from "../parts/listing.tsx";
import { teamPage } from "../parts/navigation.ts";
import { Pager } from "../parts/pager.tsx";
import { Code, Name } from "../parts/text.tsx";
import { Time } from "../parts/time.tsx";
import { manageTeam } from "../requests/manage.ts";
import type { PageRoute, PatientRequest, View } from "../requests/page.ts";

const entriesPerPage = 50;

const events: Readonly<Record<AuditEntry["event"], string>> = {
  person_added: "Person added",
  person_changed: "Person changed",
  person_disabled: "Person disabled",
  person_enabled: "Person enabled",
  person_removed: "Person removed",
  invited: "Person invited",
  invitation_used: "Invitation used",
  signed_in: "Signed in",
  sign_in_refused: "Sign-in refused",
  token_created: "Token created",
  token_revoked: "Token revoked",
  session_ended: "Session ended",
};

async function show(request: PatientRequest): Promise<View> {
  const { storage, query, link, signal } = request;
  const { grant } = manageTeam(request, true);
  const { page, ...wanted } = check(auditQuery.omit({ per_page: true }), query, "query");
  const paging = { page, per_page: entriesPerPage };
  const { entries, total } = await storage.audit.read(
    { ...wanted, ...toOffsetLimit(paging), team: grant.team },
    signal,
  );
  return teamPage(
    request,
    "Audit log",
    <>
      <p>
        Who signed in, who was refused, and who changed what others may do. Entries are kept for 400 days.
      </p>
      {total === 0 ? (
        <p>There are none.</p>
      ) : (
        <Listing
          columns={["Time", "Event", "About", "By", "From", "Details"]}
          rows={entries.map((entry) => ({ cells: cellsOf(entry) }))}
        />
      )}
      <Pager
        paging={paging}
        total={total}
        to={(other) => link(["team", "audit"], { ...wanted, page: other })}
      />
    </>,
  );
}

function cellsOf({
  time,
  event,
  person,
  by,
  client,
  method,
  reason,
  before,
  after,
  more,
  failed,
}: AuditEntry) {
  const details = [method, reason, more === true && "and more in this hour", ...changesOf(before, after)];
  return [
    <Time seconds={Date.parse(time) / 1000} />,
    failed === true ? `${events[event]} (failed)` : events[event],
    person === undefined ? "–" : <Code name={person} />,
    <Code name={by?.person ?? by?.token ?? (by?.command === undefined ? "–" : `skep ${by.command}`)} />,
    client === undefined ? "–" : <Code name={client} />,
    <Name name={details.filter((part) => typeof part === "string").join(", ")} />,
  ];
}

/** The properties that differ, or all of what is new or gone. */
function changesOf(before: AuditEntry["before"] = {}, after: AuditEntry["after"] = {}): readonly string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names.flatMap((name) => {
    const [was, is] = [textOf(before[name]), textOf(after[name])];
    if (was === is) return [];
    return was === "" || is === "" ? `${name}: ${was}${is}` : `${name}: ${was} → ${is}`;
  });
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (Array.isArray(value)) return value.join(" ");
  return typeof value === "string" ? value : JSON.stringify(value);
}

export const auditPages: readonly PageRoute[] = [
  { kind: "signed-in", path: "/team/audit", isSlow: true, handler: show },
];
