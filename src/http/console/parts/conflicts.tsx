/** What main and a branch changed differently, texts and members of notes, side by side. */
import { WordDiff, Key, Text } from "./text.tsx";
import { type Link, stringLink } from "../requests/links.ts";
import { FileLinks, NoteMember } from "./changes.tsx";
import { useHive } from "../requests/context.tsx";
import { t } from "../texts/texts.ts";

export interface ShownConflict {
  readonly locale: string;
  readonly file: string;
  readonly key: string;
  /** Of a conflict in a note: its member. */
  readonly member?: string;
  /** The text on each side; null if there is none. */
  readonly main?: string | null;
  readonly branch?: string | null;
}

/** @param props.link makes the links of keys to their strings. */
export function Conflicts(props: { conflicts: readonly ShownConflict[]; link?: Link }) {
  const { lang, hiveLink: own } = useHive();
  const { conflicts, link: hiveLink = own } = props;
  return (
    <ul class="strings">
      {conflicts.map(({ locale, file, key, member, main, branch }) => (
        <li class="string">
          <p class="where">
            <FileLinks hiveLink={hiveLink} locale={locale} file={file} />{" "}
            <Key name={key} href={stringLink(hiveLink, file, key)} />
            {member !== undefined && <NoteMember member={member} />}
          </p>
          <dl class="texts">
            <Side name="main" text={main} lang={lang(locale)} />
            <Side name="branch" text={branch} lang={lang(locale)} />
          </dl>
        </li>
      ))}
    </ul>
  );
}

/** A text that somebody has changed while it was edited, beside the text of the form. */
export function TheirsAndYours(props: { theirs: string | null | undefined; yours: string; lang: string }) {
  const { theirs, yours, lang } = props;
  return (
    <dl class="texts">
      <Side
        name={t("conflicts.theirs_as_it_is_now")}
        text={theirs}
        lang={lang}
        none={t("common.no_translation")}
      />
      <Side name={t("conflicts.yours")} text={yours} lang={lang} />
      {typeof theirs === "string" && (
        <div>
          <dt>{t("conflicts.from_theirs_to_yours")}</dt>
          <dd>
            <WordDiff before={theirs} after={yours} lang={lang} />
          </dd>
        </div>
      )}
    </dl>
  );
}

function Side(props: {
  name: string;
  text: string | null | undefined;
  lang: string | undefined;
  none?: string;
}) {
  const { name, text, lang, none = t("conflicts.none") } = props;
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {text === null || text === undefined ? (
          <span class="nothing">{none}</span>
        ) : (
          <Text text={text} lang={lang} />
        )}
      </dd>
    </div>
  );
}
