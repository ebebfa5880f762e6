/** What concerns a person, and what work waits for them. */
import { z } from "zod";
import { inboxDays, maxEvents } from "../../domain/inbox/limits.ts";
import { named, nullableText, pageOf, stringAddress } from "../objects.ts";
import { operations } from "../operation.ts";
import { pageQuery } from "../page.ts";

const event = named("InboxEvent", {
  kind: z.enum(["rejected", "changed", "answered"]).meta({
    description:
      "`rejected`: a text of yours was rejected in a review; `changed`: somebody changed or removed it; `answered`: somebody commented where you had.",
  }),
  at: z.iso.datetime(),
  new: z.boolean().meta({ description: "Whether it came after what you have seen." }),
  hive: z.string().meta({ description: "Its slug." }),
  ...stringAddress,
  locale: nullableText.meta({ description: "As the Hive writes it; `null` for a comment about all." }),
  by: nullableText.meta({ description: "The id of the person or token that did it." }),
  author: nullableText.meta({ description: "Their name." }),
  before: nullableText.meta({
    description: "Your text, at most 1,000 characters of it; `null` for an answer.",
  }),
  after: nullableText.meta({ description: "The text that is there instead; `null` where none is." }),
  reason: nullableText.meta({ description: "Why it was rejected." }),
  commit: nullableText.meta({ description: "The commit that changed the text." }),
  comment: nullableText.meta({ description: "The id of the answer." }),
  text: nullableText.meta({ description: "The answer." }),
});

const amounts = {
  reviews: z.int().meta({ description: "Texts that wait for a review, where you may approve." }),
  missing: z.int().meta({ description: "Texts without a translation, where you may write." }),
  to_translate: z.int().meta({
    description: "Texts to translate, where you may write: missing, stale or with an error that checks find.",
  }),
};

const counts = named("InboxHive", {
  hive: z.string().meta({ description: "Its slug." }),
  name: z.string(),
  ...amounts,
  questions: z.int().meta({ description: "Questions of others that are open." }),
  conflicts: z.int().meta({
    description: "Changes of the first five branches that conflict with main, where you may write.",
  }),
  locales: z.array(named("InboxLocale", { code: z.string(), ...amounts })),
});

const inbox = pageOf("Inbox", event)
  .extend({
    new: z.int().meta({ description: "How many of all events are new." }),
    seen: z.iso.datetime().nullable().meta({ description: "Up to when you have seen the events." }),
    waiting: z.array(counts).meta({ description: "The Hives in which work waits for you." }),
    counted: z.boolean().meta({
      description:
        "Whether all Hives were counted; what was counted is kept, so that the next request has more.",
    }),
  })
  .meta({ id: "Inbox" });

const seenResponse = named("InboxSeen", { seen: z.iso.datetime() });

const seenBody = z
  .object(
    {
      until: z.iso
        .datetime("must be a time in UTC, such as 2026-01-31T12:00:00Z")
        .meta({ description: "The time of the newest event that was seen." }),
    },
    "must be a JSON object",
  )
  .meta({ id: "SeenInbox" });

const path = "/api/me/inbox";

export const inboxes = operations(
  {
    noun: "event",
    about: "What concerns you, and what waits for you.",
    path,
    key: "key",
    names: "key",
    entity: event,
    label: "kind",
    group: "People",
    ability: "read",
    columns: ["at", "kind", "hive", "file", "key", "locale", "author"],
  },
  (op) => ({
    showMyInbox: op.viewAt("list", path, {
      summary: "Get your inbox",
      description: `What concerns the person of the token in the Hives that it can read, the newest first: of the last ${inboxDays} days, at most ${maxEvents}, as far as the last thousand changes of a Hive's main tell who wrote what; and what waits for them. A token of nobody sees only what waits.`,
      query: pageQuery,
      response: inbox,
    }),
    markMyInboxSeen: op.actAt("seen", `${path}/seen`, {
      summary: "Mark events as seen",
      description:
        "Up to a time, all events of the inbox count as seen. An earlier time than before changes nothing.",
      body: seenBody,
      example: { until: "2026-01-31T12:00:00Z" },
      response: seenResponse,
    }),
  }),
);
