/** Webhooks of a team: addresses that get each commit of `main`. */
import { z } from "zod";
import { slugPattern } from "../domain/names.ts";
import { count, named, nullableText, text } from "./objects.ts";
import { operations } from "./operation.ts";

const time = z.iso.datetime();

const members = z.object({
  id: z.string(),
  url: z.string(),
  hive: nullableText.meta({ description: "`null` for all Hives of the team." }),
  comments: z.boolean().meta({ description: "Whether it receives commits that only hold comments." }),
  added: time,
  state: z.enum(["received", "waiting", "failed", "disabled"]).meta({
    description:
      "`received`: it has received all commits. `waiting`: some are about to be sent. `failed`: the last delivery failed and is tried again. `disabled`: it answered with 410, and nothing more is sent.",
  }),
  pending: count.meta({ description: "How many Hives have commits that it has not received." }),
  received: time.nullable().meta({ description: "When it last received a commit." }),
  error: nullableText.meta({ description: "Why the last delivery failed." }),
  attempts: count.meta({ description: "How many consecutive deliveries have failed." }),
  retry: time.nullable().meta({ description: "When the delivery is tried again." }),
});

/** A webhook in an answer. Its secrets are not shown. */
export const webhook = members.meta({ id: "Webhook" });
export type WebhookAnswer = z.infer<typeof webhook>;

const webhookSecret = members
  .extend({
    secret: z.string().meta({ description: "The secret that signs messages. Only this response shows it." }),
  })
  .meta({ id: "WebhookWithSecret" });

const webhookTest = named("WebhookTest", {
  received: z.boolean(),
  error: nullableText.meta({ description: "Why it was not received." }),
});

const url = "https://ci.example.org/skep";

const wanted = {
  url: text.meta({ pattern: "^https?://", description: "An https URL.", examples: [url] }),
  hive: text
    .nullish()
    .meta({ pattern: slugPattern.source, description: "The Hive; all of the team if not given." }),
  comments: z.boolean("must be true or false").optional().meta({
    default: true,
    description: "Whether it receives commits that only hold comments.",
  }),
};

const fields = {
  hive: { options: "hives", none: "webhooks.all_hives_of_the_team" },
  comments: { initial: true },
} as const;

const help = `It receives each commit of main from now on, as a POST request that is signed as Standard
Webhooks specifies (standardwebhooks.com). The secret is printed once. Without a 2xx response,
the request is repeated after 2 s, 4 s, and so on up to half an hour; the commits of a Hive
arrive in order. A 410 disables the webhook, until skep webhook resend.

Addresses are https and public, unless --webhook-allow of the server allows others.`;

export const webhooks = operations(
  {
    noun: "webhook",
    about: "Send commits to webhooks, as signed requests.",
    path: "/api/webhooks",
    key: "webhook",
    entity: webhook,
    label: "url",
    group: "Events",
    ability: "admin",
    allHives: true,
    columns: ["id", "hive", "url", "state", "pending", "received", "retry", "error"],
    nulls: { hive: "all" },
  },
  (op) => ({
    listWebhooks: op.list({
      summary: "List webhooks",
      description: "The webhooks of the team with their states, in the order in which they were added.",
    }),
    getWebhook: op.show({ summary: "Get a webhook" }),
    addWebhook: op.create({
      summary: "Add a webhook",
      description:
        "It receives each commit of `main` from now on: of one Hive, or of all Hives of the team, including those that are created later. The webhooks in this document describe its messages.",
      body: named("NewWebhook", wanted),
      example: { url, hive: "web" },
      response: webhookSecret,
      errors: ["conflict", "quota", "too-many-attempts"],
      command: { args: ["url"], prints: "secret", help },
      form: { title: "webhooks.new_webhook", button: "common.add", fields },
    }),
    updateWebhook: op.edit({
      summary: "Change a webhook",
      description:
        "What it has received stays as it is: after a change of its Hive, it receives the commits from now on of Hives that it did not have before.",
      body: named("WebhookChange", {
        url: wanted.url.optional(),
        hive: wanted.hive.meta({
          pattern: slugPattern.source,
          description: "The Hive; `null` for all of the team.",
        }),
        comments: wanted.comments.meta({ default: undefined }),
      }),
      example: { url },
      errors: ["conflict", "too-many-attempts"],
      form: { button: "common.save", fields },
    }),
    removeWebhook: op.delete({
      summary: "Remove a webhook",
      command: { was: "remove" },
      form: { button: "common.remove_3", confirms: true },
    }),
    testWebhook: op.act("test", {
      summary: "Send a ping to a webhook",
      description: "Sends the ping at once, and only once. Waiting deliveries do not change.",
      response: webhookTest,
      command: { fails: "received", done: "It was received.", failed: "It was not received" },
      form: { button: "webhooks.send_a_test" },
    }),
    resendWebhook: op.act("resend", {
      summary: "Send again what a webhook has not received",
      description:
        "What failed is sent within seconds instead of at `retry`, and a webhook that is `disabled` is enabled again. Commits that it has received are not repeated.",
      command: { done: "What it has not received is sent again." },
      form: { button: "webhooks.send_again", states: ["failed", "disabled"] },
    }),
    rotateWebhookSecret: op.act("secret", {
      summary: "Replace the secret of a webhook",
      description: "For a day, requests are signed with the old secret, too.",
      response: webhookSecret,
      errors: ["too-many-attempts"],
      command: { name: "rotate", prints: "secret" },
      form: { title: "webhooks.new_secret", button: "webhooks.make_a_new_secret", confirms: true },
    }),
  }),
);
