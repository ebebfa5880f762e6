/** The webhooks of a team with their states. */
import { z } from "zod";
import type { WebhookAnswer } from "../../../api/webhooks.ts";
import { listWebhooks } from "../../../service/admin/webhooks.ts";
import { webhookOperations } from "../../operations/webhooks.ts";
import { toWebhook } from "../../schemas/event-schemas.ts";
import { check } from "../../schemas/schemas.ts";
import { Command, TimeOf, Code, Name } from "../parts/text.tsx";
import { Listing, teamPage, ListWithForm } from "../parts/navigation.tsx";
import { needsOf, OperationButtons, OperationForm, operationForms } from "../parts/operation-form.tsx";
import { offersOf } from "../parts/member-fields.ts";
import type { FormState } from "../requests/form.ts";
import type { PageRoute, TeamRequest, View } from "../requests/page.ts";
import { t } from "../texts/texts.ts";

const statusMarks: Readonly<Record<WebhookAnswer["state"], string>> = {
  received: "translated",
  waiting: "waiting",
  failed: "failing",
  disabled: "failing",
};

/** `change` names the webhook that the form edits. */
const webhooksQuery = z.object({ change: z.string().optional() });

const webhookPage = { implemented: webhookOperations, path: "team/webhooks" };

async function webhooksOf({ storage, session }: TeamRequest): Promise<readonly WebhookAnswer[]> {
  return (await listWebhooks(storage, session.caller.team.name)).map(toWebhook);
}

/** @param secret of the webhook that was made or got a new one: it is shown only this once. */
async function show(
  request: TeamRequest,
  submitted?: FormState,
  { notice, secret }: { readonly notice?: string; readonly secret?: string } = {},
): Promise<View> {
  const { session, link, query } = request;
  const webhooks = await webhooksOf(request);
  const { change } = check(webhooksQuery, submitted?.values ?? query, "query");
  const edited = webhooks.find(({ id }) => id === change);
  const page = teamPage(
    request,
    "Webhooks",
    <>
      {secret !== undefined && <Command label={t("webhooks.the_secret_which_is_not")} lines={[secret]} />}
      <ListWithForm
        list={
          <Listing
            none={t("webhooks.no_address_gets_the_commits")}
            columns={["address", "hive", "state", "last_received", "next_try"]}
            rows={webhooks.map((webhook) => ({
              cells: cellsOf(webhook, link),
              action: <OperationButtons page={webhookPage} entity={webhook} />,
            }))}
          />
        }
        form={
          <OperationForm
            page={webhookPage}
            offers={offersOf(session.caller)}
            edited={edited}
            title={edited && t("webhooks.change", { url: edited.url })}
            submitted={submitted}
          />
        }
      />
    </>,
  );
  return { ...page, notice };
}

function cellsOf({ url, hive, state, error, received, retry }: WebhookAnswer, link: TeamRequest["link"]) {
  return [
    <Name name={url} />,
    hive === null ? t("common.all_of_them") : <Code name={hive} href={link(["hives", hive])} />,
    <>
      <span class={`mark ${statusMarks[state]}`}>{t(`webhook.${state}`)}</span>
      {error !== null && (
        <p class="aside-text">
          <Name name={error} />
        </p>
      )}
    </>,
    <TimeOf at={received ?? undefined} />,
    <TimeOf at={retry ?? undefined} />,
  ];
}

const path = "/team/webhooks";

export const webhookPages: readonly PageRoute[] = [
  { kind: "team", path, needs: needsOf(webhookOperations), handler: (request) => show(request) },
  ...operationForms({
    ...webhookPage,
    show,
    editing: async (request, wanted) => {
      const entity = (await webhooksOf(request)).find(({ id }) => id === wanted);
      return entity && { entity, offers: offersOf(request.session.caller) };
    },
    done: async ({ verb }, { secret, received, error }, request) => {
      const to = request.link(["team", "webhooks"]);
      if (verb === "create" || verb === "secret") {
        const isNew = verb === "create";
        const notice = t(isNew ? "webhooks.added_its_messages_are_signed" : "webhooks.it_has_a_new_secret");
        return show(request, undefined, { notice, secret: String(secret) });
      }
      if (verb === "test") {
        const why = typeof error === "string" ? error : "";
        const failed = t("webhooks.the_test_failed", { error: why });
        return show(request, undefined, {
          notice: received === true ? t("webhooks.the_test_was_received") : failed,
        });
      }
      return { to, notice: verb === "delete" ? "deleted" : verb === "resend" ? "resent" : "saved" };
    },
  }),
];
