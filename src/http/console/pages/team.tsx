/** The team: its quota, its deleted Hives, its tokens within the rights of one's own, and the caller's session. */
import { writerOf } from "../../../domain/access/principal.ts";
import { allows, reachedOf } from "../../../domain/access/token.ts";
import { keptUntil } from "../../../domain/deletion-time.ts";
import { usageOf } from "../../../service/admin/teams.ts";
import { listTrash, restoreHive } from "../../../service/admin/trash.ts";
import { Empty, Listing, teamPage, teamTabs, ListWithForm } from "../parts/navigation.tsx";
import { PostForm, SignOutEverywhere } from "../parts/post-form.tsx";
import { UsageBar } from "../parts/progress.tsx";
import { Code, Name, Day, Time, Command } from "../parts/text.tsx";
import type { PageResult, PageRoute, TeamRequest, View, TeamFormRequest } from "../requests/page.ts";
import { t } from "../texts/texts.ts";
import { listOwnTokens } from "../../../service/admin/own-tokens.ts";
import { tokenOperations } from "../../operations/tokens.ts";
import { tokenCells, tokenColumns } from "../people/rights.tsx";
import { needsOf, OperationButtons, OperationForm, operationForms } from "../parts/operation-form.tsx";
import { rightsOffersOf } from "../parts/member-fields.ts";
import type { FormState } from "../requests/form.ts";

async function show(request: TeamRequest): Promise<View> {
  const { storage, session, link } = request;
  const { principal, team } = session.caller;
  const reached = reachedOf(principal, team.hives);
  const { strings } = await usageOf(storage, { ...team, hives: reached });
  const isToken = principal.person === undefined;
  const isAdmin = allows(principal, "admin");
  const writer = writerOf(principal) ?? "";
  const limit = principal.hives === "all" ? team.maxStrings : undefined;
  return {
    title: team.name,
    above: [],
    tabs: teamTabs(request, "Team"),
    body: (
      <>
        <p>
          {t(limit === undefined ? "team.strings_in_hives" : "team.strings_in_hives_of_at_most", {
            strings: t("count.source_strings", { count: strings }),
            hives: t("count.hives", { count: reached.length }),
            limit,
          })}
        </p>
        {limit !== undefined && <UsageBar used={strings} limit={limit} />}
        {!isAdmin && <p>{t("team.tokens_webhooks_mirrors")}</p>}
        <h2>{t("team.your_session")}</h2>
        <p>
          {t(isToken ? "team.you_are_signed_in_with_a_token" : "team.you_are_signed_in", {
            who: (
              <>
                {principal.name !== undefined && (
                  <>
                    <Name name={principal.name} />{" "}
                  </>
                )}
                <Code
                  name={writer}
                  href={isToken && isAdmin ? `${link(["team", "tokens"])}#token-${writer}` : undefined}
                />
              </>
            ),
          })}{" "}
          {isToken && t("team.signing_out_everywhere_ends_all")}
        </p>
        <SignOutEverywhere />
      </>
    ),
  };
}

async function showDeleted(request: TeamRequest): Promise<View> {
  const { storage, session, link } = request;
  const { caller } = session;
  const entries = await listTrash(storage, caller.team.name);
  return teamPage(
    request,
    "Deleted Hives",
    <Listing
      none={<Empty text={t("home.no_deleted_hive")} to={link([])} action="common.hives" />}
      columns={["hive", "deleted", "restorable_until"]}
      rows={entries.map(({ id, slug, deleted }) => ({
        cells: [
          <Code name={slug} />,
          <Time seconds={deleted / 1000} />,
          <Day seconds={keptUntil(deleted) / 1000} />,
        ],
        action: (
          <PostForm to={link(["team", "deleted"])}>
            <button name="entry" value={id}>
              {t("common.restore")} <span class="visually-hidden">{slug}</span>
            </button>
          </PostForm>
        ),
      }))}
    />,
  );
}

async function restore({ storage, context, link, form }: TeamFormRequest): Promise<PageResult> {
  const slug = await restoreHive(storage, { text: form.text("entry"), caller: context.caller });
  return { to: link(["hives", slug]), notice: "restored" };
}

const tokenPage = { implemented: tokenOperations, path: "team/tokens" };

async function showTokens(request: TeamRequest, submitted?: FormState, made?: string): Promise<View> {
  const { storage, session } = request;
  const tokens = await listOwnTokens(storage, session.caller);
  const uses = await storage.tokenUse.read();
  const page = teamPage(
    request,
    "Tokens",
    <>
      {made !== undefined && <Command label={t("common.the_new_token")} lines={[made]} />}
      <ListWithForm
        list={
          <Listing
            columns={tokenColumns}
            rows={tokens.map((token) => ({
              id: `token-${token.id}`,
              cells: tokenCells(request, token, uses.get(token.id)),
              action: (
                <OperationButtons page={tokenPage} entity={{ ...token }}>
                  {token.id === session.caller.principal.token && ` ${t("tokens.you_are_signed")}`}
                </OperationButtons>
              ),
            }))}
          />
        }
        form={<OperationForm page={tokenPage} offers={await rightsOffersOf(request)} submitted={submitted} />}
      />
    </>,
  );
  const notice = t("common.created_copy_the_token_now");
  return made === undefined ? page : { ...page, notice };
}

export const teamPages: readonly PageRoute[] = [
  { kind: "team", path: "/team", handler: show },
  { kind: "team", path: "/team/deleted", needs: "admin-of-all-hives", handler: showDeleted },
  { kind: "team-form", path: "/team/deleted", needs: "admin-of-all-hives", handler: restore },
  {
    kind: "team",
    path: "/team/tokens",
    needs: needsOf(tokenOperations),
    handler: (request) => showTokens(request),
  },
  ...operationForms({
    ...tokenPage,
    show: showTokens,
    done: async ({ verb }, { token }, request) =>
      verb === "create"
        ? showTokens(request, undefined, String(token))
        : { to: request.link(["team", "tokens"]), notice: "revoked" },
  }),
];
