/** Translations that wait for a review: list, approve, reject. */
import { z } from "zod";
import {
  count,
  named,
  nullableText,
  pageOf,
  text,
  textAddress,
  listOf,
  queryParam,
} from "../../../api/objects.ts";
import { codeOf } from "../../../domain/hives/locale.ts";
import { toTranslationFiles } from "../../../domain/strings/payload.ts";
import {
  approveTranslations,
  listWaiting,
  rejectTranslations,
  type ReviewRequest,
} from "../../../service/review/review.ts";
import { withExample } from "../../../api/operation.ts";
import { hiveGroup, type HiveRoute } from "../../pipeline/route.ts";
import { converted } from "../../responses/respond.ts";
import { pageQuery, toPage, toOffsetLimit } from "../../../api/page.ts";

const reviewQuery = pageQuery.extend({ locale: queryParam("Only translations into this locale.", "pt_BR") });

const waitingTranslation = named("WaitingTranslation", {
  ...textAddress,
  source_value: z.string(),
  translation: z.string().meta({ description: "The text that waits." }),
  approved: nullableText.meta({ description: "The text that was approved last; `null` if there is none." }),
  author: z.string().meta({ description: "The name or the id of the token that wrote the text." }),
});

const reviewResponse = pageOf("WaitingTranslationPage", waitingTranslation);

const approvalBody = named("Approval", {
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

const approvalResponse = named("ApprovalResult", {
  approved: count,
  unknown: count.meta({ description: "Keys whose translation does not wait." }),
});

const rejectionBody = approvalBody
  .extend({
    reason: text.meta({ minLength: 1, maxLength: 1000, description: "Becomes the message of the commit." }),
  })
  .meta({ id: "Rejection" });

const rejectionResponse = named("RejectionResult", {
  rejected: count,
  unknown: count.meta({ description: "Keys whose translation does not wait." }),
});

const path = "/api/hives/:slug/review";
const seen = { locale: "pt_BR", file: "auth.php", keys: ["failed"], expected: { failed: "Senha errada." } };

async function toRequest({
  expected,
  ...body
}: Omit<ReviewRequest, "expected"> & { readonly expected?: unknown }): Promise<ReviewRequest> {
  if (expected === undefined) return body;
  return { ...body, expected: await toTranslationFiles({ [body.file]: expected }, "expected") };
}

const { hiveRead, hiveWrite } = hiveGroup("Review", "approve", { takesBranch: true });

export const reviewRoutes: readonly HiveRoute[] = [
  hiveRead("listWaiting", path, {
    summary: "List translations that wait for a review",
    description:
      "Texts of reviewed writers, which nobody has approved yet. Exports and channels with `state=approved` give the text that was approved last instead.",
    query: reviewQuery,
    response: reviewResponse,
    async handler({ storage, branch, query }) {
      const result = await listWaiting(storage, branch, { ...toOffsetLimit(query), locale: query.locale });
      return converted(result, ({ names, ...translations }) =>
        toPage(translations, query, ({ locale, source, text: translation, by, ...waiting }) => ({
          ...waiting,
          locale: codeOf(locale),
          sourceValue: source,
          translation,
          author: names.get(by) ?? by,
        })),
      );
    },
  }),
  hiveWrite("approveTranslations", "POST", `${path}/approve`, {
    isRepeatable: true,
    summary: "Approve translations",
    description:
      "The translations do not wait any more, and stale ones are confirmed. Where the locale needs two people, the caller's own texts are a 403 (`own_text`), and nothing is approved.",
    body: withExample(approvalBody, seen),
    response: approvalResponse,
    errors: ["text-conflict"],
    async handler({ storage, branch, body, context }) {
      const { result, commit } = await approveTranslations(storage, branch, await toRequest(body), context);
      return { result: { approved: result.reviewed, unknown: result.unknown }, commit };
    },
  }),
  hiveWrite("rejectTranslations", "POST", `${path}/reject`, {
    isRepeatable: true,
    summary: "Reject translations",
    description:
      "The text that was approved last comes back; a translation without one is removed. The writer can reject their own text, too.",
    body: withExample(rejectionBody, { ...seen, reason: "The tone is too familiar." }),
    response: rejectionResponse,
    errors: ["text-conflict"],
    async handler({ storage, branch, body: { reason, ...body }, context }) {
      const request = { ...(await toRequest(body)), reason };
      const { result, commit } = await rejectTranslations(storage, branch, request, context);
      return { result: { rejected: result.reviewed, unknown: result.unknown }, commit };
    },
  }),
];
