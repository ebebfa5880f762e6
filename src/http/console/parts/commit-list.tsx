/** Commits as a list: what was done, by whom, when, and why. */
import type { HistoryEntry } from "../../../service/content/history.ts";
import type { Link } from "../requests/links.ts";
import { Facts } from "./facts.tsx";
import { Code, Name } from "./text.tsx";
import { WordDiff } from "./word-diff.tsx";
import { Time } from "./time.tsx";

/** A reference as a link where it is an address of the web, else as text. */
export function Reference({ reference }: { readonly reference: string }) {
  const isAddress = /^https?:\/\//i.test(reference) && URL.canParse(reference);
  return isAddress ? (
    <a href={reference} rel="noreferrer nofollow">
      <Name name={reference} />
    </a>
  ) : (
    <Name name={reference} />
  );
}

/**
 * @param props.entries with what each did to a key, where a key was asked for.
 * @param props.hiveLink of the page that the list is on.
 * @param props.lang see `languagesOf`.
 */
export function CommitList({
  entries,
  hiveLink,
  lang = () => undefined,
}: {
  readonly entries: readonly HistoryEntry[];
  readonly hiveLink: Link;
  readonly lang?: (code: string) => string | undefined;
}) {
  return (
    <ol class="commits">
      {entries.map(({ commit, time, author, subject, message, ref, changes = [] }) => (
        <li>
          <a class="subject" href={hiveLink(["history", commit])}>
            <Name name={subject === "" ? commit.slice(0, 10) : subject} />
          </a>
          {message !== undefined && (
            <p class="message">
              <Name name={message} />
            </p>
          )}
          {changes.map(({ locale, before, after }) => (
            <p class="diff">
              <Code name={locale} />
              <span>
                <WordDiff before={before} after={after} lang={lang(locale)} />
              </span>
            </p>
          ))}
          <Facts
            items={[
              <Name name={author.name} />,
              <Time seconds={time} />,
              <code>{commit.slice(0, 10)}</code>,
              ref !== undefined && <Reference reference={ref} />,
            ]}
          />
        </li>
      ))}
    </ol>
  );
}
