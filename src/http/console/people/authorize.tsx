/** The page on which a person allows a program that sent the browser here; see `service/people/oauth.ts`. */
import { allows } from "../../../domain/access/token.ts";
import {
  allowProgram,
  issuerOf,
  readAuthorization,
  type AuthorizationQuery,
  type AuthorizationRequest,
} from "../../../service/people/oauth.ts";
import { requireSelf } from "../../../service/people/devices.ts";
import type { FormField } from "../parts/fields.tsx";
import { PageForm, teamForm, type TeamForm } from "../parts/page-form.tsx";
import { PostForm } from "../parts/post-form.tsx";
import { Code } from "../parts/text.tsx";
import type { FormState } from "../requests/form.ts";
import type { PageRoute, TeamRequest, View } from "../requests/page.ts";
import { t } from "../texts/texts.ts";
import { AskingName, WhoAsks } from "./who-asks.tsx";

const path = ["oauth", "authorize"];

/** What programs send, and forms of the page carry on. */
const parameters = [
  "response_type",
  "client_id",
  "redirect_uri",
  "state",
  "scope",
  "resource",
  "code_challenge",
  "code_challenge_method",
] as const;

/** @throws SkepError `not-implemented` without the address of the server; as {@link readAuthorization}. */
function read({ storage, access, grant }: TeamRequest, query: AuthorizationQuery) {
  requireSelf(grant);
  return readAuthorization(storage, query, issuerOf(access.publicUrl));
}

function ask(request: TeamRequest, query: AuthorizationQuery, submitted?: FormState): View {
  const asked = read(request, query);
  if ("refusedAt" in asked) return goTo(asked.refusedAt, false);
  const { session, link } = request;
  const { client, redirect, abilities } = asked;
  const offered = abilities.filter((ability) => allows(session.caller.principal, ability));
  const field: FormField = {
    kind: "many",
    name: "abilities",
    label: t("oauth.it_may"),
    options: offered.map((ability) => [ability, t(`option.abilities.${ability}`)] as const),
    chosen: offered,
  };
  const sent = parameters.flatMap((name): [string, string][] => {
    const value = query[name];
    return typeof value === "string" ? [[name, value]] : [];
  });
  const hidden = Object.fromEntries(sent);
  const program = <AskingName name={client.name} instead={t("oauth.an_unnamed_program")} />;
  const isHere = new URL(redirect).protocol !== "https:";
  return {
    title: t("oauth.allow_a_program"),
    above: [],
    isPopup: true,
    body: (
      <section class="narrow entry">
        <WhoAsks
          session={session}
          says={(own) => t("oauth.a_program_wants", { program: <strong>{program}</strong>, own })}
          warning={t(isHere ? "oauth.goes_to_this_machine" : "oauth.goes_to_site", {
            place: <Code name={placeOf(redirect)} />,
          })}
        />
        <PageForm of={allowForm} submitted={submitted} fields={[field]} hidden={hidden} />
        <PostForm to={link([...path, "refuse"])} class="actions" hidden={hidden}>
          <button>{t("device.refuse")}</button>
        </PostForm>
      </section>
    ),
  };
}

/** What of an address tells where it leads. */
function placeOf(address: string): string {
  const { protocol, host } = new URL(address);
  return protocol === "https:" || protocol === "http:" ? host : `${protocol}//`;
}

/**
 * Sends the browser back to the program. No redirect follows the form: browsers would refuse one that leads to another site,
 * as forms may be sent to this server alone.
 */
function goTo(address: string, isAllowed: boolean): View {
  return {
    title: t("oauth.allow_a_program"),
    above: [],
    isPopup: true,
    headers: [["refresh", `0;url=${address}`]],
    body: (
      <section class="narrow entry">
        <p>{t(isAllowed ? "oauth.it_is_allowed" : "oauth.it_is_refused")}</p>
        <p class="actions">
          <a class="button primary" href={address}>
            {t("oauth.back_to_the_program", { place: placeOf(address) })}
          </a>
        </p>
      </section>
    ),
  };
}

const allowForm: TeamForm = {
  path: [...path, "allow"].join("/"),
  button: "device.allow",
  take: async (request) => {
    const { storage, session, grant, form } = request;
    const asked = read(request, form.values);
    if ("refusedAt" in asked) return goTo(asked.refusedAt, false);
    const own: AuthorizationRequest = {
      ...asked,
      abilities: asked.abilities.filter((ability) => allows(session.caller.principal, ability)),
    };
    const code = await allowProgram(storage, grant, own, form.all("abilities"));
    return goTo(asked.answerTo({ code }), true);
  },
};

export const authorizePages: readonly PageRoute[] = [
  { kind: "team", path: `/${path.join("/")}`, handler: async (request) => ask(request, request.query) },
  teamForm(allowForm, async (request, submitted) => ask(request, submitted.values, submitted)),
  {
    kind: "team-form",
    path: `/${[...path, "refuse"].join("/")}`,
    handler: async (request) => {
      const asked = read(request, request.form.values);
      const refused = { error: "access_denied", error_description: "The person has refused." };
      return goTo("refusedAt" in asked ? asked.refusedAt : asked.answerTo(refused), false);
    },
  },
];
