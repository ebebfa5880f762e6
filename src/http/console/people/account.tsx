/** The account of whoever is signed in: their sessions, and tokens of their own. */
import type { Child } from "hono/jsx";
import {
  createPersonalToken,
  endOwnSession,
  listOwnSessions,
  listPersonalTokens,
  revokePersonalToken,
} from "../../../service/people/own.ts";
import { tokenForm, toTokenRequest } from "../../../api/tokens.ts";
import { personalTokenBody } from "../../../api/team/me.ts";
import { formBody, formFields, rightsOffersOf } from "../parts/member-fields.ts";
import { check } from "../../schemas/schemas.ts";
import { Command, Time, Code, Name } from "../parts/text.tsx";
import { Listing } from "../parts/navigation.tsx";
import { PageForm, teamForm, type TeamForm } from "../parts/page-form.tsx";
import { Confirm, PostForm, SignOutEverywhere, Unseen } from "../parts/post-form.tsx";
import { mailForm, mailPart } from "./mail.tsx";
import { ownSignInPart, passkeyForm, passwordForm, removal } from "./own-sign-in.tsx";
import { themes } from "../../../domain/access/person.ts";
import { changeOneself, ownPerson } from "../../../service/mail/own-mail.ts";
import { pageLanguages } from "../texts/catalogues.ts";
import { Browser, browserName } from "./browsers.tsx";
import { tokenCells, tokenColumns } from "./rights.tsx";
import { languageCookie, themeCookie } from "../requests/cookies.ts";
import { chosenLanguage, chosenTheme, type FormState } from "../requests/form.ts";
import { afterSignIn } from "../requests/links.ts";
import type { PageResult, PageRoute, TeamRequest, View, TeamFormRequest } from "../requests/page.ts";
import { t } from "../texts/texts.ts";

async function show(request: TeamRequest, submitted?: FormState, made?: string): Promise<View> {
  const { session } = request;
  const { person, name = "", token } = session.caller.principal;
  const tokens = person === undefined ? undefined : await tokensPart(request, submitted);
  const pages = person === undefined ? undefined : await pagesPart(request, submitted);
  const mail = person === undefined ? undefined : await mailPart(request, submitted);
  const signIn = await ownSignInPart(request, submitted);
  const who =
    person === undefined ? (
      <p>
        {t("account.you_are_signed", {
          name: <Name name={name} />,
          token: <Code name={token ?? ""} />,
          team: <a href={request.link(["team"])}>{session.caller.team.name}</a>,
        })}
      </p>
    ) : (
      <p>
        {t("account.you_are_your_user_name", { name: <Name name={name} />, person: <Code name={person} /> })}
      </p>
    );
  return {
    title: t("account.your_account"),
    above: [],
    usesPasskeys: signIn?.usesPasskeys,
    headers: signIn?.headers,
    notice: made === undefined ? undefined : t("common.created_copy_the_token_now"),
    body: (
      <>
        {made !== undefined && <Command label={t("common.the_new_token")} lines={[made]} />}
        {who}
        {person !== undefined && (
          <>
            {pages}
            {mail}
            {signIn?.part}
            <Sessions request={request} />
            {tokens}
          </>
        )}
      </>
    ),
  };
}

function Sessions({ request }: { request: TeamRequest }) {
  const { storage, session, link } = request;
  const sessions = listOwnSessions(storage, request.grant).toReversed();
  return (
    <>
      <h2>{t("account.your_sessions")}</h2>
      {sessions.length > 0 && (
        <Listing
          columns={["browser", "began", "how"]}
          rows={sessions.map(({ id, browser, began, method }) => ({
            cells: [
              <>
                <Browser agent={browser} />
                {id === session.id && ` ${t("account.this_session")}`}
              </>,
              <Time seconds={Date.parse(began) / 1000} />,
              t(`sign-in-way.${method}`),
            ],
            action: (
              <PostForm to={link(["account", "sessions", "end"])} hidden={{ session: id }}>
                <button>
                  {t("account.end")} <Unseen name={browserName(browser)} />
                </button>
              </PostForm>
            ),
          }))}
        />
      )}
      <SignOutEverywhere />
    </>
  );
}

async function tokensPart(request: TeamRequest, submitted: FormState | undefined): Promise<Child> {
  const { storage } = request;
  const tokens = await listPersonalTokens(storage, request.grant);
  const uses = await storage.tokenUse.read();
  return (
    <>
      <h2>{t("account.your_tokens")}</h2>
      <p>{t("account.programs_use_a_token")}</p>
      {tokens.length > 0 && (
        <Listing
          columns={tokenColumns}
          rows={tokens.map((token) => ({
            cells: tokenCells(request, { ...token, person: undefined }, uses.get(token.id)),
            action: (
              <Confirm
                of="account/tokens/revoke"
                label={t("common.revoke")}
                what={token.name ?? token.id}
                button={t("common.revoke_2", { name: token.name ?? token.id })}
                hidden={{ token: token.id }}
              />
            ),
          }))}
        />
      )}
      <h3>{t("common.new_token")}</h3>
      <PageForm
        of={newToken}
        submitted={submitted}
        fields={formFields(personalTokenBody, tokenForm, {
          path: newToken.path,
          offers: await rightsOffersOf(request),
        })}
      />
    </>
  );
}

const newToken: TeamForm = {
  path: "account/tokens",
  button: "common.create",
  take: async (request) => {
    const body = formBody(personalTokenBody, tokenForm, request.form);
    const wanted = check(personalTokenBody, body, "form");
    const { token } = await createPersonalToken(request.storage, request.grant, toTokenRequest(wanted));
    return show(request, undefined, token);
  },
};

async function revoke({ storage, grant, link, form }: TeamFormRequest): Promise<PageResult> {
  await revokePersonalToken(storage, grant, form.text("token"));
  return { to: link(["account"]), notice: "revoked" };
}

async function endSession({ storage, grant, link, form }: TeamFormRequest): Promise<PageResult> {
  await endOwnSession(storage, grant, form.text("session"));
  return { to: link(["account"]), notice: "session-ended" };
}

/** How pages are for the person: the languages that come first, and those of the page itself; its colours. */
async function pagesPart(request: TeamRequest, submitted: FormState | undefined): Promise<Child> {
  const { storage, grant } = request;
  const { language = "", languages = [], theme = "system" } = await ownPerson(storage, grant);
  const { locales } = await rightsOffersOf(request, languages);
  const own = { name: "languages", label: t("account.your_languages"), hint: t("account.they_come_first") };
  return (
    <>
      <h2>{t("account.pages")}</h2>
      <PageForm
        of={pagesForm}
        submitted={submitted}
        fields={[
          locales === undefined
            ? { ...own, value: languages.join(", "), placeholder: "fr, pt-BR" }
            : { ...own, kind: "many", options: locales, chosen: languages },
          {
            kind: "one",
            name: "language",
            label: t("account.language_of_pages"),
            options: [
              ["", t("layout.language_of_the_browser")],
              ...pageLanguages.map(({ code, name }) => [code, name] as const),
            ],
            value: language,
          },
          {
            kind: "one",
            name: "theme",
            label: t("account.colours"),
            options: (["system", ...themes] as const).map((each) => [each, t(`theme.${each}`)] as const),
            value: theme,
          },
        ]}
      />
    </>
  );
}

const pagesForm: TeamForm = {
  path: "account/pages",
  button: "common.save",
  take: async ({ storage, grant, access, form, link, isSecure }) => {
    const languages = form
      .all("languages")
      .flatMap((text) => text.split(/[\s,]+/).filter((one) => one !== ""));
    const change = { languages, language: chosenLanguage(form) ?? null, theme: chosenTheme(form) };
    await changeOneself(storage, grant, change, access.mailing);
    return { to: link(["account"]), notice: "saved", cookies: withoutChoices(isSecure) };
  },
};

/** What was chosen in this browser before signing in must not outlive what a person chooses. */
function withoutChoices(isSecure: boolean): readonly string[] {
  return [languageCookie(undefined, isSecure), themeCookie(undefined, isSecure)];
}

/** Keeps a choice of the foot of pages, and leads back to the page. */
async function chooseAtFoot(
  { storage, grant, access, form, link, isSecure }: TeamFormRequest,
  of: "language" | "theme",
): Promise<PageResult> {
  const change = of === "theme" ? { theme: chosenTheme(form) } : { language: chosenLanguage(form) ?? null };
  await changeOneself(storage, grant, change, access.mailing);
  const cookie = of === "theme" ? themeCookie : languageCookie;
  return { to: afterSignIn(form.text("to"), link([])), cookies: [cookie(undefined, isSecure)] };
}

export const accountPages: readonly PageRoute[] = [
  { kind: "team", path: "/account", handler: (request) => show(request) },
  teamForm(newToken, show),
  teamForm(mailForm, show),
  teamForm(passwordForm, show),
  teamForm(passkeyForm, show),
  teamForm(removal, show),
  teamForm(pagesForm, show),
  ...(["language", "theme"] as const).map((of): PageRoute => ({
    kind: "team-form",
    path: `/account/${of}`,
    handler: (request) => chooseAtFoot(request, of),
  })),
  { kind: "team-form", path: "/account/tokens/revoke", handler: revoke },
  { kind: "team-form", path: "/account/sessions/end", handler: endSession },
];
