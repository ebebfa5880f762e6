/** The page on which a person allows a program to work in their name. */
import { answerDevice, askingDevice } from "../../../service/people/devices.ts";
import { invalid, isFailure } from "../../../domain/errors.ts";
import type { FormField } from "../parts/fields.tsx";
import { PageForm, teamForm, type TeamForm } from "../parts/page-form.tsx";
import { PostForm } from "../parts/post-form.tsx";
import { Code } from "../parts/text.tsx";
import type { FormState } from "../requests/form.ts";
import type { PageResult, PageRoute, TeamRequest, View, TeamFormRequest } from "../requests/page.ts";
import { t } from "../texts/texts.ts";
import { AskingName, WhoAsks } from "./who-asks.tsx";

async function askForCode({ query }: TeamRequest, submitted?: FormState): Promise<View> {
  const code: FormField = {
    name: "code",
    label: t("device.the_code_that_the_program"),
    required: true,
    placeholder: "BCDF-GHJK",
    value: typeof query.code === "string" ? query.code : undefined,
    isFocused: true,
  };
  return {
    title: t("device.sign_in_a_program"),
    above: [],
    body: (
      <section class="narrow entry">
        <PageForm of={codeForm} submitted={submitted} fields={[code]} />
      </section>
    ),
  };
}

const codeForm: TeamForm = { path: "device", button: "device.continue", take: confirm };

/** Shows who asks. Nothing is allowed before the next form. */
async function confirm(request: TeamFormRequest): Promise<PageResult> {
  const { storage, session, grant, link, form } = request;
  const code = form.text("code");
  try {
    const { name, client, user } = await askingDevice(storage, grant, code);
    return {
      title: t("device.sign_in_a_program"),
      above: [],
      body: (
        <section class="narrow entry">
          <WhoAsks
            session={session}
            says={(own) =>
              t(client === undefined ? "device.a_program_on_wants" : "device.a_program_at_wants", {
                machine: <AskingName name={name} instead={t("device.an_unnamed_machine")} />,
                client: client !== undefined && <Code name={client} />,
                own,
              })
            }
            warning={t("device.allow_it_only_if_you", {
              code: <strong>{`${user.slice(0, 4)}-${user.slice(4)}`}</strong>,
            })}
          />
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
    throw invalid("code", error.message, { cause: error });
  }
}

async function answer({ storage, grant, link, form }: TeamFormRequest): Promise<PageResult> {
  const isAllowed = form.text("answer") === "allow";
  await answerDevice(storage, grant, form.text("code"), isAllowed);
  return { to: link(["account"]), notice: isAllowed ? "device-allowed" : "device-refused" };
}

export const devicePages: readonly PageRoute[] = [
  { kind: "team", path: "/device", handler: (request) => askForCode(request) },
  teamForm(codeForm, askForCode),
  { kind: "team-form", path: "/device/answer", handler: answer },
];
