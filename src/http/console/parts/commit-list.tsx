/** Commits as a list: what was done, by whom, when, and why. */
import type { HistoryEntry } from "../../../service/content/history.ts";
import type { Link } from "../requests/links.ts";
import { Facts } from "./facts.tsx";
import { Name } from "./text.tsx";
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

/** @param props.hiveLink of the page that the list is on. */
export function CommitList({
  entries,
  hiveLink,
}: {
  readonly entries: readonly HistoryEntry[];
  readonly hiveLink: Link;
}) {
  return (
    <ol class="commits">
      {entries.map(({ commit, time, author, subject, message }) => (
        <li>
          <a class="subject" href={hiveLink(["history", commit])}>
            <Name name={subject === "" ? commit.slice(0, 10) : subject} />
          </a>
          {message !== undefined && (
            <p class="message">
              <Name name={message} />
            </p>
          )}
          <Facts
            items={[<Name name={author.name} />, <Time seconds={time} />, <code>{commit.slice(0, 10)}</code>]}
          />
        </li>
      ))}
    </ol>
  );
}
