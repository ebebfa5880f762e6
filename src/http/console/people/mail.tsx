/** The mail address of whoever is signed in, what is mailed to it, and the page that ends digests without signing in. */
import type { Child } from "hono/jsx";
import { confirmedMail, digests, type Person } from "../../../domain/access/person.ts";
import { makeDigest } from "../../../service/mail/digest.ts";
import { countMail, requireConfirmed, requireMailing } from "../../../service/mail/mailing.ts";
import {
  changeOneself,
  confirmable,
  confirmMail,
  ownPerson,
  subscriber,
} from "../../../service/mail/own-mail.ts";
import { inboxDays } from "../../../domain/inbox/limits.ts";
import { PageForm, type TeamForm } from "../parts/page-form.tsx";
import { PostForm } from "../parts/post-form.tsx";
import { Name } from "../parts/text.tsx";
import type { FormState } from "../requests/form.ts";
import type {
  OpenRequest,
  PageResult,
  PageRoute,
  TeamFormRequest,
  TeamRequest,
  View,
} from "../requests/page.ts";
import { t } from "../texts/texts.ts";

const dayMs = 24 * 60 * 60 * 1000;

/** The part of the account that is about mails; nothing where none can be sent. */
export async function mailPart(request: TeamRequest, submitted: FormState | undefined): Promise<Child> {
  if (request.access.mailing === undefined) return null;
  const person = await ownPerson(request.storage, request.grant);
  const { mail, digest = "off", identity } = person;
  const isConfirmed = confirmedMail(person) !== undefined;
  return (
    <>
      <h2 id="mail">{t("account-mail.mail")}</h2>
      <p>
        {mail === undefined
          ? t("account-mail.no_address")
          : t(isConfirmed ? "account-mail.is_confirmed" : "account-mail.is_not_confirmed", {
              mail: <Name name={mail} />,
            })}
      </p>
      {mail !== undefined && (
        <div class="actions">
          {isConfirmed ? (
            <PostForm to={request.link(["account", "digest"])}>
              <button>{t("account-mail.send_one_now")}</button>
            </PostForm>
          ) : (
            <PostForm to={request.link(["account", "mail"])} hidden={{ mail, digest }}>
              <button>{t("account-mail.send_the_link_again")}</button>
            </PostForm>
          )}
        </div>
      )}
      <PageForm
        of={mailForm}
        submitted={submitted}
        fields={[
          ...(identity === undefined ? [{ name: "mail", type: "email", value: mail } as const] : []),
          { kind: "one", name: "digest", options: digests, value: digest },
        ]}
      >
        {identity !== undefined && <p>{t("account-mail.at_the_provider")}</p>}
      </PageForm>
    </>
  );
}

export const mailForm: TeamForm = {
  path: "account/mail",
  button: "common.save",
  take: async ({ storage, grant, access, form, link }) => {
    const given = form.text("mail").trim();
    const person = await ownPerson(storage, grant);
    const isOwn = person.identity === undefined || given !== "";
    const mail = given === "" ? null : given;
    const digest = form.text("digest") === "daily" ? "daily" : "off";
    await changeOneself(storage, grant, { ...(isOwn && { mail }), digest }, access.mailing);
    return { to: `${link(["account"])}#mail`, notice: "mail-saved" };
  },
};

/** Sends a digest at once: of all that the inbox has. */
async function sendNow({ storage, grant, access, link }: TeamFormRequest): Promise<PageResult> {
  const mailing = requireMailing(access.mailing, "digest");
  const person = await ownPerson(storage, grant);
  const to = requireConfirmed(person);
  const since = new Date(storage.now() - inboxDays * dayMs).toISOString();
  const digest = await makeDigest(storage, person, since);
  const back = `${link(["account"])}#mail`;
  if (digest === undefined || digest.total + digest.waiting.length === 0)
    return { to: back, notice: "digest-empty" };
  countMail(storage, to);
  await mailing.sendDigest(to, digest);
  return { to: back, notice: "digest-sent" };
}

function codeOf({ query: { code } }: Pick<OpenRequest, "query">): string {
  return typeof code === "string" ? code : "";
}

/** The page of the link in a mail. Looking confirms nothing: programs open the links in mails, too. */
async function askToConfirm(request: TeamRequest): Promise<View> {
  const { storage, grant, link } = request;
  const code = codeOf(request);
  const person: Person = await ownPerson(storage, grant);
  const mail = confirmable(storage, person, code);
  return {
    title: t("account-mail.confirm_your_address"),
    above: [{ label: t("account.your_account"), href: link(["account"]) }],
    body: (
      <>
        <p>
          {t("account-mail.is_this_yours", { name: <Name name={person.name} />, mail: <Name name={mail} /> })}
        </p>
        <PostForm to={link(["account", "mail", "confirm"])} hidden={{ code }}>
          <button class="primary">{t("account-mail.confirm")}</button>
        </PostForm>
      </>
    ),
  };
}

async function confirm({ storage, grant, form, link }: TeamFormRequest): Promise<PageResult> {
  await confirmMail(storage, grant, form.text("code"));
  return { to: `${link(["account"])}#mail`, notice: "mail-confirmed" };
}

/** The page of the link that ends digests. Whoever has the link need not be signed in. */
async function askToEnd(request: OpenRequest): Promise<View> {
  const { storage, link } = request;
  const code = codeOf(request);
  const { mail = "", digest } = await subscriber(storage, code);
  return {
    title: t("account-mail.no_more_digests"),
    body: (
      <section class="narrow entry">
        {digest === undefined ? (
          <p>{t("account-mail.ended", { mail: <Name name={mail} /> })}</p>
        ) : (
          <>
            <p>{t("account-mail.end_digests_to", { mail: <Name name={mail} /> })}</p>
            <form method="post" action={link(["unsubscribe"], { code })}>
              <button class="primary">{t("account-mail.end_digests")}</button>
            </form>
          </>
        )}
      </section>
    ),
  };
}

export const mailPages: readonly PageRoute[] = [
  { kind: "team", path: "/account/mail", handler: askToConfirm },
  { kind: "team-form", path: "/account/mail/confirm", handler: confirm },
  { kind: "team-form", path: "/account/digest", handler: sendNow },
  { kind: "open", path: "/unsubscribe", handler: askToEnd },
];
