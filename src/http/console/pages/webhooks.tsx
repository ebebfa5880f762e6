/** The webhooks of a team with their states. */
import { useReader } from "../requests/context.tsx";
import { invalid } from "../../../domain/errors.ts";
import { toWebhookUrl, type Webhook } from "../../../domain/hives/webhook.ts";
import {
  addWebhook,
  findWebhook,
  listWebhooks,
  removeWebhook,
  resend,
  rotateSecret,
  type WebhookOwner,
  type WebhookSummary,
} from "../../../service/admin/webhooks.ts";
import { auditedBy } from "../../../service/access.ts";
import { testWebhook } from "../../../service/events/webhook-delivery.ts";
import { toWebhookBody } from "../../schemas/event-schemas.ts";
import { Command, TimeOf, Code, Name } from "../parts/text.tsx";
import { Listing, teamPage } from "../parts/navigation.tsx";
import { Confirm, PostForm } from "../parts/post-form.tsx";
import { PageForm, teamForm, type TeamForm } from "../parts/page-form.tsx";
import type { FormField } from "../parts/fields.tsx";
import type { FormState } from "../requests/form.ts";
import type { PageResult, PageRoute, TeamRequest, View, TeamFormRequest } from "../requests/page.ts";
import { t } from "../texts/texts.ts";

const needs = "admin-of-all-hives";

const statusMarks: Readonly<Record<WebhookSummary["status"], string>> = {
  received: "translated",
  waiting: "waiting",
  failed: "failing",
  disabled: "failing",
};

/** @param webhook the webhook whose secret is shown, only this once. */
async function show(
  request: TeamRequest,
  submitted?: FormState,
  notice?: string,
  webhook?: Webhook,
): Promise<View> {
  const { storage, session, link } = request;
  const { team } = session.caller;
  const webhooks = await listWebhooks(storage, team.name);
  const page = teamPage(
    request,
    "Webhooks",
    <>
      {webhook !== undefined && (
        <Command label={t("webhooks.the_secret_which_is_not")} lines={[webhook.secrets[0]?.secret ?? ""]} />
      )}
      <Listing
        none={t("webhooks.no_address_gets_the_commits")}
        columns={["address", "hive", "state", "last_received", "next_try"]}
        rows={webhooks.map((summary) => ({
          cells: cellsOf(summary, link),
          action: <Actions summary={summary} />,
        }))}
      />
      <PageForm of={newWebhook} submitted={submitted} fields={fieldsOf(team.hives)} />
    </>,
  );
  return { ...page, notice };
}

function fieldsOf(hives: readonly string[]): readonly FormField[] {
  const options = hives.map((slug) => [slug, slug] as const);
  return [
    { name: "url", type: "url", required: true, placeholder: "https://…" },
    { kind: "one", name: "hive", all: t("webhooks.all_hives_of_the_team"), options },
  ];
}

function cellsOf({ webhook, status, failure, received }: WebhookSummary, link: TeamRequest["link"]) {
  return [
    <Name name={webhook.url} />,
    webhook.hive === undefined ? (
      t("common.all_of_them")
    ) : (
      <Code name={webhook.hive} href={link(["hives", webhook.hive])} />
    ),
    <>
      <span class={`mark ${statusMarks[status]}`}>{t(`webhook.${status}`)}</span>
      {failure !== undefined && (
        <p class="aside-text">
          <Name name={failure.error} />
        </p>
      )}
    </>,
    <TimeOf at={received} />,
    <TimeOf at={failure?.retry} />,
  ];
}

function Actions({ summary: { webhook, status } }: { summary: WebhookSummary }) {
  const { link } = useReader();
  const form = { to: link(["team", "webhooks", webhook.id]), what: webhook.url };
  const to = t("webhooks.to", { url: <Name name={webhook.url} /> });
  return (
    <>
      <PostForm to={form.to}>
        {(status === "failed" || status === "disabled") && (
          <button name="change" value="resend">
            {t("webhooks.send_again")}
            <span class="visually-hidden"> {to}</span>
          </button>
        )}
        <button name="change" value="test">
          {t("webhooks.send_a_test")}
          <span class="visually-hidden"> {to}</span>
        </button>
      </PostForm>
      <Confirm
        {...form}
        of="team/webhooks/secret"
        label={t("webhooks.new_secret")}
        button={t("webhooks.make_a_new_secret")}
        hidden={{ change: "secret" }}
      />
      <Confirm {...form} button={t("common.remove_3")} hidden={{ change: "remove" }} />
    </>
  );
}

function ownerIn({ grant, context }: TeamFormRequest): WebhookOwner {
  return { team: grant.team, reauthorise: context.caller.reauthorise, by: auditedBy(grant) };
}

const newWebhook: TeamForm = {
  path: "team/webhooks",
  title: "webhooks.new_webhook",
  button: "common.add",
  needs,
  take: async (request) => {
    const { form } = request;
    const slug = form.text("hive");
    const hive = request.session.caller.team.hives.find((other) => other === slug);
    if (slug !== "" && hive === undefined) throw invalid("hive", "must be a Hive of the team");
    const wanted = { url: toWebhookUrl(form.word("url") ?? ""), hive };
    const webhook = await addWebhook(request.storage, ownerIn(request), wanted);
    return show(request, undefined, t("webhooks.added_its_messages_are_signed"), webhook);
  },
};

async function change(request: TeamFormRequest): Promise<PageResult> {
  const { storage, link, param, form, signal } = request;
  const owner = ownerIn(request);
  const id = param("webhook");
  if (form.text("change") === "remove") {
    await removeWebhook(storage, owner, id);
    return { to: link(["team", "webhooks"]), notice: "deleted" };
  }
  if (form.text("change") === "resend") {
    await resend(storage, owner, id);
    return { to: link(["team", "webhooks"]), notice: "resent" };
  }
  if (form.text("change") === "secret")
    return show(
      request,
      undefined,
      t("webhooks.it_has_a_new_secret"),
      await rotateSecret(storage, owner, id),
    );
  const outcome = await testWebhook(storage, findWebhook(storage, owner.team, id), toWebhookBody, signal);
  const notices = {
    received: t("webhooks.the_test_was_received"),
    gone: t("webhooks.the_test_was_answered"),
    stopped: t("webhooks.the_test_was_not_answered"),
    failed: t("webhooks.the_test_failed", { error: outcome.kind === "failed" ? outcome.error : "" }),
  };
  return show(request, undefined, notices[outcome.kind]);
}

const path = "/team/webhooks";

export const webhookPages: readonly PageRoute[] = [
  { kind: "team", path, needs, handler: (request) => show(request) },
  teamForm(newWebhook, show),
  { kind: "team-form", path: `${path}/:webhook`, needs, handler: change },
];
