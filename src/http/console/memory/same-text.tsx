/** Offers to use a translation for the other strings with the same source text. */
import { useHive } from "../requests/context.tsx";
import { codeOf, type Locale } from "../../../domain/hives/locale.ts";
import type { StringAddress } from "../../../domain/move.ts";
import type { SameText } from "../../../service/memory/same-text.ts";
import { PostForm } from "../parts/post-form.tsx";
import { stringLink } from "../requests/links.ts";
import { Name, Text } from "../parts/text.tsx";
import { t } from "../texts/texts.ts";

/** How many of the other strings are shown. */
const maxListed = 10;

/** The other strings with the text, and a button that gives all of them the translation; nothing where there are none. */
export function RepeatForm(props: { string: StringAddress; locale: Locale; same: SameText | undefined }) {
  const { string, locale, same } = props;
  const { file, key } = string;
  const { hiveLink, canTranslate } = useHive();
  if (same === undefined || !canTranslate(locale)) return null;
  const { others, seen } = same;
  return (
    <details class="same editing">
      <summary>{t("same-text.others_with_this_text", { count: others.length })}</summary>
      <ul>
        {others.slice(0, maxListed).map((other) => (
          <li>
            <Name
              name={`${other.file}: ${other.key}`}
              href={stringLink(hiveLink, other.file, other.key, { locale: codeOf(locale) })}
            />{" "}
            {other.text === undefined ? (
              <span class="nothing">{t("common.no_translation")}</span>
            ) : (
              <Text text={other.text} lang={locale.code} />
            )}
          </li>
        ))}
        {others.length > maxListed && (
          <li>{t("same-text.and_more", { others: others.length - maxListed })}</li>
        )}
      </ul>
      <PostForm to={stringLink(hiveLink, file, key)} hidden={{ locale: codeOf(locale), seen }}>
        <button name="change" value="repeat">
          {others.length === 1
            ? t("same-text.use_this_translation_there_too")
            : t("same-text.use_this_translation_in_all", { others: others.length })}
        </button>
      </PostForm>
    </details>
  );
}
