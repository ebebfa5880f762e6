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
import { toWebhook, toWebhookBody, webhookResponse, webhookFields } from "../schemas/event-schemas.ts";
import { z } from "zod";
import { slugPattern } from "../../domain/names.ts";
import { named, nullableText, pageOf, text } from "../schemas/objects.ts";

const exampleUrl = "https://ci.example.org/skep";

const webhookBody = named("NewWebhook", {
  url: text.meta({
    pattern: "^https?://",
    description: "An https URL.",
    examples: [exampleUrl],
  }),
  hive: text
    .nullish()
    .meta({ pattern: slugPattern.source, description: "The Hive; all of the team if not given." }),
});

const newWebhookResponse = webhookFields
  .extend({
    secret: z.string().meta({ description: "The secret that signs messages. Only this response shows it." }),
  })
  .meta({ id: "WebhookWithSecret" });

const webhooksResponse = pageOf("WebhookPage", webhookResponse);

const webhookTestResponse = named("WebhookTest", {
  received: z.boolean(),
  error: nullableText.meta({ description: "Why it was not received." }),
});

function ownerIn({ grant, context }: TeamRequest): WebhookOwner {
  return { team: grant.team, reauthorise: context.caller.reauthorise, by: auditedBy(grant) };
}

async function answer({ storage, grant }: TeamRequest, webhook: Webhook) {
  return { result: toWebhook(await summariseWebhook(storage, grant.team, webhook)) };
}

async function withSecret(request: TeamRequest, webhook: Webhook) {
  const { result } = await answer(request, webhook);
  return { result: { ...result, secret: webhook.secrets[0]?.secret ?? "" } };
}

const path = "/api/webhooks";
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
    body: withExample(webhookBody, { url: exampleUrl, hive: "web" }),
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
      const { storage, param } = request;
      return answer(request, await removeWebhook(storage, ownerIn(request), param("webhook")));
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
      return answer(request, findWebhook(storage, grant.team, param("webhook")));
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
