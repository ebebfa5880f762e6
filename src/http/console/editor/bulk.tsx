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
import { PostForm } from "../parts/post-form.tsx";
import { useHive } from "../requests/context.tsx";
import type { LinkQuery } from "../requests/links.ts";
import { t } from "../texts/texts.ts";
import { editedItem, type ShownTranslation } from "./translation.tsx";

const bulkForm = "bulk";
/** All tags that a string can have, with the commas between them. */
const maxTags = noteLimits.tags * (noteLimits.tag + 2);

interface Row {
  readonly string: NotedString<EditableTranslation>;
  /** Whether it is edited in another row: all plural forms are, in the first of theirs. */
  readonly isElsewhere: boolean;
  /** Its place among those that can be selected. */
  readonly index?: number;
}

/** The rows of a list, and which of them can be selected. @param locale undefined where none can. */
export function rowsOf(
  strings: readonly NotedString<EditableTranslation>[],
  locale: Locale | undefined,
): { readonly rows: readonly Row[]; readonly selectable: readonly ShownTranslation[] } {
  const selectable: ShownTranslation[] = [];
  const seen = new AddressMap<true>();
  const rows = strings.map((string): Row => {
    const [translation] = string.translations;
    const item = translation && { file: string.file, key: translation.item };
    const isElsewhere = item !== undefined && seen.has(item);
    if (item !== undefined) seen.set(item, true);
    if (locale === undefined || isElsewhere || translation === undefined) return { string, isElsewhere };
    return { string, isElsewhere, index: selectable.push({ string, locale, translation }) - 1 };
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
 */
export function BulkForm(props: {
  locale: Locale;
  shown: readonly ShownTranslation[];
  back: LinkQuery;
  total?: number;
}) {
  const { locale, shown, back, total } = props;
  const request = useHive();
  const { hiveLink, canTranslate, canApprove } = request;
  const tags = mayWriteAll(request);
  const [writes, approves] = [canTranslate(locale), canApprove(locale)];
  if (shown.length === 0 || !(writes || approves)) return null;
  const listed = shown.map((one) => {
    const { file, key, expected } = editedItem(one);
    return { file, key, seen: seenToken(expected) };
  });
  return (
    <PostForm
      to={hiveLink(["translate", codeOf(locale)])}
      id={bulkForm}
      class={total === undefined ? "bulk" : "bulk inplace"}
      hidden={{ listed: JSON.stringify(listed), back: JSON.stringify(back) }}
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
        <span class="asked">
          <label class="visually-hidden" for="bulk-reason">
            {t("translation.why_it_is_rejected")}
          </label>
          <input
            id="bulk-reason"
            name="reason"
            maxlength={maxReasonLength}
            {...named(t("translation.why_the_writer_reads_it"))}
          />
          <button class="quiet" name="change" value="reject-listed">
            {t("bulk.reject")}
          </button>
        </span>
      )}
      {tags && (
        <span class="asked">
          <label class="visually-hidden" for="bulk-tags">
            {t("field.note.tags")}
          </label>
          <input id="bulk-tags" name="tags" maxlength={maxTags} {...named(t("field.note.tags"))} />
          <button name="change" value="tag-listed">
            {t("bulk.tag")}
          </button>
          <button class="quiet" name="change" value="untag-listed">
            {t("bulk.untag")}
          </button>
        </span>
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
