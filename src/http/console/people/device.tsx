/** The page on which a person allows a program to work in their name. */
import { authorizeTeam, type TeamGrant } from "../../../service/access.ts";
import { answerDevice, askingDevice } from "../../../service/people/devices.ts";
import { isFailure } from "../../../domain/errors.ts";
import { HiddenFields, PostForm } from "../parts/post-form.tsx";
import { Code, Name } from "../parts/text.tsx";
import type { FormOf, PageResult, PageRoute, SignedInRequest, View } from "../requests/page.ts";

function grantOf({ session }: SignedInRequest): TeamGrant {
  return authorizeTeam(session.caller, "read", false);
}

function askForCode({ session, link, query }: SignedInRequest, problem?: string): View {
  return {
    title: "Sign in a program",
    above: [],
    status: problem === undefined ? undefined : 404,
    body: (
      <section class="narrow">
        <PostForm session={session} to={link(["device"])} class="stacked">
          <label for="code">The code that the program shows</label>
          <input
            id="code"
            name="code"
            required
            autofocus
            autocomplete="off"
            autocapitalize="characters"
            spellcheck={false}
            maxlength={20}
            placeholder="BCDF-GHJK"
            value={typeof query.code === "string" ? query.code : undefined}
            aria-describedby={problem === undefined ? undefined : "code-problem"}
            aria-invalid={problem === undefined ? undefined : "true"}
          />
          {problem !== undefined && (
            <p id="code-problem" class="notice wrong" role="alert">
              {problem}
            </p>
          )}
          <button class="primary">Continue</button>
        </PostForm>
      </section>
    ),
  };
}

/** Shows who asks. Nothing is allowed before the next form. */
function confirm({ form, ...request }: FormOf<SignedInRequest>): PageResult {
  const { storage, session, link } = request;
  const code = form.text("code");
  try {
    const { name, client, user } = askingDevice(storage, grantOf(request), code);
    const { name: own = "" } = session.caller.principal;
    return {
      title: "Sign in a program",
      above: [],
      body: (
        <section class="narrow">
          <p>
            A program on <Name name={name === "" ? "an unnamed machine" : name} />
            {client !== undefined && (
              <>
                , at the address <Code name={client} />,
              </>
            )}{" "}
            wants a token that may do what you may, for 90 days. What it does is done by{" "}
            <strong>
              <Name name={own} />
            </strong>
            .
          </p>
          <p class="notice warn">
            Allow it only if you have just started the program yourself, and it shows the code{" "}
            <strong>{`${user.slice(0, 4)}-${user.slice(4)}`}</strong>. If somebody sent you this code, refuse.
          </p>
          <PostForm session={session} to={link(["device", "answer"])} class="actions">
            <HiddenFields fields={{ code }} />
            <button class="primary" name="answer" value="allow">
              Allow
            </button>
            <button name="answer" value="deny">
              Refuse
            </button>
          </PostForm>
        </section>
      ),
    };
  } catch (error) {
    if (!isFailure(error, "not-found")) throw error;
    return askForCode({ ...request, query: { code } }, error.message);
  }
}

async function answer({ form, ...request }: FormOf<SignedInRequest>): Promise<PageResult> {
  const isAllowed = form.text("answer") === "allow";
  await answerDevice(request.storage, grantOf(request), form.text("code"), isAllowed);
  return { to: request.link(["account"]), notice: isAllowed ? "device-allowed" : "device-refused" };
}

export const devicePages: readonly PageRoute[] = [
  { kind: "signed-in", path: "/device", handler: (request) => Promise.resolve(askForCode(request)) },
  { kind: "signed-in-form", path: "/device", handler: (request) => Promise.resolve(confirm(request)) },
  { kind: "signed-in-form", path: "/device/answer", handler: answer },
];
