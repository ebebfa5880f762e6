/** The page on which a person allows a program to work in their name. */
import { answerDevice, askingDevice } from "../../../service/people/devices.ts";
import { isFailure } from "../../../domain/errors.ts";
import { PostForm } from "../parts/post-form.tsx";
import { Code, Name } from "../parts/text.tsx";
import type { PageResult, PageRoute, TeamRequest, View, TeamFormRequest } from "../requests/page.ts";
import { t } from "../texts/texts.ts";

function askForCode({ link, query }: TeamRequest, problem?: string): View {
  return {
    title: t("device.sign_in_a_program"),
    above: [],
    status: problem === undefined ? undefined : 404,
    body: (
      <section class="narrow">
        <PostForm to={link(["device"])} class="stacked">
          <label for="code">{t("device.the_code_that_the_program")}</label>
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
          <button class="primary">{t("device.continue")}</button>
        </PostForm>
      </section>
    ),
  };
}

/** Shows who asks. Nothing is allowed before the next form. */
async function confirm(request: TeamFormRequest): Promise<PageResult> {
  const { storage, session, grant, link, form } = request;
  const code = form.text("code");
  try {
    const { name, client, user } = await askingDevice(storage, grant, code);
    const { name: own = "" } = session.caller.principal;
    return {
      title: t("device.sign_in_a_program"),
      above: [],
      body: (
        <section class="narrow">
          <p>
            {t(client === undefined ? "device.a_program_on_wants" : "device.a_program_at_wants", {
              machine: <Name name={name === "" ? t("device.an_unnamed_machine") : name} />,
              client: client !== undefined && <Code name={client} />,
              own: (
                <strong>
                  <Name name={own} />
                </strong>
              ),
            })}
          </p>
          <p class="notice warn">
            {t("device.allow_it_only_if_you", {
              code: <strong>{`${user.slice(0, 4)}-${user.slice(4)}`}</strong>,
            })}
          </p>
          <PostForm to={link(["device", "answer"])} class="actions" hidden={{ code }}>
            <button class="primary" name="answer" value="allow">
              {t("device.allow")}
            </button>
            <button name="answer" value="deny">
              {t("device.refuse")}
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

async function answer({ storage, grant, link, form }: TeamFormRequest): Promise<PageResult> {
  const isAllowed = form.text("answer") === "allow";
  await answerDevice(storage, grant, form.text("code"), isAllowed);
  return { to: link(["account"]), notice: isAllowed ? "device-allowed" : "device-refused" };
}

export const devicePages: readonly PageRoute[] = [
  { kind: "team", path: "/device", handler: (request) => Promise.resolve(askForCode(request)) },
  { kind: "team-form", path: "/device", handler: (request) => Promise.resolve(confirm(request)) },
  { kind: "team-form", path: "/device/answer", handler: answer },
];
