/** The webhooks of a team with their states. */
import { invalid } from "../../../domain/errors.ts";
import { toWebhookUrl, type Webhook } from "../../../domain/hives/webhook.ts";
import {
  addWebhook,
  findWebhook,
  listWebhooks,
  removeWebhook,
  rotateSecret,
  type WebhookOwner,
  type WebhookSummary,
} from "../../../service/admin/webhooks.ts";
import { testWebhook } from "../../../service/events/webhook-delivery.ts";
import { toWebhookBody } from "../../schemas/webhook-schemas.ts";
import { Command } from "../parts/command.tsx";
import { Listing } from "../parts/listing.tsx";
import { Confirm, PostForm } from "../parts/post-form.tsx";
import { teamPage } from "../parts/navigation.ts";
import { PageForm, teamForm, type TeamForm } from "../parts/page-form.tsx";
import { Code, Name } from "../parts/text.tsx";
import { TimeOf } from "../parts/time.tsx";
import type { FormState } from "../requests/form-state.ts";
import { manageTeam } from "../requests/manage.ts";
import type { FormOf, PageResult, PageRoute, SignedInRequest, View } from "../requests/page.ts";

const statuses: Readonly<Record<WebhookSummary["status"], readonly [mark: string, words: string]>> = {
  received: ["translated", "has received all commits"],
  waiting: ["waiting", "has commits to get"],
  failed: ["failing", "the last delivery failed"],
  disabled: ["failing", "disabled: it answered that it is gone"],
};

/** @param webhook the webhook whose secret is shown, only this once. */
async function show(
  request: SignedInRequest,
  submitted?: FormState,
  notice?: string,
  webhook?: Webhook,
): Promise<View> {
  const { storage, session, link, isCopy } = request;
  const { team } = session.caller;
  manageTeam(request, true);
  const webhooks = await listWebhooks(storage, team.name);
  const hives = team.hives.map((slug) => [slug, slug] as const);
  const page = teamPage(
    request,
    "Webhooks",
    <>
      {webhook !== undefined && (
        <Command label="The secret, which is not shown again" lines={[webhook.secrets[0]?.secret ?? ""]} />
      )}
      {webhooks.length === 0 ? (
        <p>No address gets the commits of this team yet.</p>
      ) : (
        <Listing
          columns={["Address", "Hive", "State", "Last received", "Next try"]}
          rows={webhooks.map((summary) => ({
            cells: cellsOf(summary, link),
            action: isCopy ? undefined : <Actions request={request} webhook={summary.webhook} />,
          }))}
        />
      )}
      {!isCopy && (
        <>
          <h2>New webhook</h2>
          <PageForm
            of={newWebhook}
            request={request}
            submitted={submitted}
            fields={[
              { name: "url", label: "Address", type: "url", required: true, placeholder: "https://…" },
              { kind: "one", name: "hive", label: "Hive", all: "All Hives of the team", options: hives },
            ]}
          />
        </>
      )}
    </>,
  );
  return { ...page, notice };
}

function cellsOf({ webhook, status, failure, received }: WebhookSummary, link: SignedInRequest["link"]) {
  const [mark, words] = statuses[status];
  return [
    <Name name={webhook.url} />,
    webhook.hive === undefined ? (
      "all"
    ) : (
      <a href={link(["hives", webhook.hive])}>
        <Code name={webhook.hive} />
      </a>
    ),
    <>
      <span class={`mark ${mark}`}>{words}</span>
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

function Actions({ request, webhook }: { readonly request: SignedInRequest; readonly webhook: Webhook }) {
  const { session, link } = request;
  const form = { session, to: link(["team", "webhooks", webhook.id]), what: webhook.url };
  return (
    <>
      <PostForm session={session} to={form.to}>
        <button name="change" value="test">
          Send a test{" "}
          <span class="visually-hidden">
            to <Name name={webhook.url} />
          </span>
        </button>
      </PostForm>
      <Confirm {...form} label="New secret…" button="Make a new secret" fields={{ change: "secret" }}>
        <p>The present one signs, too, for a day.</p>
      </Confirm>
      <Confirm {...form} label="Remove…" button="Remove" fields={{ change: "remove" }} />
    </>
  );
}

function ownerIn(request: SignedInRequest): WebhookOwner {
  const { grant, context } = manageTeam(request, true);
  return { team: grant.team, reauthorise: context.caller.reauthorise };
}

const newWebhook: TeamForm = {
  path: "team/webhooks",
  button: "Add",
  take: async ({ form, ...request }) => {
    const slug = form.text("hive");
    const hive = request.session.caller.team.hives.find((other) => other === slug);
    if (slug !== "" && hive === undefined) throw invalid("hive", "must be a Hive of the team");
    const wanted = { url: toWebhookUrl(form.word("url") ?? ""), hive };
    const webhook = await addWebhook(request.storage, ownerIn(request), wanted);
    return show(request, undefined, "Added. Its messages are signed with the secret below.", webhook);
  },
};

async function change({ form, ...request }: FormOf<SignedInRequest>): Promise<PageResult> {
  const { storage, link, param, event } = request;
  const owner = ownerIn(request);
  const id = param("webhook");
  if (form.text("change") === "remove") {
    await removeWebhook(storage, owner, id);
    return { to: link(["team", "webhooks"]), notice: "deleted" };
  }
  if (form.text("change") === "secret")
    return show(request, undefined, "It has a new secret.", await rotateSecret(storage, owner, id));
  const outcome = await testWebhook(
    storage,
    findWebhook(storage, owner.team, id),
    toWebhookBody,
    event.req.signal,
  );
  const notices = {
    received: "The test was received.",
    gone: "The test was answered: the address is gone.",
    stopped: "The test was not answered.",
    failed: `The test failed: ${outcome.kind === "failed" ? outcome.error : ""}`,
  };
  return show(request, undefined, notices[outcome.kind]);
}

const path = "/team/webhooks";

export const webhookPages: readonly PageRoute[] = [
  { kind: "signed-in", path, handler: (request) => show(request) },
  teamForm(newWebhook, show),
  { kind: "signed-in-form", path: `${path}/:webhook`, handler: change },
];
