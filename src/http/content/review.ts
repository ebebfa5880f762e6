/** What the operations of reviews do. */
import { review } from "../../api/content/review.ts";
import { toOffsetLimit, toPage } from "../../api/page.ts";
import { codeOf } from "../../domain/hives/locale.ts";
import { toTranslationFiles } from "../../domain/strings/payload.ts";
import {
  approveTranslations,
  listWaiting,
  rejectTranslations,
  type ReviewRequest,
} from "../../service/review/review.ts";
import { converted } from "../responses/respond.ts";
import { implementOnHive } from "../operations/implement.ts";

async function toRequest({
  expected,
  ...body
}: Omit<ReviewRequest, "expected"> & { readonly expected?: unknown }): Promise<ReviewRequest> {
  if (expected === undefined) return body;
  return { ...body, expected: await toTranslationFiles({ [body.file]: expected }, "expected") };
}

export const reviewOperations = implementOnHive(review, {
  listWaiting: async ({ storage, branch, query }) => {
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
  approveTranslations: async ({ storage, branch, body, context }) => {
    const { result, commit } = await approveTranslations(storage, branch, await toRequest(body), context);
    return { result: { approved: result.reviewed, unknown: result.unknown }, commit };
  },
  rejectTranslations: async ({ storage, branch, body: { reason, ...body }, context }) => {
    const request = { ...(await toRequest(body)), reason };
    const { result, commit } = await rejectTranslations(storage, branch, request, context);
    return { result: { rejected: result.reviewed, unknown: result.unknown }, commit };
  },
});
