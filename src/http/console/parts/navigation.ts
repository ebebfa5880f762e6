/** The breadcrumb of a Hive's pages, and the bars of tabs: the pages of one Hive, and those of the team. */
import type { Child } from "hono/jsx";
import { allows } from "../../../domain/access/token.ts";
import type { HiveRequest, SignedInRequest, Step, Tab, View } from "../requests/page.ts";

/** The breadcrumb: the Hive, and the pages between it and this page. */
export function hiveSteps({ hive, hiveLink }: HiveRequest, ...between: readonly Step[]): readonly Step[] {
  return [{ label: hive.slug, href: hiveLink([]) }, ...between];
}

const hivePages = {
  Overview: [],
  Strings: ["strings"],
  Glossary: ["glossary"],
  History: ["history"],
  Branches: ["branches"],
  Tags: ["tags"],
  Compare: ["compare"],
  Channels: ["channels"],
  Settings: ["settings"],
} as const;

const teamPages = {
  Team: [],
  People: ["people"],
  Tokens: ["tokens"],
  Webhooks: ["webhooks"],
  Mirrors: ["mirrors"],
  "Deleted Hives": ["deleted"],
  "Audit log": ["audit"],
} as const;

/** A page of a Hive that has a tab. */
export function hivePage(request: HiveRequest, title: keyof typeof hivePages, body: Child): View {
  return { title, above: hiveSteps(request), isNamedByTab: true, tabs: hiveTabs(request, title), body };
}

/** A page of the team that has a tab. */
export function teamPage(request: SignedInRequest, title: keyof typeof teamPages, body: Child): View {
  const above = [{ label: request.session.caller.team.name, href: request.link(["team"]) }];
  return { title, above, isNamedByTab: true, tabs: teamTabs(request, title), body };
}

/** The tabs of a Hive. @param current the tab of this page. */
export function hiveTabs(
  { hiveLink, session }: HiveRequest,
  current: keyof typeof hivePages,
): readonly Tab[] {
  return Object.entries(hivePages)
    .filter(([name]) => name !== "Settings" || allows(session.caller.principal, "admin"))
    .map(([name, path]) => ({ name, href: hiveLink(path), isCurrent: name === current }));
}

/** The tabs for tokens with access to all Hives of the team. */
const ofAllHives = new Set(["Webhooks", "Deleted Hives", "Audit log"]);

/** The tabs of the team; most need a token that manages the team. */
export function teamTabs(
  { link, session }: SignedInRequest,
  current: keyof typeof teamPages,
): readonly Tab[] {
  const { principal } = session.caller;
  return Object.entries(teamPages)
    .filter(([name]) => name === "Team" || allows(principal, "admin"))
    .filter(([name]) => principal.hives === "all" || !ofAllHives.has(name))
    .map(([name, path]) => ({ name, href: link(["team", ...path]), isCurrent: name === current }));
}
