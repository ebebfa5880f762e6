/** What the operations of comments do. */
import { comments } from "../../api/comments.ts";
import { toOffsetLimit, toPage } from "../../api/page.ts";
import { writerOf } from "../../domain/access/principal.ts";
import { codeOf } from "../../domain/hives/locale.ts";
import { listComments, type PlacedComment } from "../../service/content/comment-lists.ts";
import { changeComment, createComment, deleteComment } from "../../service/content/comments.ts";
import { converted } from "../responses/respond.ts";
import { implementOnHive } from "./implement.ts";

function toComment({ locale, ask, withholds, settled, ...comment }: PlacedComment) {
  return {
    ...comment,
    locale: locale && codeOf(locale),
    ask: ask === true,
    withholds: withholds === true,
    settled: settled === true,
  };
}

export const commentOperations = implementOnHive(comments, {
  listComments: async ({ storage, caller, branch, query }) => {
    // Nobody has said anything as an owner of the storage.
    const by = query.by === "me" ? (writerOf(caller.principal) ?? "") : query.by;
    const wanted = { ...query, ...toOffsetLimit(query), by };
    return converted(await listComments(storage, branch, wanted), (page) => toPage(page, query, toComment));
  },
  createComment: async ({ storage, caller, branch, body, context }) => {
    const { still_open: stillOpen, locale, answers, ...said } = body;
    const request = { ...said, stillOpen, locale: locale ?? undefined, answers: answers ?? undefined };
    const made = await createComment(storage, caller, branch, request, context);
    return { ...made, result: toComment(made.result) };
  },
  changeComment: async ({ storage, caller, branch, param, body, context }) => {
    const changed = await changeComment(storage, caller, branch, param("comment"), body, context);
    return { ...changed, result: toComment(changed.result) };
  },
  deleteComment: async ({ storage, caller, branch, param, context }) => {
    const deleted = await deleteComment(storage, caller, branch, param("comment"), context);
    return { ...deleted, result: toComment(deleted.result) };
  },
});
