/** Webhooks of the caller's team: list, add, test, remove, and replace their secrets. */
import { invalid } from "../../domain/errors.ts";
import { toWebhookUrl, type Webhook } from "../../domain/hives/webhook.ts";
import {
  addWebhook,
  findWebhook,
  listWebhooks,
  removeWebhook,
  rotateSecret,
  summariseWebhook,
  type WebhookOwner,
} from "../../service/admin/webhooks.ts";
import { testWebhook } from "../../service/events/webhook-delivery.ts";
import { withExample } from "../openapi/route-docs.ts";
import { teamRoute, type TeamRequest, type TeamRoute } from "../pipeline/route.ts";
import { metaExample, toPage } from "../schemas/page.ts";
import { pageQuery } from "../schemas/schemas.ts";
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
  return { team: grant.team, reauthorise: context.caller.reauthorise };
}

async function withSecret({ storage, grant }: TeamRequest, webhook: Webhook) {
  const shown = toWebhook(await summariseWebhook(storage, grant.team, webhook));
  return { result: { ...shown, secret: webhook.secrets[0]?.secret ?? "" } };
}

const path = "/api/webhooks";
const common = { ability: "admin", requiresAllHives: true } as const;
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
const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=";

export const webhookRoutes: readonly TeamRoute[] = [
  teamRoute({
    id: "listWebhooks",
    ...common,
    method: "GET",
    path,
    group: "Events",
    summary: "List webhooks",
    description: "The webhooks of the team with their states, in the order in which they were added.",
    query: pageQuery,
    response: withExample(webhooksResponse, { data: [example], meta: metaExample }),
    async handler({ storage, grant, query }) {
      return { result: toPage(await listWebhooks(storage, grant.team), query, toWebhook) };
    },
  }),
  teamRoute({
    id: "addWebhook",
    ...common,
    method: "POST",
    path,
    group: "Events",
    summary: "Add a webhook",
    description:
      "It receives each commit of `main` from now on: of one Hive, or of all Hives of the team, including those that are created later. The webhooks in this document describe its messages.",
    body: withExample(webhookBody, { url: example.url, hive: "web" }),
    status: 201,
    response: withExample(newWebhookResponse, { ...example, received: null, secret }),
    errors: ["conflict", "quota"],
    async handler(request) {
      const { storage, caller, body } = request;
      const hive = body.hive == null ? undefined : caller.team.hives.find((other) => other === body.hive);
      if (body.hive != null && hive === undefined) throw invalid("hive", "must be a Hive of the team");
      const webhook = await addWebhook(storage, ownerIn(request), { url: toWebhookUrl(body.url), hive });
      return withSecret(request, webhook);
    },
  }),
  teamRoute({
    id: "removeWebhook",
    ...common,
    method: "DELETE",
    path: `${path}/:webhook`,
    group: "Events",
    summary: "Remove a webhook",
    response: withExample(webhookResponse, example),
    async handler(request) {
      const { storage, grant, param } = request;
      const webhook = await removeWebhook(storage, ownerIn(request), param("webhook"));
      return { result: toWebhook(await summariseWebhook(storage, grant.team, webhook)) };
    },
  }),
  teamRoute({
    id: "testWebhook",
    ...common,
    method: "POST",
    path: `${path}/:webhook/test`,
    group: "Events",
    summary: "Send a ping to a webhook",
    description: "Sends the ping at once, and only once. Waiting deliveries do not change.",
    response: withExample(webhookTestResponse, { received: true, error: null }),
    async handler({ event, storage, grant, param }) {
      const webhook = findWebhook(storage, grant.team, param("webhook"));
      const outcome = await testWebhook(storage, webhook, toWebhookBody, event.req.signal);
      const error = outcome.kind === "failed" ? outcome.error : outcome.kind === "gone" ? "it is gone" : null;
      return { result: { received: outcome.kind === "received", error } };
    },
  }),
  teamRoute({
    id: "rotateWebhookSecret",
    ...common,
    method: "POST",
    path: `${path}/:webhook/secret`,
    group: "Events",
    summary: "Replace the secret of a webhook",
    description: "For a day, requests are signed with the old secret, too.",
    response: withExample(newWebhookResponse, { ...example, secret }),
    async handler(request) {
      const { storage, param } = request;
      return withSecret(request, await rotateSecret(storage, ownerIn(request), param("webhook")));
    },
  }),
];
