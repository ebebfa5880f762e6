/**
 * The ways through the pages: the breadcrumb of a Hive's pages, the bars of tabs, tables, and links between the pages
 * of a list and between strings.
 */
import type { Child } from "hono/jsx";
import { allows, reachedOf } from "../../../domain/access/token.ts";
import { mainBranch, type HiveBranch } from "../../../domain/commits/branch-name.ts";
import type { LocaleCode } from "../../../domain/hives/locale.ts";
import type { Oid } from "../../../domain/names.ts";
import { differingLocales } from "../../../service/content/comparison.ts";
import { type Link, type LinkQuery, stringLink } from "../requests/links.ts";
import type { HiveRequest, SignedInRequest, Step, Tab, View } from "../requests/page.ts";
import { t, textIn, type NameIn, type TextKey } from "../texts/texts.ts";
import { useHive, useLink } from "../requests/context.tsx";
import { toMeta, type PageQuery } from "../../../api/page.ts";
import type { Neighbours } from "../../../domain/queries/string-search.ts";
import { attributeText, Key } from "./text.tsx";

/** Makes the links of a Hive's pages at a branch, whichever the page is at. */
export function linkAt({ link, hive }: Pick<HiveRequest, "link" | "hive">, branch: string): Link {
  return (path, query) =>
    link(["hives", hive.slug, ...path], branch === mainBranch ? query : { branch, ...query });
}

/**
 * Whether the caller may make a change.
 * @param codes the locales of which it changes translations, or values beside them; undefined where it changes more.
 */
export function mayWriteTo(
  { canWrite, hive }: Pick<HiveRequest, "canWrite" | "hive">,
  codes: readonly LocaleCode[] | undefined,
): boolean {
  if (hive.locales === undefined) return canWrite;
  return canWrite && codes?.every((code) => hive.locales?.includes(code)) === true;
}

/**
 * Whether the caller may write what two commits of a branch differ in: whether texts are listed, or other values alone.
 * @param into what the differences are merged into, which may have some of them already.
 */
export async function mayWriteBetween(
  request: Pick<HiveRequest, "canWrite" | "hive" | "storage">,
  branch: HiveBranch,
  from: Oid | undefined,
  to: Oid,
  into?: Oid,
): Promise<boolean> {
  // Whoever is not limited needs no comparison.
  if (!request.canWrite || request.hive.locales === undefined) return request.canWrite;
  return mayWriteTo(request, await differingLocales(request.storage, branch, from, to, into));
}

/**
 * Whether the caller may change more than translations: source strings, notes, pictures, terms, styles, branches and tags.
 * No caller who is limited to some locales may.
 */
export function mayWriteAll({ canWrite, hive }: Pick<HiveRequest, "canWrite" | "hive">): boolean {
  return canWrite && hive.locales === undefined;
}

const hivePages = {
  Overview: [],
  Translate: ["translate"],
  Review: ["review"],
  Strings: ["strings"],
  Glossary: ["glossary"],
  History: ["history"],
  Branches: ["branches"],
  Tags: ["tags"],
  Compare: ["compare"],
  Channels: ["channels"],
  Settings: ["settings", "general"],
} as const;

/** The pages of a Hive that stand in a menu: they are opened now and then. */
const lessUsed = new Set<string>([
  "Branches",
  "Tags",
  "Compare",
  "Channels",
  "Settings",
] satisfies (keyof typeof hivePages)[]);

const teamPages = {
  Team: [],
  People: ["people"],
  Tokens: ["tokens"],
  Engines: ["engines"],
  Webhooks: ["webhooks"],
  Mirrors: ["mirrors"],
  "Deleted Hives": ["deleted"],
  "Audit log": ["audit"],
} as const;

/** What else a page has that is below the page of a tab. */
interface Below extends Partial<View> {
  readonly title: string;
  /** The pages between the Hive's page and this one; the page of the tab if not given. */
  readonly between?: readonly Step[];
}

/** A page of a Hive that has a tab, or that is below one. @param below undefined for the page of the tab. */
export function hivePage(
  request: HiveRequest,
  tab: keyof typeof hivePages,
  body: Child,
  below?: Below,
): View {
  const { hiveName, hiveLink } = request;
  const isOpen = pagesFor(request);
  const tabs = Object.entries(hivePages)
    .filter(([name]) => name === tab || isOpen(name))
    .map(([name, path]) => toTab(name, hiveLink(path), tab));
  const { between = [{ label: t(`tab.${tab}`), href: hiveLink(hivePages[tab]) }], ...view } = below ?? {
    between: [],
    title: t(`tab.${tab}`),
    isNamedByTab: true,
  };
  return { above: [{ label: hiveName, href: hiveLink([]) }, ...between], tabs, body, ...view };
}

/** Tells which pages of a Hive a caller can use. */
function pagesFor({ session, settings, canTranslate, canApprove }: HiveRequest): (page: string) => boolean {
  const { targetLocales = [] } = settings ?? {};
  const isAllowed: Readonly<Record<string, boolean>> = {
    Translate: targetLocales.some(canTranslate),
    Review: targetLocales.some(canApprove),
    Settings: allows(session.caller.principal, "admin"),
  };
  return (page) => isAllowed[page] ?? true;
}

/** A page of the team that has a tab. */
export function teamPage(request: SignedInRequest, title: keyof typeof teamPages, body: Child): View {
  const above = [{ label: request.session.caller.team.name, href: request.link(["team"]) }];
  return { title: t(`tab.${title}`), above, isNamedByTab: true, tabs: teamTabs(request, title), body };
}

/** The pages of the team and of one of its Hives, by their names. @param hive its slug; one out of reach has none. */
export function pagesOf(request: SignedInRequest, hive: string | undefined): readonly Step[] {
  const { session, link } = request;
  const { principal, team } = session.caller;
  const slug = reachedOf(principal, team.hives).find((one) => one === hive);
  const names = Object.entries(hivePages).filter(
    ([name]) => name !== "Settings" || allows(principal, "admin"),
  );
  const ofHive = slug === undefined ? [] : names;
  return [
    ...ofHive.map(([name, path]) => ({
      label: t("search.page_of_hive", { page: textIn("tab", name) ?? name, hive: slug ?? "" }),
      href: link(["hives", slug ?? "", ...path]),
    })),
    ...teamTabs(request, "Team").map(({ name, href }) => ({ label: name, href })),
    { label: t("inbox.inbox"), href: link(["inbox"]) },
    ...(principal.person === undefined
      ? []
      : [{ label: t("account.your_account"), href: link(["account"]) }]),
  ];
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
    .map(([name, path]) => toTab(name, link(["team", ...path]), current));
}

function toTab(name: string, href: string, current: string): Tab {
  return { name: textIn("tab", name) ?? name, href, isCurrent: name === current, isLess: lessUsed.has(name) };
}

interface ListedRow {
  readonly id?: string;
  /** One for each column. */
  readonly cells: readonly Child[];
  /** Its buttons. */
  readonly action?: Child;
}

/** How many columns of texts fit on a tablet. */
const maxOnTablets = 4;

/**
 * A table; on small screens, each row becomes a block with the names of the columns.
 * @param props.last the name of a last column that is no text of the pages.
 * @param props.none what is said where there are no rows.
 */
export function Listing(props: {
  columns: readonly NameIn<"column">[];
  last?: string;
  rows: readonly ListedRow[];
  none?: Child;
}) {
  const { columns, last, rows, none } = props;
  if (rows.length === 0 && none !== undefined) return typeof none === "string" ? <p>{none}</p> : none;
  const names = [...columns.map((name) => t(`column.${name}`)), ...(last === undefined ? [] : [last])];
  return (
    <table class={names.length > maxOnTablets ? "listing many" : "listing"}>
      <thead>
        <tr>
          {names.map((name) => (
            <th scope="col">{name}</th>
          ))}
          {rows.some(({ action }) => action !== undefined) && (
            <th scope="col">
              <span class="visually-hidden">{t("listing.action")}</span>
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ id, cells: [first, ...cells], action }) => (
          <tr id={id}>
            <th scope="row">{first}</th>
            {cells.map((cell, index) => (
              <td data-label={names[index + 1]}>{cell}</td>
            ))}
            {action !== undefined && <td class="action">{action}</td>}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** A list with the form that adds to it: beside it, where both have room. */
export function ListWithForm({ list, form }: { list: Child; form: Child }) {
  return (
    <div class="list-with-form">
      <div>{list}</div>
      <div>{form}</div>
    </div>
  );
}

/**
 * The number of this page, with links to the previous and the next one; nothing for a list of one page.
 * @param props.path the list, on pages of a Hive below that; `query` are its filters.
 */
export function Pager(props: {
  paging: PageQuery;
  total: number;
  path: readonly string[];
  query?: LinkQuery;
}) {
  const { paging, total, path, query } = props;
  const link = useLink();
  const to = (page: number): string => link(path, { ...query, page });
  const { page, per_page: perPage } = paging;
  const { last_page: last } = toMeta(paging, total);
  if (last <= 1) return null;
  const first = (page - 1) * perPage + 1;
  return (
    <nav class="pager" aria-label={t("pager.pages_of_the_list")}>
      {page > 1 ? (
        <a href={to(page - 1)} rel="prev">
          {t("pager.previous")}
        </a>
      ) : (
        <span />
      )}
      <span>
        {t("pager.of", {
          shown:
            first > total
              ? t("pager.none")
              : t("pager.to", { first, last: Math.min(first + perPage - 1, total) }),
          total,
        })}
      </span>
      {page < last ? (
        <a href={to(page + 1)} rel="next">
          {t("pager.next")}
        </a>
      ) : (
        <span />
      )}
    </nav>
  );
}

/**
 * Links to the previous and the next string.
 * @param props.query of their addresses.
 */
export function Beside({ strings: { previous, next }, query }: { strings: Neighbours; query: LinkQuery }) {
  const { hiveLink } = useHive();
  return (
    <nav class="between" aria-label={t("common.strings")}>
      {[previous, next].map((other, index) =>
        other === undefined ? (
          <span />
        ) : (
          <a
            href={stringLink(hiveLink, other.file, other.key, query)}
            rel={index === 0 ? "prev" : "next"}
            title={attributeText(other.key)}
            aria-label={attributeText(other.key)}
          >
            {index === 0 && <span class="arrow">← </span>}
            <Key name={other.key} />
            {index === 1 && <span class="arrow"> →</span>}
          </a>
        ),
      )}
    </nav>
  );
}

/** A link that looks like a button. */
export function ButtonLink({ to, text, isPrimary }: { to: string; text: TextKey; isPrimary?: boolean }) {
  return (
    <a class={isPrimary === true ? "button primary" : "button"} href={to}>
      {t(text)}
    </a>
  );
}

/**
 * What is said where there is nothing yet: what would be here, and the one thing to do about it.
 * @param props.to where that is done; undefined for who cannot, and where the page has a form for it.
 */
export function Empty(props: { text: Child; to?: string; action?: TextKey; children?: Child }) {
  const { text, to, action, children } = props;
  return (
    <div class="empty">
      <p>{text}</p>
      {(to !== undefined || children !== undefined) && (
        <p class="actions">
          {to !== undefined && action !== undefined && <ButtonLink isPrimary to={to} text={action} />}
          {children}
        </p>
      )}
    </div>
  );
}

/** What is said of a Hive without a language to translate into. Whoever manages it adds one. */
export function NoLanguage() {
  const { hiveLink, hive, session } = useHive();
  if (!allows(session.caller.principal, "admin"))
    return (
      <Empty
        text={t("hive.there_is_no_target_locale", {
          command: <code>skep locale create {hive.slug} fr</code>,
        })}
      />
    );
  return (
    <Empty
      text={t("choose.no_language")}
      to={hiveLink(["settings", "languages"])}
      action="settings.add_a_language"
    />
  );
}
