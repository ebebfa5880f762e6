/** Webhooks of the caller's team: list, add, test, remove, and replace their secrets. */
import { invalid } from "../../domain/errors.ts";
import { toWebhookUrl, type Webhook } from "../../domain/hives/webhook.ts";
import {
  addWebhook,
  findWebhook,
  listWebhooks,
  removeWebhook,
  resend,
  rotateSecret,
  summariseWebhook,
  type WebhookOwner,
} from "../../service/admin/webhooks.ts";
import { auditedBy } from "../../service/access.ts";
import { testWebhook } from "../../service/events/webhook-delivery.ts";
import { withExample } from "../openapi/route-docs.ts";
import { teamGroup, type TeamRequest, type TeamRoute } from "../pipeline/route.ts";
import { pageQuery, toPageOf } from "../schemas/page.ts";
import {
  newWebhookResponse,
  toWebhook,
  toWebhookBody,
  webhookBody,
  webhookResponse,
  webhooksResponse,
  webhookTestResponse,
  type WebhookResponse,
} from "../schemas/webhook-schemas.ts";

function ownerIn({ grant, context }: TeamRequest): WebhookOwner {
  return { team: grant.team, reauthorise: context.caller.reauthorise, by: auditedBy(grant) };
}

async function withSecret({ storage, grant }: TeamRequest, webhook: Webhook) {
  const shown = toWebhook(await summariseWebhook(storage, grant.team, webhook));
  return { result: { ...shown, secret: webhook.secrets[0]?.secret ?? "" } };
}

const path = "/api/webhooks";
const example: WebhookResponse = {
  id: "k3v9x0q2m8za",
  url: "https://ci.example.org/skep",
  hive: "web",
  added: "2026-01-01T00:00:00.000Z",
  state: "received",
  pending: 0,
  received: "2026-01-31T09:30:01.000Z",
  error: null,
  attempts: 0,
  retry: null,
};
const teamRoute = teamGroup("Events", { ability: "admin", requiresAllHives: true });

export const webhookRoutes: readonly TeamRoute[] = [
  teamRoute("listWebhooks", "GET", path, {
    summary: "List webhooks",
    description: "The webhooks of the team with their states, in the order in which they were added.",
    query: pageQuery,
    response: webhooksResponse,
    async handler({ storage, grant, query }) {
      return { result: toPageOf(await listWebhooks(storage, grant.team), query, toWebhook) };
    },
  }),
  teamRoute("addWebhook", "POST", path, {
    summary: "Add a webhook",
    description:
      "It receives each commit of `main` from now on: of one Hive, or of all Hives of the team, including those that are created later. The webhooks in this document describe its messages.",
    body: withExample(webhookBody, { url: example.url, hive: "web" }),
    status: 201,
    response: newWebhookResponse,
    errors: ["conflict", "quota"],
    async handler(request) {
      const { storage, caller, body } = request;
      const hive = body.hive == null ? undefined : caller.team.hives.find((other) => other === body.hive);
      if (body.hive != null && hive === undefined) throw invalid("hive", "must be a Hive of the team");
      const webhook = await addWebhook(storage, ownerIn(request), { url: toWebhookUrl(body.url), hive });
      return withSecret(request, webhook);
    },
  }),
  teamRoute("removeWebhook", "DELETE", `${path}/:webhook`, {
    summary: "Remove a webhook",
    response: webhookResponse,
    async handler(request) {
      const { storage, grant, param } = request;
      const webhook = await removeWebhook(storage, ownerIn(request), param("webhook"));
      return { result: toWebhook(await summariseWebhook(storage, grant.team, webhook)) };
    },
  }),
  teamRoute("testWebhook", "POST", `${path}/:webhook/test`, {
    summary: "Send a ping to a webhook",
    description: "Sends the ping at once, and only once. Waiting deliveries do not change.",
    response: webhookTestResponse,
    async handler({ event, storage, grant, param }) {
      const webhook = findWebhook(storage, grant.team, param("webhook"));
      const outcome = await testWebhook(storage, webhook, toWebhookBody, event.req.signal);
      const error = outcome.kind === "failed" ? outcome.error : outcome.kind === "gone" ? "it is gone" : null;
      return { result: { received: outcome.kind === "received", error } };
    },
  }),
  teamRoute("resendWebhook", "POST", `${path}/:webhook/resend`, {
    summary: "Send again what a webhook has not received",
    description:
      "What failed is sent within seconds instead of at `retry`, and a webhook that is `disabled` is enabled again. Commits that it has received are not repeated.",
    response: webhookResponse,
    async handler(request) {
      const { storage, grant, param } = request;
      await resend(storage, ownerIn(request), param("webhook"));
      const webhook = findWebhook(storage, grant.team, param("webhook"));
      return { result: toWebhook(await summariseWebhook(storage, grant.team, webhook)) };
    },
  }),
  teamRoute("rotateWebhookSecret", "POST", `${path}/:webhook/secret`, {
    summary: "Replace the secret of a webhook",
    description: "For a day, requests are signed with the old secret, too.",
    response: newWebhookResponse,
    async handler(request) {
      const { storage, param } = request;
      return withSecret(request, await rotateSecret(storage, ownerIn(request), param("webhook")));
    },
  }),
];
