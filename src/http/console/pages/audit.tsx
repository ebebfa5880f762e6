/** The audit log of the team. */
import type { Child } from "hono/jsx";
import type { AuditEntry } from "../../../domain/access/audit.ts";
import { reachedOf } from "../../../domain/access/token.ts";
import { listOwnTokens } from "../../../service/admin/own-tokens.ts";
import { listPeople } from "../../../service/people/people.ts";
import { auditQuery } from "../../../api/team/audit.ts";
import { toOffsetLimit, type PageQuery } from "../../../api/page.ts";
import { Listing, Pager, teamPage } from "../parts/navigation.tsx";
import { FilterForm } from "../parts/page-form.tsx";
import { Code, Name, Time } from "../parts/text.tsx";
import { readFiltered } from "../requests/form.ts";
import type { LinkQuery } from "../requests/links.ts";
import type { PageRoute, TeamRequest, View } from "../requests/page.ts";
import { comma, t, textIn, textsIn } from "../texts/texts.ts";

const entriesPerPage = 50;

async function show(request: TeamRequest): Promise<View> {
  const { storage, grant, query, signal } = request;
  const filtered = await readFiltered(auditQuery.omit({ per_page: true }), query, async (given) => {
    const { page, ...wanted } = given;
    const paging = { page, per_page: entriesPerPage };
    const asked = { ...wanted, ...toOffsetLimit(paging), team: grant.team };
    return { ...(await storage.audit.read(asked, signal)), wanted, paging };
  });
  const people = await listPeople(storage, request.session.caller);
  const { result } = filtered;
  const view = teamPage(
    request,
    "Audit log",
    <>
      <p>{t("audit.who_signed_in_who_was")}</p>
      <FilterForm
        page={["team", "audit"]}
        state={filtered}
        fields={[
          {
            kind: "one",
            name: "event",
            label: t("column.event"),
            all: t("common.all"),
            options: textsIn("event"),
          },
          { name: "person", options: people.map(({ id, name }) => [id, name] as const), isWhole: true },
          { name: "since", label: t("common.from"), type: "date" },
          { name: "until", type: "date" },
        ]}
      />
      {result !== undefined && <Found {...result} to={await linkTo(request)} />}
    </>,
  );
  return { ...view, status: result === undefined ? 422 : undefined };
}

function Found(props: {
  entries: readonly AuditEntry[];
  total: number;
  wanted: LinkQuery;
  paging: PageQuery;
  to: LinkTo;
}) {
  const { entries, total, wanted, paging, to } = props;
  return (
    <>
      <Listing
        none={total === 0 ? t("audit.none") : undefined}
        columns={["time", "event", "about", "by", "from", "details"]}
        rows={entries.map((entry) => ({ cells: cellsOf(entry, to) }))}
      />
      <Pager paging={paging} total={total} path={["team", "audit"]} query={wanted} />
    </>
  );
}

/** What entries name and the console has pages for. */
type Kind = "person" | "token" | "hive";
/** The address of what has a name; undefined where it is gone, or the caller does not see it. */
type LinkTo = (kind: Kind, name: string) => string | undefined;

async function linkTo({ storage, session: { caller }, link }: TeamRequest): Promise<LinkTo> {
  const present: Readonly<Record<Kind, ReadonlySet<string>>> = {
    person: new Set((await listPeople(storage, caller)).map(({ id }) => id)),
    token: new Set((await listOwnTokens(storage, caller)).map(({ id }) => id)),
    hive: new Set(reachedOf(caller.principal, caller.team.hives)),
  };
  const addressOf: Readonly<Record<Kind, (name: string) => string>> = {
    person: (id) => link(["team", "people", id]),
    token: (id) => `${link(["team", "tokens"])}#token-${id}`,
    hive: (slug) => link(["hives", slug]),
  };
  return (kind, name) => (present[kind].has(name) ? addressOf[kind](name) : undefined);
}

function cellsOf(entry: AuditEntry, to: LinkTo): readonly Child[] {
  const { time, event, person, by, client, method, reason, before, after, more, failed } = entry;
  const named = (kind: Kind, name: unknown): Child | undefined =>
    typeof name === "string" ? (
      <Code name={name} href={to(kind, name)} class={kind === "token" ? "whole-id" : undefined} />
    ) : undefined;
  // Tokens are named by their ids, and mirrors by their Hives.
  const { id, hive, ...rest } = { ...before, ...after };
  const details: readonly (Child | undefined)[] = [
    method,
    reason && (textIn("refused", reason) ?? reason),
    more === true ? t("audit.and_more_in_this_hour") : undefined,
    ...Object.keys(rest).map((name) => changeOf(name, before?.[name], after?.[name], to)),
  ];
  return [
    <Time seconds={Date.parse(time) / 1000} />,
    failed === true ? t("audit.failed", { event: t(`event.${event}`) }) : t(`event.${event}`),
    named("person", person) ?? named("token", id) ?? named("hive", hive) ?? "–",
    named("person", by?.person) ?? named("token", by?.token) ?? (
      <Code name={by?.command === undefined ? "–" : `skep ${by.command}`} />
    ),
    client === undefined ? (
      "–"
    ) : (
      <span class="client">
        <Code name={client} />
      </span>
    ),
    details.filter((part) => part !== undefined).flatMap((part, i) => (i === 0 ? [part] : [comma(), part])),
  ];
}

/** A property that differs, or that is new or gone; undefined where it is the same. */
function changeOf(name: string, before: unknown, after: unknown, to: LinkTo): Child | undefined {
  const [was, is] = [textOf(before), textOf(after)];
  // An address tells which of several mirrors has changed.
  if (was === is) {
    if (name !== "url") return undefined;
    return (
      <bdi dir="ltr">
        {name}: <Name name={is} />
      </bdi>
    );
  }
  const shown = (value: unknown): Child =>
    name === "hives" && Array.isArray(value)
      ? value.flatMap((slug: unknown) => [" ", <Name name={textOf(slug)} href={to("hive", textOf(slug))} />])
      : [" ", <Name name={textOf(value)} />];
  return (
    <bdi dir="ltr">
      {name}:{was !== "" && shown(before)}
      {was !== "" && is !== "" && " →"}
      {is !== "" && shown(after)}
    </bdi>
  );
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (Array.isArray(value)) return value.join(" ");
  return typeof value === "string" ? value : JSON.stringify(value);
}

export const auditPages: readonly PageRoute[] = [
  { kind: "team", path: "/team/audit", needs: "admin-of-all-hives", isSlow: true, handler: show },
];
