/** Takes the form of what is done with the selected strings of a list at once. */
import type { AnsweredItem } from "../../../domain/work/work.ts";
import type { completeWork } from "../../../service/work/complete-work.ts";
import { selectionToken } from "../../../service/work/selection.ts";
import { tagStrings } from "../../../service/work/tag-strings.ts";
import { check } from "../../schemas/schemas.ts";
import { filtersOf, translateQuery } from "../desk/queue.tsx";
import { listedItems, listedTags, selectedIn, type ListedChange } from "../editor/answer-form.ts";
import { refusedBulk, wholeField } from "../editor/bulk.tsx";
import type { LinkQuery } from "../requests/links.ts";
import type { HiveFormRequest, PageResult, Redirect, View } from "../requests/page.ts";
import { undoOf } from "../requests/undoable.ts";
import { t } from "../texts/texts.ts";
import { showSelection } from "./selection.tsx";
import { listOf, showStrings } from "./strings.tsx";

const notices = {
  approve: "approved",
  confirm: "confirmed",
  remove: "removed",
  reject: "rejected",
  tag: "strings-tagged",
  untag: "strings-untagged",
} as const;

type Done = Exclude<ListedChange, "replace">;
type Complete = (items: readonly AnsweredItem[]) => ReturnType<typeof completeWork>;

/**
 * Does something with the strings that were selected in a list, or on the page of work. Where nothing is done, the list comes back
 * with what was selected and written.
 * @param complete gives answers to strings.
 * @throws errors that are not about the form.
 */
export async function answerListed(
  request: HiveFormRequest,
  change: ListedChange,
  complete: Complete,
): Promise<PageResult> {
  const { form, hiveLink } = request;
  const list = listOf(form.text("back"));
  const to =
    list === undefined
      ? hiveLink(
          ["translate", request.param("locale")],
          filtersOf(check(translateQuery, request.query, "query")),
        )
      : hiveLink(["strings"], list);
  // The page of work has nothing to be written beside its boxes.
  const none = (notice: "nothing-selected" | "done-none"): Promise<PageResult> =>
    list === undefined ? Promise.resolve({ to, notice }) : again(request, list, t(`notice.${notice}`));
  const selected = selectedIn(form);
  if (selected.length === 0) return none("nothing-selected");
  if (change === "replace")
    return {
      to: hiveLink(["replace"], { locale: request.param("locale"), among: selectionToken(selected) }),
    };
  let done: Awaited<ReturnType<typeof doneBy>>;
  try {
    done = await doneBy(request, change, complete);
  } catch (error) {
    if (list === undefined) throw error;
    return again(request, list, error);
  }
  const { left, ...made } = done;
  if (left === selected.length) return none("done-none");
  const said = left === 0 ? { notice: notices[change] } : { notice: "done-some" as const, count: left };
  return { to, ...made, ...said };
}

/** @returns also how many strings are as they were. */
async function doneBy(
  request: HiveFormRequest,
  change: Done,
  complete: Complete,
): Promise<Pick<Redirect, "undo" | "waits"> & { readonly left: number }> {
  const { storage, branch, session, context, form } = request;
  if (change === "tag" || change === "untag") {
    const tagging = listedTags(form, change);
    const done = await tagStrings(storage, session.caller, branch, tagging, context);
    return { left: done.result.left, undo: undoOf(done) };
  }
  const { result: results, waiting, ...done } = await complete(listedItems(form, change));
  const left = results.filter(({ status }) => status !== notices[change]).length;
  return { left, undo: undoOf(done), waits: waiting };
}

/**
 * Shows the list again, or the page of all that it has found.
 * @param why the problem, or the error.
 * @throws an error that is not about the form.
 */
async function again(request: HiveFormRequest, list: LinkQuery, why: unknown): Promise<View> {
  const refused = refusedBulk(request.form, why);
  const { locale: _, ...filters } = list;
  const isWhole = request.form.text(wholeField) !== "";
  const given = Object.entries(isWhole ? filters : list).filter(([, value]) => value !== undefined);
  // In an address, the number of a page is a text.
  const query = Object.fromEntries(given.map(([name, value]) => [name, String(value)]));
  const show = isWhole ? showSelection : showStrings;
  return request.runSlowRead((signal) => show({ ...request, query, signal }, refused));
}
