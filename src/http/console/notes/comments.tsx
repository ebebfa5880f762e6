/** The comments on a string: what was said, and the forms that add to it, change it and settle questions. */
import { writerOf } from "../../../domain/access/principal.ts";
import { codeOf, type Locale } from "../../../domain/hives/locale.ts";
import { isOpen } from "../../../domain/notes/thread.ts";
import type { PlacedComment } from "../../../service/content/comment-lists.ts";
import { mayComment, rightsOn } from "../../../service/content/comments.ts";
import { Fields, localeOptions, problemsAt, writtenNames, type FormField } from "../parts/fields.tsx";
import { Confirm, PostForm } from "../parts/post-form.tsx";
import { Facts, Name, Text, TimeOf } from "../parts/text.tsx";
import { useHive } from "../requests/context.tsx";
import { stateOf, type RefusedForm } from "../requests/form.ts";
import { stringLink, type LinkQuery } from "../requests/links.ts";
import { languageName, t } from "../texts/texts.ts";

/** Where a form of comments stands, and so where one goes on from there. */
export type CommentPlace =
  | { readonly in: "string" }
  | { readonly in: "work"; readonly locale: Locale; readonly filters: LinkQuery }
  | { readonly in: "list"; readonly filters: LinkQuery };

/** The hidden fields that say where a form stands. */
function placeFields(place: CommentPlace): Readonly<Record<string, string>> {
  if (place.in === "string") return { in: place.in };
  const filters = JSON.stringify(place.filters);
  return place.in === "list"
    ? { in: place.in, filters }
    : { in: place.in, into: codeOf(place.locale), filters };
}

/** A form that was refused. */
export interface RefusedComment extends RefusedForm {
  /** The comment that was to be changed, which may be no more; undefined for a new one. */
  readonly id: string | undefined;
}

interface CommentProps {
  readonly comment: PlacedComment;
  readonly place: CommentPlace;
  readonly refused?: RefusedComment;
}

/** The comments on a string, folded unless a question is open, and the form for another. */
export function Thread(props: {
  thread: readonly PlacedComment[];
  /** The string, by the key of any of its forms. */
  at: { readonly file: string; readonly key: string };
  /** The languages that it may be about. */
  locales: readonly Locale[];
  place: CommentPlace;
  refused?: RefusedComment;
}) {
  const { thread, at, locales, place, refused } = props;
  const { session, hiveLink } = useHive();
  const { principal } = session.caller;
  const mayAdd = mayComment(principal);
  const changed = thread.find(({ id }) => id === refused?.id);
  const hasOwnForm = changed !== undefined && rightsOn(changed, writerOf(principal), principal).mayEdit;
  const open = thread.filter(isOpen);
  if (thread.length === 0 && !mayAdd) return null;
  const isUnfolded = open.length > 0 || refused !== undefined;
  return (
    // One that nobody opens takes no focus.
    <details class="comments" id="comments" open={isUnfolded} data-restored={isUnfolded ? "" : undefined}>
      <summary>
        {thread.length === 0 ? t("comments.comments") : t("comments.count", { count: thread.length })}{" "}
        {open.length > 0 && (
          <span class="mark waiting">{t("hive.open_questions", { count: open.length })}</span>
        )}
      </summary>
      {thread.length > 0 && (
        <ol class="thread">
          {thread.map((comment) => (
            <li id={`comment-${comment.id}`}>
              <Comment comment={comment} place={place} refused={refused} />
            </li>
          ))}
        </ol>
      )}
      {mayAdd && (
        <CommentForm
          at={at}
          open={open[0]}
          locales={locales}
          place={place}
          // What was written of a comment that somebody has deleted meanwhile is lost nowhere else.
          refused={hasOwnForm ? undefined : refused}
        />
      )}
      {thread.length > 0 && (
        <p class="small">
          <a href={hiveLink(["comments"])}>{t("comments.all_of_the_hive")}</a>
        </p>
      )}
    </details>
  );
}

/** A comment with what one may do with it; a settled question is folded. */
function Comment(props: CommentProps) {
  const { comment } = props;
  if (comment.settled !== true) return <Said {...props} />;
  return (
    <details class="settled">
      <summary>
        <span class="soft">{t("comments.settled")}</span>{" "}
        <Text text={comment.text.trimStart().split("\n", 1)[0] ?? ""} limit={maxFolded} />
      </summary>
      <Said {...props} />
    </details>
  );
}

/** How much of a settled question is shown. */
const maxFolded = 80;

/** What somebody said, and when, with the buttons for it. @param props.limit how much of it is shown. */
export function Said({ limit, ...props }: CommentProps & { limit?: number }) {
  const { comment } = props;
  return (
    <>
      <CommentFacts comment={comment} />
      <p class="said">
        <Text text={comment.text} limit={limit} />
      </p>
      <Actions {...props} />
    </>
  );
}

function CommentFacts({ comment }: Pick<CommentProps, "comment">) {
  const { author, at, locale, ask, withholds } = comment;
  const isWaiting = isOpen(comment);
  return (
    <Facts
      items={[
        <Name name={author ?? t("comments.somebody")} />,
        <TimeOf at={at} />,
        locale !== undefined && languageName(locale),
        ask === true && (
          <span class={isWaiting ? "mark waiting" : "soft"}>
            {t(isWaiting ? "comments.open_question" : "comments.settled_question")}
          </span>
        ),
        isWaiting && withholds === true && t("comments.withholds"),
      ]}
    />
  );
}

function Actions({ comment, place, refused }: CommentProps) {
  const { session, hiveLink } = useHive();
  const { principal } = session.caller;
  const { mayEdit, maySettle, mayDelete } = rightsOn(comment, writerOf(principal), principal);
  if (!mayComment(principal)) return null;
  const { id, file, key, ask } = comment;
  const hidden = { ...placeFields(place), id, file, key };
  const to = hiveLink(["comments"]);
  const isWaiting = isOpen(comment);
  const refusedHere = refused?.id === id ? refused : undefined;
  return (
    <div class="actions small">
      {ask === true && maySettle && (
        <PostForm to={to} class="inplace" hidden={{ ...hidden, change: isWaiting ? "settle" : "open" }}>
          <button class="quiet">{t(isWaiting ? "comments.settle" : "comments.open_again")}</button>
        </PostForm>
      )}
      {place.in === "list" && isWaiting && (
        <a class="quiet button" href={`${stringLink(hiveLink, file, key)}#comments`}>
          {t("comments.answer")}
        </a>
      )}
      {mayEdit && place.in !== "list" && (
        <details class="editing" open={refusedHere !== undefined}>
          <summary>{t("comments.change")}</summary>
          <PostForm
            to={to}
            class="stacked inplace comment"
            draft={`change ${id}`}
            isUnsaved={refusedHere !== undefined}
            hidden={{ ...hidden, ...writtenNames(changeFields(comment)), change: "text" }}
          >
            <Refusal refused={refusedHere} fields={changeFields(comment)} form={`comment-${id}`} />
            <button class="primary">{t("common.save")}</button>
          </PostForm>
        </details>
      )}
      {mayDelete && (
        <Confirm
          to={to}
          hidden={{ ...hidden, change: "delete" }}
          label={t("comments.delete")}
          what={t("comments.the_comment_of", { author: comment.author ?? t("comments.somebody") })}
          explained={t("comments.history_keeps_it")}
          button={t("comments.delete_it")}
        />
      )}
    </div>
  );
}

function changeFields({ text }: Pick<PlacedComment, "text">): readonly FormField[] {
  return [
    { kind: "area", class: "wide", name: "text", label: t("comments.your_comment"), value: text, rows: 3 },
  ];
}

/** The fields of a form, with what was wrong when it was refused. */
function Refusal(props: { refused: RefusedForm | undefined; fields: readonly FormField[]; form: string }) {
  const { refused, fields, form } = props;
  const sent = refused === undefined ? stateOf(undefined, form) : { ...refused.state, form };
  const { at: problems, others } = problemsAt(sent, fields);
  return (
    <>
      {refused !== undefined && (
        <p class="notice wrong" role="alert">
          {t("common.nothing_was_saved")}{" "}
          {others.map((problem) => (
            <Name name={problem} />
          ))}
        </p>
      )}
      <Fields fields={fields} state={{ ...sent, problems }} />
    </>
  );
}

/** The form for another comment: an answer where a question is open. */
function CommentForm(props: {
  at: { readonly file: string; readonly key: string };
  open: PlacedComment | undefined;
  locales: readonly Locale[];
  place: CommentPlace;
  refused?: RefusedComment;
}) {
  const { at, open, locales, place, refused } = props;
  const { session, hiveLink } = useHive();
  const { principal } = session.caller;
  const by = writerOf(principal);
  const isOwn = open !== undefined && open.by === by;
  const maySettle = open !== undefined && rightsOn(open, by, principal).maySettle;
  const name = t(open === undefined ? "comments.comment" : "comments.answer");
  const fields: readonly FormField[] = [
    { kind: "area", class: "wide", name: "text", label: name, rows: 3 },
    {
      kind: "one",
      name: "locale",
      label: t("comments.about"),
      all: t("comments.all_languages"),
      options: localeOptions(useHive(), locales),
    },
    { kind: "switch", name: "ask", label: t("comments.this_is_a_question") },
    ...(maySettle
      ? [{ kind: "switch", name: "still_open", label: t("comments.still_open"), isOn: isOwn } as const]
      : []),
  ];
  return (
    <PostForm
      to={hiveLink(["comments"])}
      class="stacked inplace comment"
      draft={`comment ${at.file}:${at.key}`}
      isUnsaved={refused !== undefined}
      hidden={{
        ...placeFields(place),
        ...writtenNames(fields),
        ...at,
        change: "comment",
        ...(open !== undefined && { answers: open.id }),
      }}
    >
      <Refusal refused={refused} fields={fields} form="comment" />
      <div class="actions">
        <button class="primary">{name}</button>
      </div>
    </PostForm>
  );
}
