/** What is done with the selected strings of a list at once, as one commit. */
import { codeOf, type Locale } from "../../../domain/hives/locale.ts";
import { AddressMap } from "../../../domain/move.ts";
import { noteLimits } from "../../../domain/notes/note.ts";
import { maxReasonLength } from "../../../domain/review/review.ts";
import type { EditableTranslation } from "../../../service/content/string-marks.ts";
import type { NotedString } from "../../../service/content/string-search.ts";
import { maxAnsweredItems } from "../../../domain/work/work.ts";
import { seenToken } from "../../../service/work/seen.ts";
import { attributeText } from "../parts/text.tsx";
import { mayWriteAll } from "../parts/navigation.tsx";
import { described, Problem, problemsAt } from "../parts/fields.tsx";
import { PostForm } from "../parts/post-form.tsx";
import { refusedBy, stateOf, writtenState, type Form, type FormState } from "../requests/form.ts";
import { useHive } from "../requests/context.tsx";
import type { LinkQuery } from "../requests/links.ts";
import { t } from "../texts/texts.ts";
import { sentItems, type ListedItem } from "./answer-form.ts";
import { editedItem } from "./translation.tsx";

const bulkForm = "bulk";

/** What was selected and written where nothing was done. */
export interface RefusedBulk {
  readonly state: FormState;
  /** Whether it was selected as it is now: nobody has looked at what others have made of it meanwhile. */
  readonly isSelected: (item: ListedItem) => boolean;
  /** How many were selected. */
  readonly count: number;
  /** Why nothing was done. */
  readonly problem: string;
  readonly status: number;
}

/** What a form of selected strings is shown with again. @param why the problem, or the error. @throws an error of others. */
export function refusedBulk(form: Form, why: unknown): RefusedBulk {
  const selected = new Set(sentItems(form).map(nameOf));
  const count = selected.size;
  const isSelected = (item: ListedItem): boolean => selected.has(nameOf(item));
  if (typeof why === "string")
    return { state: writtenState(bulkForm, form), isSelected, count, problem: why, status: 409 };
  const { state, status } = refusedBy(why, bulkForm, form);
  const { at, others } = problemsAt(state, bulkFields);
  const atFields = bulkFields.flatMap(({ name, label }) => {
    const value = at.get(name);
    return value === undefined ? [] : [t("common.named_value", { name: t(label), value })];
  });
  return {
    state: { ...state, problems: at },
    isSelected,
    count,
    problem: [...atFields, ...others].join(" "),
    status,
  };
}

function nameOf({ file, key, seen }: ListedItem): string {
  return JSON.stringify([file, key, seen]);
}

/** Why nothing was done, and how many of what was selected are not any more in a list that is shown again. */
export function refusalNow({ problem, count }: RefusedBulk, rows: readonly Row[]): string {
  const gone = count - rows.filter(({ isSelected }) => isSelected).length;
  return gone === 0 ? problem : `${problem} ${t("bulk.not_selected_any_more", { count: gone })}`;
}

const bulkFields = [
  { name: "reason", label: "translation.why_it_is_rejected" },
  { name: "tags", label: "field.note.tags" },
] as const;
/** The hidden field of a form on the page of all that a list has found. */
export const wholeField = "whole";
/** All tags that a string can have, with the commas between them. */
const maxTags = noteLimits.tags * (noteLimits.tag + 2);

export interface Row {
  readonly string: NotedString<EditableTranslation>;
  /** Whether it is edited in another row: all plural forms are, in the first of theirs. */
  readonly isElsewhere: boolean;
  /** Its place among those that can be selected. */
  readonly index?: number;
  readonly isSelected?: boolean;
}

/**
 * The rows of a list, and which of them can be selected.
 * @param locale undefined where none can.
 * @param isSelected says which are.
 */
export function rowsOf(
  strings: readonly NotedString<EditableTranslation>[],
  locale: Locale | undefined,
  isSelected: RefusedBulk["isSelected"] = () => false,
): { readonly rows: readonly Row[]; readonly selectable: readonly ListedItem[] } {
  const selectable: ListedItem[] = [];
  const seen = new AddressMap<true>();
  const rows = strings.map((string): Row => {
    const [translation] = string.translations;
    if (translation === undefined) return { string, isElsewhere: false };
    const item = { file: string.file, key: translation.item };
    const isElsewhere = seen.has(item);
    seen.set(item, true);
    if (locale === undefined || isElsewhere) return { string, isElsewhere };
    const { expected } = editedItem({ string, locale, translation });
    const listed = { ...item, seen: seenToken(expected) };
    const index = selectable.push(listed) - 1;
    return { string, isElsewhere, index, isSelected: isSelected(listed) };
  });
  return { rows, selectable };
}

/** The box that selects a string of a list. @param props.index its place among those that {@link BulkForm} has. */
export function Selecting(props: { index: number; name: string; isSelected?: boolean }) {
  const { index, name, isSelected } = props;
  const label = attributeText(t("bulk.select", { key: name }));
  return (
    <input
      type="checkbox"
      form={bulkForm}
      name="selected"
      value={String(index)}
      checked={isSelected}
      aria-label={label}
    />
  );
}

/**
 * The form of what is done with selected strings.
 * @param props.shown those that can be selected.
 * @param props.back the query of the list.
 * @param props.total how many strings the list has on all its pages; undefined where all of them are shown.
 * @param props.refused the form as it was sent, where nothing was done.
 */
export function BulkForm(props: {
  locale: Locale;
  shown: readonly ListedItem[];
  back: LinkQuery;
  total?: number;
  refused?: RefusedBulk;
}) {
  const { locale, shown, back, total, refused } = props;
  const request = useHive();
  const state = stateOf(refused?.state, bulkForm);
  const { hiveLink, canTranslate, canApprove } = request;
  const tags = mayWriteAll(request);
  const [writes, approves] = [canTranslate(locale), canApprove(locale)];
  if (shown.length === 0 || !(writes || approves)) return null;
  return (
    <PostForm
      to={hiveLink(["translate", codeOf(locale)])}
      id={bulkForm}
      class={total === undefined ? "bulk" : "bulk inplace"}
      hidden={{
        listed: JSON.stringify(shown),
        back: JSON.stringify(back),
        ...(total === undefined && { [wholeField]: "true" }),
      }}
    >
      {/* Enter in a field would press the first button of the form, which approves: it does nothing. */}
      <button disabled hidden />
      {total !== undefined && total > 1 && <SelectAll locale={locale} total={total} list={back} />}
      <span class="soft small">{t("bulk.with_the_selected")}</span>
      {approves && (
        <button name="change" value="approve-listed">
          {t("bulk.approve")}
        </button>
      )}
      {writes && (
        <button name="change" value="confirm-listed">
          {t("translation.still_right")}
        </button>
      )}
      {writes && (
        <button name="change" value="replace-listed" data-leaves="">
          {t("bulk.replace")}
        </button>
      )}
      {writes && (
        <button class="quiet" name="change" value="remove-listed">
          {t("common.remove_3")}
        </button>
      )}
      {approves && (
        <div class="asked">
          <label class="visually-hidden" for="bulk-reason">
            {t("translation.why_it_is_rejected")}
          </label>
          <input
            {...described({ name: "reason", state })}
            value={state.values["reason"]}
            maxlength={maxReasonLength}
            {...named(t("translation.why_the_writer_reads_it"))}
          />
          <button class="quiet" name="change" value="reject-listed">
            {t("bulk.reject")}
          </button>
          <Problem name="reason" state={state} />
        </div>
      )}
      {tags && (
        <div class="asked">
          <label class="visually-hidden" for="bulk-tags">
            {t("field.note.tags")}
          </label>
          <input
            {...described({ name: "tags", state })}
            value={state.values["tags"]}
            maxlength={maxTags}
            {...named(t("field.note.tags"))}
          />
          <button name="change" value="tag-listed">
            {t("bulk.tag")}
          </button>
          <button class="quiet" name="change" value="untag-listed">
            {t("bulk.untag")}
          </button>
          <Problem name="tags" state={state} />
        </div>
      )}
    </PostForm>
  );
}

/** The name of a field that stands in it alone, with room for it: letters of some scripts are as wide as two. */
function named(placeholder: string): { readonly placeholder: string; readonly size: number } {
  const wide = placeholder.replaceAll(/[^\u{2e80}-\u{3ffff}]/gu, "").length;
  return { placeholder, size: placeholder.length + wide + 2 };
}

/** Leads to the page on which all that a list has found are selected, as many as are answered at once. */
function SelectAll(props: { locale: Locale; total: number; list: LinkQuery }) {
  const { locale, total, list } = props;
  const { hiveLink } = useHive();
  const count = Math.min(total, maxAnsweredItems);
  return (
    <a
      class="button"
      href={hiveLink(["selection", codeOf(locale)], { ...list, locale: undefined, page: undefined })}
    >
      {t(count < total ? "bulk.select_the_first" : "bulk.select_all_found", { count })}
    </a>
  );
}
