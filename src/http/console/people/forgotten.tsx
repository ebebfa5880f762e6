/** The page for who has forgotten their password. It answers the same whether there is such a person or not. */
import { failure } from "../../../domain/errors.ts";
import { countForgotten, forgottenPassword } from "../../../service/people/invitations.ts";
import { countMail, type Mailing } from "../../../service/mail/mailing.ts";
import { visitorOf } from "../requests/cookies.ts";
import type { FormOf, OpenRequest, PageResult, PageRoute, View } from "../requests/page.ts";
import { t } from "../texts/texts.ts";
import { requireWay, UserNameField } from "./sign-in.tsx";

/** @throws SkepError `forbidden` where nobody can be mailed a link. */
function mailingOf(request: OpenRequest): Mailing {
  requireWay(request, "invite");
  const { mailing } = request.access;
  if (mailing === undefined) throw failure("forbidden", "This server sends no mail.");
  return mailing;
}

async function ask(request: OpenRequest): Promise<View> {
  mailingOf(request);
  const { link } = request;
  return {
    title: t("forgotten.forgotten_password"),
    body: (
      <section class="narrow entry">
        <p>{t("forgotten.if_you_have_confirmed")}</p>
        <form method="post" action={link(["sign-in", "forgotten"])} class="stacked panel">
          <UserNameField isFocused />
          <button class="primary">{t("forgotten.mail_me_a_link")}</button>
        </form>
      </section>
    ),
  };
}

async function send({ form, ...request }: FormOf<OpenRequest>): Promise<PageResult> {
  const mailing = mailingOf(request);
  const { storage } = request;
  const name = form.text("person").trim().toLowerCase();
  const visitor = visitorOf(request);
  countForgotten(storage, name, visitor);
  // The answer does not wait, so that its time tells nothing either.
  mailing.inBackground(async () => {
    const found = await forgottenPassword(storage, name, visitor);
    if (found === undefined) return;
    const { to, person, path } = found;
    countMail(storage, to);
    await mailing.sendLink("reset", to, { person, url: mailing.urlOf(path) });
  });
  return {
    title: t("forgotten.forgotten_password"),
    body: (
      <section class="narrow entry">
        <p>{t("forgotten.sent")}</p>
      </section>
    ),
  };
}

export const forgottenPages: readonly PageRoute[] = [
  { kind: "open", path: "/sign-in/forgotten", handler: ask },
  { kind: "open-form", path: "/sign-in/forgotten", handler: send },
];
