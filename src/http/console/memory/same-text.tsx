/** Offers to use a translation for the other strings with the same source text. */
import { codeOf, type Locale } from "../../../domain/hives/locale.ts";
import type { StringAddress } from "../../../domain/move.ts";
import { counted } from "../../../domain/text.ts";
import type { SameText } from "../../../service/memory/same-text.ts";
import { HiddenFields, PostForm } from "../parts/post-form.tsx";
import { stringLink } from "../parts/string-link.ts";
import { Name, Text } from "../parts/text.tsx";
import type { HiveRequest } from "../requests/page.ts";

/** How many of the other strings are shown. */
const maxListed = 10;

/** The other strings with the text, and a button that gives all of them the translation; nothing where there are none. */
export function RepeatForm({
  request: { session, hiveLink, canTranslate },
  string: { file, key },
  locale,
  same,
}: {
  readonly request: HiveRequest;
  readonly string: StringAddress;
  readonly locale: Locale;
  readonly same: SameText | undefined;
}) {
  if (same === undefined || !canTranslate(locale)) return null;
  const { others, seen } = same;
  return (
    <details class="same editing">
      <summary>{counted(others.length, "other string")} with this text</summary>
      <ul>
        {others.slice(0, maxListed).map((other) => (
          <li>
            <a href={stringLink(hiveLink, other.file, other.key, { locale: codeOf(locale) })}>
              <Name name={`${other.file}: ${other.key}`} />
            </a>{" "}
            {other.text === undefined ? (
              <span class="nothing">no translation</span>
            ) : (
              <Text text={other.text} lang={locale.code} />
            )}
          </li>
        ))}
        {others.length > maxListed && <li>… and {others.length - maxListed} more</li>}
      </ul>
      <PostForm session={session} to={stringLink(hiveLink, file, key)}>
        <HiddenFields fields={{ locale: codeOf(locale), seen }} />
        <button name="change" value="repeat">
          {others.length === 1
            ? "Use this translation there, too"
            : `Use this translation in all ${others.length} places`}
        </button>
      </PostForm>
    </details>
  );
}
