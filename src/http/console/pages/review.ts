/** Takes what somebody says about a translation that waits for a review. */
import { z } from "zod";
import {
  approveTranslations,
  rejectTranslations,
  type ReviewRequest,
} from "../../../service/review/review.ts";
import { isFailure } from "../../../domain/errors.ts";
import { check } from "../../schemas/schemas.ts";
import { stringLink } from "../parts/string-link.ts";
import type { HiveFormRequest, PageResult, PageRoute } from "../requests/page.ts";
import { listOf } from "./list-filters.ts";

const decision = z.enum(["approve", "reject"], "must be approve or reject");

async function review({ storage, branch, hiveLink, form, context }: HiveFormRequest): Promise<PageResult> {
  const [file, key] = [form.text("file"), form.text("key")];
  const request: ReviewRequest = { locale: form.text("locale"), file, keys: [key], seen: form.text("seen") };
  const back = listOf(form.text("back"));
  const to = back === undefined ? stringLink(hiveLink, file, key) : hiveLink(["strings"], back);
  const isApproval = check(decision, form.text("review"), "review") === "approve";
  try {
    const { result } = isApproval
      ? await approveTranslations(storage, branch, request, context)
      : await rejectTranslations(storage, branch, { ...request, reason: form.text("reason") }, context);
    if (result.reviewed === 0) return { to, notice: "reviewed-before" };
    return { to, notice: isApproval ? "approved" : "rejected" };
  } catch (error) {
    if (!isFailure(error, "text-conflict")) throw error;
    return { to, notice: "review-changed" };
  }
}

export const reviewPages: readonly PageRoute[] = [
  { kind: "hive-form", path: "/hives/:slug/review", ability: "approve", handler: review },
];
