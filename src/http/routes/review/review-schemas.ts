/** The requests and responses about translations that wait for a review. */
import { z } from "zod";
import { count, named, nullableText, pageOf, text } from "../../schemas/objects.ts";
import { listOf, once, pageQuery } from "../../schemas/schemas.ts";

export const reviewQuery = pageQuery.extend({
  locale: once.meta({ description: "Only translations into this locale.", examples: ["pt_BR"] }),
});

const waitingTranslation = named("WaitingTranslation", {
  locale: z.string(),
  file: z.string(),
  key: z.string(),
  source_value: z.string(),
  translation: z.string().meta({ description: "The text that waits." }),
  approved: nullableText.meta({
    description: "The text that was approved last; `null` if there is none.",
  }),
  author: z.string().meta({ description: "The name or the id of the token that wrote the text." }),
});

export const reviewResponse = pageOf("WaitingTranslationPage", waitingTranslation);

export const approvalBody = named("Approval", {
  locale: text,
  file: text,
  keys: listOf(text, { message: "must be a list of keys" }),
  expected: z.unknown().optional().meta({
    type: "object",
    description:
      "The texts that were seen, by key; an empty text stands for no translation. If one is another by now, nothing is done, and the response is a 409.",
  }),
});

export const approvalResponse = named("ApprovalResult", {
  approved: count,
  unknown: count.meta({ description: "Keys whose translation does not wait." }),
});

export const rejectionBody = approvalBody
  .extend({
    reason: text.meta({ minLength: 1, maxLength: 1000, description: "Becomes the message of the commit." }),
  })
  .meta({ id: "Rejection" });

export const rejectionResponse = named("RejectionResult", {
  rejected: count,
  unknown: count.meta({ description: "Keys whose translation does not wait." }),
});
