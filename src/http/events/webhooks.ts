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
import type { TeamRequest, TeamRoute } from "../pipeline/route.ts";
import { respondJson } from "../responses/respond.ts";
import { toMeta, toOffsetLimit } from "../schemas/page.ts";
import { check, pageQuery } from "../schemas/schemas.ts";
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
  return { team: grant.team, reauthorise: context.caller?.reauthorise };
}

async function list({ storage, grant, query }: TeamRequest): Promise<Response> {
  const asked = check(pageQuery, query, "query");
  const webhooks = await listWebhooks(storage, grant.team);
  const { offset, limit } = toOffsetLimit(asked);
  const data = webhooks.slice(offset, offset + limit).map(toWebhook);
  return respondJson({ data, meta: toMeta(asked, webhooks.length) });
}

async function add(request: TeamRequest): Promise<Response> {
  const { storage, caller, readJson } = request;
  const { url, hive: slug } = check(webhookBody, await readJson(), "body");
  const hive = slug == null ? undefined : caller.team.hives.find((other) => other === slug);
  if (slug != null && hive === undefined) throw invalid("hive", "must be a Hive of the team");
  const webhook = await addWebhook(storage, ownerIn(request), { url: toWebhookUrl(url), hive });
  return withSecret(request, webhook, 201);
}

async function rotate(request: TeamRequest): Promise<Response> {
  const { storage, param } = request;
  return withSecret(request, await rotateSecret(storage, ownerIn(request), param("webhook")));
}

async function withSecret(
  { storage, grant }: TeamRequest,
  webhook: Webhook,
  status: 200 | 201 = 200,
): Promise<Response> {
  const shown = toWebhook(await summariseWebhook(storage, grant.team, webhook));
  return respondJson({ ...shown, secret: webhook.secrets[0]?.secret }, { status });
}

async function remove(request: TeamRequest): Promise<Response> {
  const { storage, grant, param } = request;
  const webhook = await removeWebhook(storage, ownerIn(request), param("webhook"));
  return respondJson(toWebhook(await summariseWebhook(storage, grant.team, webhook)));
}

async function test({ event, storage, grant, param }: TeamRequest): Promise<Response> {
  const webhook = findWebhook(storage, grant.team, param("webhook"));
  const outcome = await testWebhook(storage, webhook, toWebhookBody, event.req.signal);
  const error = outcome.kind === "failed" ? outcome.error : outcome.kind === "gone" ? "it is gone" : null;
  return respondJson({ received: outcome.kind === "received", error });
}

const path = "/api/webhooks";
const common = { kind: "team", ability: "admin", requiresAllHives: true } as const;
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
const page = { current_page: 1, last_page: 1, per_page: 100, total: 1 };

export const webhookRoutes: readonly TeamRoute[] = [
  {
    ...common,
    method: "GET",
    path,
    handler: list,
    docs: {
      id: "listWebhooks",
      group: "Events",
      summary: "List webhooks",
      description: "Those of the team, with the state of each, in the order they were added.",
      query: pageQuery,
      response: withExample(webhooksResponse, { data: [example], meta: page }),
    },
  },
  {
    ...common,
    method: "POST",
    path,
    handler: add,
    docs: {
      id: "addWebhook",
      group: "Events",
      summary: "Add a webhook",
      description:
        "It receives each commit of `main` from now on: of one Hive, or of all Hives of the team, including those that are created later. See the webhooks in this document for what it receives.",
      body: withExample(webhookBody, { url: example.url, hive: "web" }),
      status: 201,
      response: withExample(newWebhookResponse, { ...example, received: null, secret }),
      errors: ["conflict", "quota"],
    },
  },
  {
    ...common,
    method: "DELETE",
    path: `${path}/:webhook`,
    handler: remove,
    docs: {
      id: "removeWebhook",
      group: "Events",
      summary: "Remove a webhook",
      response: withExample(webhookResponse, example),
    },
  },
  {
    ...common,
    method: "POST",
    path: `${path}/:webhook/test`,
    handler: test,
    docs: {
      id: "testWebhook",
      group: "Events",
      summary: "Send a ping to a webhook",
      description: "At once, and only once. It changes nothing of what is waiting.",
      response: withExample(webhookTestResponse, { received: true, error: null }),
    },
  },
  {
    ...common,
    method: "POST",
    path: `${path}/:webhook/secret`,
    handler: rotate,
    docs: {
      id: "rotateWebhookSecret",
      group: "Events",
      summary: "Replace the secret of a webhook",
      description: "For a day, requests are signed with the secret before, too.",
      response: withExample(newWebhookResponse, { ...example, secret }),
    },
  },
];
