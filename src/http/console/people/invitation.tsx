/** The page of an invitation: whoever has the link chooses what they sign in with. */
import type { Child } from "hono/jsx";
import { signInMeansOf, type Person } from "../../../domain/access/person.ts";
import { failure, isFailure } from "../../../domain/errors.ts";
import { invitedPerson, useInvitation, type Credentials } from "../../../service/people/invitations.ts";
import { createdPasskey, creationOptions, takesPasskeys } from "../../../service/people/passkeys.ts";
import { hashPassword } from "../../../service/people/sign-in.ts";
import { Code, Name } from "../parts/text.tsx";
import { challengeOf, visitorOf } from "../requests/cookies.ts";
import { problemsOf } from "../requests/form.ts";
import type { FormOf, OpenRequest, PageResult, PageRoute, View } from "../requests/page.ts";
import { passkeyPart, personVisitorOf, requireWay, SecretField, signedIn } from "./sign-in.tsx";
import { t } from "../texts/texts.ts";

type Problems = ReadonlyMap<string, string>;

async function show(request: OpenRequest, code: string, problems?: Problems): Promise<View> {
  const { storage, access } = request;
  requireWay(request, "invite");
  const person = await invitedPerson(storage, code, visitorOf(request));
  const passkey = access.inviteWith.has("passkey")
    ? await passkeyPart(request, {
        to: request.link(["invitation"]),
        optionsFor: (publicUrl, challenge) => creationOptions(person, publicUrl, challenge),
        makes: true,
        button: t("invitation.create_a_passkey_and_sign"),
        problem: problems?.get("passkey"),
        children: (
          <>
            <input type="hidden" name="code" value={code} />
            <p class="help">{t("invitation.a_passkey_is_kept")}</p>
          </>
        ),
      })
    : undefined;
  const password = access.inviteWith.has("password") && (
    <PasswordForm request={request} code={code} person={person} problem={problems?.get("password")} />
  );
  return {
    title: t("invitation.your_invitation"),
    status: problems === undefined ? undefined : 422,
    usesPasskeys: passkey !== undefined,
    headers: passkey?.headers,
    body: (
      <section class="narrow entry">
        <p>
          {t("invitation.welcome_your_team", {
            name: <Name name={person.name} />,
            team: <Name name={person.team} />,
            id: <Code name={person.id} />,
          })}
          {signInMeansOf(person).length > 0 && <> {t("invitation.it_replaces")}</>}
        </p>
        {passkey?.form}
        {password}
        {passkey === undefined && password === false && (
          <p class="notice wrong">{t("invitation.this_server_accepts_only")}</p>
        )}
      </section>
    ),
  };
}

function PasswordForm(props: {
  request: OpenRequest;
  code: string;
  person: Person;
  problem: string | undefined;
}): Child {
  const { request, code, person, problem } = props;
  const { link } = request;
  return (
    <form method="post" action={link(["invitation"])} class="stacked panel">
      <input type="hidden" name="code" value={code} />
      <input name="username" autocomplete="username" value={person.id} hidden readonly />
      <SecretField
        name="password"
        label={t("invitation.choose_a_password")}
        autocomplete="new-password"
        minlength={12}
        maxlength={1024}
        problem={problem === undefined ? undefined : t("invitation.the_password", { problem })}
        help="password-help"
      />
      <p id="password-help" class="help">
        {t("invitation.at_least_12_characters")}
      </p>
      <button>{t("invitation.save_and_sign_in")}</button>
    </form>
  );
}

function view(request: OpenRequest): Promise<View> {
  const { code } = request.query;
  return show(request, typeof code === "string" ? code : "");
}

/** What was chosen, if the server offers it. */
async function chosenIn({ form, ...request }: FormOf<OpenRequest>, person: Person): Promise<Credentials> {
  const { access, event, storage } = request;
  const { inviteWith, publicUrl } = access;
  const answer = form.word("passkey");
  if (answer === undefined && inviteWith.has("password")) {
    return { password: await hashPassword(person, form.text("password")) };
  }
  if (!inviteWith.has("passkey") || !takesPasskeys(publicUrl)) {
    throw failure("forbidden", "This way to sign in is turned off on this server.");
  }
  const given = { answer: answer ?? "", cookie: challengeOf(event.req, publicUrl), publicUrl };
  return { passkey: await createdPasskey(storage, given) };
}

async function use(request: FormOf<OpenRequest>): Promise<PageResult> {
  requireWay(request, "invite");
  const code = request.form.text("code");
  try {
    const session = await useInvitation(request.storage, code, personVisitorOf(request), (person) =>
      chosenIn(request, person),
    );
    return signedIn(request, session);
  } catch (error) {
    if (!isFailure(error, "invalid")) throw error;
    return show(request, code, problemsOf(error));
  }
}

export const invitationPages: readonly PageRoute[] = [
  { kind: "open", path: "/invitation", handler: view },
  { kind: "open-form", path: "/invitation", handler: use },
];
