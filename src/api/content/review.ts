/** Translations that wait for a review: list, approve, reject. */
import { z } from "zod";
import { count, listOf, named, nullableText, queryParam, text, textAddress } from "../objects.ts";
import { operations } from "../operation.ts";

const waitingTranslation = named("WaitingTranslation", {
  ...textAddress,
  source_value: z.string(),
  translation: z.string().meta({ description: "The text that waits." }),
  approved: nullableText.meta({ description: "The text that was approved last; `null` if there is none." }),
  author: z.string().meta({ description: "The name or the id of the token that wrote the text." }),
});

const approval = named("Approval", {
  locale: text,
  file: text,
  keys: listOf(text, { message: "must be a list of keys" }),
  expected: z
    .unknown()
    .optional()
    .meta({
      // PHP sends `[]` for an empty object, and lists are objects whose keys are numbers.
      ...z.toJSONSchema(z.union([z.record(z.string(), z.unknown()), z.array(z.unknown())])),
      description:
        "The texts that were seen, by key; an empty text stands for no translation. If one is another by now, nothing is done, and the response is a 409.",
    }),
});

const approvalResult = named("ApprovalResult", {
  approved: count,
  unknown: count.meta({ description: "Keys whose translation does not wait." }),
});

const rejection = approval
  .extend({
    reason: text.meta({ minLength: 1, maxLength: 1000, description: "Becomes the message of the commit." }),
  })
  .meta({ id: "Rejection" });

const rejectionResult = named("RejectionResult", {
  rejected: count,
  unknown: count.meta({ description: "Keys whose translation does not wait." }),
});

const seen = { locale: "pt_BR", file: "auth.php", keys: ["failed"], expected: { failed: "Senha errada." } };

const decision = { errors: ["text-conflict"], isRepeatable: true, takesBranch: true } as const;
const path = "/api/hives/:slug/review";

export const review = operations(
  {
    noun: "review",
    called: "translation",
    about: "List, approve and reject translations that wait for a review.",
    path,
    key: "key",
    names: "key",
    entity: waitingTranslation,
    label: "translation",
    group: "Review",
    ability: "read",
    writes: "approve",
    hasCommit: true,
    columns: ["locale", "file", "key", "author", "source_value", "translation"],
  },
  (op) => ({
    listWaiting: op.list({
      summary: "List translations that wait for a review",
      description:
        "Texts of reviewed writers, which nobody has approved yet. Exports and channels with `state=approved` give the text that was approved last instead.",
      query: { locale: queryParam("Only translations into this locale.", "pt_BR") },
      takesBranch: true,
    }),
    approveTranslations: op.actAt("approve", `${path}/approve`, {
      ...decision,
      summary: "Approve translations",
      description:
        "The translations do not wait any more, and stale ones are confirmed. Where the locale needs two people, the caller's own texts are a 403 (`own_text`), and nothing is approved.",
      body: approval,
      example: seen,
      response: approvalResult,
    }),
    rejectTranslations: op.actAt("reject", `${path}/reject`, {
      ...decision,
      summary: "Reject translations",
      description:
        "The text that was approved last comes back; a translation without one is removed. The writer can reject their own text, too.",
      body: rejection,
      example: { ...seen, reason: "The tone is too familiar." },
      response: rejectionResult,
    }),
  }),
);
