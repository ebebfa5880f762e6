/** Commits as a list: what was done, by whom, when, and why. */
import type { Child } from "hono/jsx";
import type { ShownChange } from "../../../domain/strings/text-diff.ts";
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

/** How many changes of one commit to the key that a history is about are shown. */
const maxChanges = 5;

/**
 * @param props.entries with what each did to a key, where a key was asked for.
 * @param props.hiveLink of the page that the list is on.
 * @param props.lang see `languagesOf`.
 * @param props.action what can be done with a change that an entry has.
 */
export function CommitList({
  entries,
  hiveLink,
  lang = () => undefined,
  action,
}: {
  readonly entries: readonly HistoryEntry[];
  readonly hiveLink: Link;
  readonly lang?: (code: string) => string | undefined;
  readonly action?: (entry: HistoryEntry, change: ShownChange) => Child;
}) {
  return (
    <ol class="commits">
      {entries.map((entry) => (
        <li>
          <a class="subject" href={hiveLink(["history", entry.commit])}>
            <Name name={entry.subject === "" ? entry.commit.slice(0, 10) : entry.subject} />
          </a>
          {entry.message !== undefined && (
            <p class="message">
              <Name name={entry.message} />
            </p>
          )}
          {entry.changes?.slice(0, maxChanges).map((change) => (
            <div class="diff">
              <Code name={change.locale} />
              <span>
                <WordDiff before={change.before} after={change.after} lang={lang(change.locale)} />
              </span>
              {action?.(entry, change)}
            </div>
          ))}
          {entry.changes !== undefined && entry.changes.length > maxChanges && (
            <p class="message">… and {entry.changes.length - maxChanges} more locales.</p>
          )}
          <Facts
            items={[
              <Name name={entry.author.name} />,
              <Time seconds={entry.time} />,
              <code>{entry.commit.slice(0, 10)}</code>,
              entry.ref !== undefined && <Reference reference={entry.ref} />,
            ]}
          />
        </li>
      ))}
    </ol>
  );
}
