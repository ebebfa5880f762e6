/** What main and a branch changed differently, texts and members of notes, side by side. */
import type { Link } from "../requests/links.ts";
import { NoteMember } from "./changes.tsx";
import { stringLink } from "./string-link.ts";
import { Code, Text } from "./text.tsx";

export interface ShownConflict {
  /** The locale's code in the Hive. */
  readonly locale: string;
  readonly file: string;
  readonly key: string;
  /** Of a conflict in a note: its member. */
  readonly member?: string;
  /** The text on each side; null if there is none. */
  readonly main?: string | null;
  readonly branch?: string | null;
}

/**
 * @param props.lang see `languagesOf`.
 * @param props.hiveLink makes the links of keys to their strings.
 */
export function Conflicts({
  conflicts,
  lang,
  hiveLink,
}: {
  readonly conflicts: readonly ShownConflict[];
  readonly lang: (code: string) => string | undefined;
  readonly hiveLink: Link;
}) {
  return (
    <ul class="strings">
      {conflicts.map(({ locale, file, key, member, main, branch }) => (
        <li class="string">
          <p class="where">
            <Code name={locale} /> <Code name={file} />{" "}
            <a href={stringLink(hiveLink, file, key)}>
              <Code name={key} />
            </a>
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

function Side({
  name,
  text,
  lang,
}: {
  readonly name: string;
  readonly text: string | null | undefined;
  readonly lang: string | undefined;
}) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {text === null || text === undefined ? (
          <span class="nothing">none</span>
        ) : (
          <Text text={text} lang={lang} />
        )}
      </dd>
    </div>
  );
}
