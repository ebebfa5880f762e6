/** Translations that wait for a review: list, approve, reject. */
import { codeOf } from "../../../domain/hives/locale.ts";
import { toTranslationFiles } from "../../../domain/strings/payload.ts";
import {
  approveTranslations,
  listWaiting,
  rejectTranslations,
  type ReviewRequest,
} from "../../../service/review/review.ts";
import { inSlices } from "../../../slices.ts";
import { withExample } from "../../openapi/route-docs.ts";
import { hiveRead, hiveWrite, type HiveRoute } from "../../pipeline/route.ts";
import { converted } from "../../responses/respond.ts";
import { metaExample, toMeta, toOffsetLimit } from "../../schemas/page.ts";
import {
  approvalBody,
  approvalResponse,
  rejectionBody,
  rejectionResponse,
  reviewQuery,
  reviewResponse,
} from "./review-schemas.ts";

const path = "/api/hives/:slug/review";
const seen = { locale: "pt_BR", file: "auth.php", keys: ["failed"], expected: { failed: "Senha errada." } };

async function toRequest({
  expected,
  ...body
}: Omit<ReviewRequest, "expected"> & { readonly expected?: unknown }): Promise<ReviewRequest> {
  if (expected === undefined) return body;
  return { ...body, expected: await inSlices(toTranslationFiles({ [body.file]: expected }, "expected")) };
}

export const reviewRoutes: readonly HiveRoute[] = [
  hiveRead({
    id: "listWaiting",
    path,
    takesBranch: true,
    group: "Review",
    summary: "List translations that wait for a review",
    description:
      "Texts of reviewed writers, which nobody has approved yet. Exports and channels with `state=approved` give the text that was approved last instead.",
    query: reviewQuery,
    response: withExample(reviewResponse, {
      data: [
        {
          locale: "pt_BR",
          file: "auth.php",
          key: "failed",
          source_value: "Wrong password.",
          translation: "Senha errada.",
          approved: null,
          author: "Translator",
        },
      ],
      meta: metaExample,
    }),
    async handler({ storage, branch, query }) {
      const result = await listWaiting(storage, branch, { ...toOffsetLimit(query), locale: query.locale });
      return converted(result, ({ translations, names, total }) => ({
        data: translations.map(({ locale, file, key, source, text, approved = null, by }) => ({
          locale: codeOf(locale),
          file,
          key,
          source_value: source,
          translation: text,
          approved,
          author: names.get(by) ?? by,
        })),
        meta: toMeta(query, total),
      }));
    },
  }),
  hiveWrite({
    id: "approveTranslations",
    method: "POST",
    path: `${path}/approve`,
    takesBranch: true,
    ability: "approve",
    isRepeatable: true,
    group: "Review",
    summary: "Approve translations",
    description:
      "The translations do not wait any more, and stale ones are confirmed. Where the locale needs two people, the caller's own texts are a 403 (`own_text`), and nothing is approved.",
    body: withExample(approvalBody, seen),
    response: withExample(approvalResponse, { approved: 1, unknown: 0 }),
    errors: ["text-conflict"],
    async handler({ storage, branch, body, context }) {
      const { result, commit } = await approveTranslations(storage, branch, await toRequest(body), context);
      return { result: { approved: result.reviewed, unknown: result.unknown }, commit };
    },
  }),
  hiveWrite({
    id: "rejectTranslations",
    method: "POST",
    path: `${path}/reject`,
    takesBranch: true,
    ability: "approve",
    isRepeatable: true,
    group: "Review",
    summary: "Reject translations",
    description:
      "The text that was approved last comes back; a translation without one is removed. The writer can reject their own text, too.",
    body: withExample(rejectionBody, { ...seen, reason: "The tone is too familiar." }),
    response: withExample(rejectionResponse, { rejected: 1, unknown: 0 }),
    errors: ["text-conflict"],
    async handler({ storage, branch, body: { reason, ...body }, context }) {
      const request = { ...(await toRequest(body)), reason };
      const { result, commit } = await rejectTranslations(storage, branch, request, context);
      return { result: { rejected: result.reviewed, unknown: result.unknown }, commit };
    },
  }),
];
