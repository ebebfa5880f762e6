/** What main and a branch changed differently, texts and members of notes, side by side. */
import { WordDiff, Key, Text } from "./text.tsx";
import { type Link, stringLink } from "../requests/links.ts";
import { FileLinks, NoteMember } from "./changes.tsx";
import { useHive } from "../requests/context.tsx";
import { t } from "../texts/texts.ts";
import type { Child } from "hono/jsx";

export interface ShownConflict {
  readonly locale: string;
  readonly file: string;
  readonly key: string;
  /** Of a conflict in a note: its member. */
  readonly member?: string;
  /** The source text of a translation. */
  readonly source?: string;
  /** The text on each side; null if there is none. */
  readonly main?: string | null;
  readonly branch?: string | null;
}

/**
 * @param props.link makes the links of keys to their strings.
 * @param props.below what stands below the texts of each.
 */
export function Conflicts<One extends ShownConflict>(props: {
  conflicts: readonly One[];
  link?: Link;
  below?: (conflict: One, index: number) => Child;
}) {
  const { lang, hiveLink: own, settings } = useHive();
  const sourceLang = settings?.sourceLocale.code;
  const { conflicts, link: hiveLink = own, below } = props;
  return (
    <ul class="strings">
      {conflicts.map((conflict, i) => {
        const { locale, file, key, member, source, main, branch } = conflict;
        return (
          <li class="string">
            <p class="where">
              <FileLinks hiveLink={hiveLink} locale={locale} file={file} />{" "}
              <Key name={key} href={stringLink(hiveLink, file, key)} />
              {member !== undefined && <NoteMember member={member} />}
            </p>
            <dl class="texts">
              {source !== undefined && <Side name={t("conflicts.source")} text={source} lang={sourceLang} />}
              <Side name="main" text={main} lang={lang(locale)} />
              <Side name={t("conflicts.branch")} text={branch} lang={lang(locale)} />
              {below !== undefined && typeof main === "string" && typeof branch === "string" && (
                <div>
                  <dt>{t("conflicts.from_main_to_the_branch")}</dt>
                  <dd>
                    <WordDiff before={main} after={branch} lang={lang(locale)} />
                  </dd>
                </div>
              )}
            </dl>
            {below?.(conflict, i)}
          </li>
        );
      })}
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
