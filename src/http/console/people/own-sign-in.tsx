/** What a person signs in with, on their account: the password and the passkeys. */
import type { Child } from "hono/jsx";
import type { Person } from "../../../domain/access/person.ts";
import { failure } from "../../../domain/errors.ts";
import {
  changeOwnSignIn,
  isFresh,
  ownSignIn,
  type SignInChange,
} from "../../../service/people/own-sign-in.ts";
import { createdPasskey, creationOptions, takesPasskeys } from "../../../service/people/passkeys.ts";
import { hashPassword } from "../../../service/people/sign-in.ts";
import type { FormField } from "../parts/fields.tsx";
import { Listing } from "../parts/navigation.tsx";
import { PageForm, type TeamForm } from "../parts/page-form.tsx";
import { formKeyField } from "../parts/post-form.tsx";
import { Time, TimeOf } from "../parts/text.tsx";
import { challengeOf } from "../requests/cookies.ts";
import type { FormState } from "../requests/form.ts";
import type { PageResult, TeamFormRequest, TeamRequest, View } from "../requests/page.ts";
import { formatTime, t } from "../texts/texts.ts";
import { passkeyPart, SecretField } from "./sign-in.tsx";

/** The part of the account, and what its page needs; undefined for who chooses nothing here. */
export async function ownSignInPart(
  request: TeamRequest,
  submitted: FormState | undefined,
): Promise<(Pick<View, "usesPasskeys" | "headers"> & { readonly part: Child }) | undefined> {
  const { storage, grant, access, session } = request;
  const person = access.ways.has("invite") ? await ownSignIn(storage, grant) : undefined;
  if (person === undefined) return undefined;
  const isProven = person.password !== undefined || isFresh(storage, grant, session.id);
  const passkey =
    isProven && access.inviteWith.has("passkey") ? await newPasskey(request, person, submitted) : undefined;
  const present = presentField(person);
  const part = (
    <>
      <h2>{t("own-sign-in.how_you_sign_in")}</h2>
      <p class="soft">{t("own-sign-in.others_end")}</p>
      {!isProven && <p class="notice">{t("own-sign-in.sign_in_again")}</p>}
      {isProven && access.inviteWith.has("password") && (
        <PageForm
          of={passwordForm}
          submitted={submitted}
          fields={[
            ...present,
            {
              name: "password",
              label: t("own-sign-in.new_password"),
              hint: t("invitation.at_least_12_characters"),
              ...secret("new-password"),
            },
          ]}
        >
          <input name="username" autocomplete="username" value={person.id} hidden readonly />
        </PageForm>
      )}
      {(person.passkeys.length > 0 || passkey !== undefined) && (
        <>
          <h3>{t("own-sign-in.passkeys")}</h3>
          <Listing
            columns={["made", "last_used"]}
            rows={person.passkeys.map(({ created, used }) => ({
              cells: [<Time seconds={Date.parse(created) / 1000} />, <TimeOf at={used} />],
            }))}
            none={t("own-sign-in.no_passkey")}
          />
        </>
      )}
      {passkey?.form}
      {isProven && person.passkeys.length + present.length > 1 && person.passkeys.length > 0 && (
        <PageForm
          of={removal}
          submitted={submitted}
          isLess
          fields={[
            {
              kind: "one",
              name: "passkey",
              label: t("own-sign-in.passkey"),
              options: person.passkeys.map(({ id, created }) => [id, formatTime(new Date(created))] as const),
            },
            ...present,
          ]}
        />
      )}
    </>
  );
  return { part, usesPasskeys: passkey !== undefined, headers: passkey?.headers };
}

const secret = (autocomplete: "current-password" | "new-password") =>
  ({ type: "password", required: true, autocomplete }) as const;

/** The field for the present password, of who has one. */
function presentField({ password }: Person): readonly FormField[] {
  if (password === undefined) return [];
  return [{ name: "present", label: t("own-sign-in.present_password"), ...secret("current-password") }];
}

async function newPasskey(request: TeamRequest, person: Person, submitted: FormState | undefined) {
  const { link, session } = request;
  const problems = submitted?.form === passkeyForm.path ? submitted.problems : undefined;
  return passkeyPart(request, {
    to: link(["account", "passkeys"]),
    optionsFor: (publicUrl, challenge) => creationOptions(person, publicUrl, challenge, person.passkeys),
    makes: true,
    button: t("own-sign-in.add_a_passkey"),
    problem: problems?.get("passkey"),
    children: (
      <>
        <input type="hidden" name={formKeyField} value={session.formKey} />
        {person.password !== undefined && (
          <SecretField
            name="present"
            label={t("own-sign-in.present_password")}
            autocomplete="current-password"
            maxlength={1024}
            problem={problems?.get("present")}
            help="passkey-help"
          />
        )}
        <p id="passkey-help" class="help">
          {t("invitation.a_passkey_is_kept")}
        </p>
      </>
    ),
  });
}

async function change(
  request: TeamFormRequest,
  choose: (person: Person) => Promise<SignInChange>,
): Promise<PageResult> {
  const { storage, grant, session, form, link } = request;
  const proof = { password: form.text("present"), session: session.id };
  await changeOwnSignIn(storage, grant, proof, choose);
  return { to: link(["account"]), notice: "sign-in-changed" };
}

/** @throws SkepError `forbidden` where the server does not offer it. */
function requireOffered({ access }: TeamFormRequest, way: "password" | "passkey"): void {
  if (access.ways.has("invite") && access.inviteWith.has(way)) return;
  throw failure("forbidden", "This way to sign in is turned off on this server.");
}

export const passwordForm: TeamForm = {
  path: "account/password",
  button: "own-sign-in.change_the_password",
  take: (request) => {
    requireOffered(request, "password");
    return change(request, async (person) => ({
      password: await hashPassword(person, request.form.text("password")),
    }));
  },
};

export const passkeyForm: TeamForm = {
  path: "account/passkeys",
  button: "own-sign-in.add_a_passkey",
  take: (request) => {
    requireOffered(request, "passkey");
    const { storage, access, event, form } = request;
    const { publicUrl } = access;
    if (!takesPasskeys(publicUrl)) throw failure("forbidden", "Browsers use no passkeys at this address.");
    const given = { answer: form.text("passkey"), cookie: challengeOf(event.req, publicUrl), publicUrl };
    return change(request, async () => ({ passkey: await createdPasskey(storage, given) }));
  },
};

export const removal: TeamForm = {
  path: "account/passkeys/remove",
  title: "own-sign-in.remove_a_passkey",
  button: "common.remove_3",
  isDangerous: true,
  take: (request) => change(request, () => Promise.resolve({ removed: request.form.text("passkey") })),
};
