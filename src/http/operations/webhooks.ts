/** What the operations of webhooks do. */
import { invalid } from "../../domain/errors.ts";
import { toWebhookUrl, type Webhook } from "../../domain/hives/webhook.ts";
import type { HiveSlug } from "../../domain/names.ts";
import { webhooks } from "../../api/webhooks.ts";
import { toPageOf } from "../../api/page.ts";
import {
  addWebhook,
  findWebhook,
  listWebhooks,
  removeWebhook,
  resend,
  rotateSecret,
  summariseWebhook,
  teamOfWebhook,
  updateWebhook,
} from "../../service/admin/webhooks.ts";
import { teamOwner, type TeamOwner } from "../../service/admin/managed-list.ts";
import { testWebhook } from "../../service/events/webhook-delivery.ts";
import { toWebhook, toWebhookBody } from "../schemas/event-schemas.ts";
import { implement, type OperationRequest } from "./implement.ts";

function ownerIn({ grant, context }: OperationRequest): TeamOwner {
  return teamOwner(grant, context.caller.reauthorise);
}

async function answer({ storage, grant }: OperationRequest, webhook: Webhook) {
  return { result: toWebhook(await summariseWebhook(storage, grant.team, webhook)) };
}

async function withSecret(request: OperationRequest, webhook: Webhook) {
  const { result } = await answer(request, webhook);
  return { result: { ...result, secret: webhook.secrets[0]?.secret ?? "" } };
}

/** A Hive of the caller's team, by its slug. @throws SkepError `invalid` when the team has none of that slug. */
function hiveIn({ caller }: OperationRequest, slug: string): HiveSlug {
  const hive = caller.team.hives.find((other) => other === slug);
  if (hive === undefined) throw invalid("hive", "must be a Hive of the team");
  return hive;
}

export const webhookOperations = implement(
  webhooks,
  {
    listWebhooks: async ({ storage, grant, query }) => ({
      result: toPageOf(await listWebhooks(storage, grant.team), query, toWebhook),
    }),
    getWebhook: async (request) => {
      const { storage, grant, param } = request;
      return answer(request, findWebhook(storage, grant.team, param("webhook")));
    },
    addWebhook: async (request) => {
      const { url, hive, comments } = request.body;
      const of = hive == null ? undefined : hiveIn(request, hive);
      const wanted = { url: toWebhookUrl(url), hive: of, comments };
      return withSecret(request, await addWebhook(request.storage, ownerIn(request), wanted));
    },
    updateWebhook: async (request) => {
      const { storage, param, body } = request;
      const wanted = {
        url: body.url === undefined ? undefined : toWebhookUrl(body.url),
        hive: typeof body.hive === "string" ? hiveIn(request, body.hive) : body.hive,
        comments: body.comments,
      };
      return answer(request, await updateWebhook(storage, ownerIn(request), param("webhook"), wanted));
    },
    removeWebhook: async (request) => {
      const { storage, param } = request;
      return answer(request, await removeWebhook(storage, ownerIn(request), param("webhook")));
    },
    testWebhook: async ({ event, storage, grant, param }) => {
      const webhook = findWebhook(storage, grant.team, param("webhook"));
      const outcome = await testWebhook(storage, webhook, toWebhookBody, event.req.signal);
      const error = outcome.kind === "failed" ? outcome.error : outcome.kind === "gone" ? "it is gone" : null;
      return { result: { received: outcome.kind === "received", error } };
    },
    resendWebhook: async (request) => {
      const { storage, param } = request;
      return answer(request, await resend(storage, ownerIn(request), param("webhook")));
    },
    rotateWebhookSecret: async (request) => {
      const { storage, param } = request;
      return withSecret(request, await rotateSecret(storage, ownerIn(request), param("webhook")));
    },
  },
  teamOfWebhook,
);
