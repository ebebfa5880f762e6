/** The page of an invitation: whoever has the link chooses what they sign in with. */
import { isFailure } from "../../../domain/errors.ts";
import { invitedPerson, useInvitation } from "../../../service/people/invitations.ts";
import { hashPassword } from "../../../service/people/passwords.ts";
import { Code, Name } from "../parts/text.tsx";
import { visitorOf } from "../requests/cookies.ts";
import { problemsOf } from "../requests/form-state.ts";
import type { FormOf, OpenRequest, PageResult, PageRoute, View } from "../requests/page.ts";
import { personVisitorOf, requireWay, signedIn } from "./sign-in.tsx";

async function show(request: OpenRequest, code: string, problem?: string): Promise<View> {
  const { storage, link } = request;
  requireWay(request, "invite");
  const person = await invitedPerson(storage, code, visitorOf(request));
  return {
    title: "Your invitation",
    status: problem === undefined ? undefined : 422,
    body: (
      <section class="narrow">
        <p>
          Welcome, <Name name={person.name} />. You sign in to the team <Name name={person.team} /> with the
          name <Code name={person.id} />. What you choose here replaces what you signed in with before.
        </p>
        <form method="post" action={link(["invitation"])} class="stacked">
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
          <button class="primary">Save and sign in</button>
        </form>
      </section>
    ),
  };
}

function view(request: OpenRequest): Promise<View> {
  const { code } = request.query;
  return show(request, typeof code === "string" ? code : "");
}

async function use({ form, ...request }: FormOf<OpenRequest>): Promise<PageResult> {
  requireWay(request, "invite");
  const code = form.text("code");
  try {
    const session = await useInvitation(request.storage, code, personVisitorOf(request), async (person) => ({
      password: await hashPassword(person, form.text("password")),
    }));
    return signedIn(request, session);
  } catch (error) {
    const problem = isFailure(error, "invalid") ? problemsOf(error).get("password") : undefined;
    if (problem === undefined) throw error;
    return show(request, code, problem);
  }
}

export const invitationPages: readonly PageRoute[] = [
  { kind: "open", path: "/invitation", handler: view },
  { kind: "open-form", path: "/invitation", handler: use },
];
