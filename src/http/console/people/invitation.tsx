/** The page of an invitation: whoever has the link chooses what they sign in with. */
import type { Child } from "hono/jsx";
import type { Person } from "../../../domain/access/person.ts";
import { failure, isFailure } from "../../../domain/errors.ts";
import { invitedPerson, useInvitation, type Credentials } from "../../../service/people/invitations.ts";
import {
  createdPasskey,
  creationOptions,
  makeChallenge,
  takesPasskeys,
} from "../../../service/people/passkeys.ts";
import { hashPassword } from "../../../service/people/passwords.ts";
import { Code, Name } from "../parts/text.tsx";
import { challengeCookie, challengeOf, visitorOf } from "../requests/cookies.ts";
import { problemsOf } from "../requests/form-state.ts";
import type { FormOf, OpenRequest, PageResult, PageRoute, View } from "../requests/page.ts";
import { PasskeyForm } from "./passkey-form.tsx";
import { personVisitorOf, requireWay, signedIn } from "./sign-in.tsx";

type Problems = ReadonlyMap<string, string>;

async function show(request: OpenRequest, code: string, problems?: Problems): Promise<View> {
  const { storage, access } = request;
  requireWay(request, "invite");
  const person = await invitedPerson(storage, code, visitorOf(request));
  const passkey = access.inviteWith.has("passkey")
    ? await passkeyPart(request, { code, person, problem: problems?.get("passkey") })
    : undefined;
  const password = access.inviteWith.has("password") && (
    <PasswordForm request={request} code={code} person={person} problem={problems?.get("password")} />
  );
  return {
    title: "Your invitation",
    status: problems === undefined ? undefined : 422,
    usesPasskeys: passkey !== undefined,
    headers: passkey?.headers,
    body: (
      <section class="narrow">
        <p>
          Welcome, <Name name={person.name} />. Your team is <Name name={person.team} />, and your user name
          is <Code name={person.id} />. What you choose here replaces what you signed in with before.
        </p>
        {passkey?.form}
        {password}
        {passkey === undefined && password === false && (
          <p class="notice wrong">
            This server accepts only passkeys, and browsers use them only at https addresses with a host name.
          </p>
        )}
      </section>
    ),
  };
}

async function passkeyPart(
  { access: { publicUrl }, storage, link }: OpenRequest,
  { code, person, problem }: { code: string; person: Person; problem: string | undefined },
) {
  if (!takesPasskeys(publicUrl)) return undefined;
  const challenge = await makeChallenge(storage);
  const form = (
    <PasskeyForm
      to={link(["invitation"])}
      options={creationOptions(person, publicUrl, challenge)}
      makes
      button="Create a passkey and sign in"
      problem={problem}
    >
      <input type="hidden" name="code" value={code} />
      <p class="help">
        A passkey is kept by your device or your password manager. You sign in with your fingerprint, your
        face or the PIN of the device. Nobody can guess it.
      </p>
    </PasskeyForm>
  );
  return { form, headers: [["set-cookie", challengeCookie(challenge, publicUrl)] as [string, string]] };
}

function PasswordForm({
  request: { link },
  code,
  person,
  problem,
}: {
  readonly request: OpenRequest;
  readonly code: string;
  readonly person: Person;
  readonly problem: string | undefined;
}): Child {
  return (
    <form method="post" action={link(["invitation"])} class="stacked panel">
      <input type="hidden" name="code" value={code} />
      <input name="username" autocomplete="username" value={person.id} hidden readonly />
      <label for="password">Choose a password</label>
      <input
        id="password"
        name="password"
        type="password"
        autocomplete="new-password"
        required
        minlength={12}
        maxlength={1024}
        aria-describedby={problem === undefined ? "password-help" : "password-problem password-help"}
        aria-invalid={problem === undefined ? undefined : "true"}
      />
      {problem !== undefined && (
        <p id="password-problem" class="notice wrong" role="alert">
          The password {problem}.
        </p>
      )}
      <p id="password-help" class="help">
        At least 12 characters, of any kind. A password manager makes and keeps a good one.
      </p>
      <button>Save and sign in</button>
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
