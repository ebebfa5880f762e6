/** The button that brings back a text of the history. */
import { codeOf } from "../../../domain/hives/locale.ts";
import type { ShownChange } from "../../../domain/strings/text-diff.ts";
import type { HistoryEntry } from "../../../service/content/history.ts";
import type { StringInAllLocales } from "../../../service/content/string-search.ts";
import { seenText } from "../../../service/content/translation-edit.ts";
import { seenToken } from "../../../service/work/seen.ts";
import { useHive } from "../requests/context.tsx";
import { stringLink } from "../requests/links.ts";
import { t } from "../texts/texts.ts";
import { PostForm } from "./post-form.tsx";

/** Nothing where the text is the present one, or the caller may not translate. */
export function Restore(props: { string: StringInAllLocales; entry: HistoryEntry; change: ShownChange }) {
  const { string, entry, change } = props;
  const { file, key, source, translations } = string;
  const { commit } = entry;
  const { hiveLink, canTranslate } = useHive();
  const present = translations.find(({ locale }) => codeOf(locale) === change.locale);
  if (change.after === undefined || present === undefined || !canTranslate(present.locale)) return null;
  const { text } = present.translation;
  if (change.after === text) return null;
  const fields = {
    locale: change.locale,
    seen: seenToken(seenText(source, text)),
    commit,
    file: change.file,
    key: change.key,
  };
  return (
    <PostForm to={stringLink(hiveLink, file, key)} class="inline" hidden={fields}>
      <button class="quiet" name="change" value="restore">
        {t("string.use_this_text")}
      </button>
    </PostForm>
  );
}
