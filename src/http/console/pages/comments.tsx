/** All comments on the strings of a Hive, with filters; and the forms of comments, wherever they stand. */
import { z } from "zod";
import { commentChange, newComment } from "../../../api/comments.ts";
import { pageQuery, toOffsetLimit, type PageQuery } from "../../../api/page.ts";
import { writerOf } from "../../../domain/access/principal.ts";
import type { Oid } from "../../../domain/names.ts";
import { isRecord } from "../../../domain/record.ts";
import { jsonOrUndefined } from "../../../domain/json.ts";
import type { Page } from "../../../domain/pagination.ts";
import { listComments, type PlacedComment } from "../../../service/content/comment-lists.ts";
import { changeComment, createComment, deleteComment } from "../../../service/content/comments.ts";
import { once } from "../../../api/objects.ts";
import { check } from "../../schemas/schemas.ts";
import { Said } from "../notes/comments.tsx";
import { localeOptions } from "../parts/fields.tsx";
import { Empty, hivePage, mayWriteAll, Pager } from "../parts/navigation.tsx";
import { FilterForm } from "../parts/page-form.tsx";
import { Key, Name } from "../parts/text.tsx";
import { useHive } from "../requests/context.tsx";
import { readFiltered, refusedBy, type Filtered } from "../requests/form.ts";
import { stringLink, type LinkQuery } from "../requests/links.ts";
import type { HiveFormRequest, HiveRequest, PageResult, PageRoute, View } from "../requests/page.ts";
import { undoOf } from "../requests/undoable.ts";
import { t, type NoticeName } from "../texts/texts.ts";
import { showRefusedComment } from "./string.tsx";

const perPage = 50;
/** How much of a comment is shown in the list. */
const maxInList = 500;

const shown = ["open", "others", "questions", "mine"] as const;

const listQuery = pageQuery.pick({ page: true }).extend({
  show: z.enum(shown, `must be ${shown.join(", ")}`).optional(),
  locale: once,
  file: once,
});

async function show(request: HiveRequest): Promise<View> {
  const { storage, branch, query, session } = request;
  const filtered = await readFiltered(listQuery, query, async ({ page, ...filter }) => {
    const paging = { page, per_page: perPage };
    const own = writerOf(session.caller.principal) ?? "";
    const list = await listComments(storage, branch, {
      ...toOffsetLimit(paging),
      open: filter.show === "open" || filter.show === "others" ? true : undefined,
      ask: filter.show === "questions" ? true : undefined,
      by: filter.show === "mine" ? own : undefined,
      notBy: filter.show === "others" ? own : undefined,
      locale: filter.locale,
      file: filter.file,
    });
    return { ...(await list.read()), paging, filter };
  });
  const page = hivePage(
    request,
    "Strings",
    <>
      <Filters filtered={filtered} />
      {filtered.result !== undefined && <Found {...filtered.result} />}
    </>,
    { title: t("comments.comments") },
  );
  return { ...page, status: filtered.result === undefined ? 422 : undefined };
}

function Filters({ filtered }: { filtered: Filtered<unknown> }) {
  const request = useHive();
  const locales = localeOptions(request, request.settings?.targetLocales ?? []);
  const all = t("common.all");
  const kinds = shown.map((one) => [one, t(`comments.show_${one}`)] as const);
  return (
    <FilterForm
      page={["comments"]}
      state={filtered}
      fields={[
        { kind: "one", name: "show", label: t("comments.which"), all, options: kinds },
        { kind: "one", name: "locale", all, options: locales },
        { name: "file" },
      ]}
    />
  );
}

function Found(props: Page<PlacedComment> & { paging: PageQuery; filter: LinkQuery }) {
  const { entries, total, paging, filter } = props;
  const { hiveLink } = useHive();
  const isEmpty = total === 0 && Object.values(filter).every((value) => value === undefined);
  return (
    <>
      {isEmpty ? (
        <Empty text={t("comments.none_yet")} to={hiveLink(["strings"])} action="translate.all_strings" />
      ) : (
        <p class="count">{t("comments.found", { count: total })}</p>
      )}
      <ol class="thread">
        {entries.map((comment) => (
          <li id={`comment-${comment.id}`}>
            <div class="heading">
              <Key name={comment.key} href={`${stringLink(hiveLink, comment.file, comment.key)}#comments`} />{" "}
              <Name name={comment.file} href={hiveLink(["comments"], { file: comment.file })} class="file" />
            </div>
            <Said comment={comment} place={{ in: "list", filters: filter }} limit={maxInList} />
          </li>
        ))}
      </ol>
      <Pager paging={paging} total={total} path={["comments"]} query={filter} />
    </>
  );
}

const kinds = z.enum(["comment", "text", "settle", "open", "delete"], "must be a change of comments");

const notices = {
  comment: "commented",
  text: "comment-changed",
  settle: "settled",
  open: "opened-again",
  delete: "comment-deleted",
} as const satisfies Record<z.output<typeof kinds>, NoticeName>;

async function take(request: HiveFormRequest): Promise<PageResult> {
  const { storage, branch, session, form, context } = request;
  const kind = check(kinds, form.text("change"), "change");
  const [file, key, id] = [form.text("file"), form.text("key"), form.text("id")];
  const { caller } = session;
  let undo: Oid | undefined;
  try {
    if (kind === "comment") {
      const body = check(
        newComment,
        {
          file,
          key,
          text: form.text("text").trim(),
          locale: form.word("locale"),
          ask: form.word("ask") !== undefined,
          still_open: form.word("still_open") !== undefined,
          answers: form.word("answers"),
        },
        "form",
      );
      const { still_open: stillOpen, locale, answers, ...said } = body;
      const made = { ...said, stillOpen, locale: locale ?? undefined, answers: answers ?? undefined };
      await createComment(storage, caller, branch, made, context);
    } else if (kind === "delete") {
      const done = await deleteComment(storage, caller, branch, id, context);
      // Whatever else was done to a comment is changed where it stands.
      if (mayWriteAll(request)) undo = undoOf(done);
    } else {
      const given = kind === "text" ? { text: form.text("text").trim() } : { settled: kind === "settle" };
      const changed = check(commentChange, given, "form");
      await changeComment(storage, caller, branch, id, changed, context);
    }
  } catch (error) {
    const refused = refusedBy(error, "comment", form);
    // There is no page with the form: that of the error shows what was written.
    if (refused.state.problems.has("key")) throw error;
    return showRefusedComment(
      request,
      { file, key },
      { ...refused, id: kind === "comment" ? undefined : id },
    );
  }
  return { to: placeOf(request, { file, key }), notice: notices[kind], undo };
}

/** Where one goes on: the page on which the form stood. */
function placeOf(
  { form, hiveLink }: HiveFormRequest,
  at: { readonly file: string; readonly key: string },
): string {
  const filters = filtersIn(form.text("filters"));
  if (form.text("in") === "list") return hiveLink(["comments"], filters);
  if (form.text("in") === "work")
    return hiveLink(["translate", form.text("into")], { ...filters, at: `${at.file}:${at.key}` });
  return stringLink(hiveLink, at.file, at.key);
}

/** The filters of the page on which a form stood. */
function filtersIn(text: string): LinkQuery {
  const given = jsonOrUndefined(text);
  if (!isRecord(given)) return {};
  const texts = Object.entries(given).filter((pair): pair is [string, string] => typeof pair[1] === "string");
  return Object.fromEntries(texts);
}

const path = "/hives/:slug/comments";

export const commentPages: readonly PageRoute[] = [
  { kind: "hive", path, handler: show },
  { kind: "hive-form", path, ability: "read", handler: take },
];
