/** Lists commits with message, author, time and counts; and tags, with links to the changes since each. */
import { unlessInvalid } from "../../../domain/errors.ts";
import { useHive } from "../requests/context.tsx";
import type { Child } from "hono/jsx";
import { countsInSubject, subjectWithCounts } from "../../../domain/commits/commit-message.ts";
import type { Origin } from "../../../domain/commits/origin.ts";
import { isOid } from "../../../domain/names.ts";
import { localeNamed } from "../../../domain/hives/hive-settings.ts";
import { codeOf } from "../../../domain/hives/locale.ts";
import { groupBy } from "../../../domain/group-by.ts";
import type { ShownChange } from "../../../domain/strings/text-diff.ts";
import { toTimestamp } from "../../../domain/text.ts";
import { showCommit, type HistoryEntry } from "../../../service/content/history.ts";
import type { HiveRequest } from "../requests/page.ts";
import { comma, figure, languageName, t, type NameIn } from "../texts/texts.ts";
import { Facts, Day, Time, attributeText, Code, Key, Name, WordDiff } from "./text.tsx";
import { changeLink } from "../requests/links.ts";
import type { Tag } from "../../../service/content/tags.ts";

/**
 * A reference, as a link if it is a URL.
 * @param props.isShort whether to show only the host, or the beginning of a commit's name.
 */
export function Reference({ reference, isShort = false }: { reference: string; isShort?: boolean }) {
  const isAddress = /^https?:\/\//i.test(reference) && URL.canParse(reference);
  return isAddress ? (
    <a href={reference} rel="noreferrer nofollow" title={attributeText(reference)}>
      <Name name={isShort ? new URL(reference).host : reference} />
    </a>
  ) : isShort && isOid(reference) ? (
    <code title={attributeText(reference)}>{reference.slice(0, 10)}</code>
  ) : (
    <Name name={reference} />
  );
}

/** The origin of texts: a person, a script or a model. */
export function OriginFact({ origin: { kind, name } }: { origin: Origin }) {
  return (
    <>
      {t(`origin.${kind}`)} {name !== undefined && <Name name={name} />}
    </>
  );
}

/** The counts of a commit that count changed texts. */
const countedChanges = new Set([
  "created",
  "updated",
  "deleted",
  "cleared",
  "confirmed",
  "restored",
  "rejected",
]);
/** Those that count what did not change, or went with its string. */
const countedRest = new Set([
  "unchanged",
  "skipped",
  "unknown",
  "leaves_skipped",
  "translations_deleted",
  "differing",
]);

/**
 * Adds its change to each commit that changed a single text. The changes of a commit never change, and are cached with the
 * codes that the settings give to locales.
 */
export async function withSingleChanges(
  { storage, hive, branch, cache, signal }: HiveRequest,
  entries: readonly HistoryEntry[],
): Promise<readonly HistoryEntry[]> {
  const settings = await unlessInvalid(storage.hives.at(hive.slug).settings());
  const completed: HistoryEntry[] = [];
  for (const entry of entries) {
    if (!isOfOneText(entry) || entry.changes !== undefined) {
      completed.push(entry);
      continue;
    }
    const changes = await cache("changes of a commit", `${settings?.oid} ${entry.commit}`, async () => {
      const page = await showCommit(storage, branch, entry.commit, { offset: 0, limit: 1 }, signal);
      return (await page.read()).entries;
    });
    completed.push({ ...entry, changes });
  }
  return completed;
}

/** Whether a commit changed a single text, and nothing else, by its counts. */
function isOfOneText({ counts }: HistoryEntry): boolean {
  const changed = [...counts].filter(([name, count]) => count > 0 && !countedRest.has(name));
  return changed.length === 1 && changed.every(([name, count]) => count === 1 && countedChanges.has(name));
}

/** How many changes of one commit are shown. */
const maxChanges = 5;
/** At least this many consecutive commits with the same description become one line. */
const leastAlike = 3;

/** The kind of commits with comments. */
const saysOnly = "comment";

interface CommitListProps {
  /** With their changes of a key, if the list is about one key. */
  readonly entries: readonly HistoryEntry[];
  /** Whether all changes are of one key, which then is not repeated. */
  readonly isOfKey?: boolean;
  readonly maxLines?: number;
  /** The button of a change of an entry. */
  readonly action?: (entry: HistoryEntry, change: ShownChange) => Child;
}

/** The commits grouped by day. @param props.heading the element of a day's heading. */
export function CommitDays({ heading: Heading, ...props }: CommitListProps & { heading: "h2" | "h3" }) {
  const days = groupBy(props.entries, ({ time }) => toTimestamp(time).slice(0, 10));
  return (
    <>
      {Array.from(days.values(), (entries) => (
        <section>
          <Heading class="day">
            <Day seconds={entries[0]?.time ?? 0} />
          </Heading>
          <CommitList {...props} entries={entries} />
        </section>
      ))}
    </>
  );
}

/** A list of commits; those that are alike in a row become one line. */
export function CommitList(props: CommitListProps) {
  return (
    <ol class="commits">
      {alike(props.entries)
        .slice(0, props.maxLines)
        .map((entries) =>
          entries.length < leastAlike ? (
            entries.map((entry) => <Commit {...props} entry={entry} />)
          ) : (
            <Alike {...props} entries={entries} />
          ),
        )}
    </ol>
  );
}

/** The description of a commit without its counts. Comments are about strings, and say nothing of texts: all are alike. */
function saying({ author, subject, message = "", operation }: HistoryEntry): string {
  if (operation === saysOnly) return saysOnly;
  const { what, counts = new Map<string, number>() } = countsInSubject(subject) ?? { what: subject };
  return JSON.stringify([author.name, what, [...counts.keys()], message]);
}

/** Groups consecutive commits whose descriptions differ only in their counts. */
function alike(entries: readonly HistoryEntry[]): readonly (readonly HistoryEntry[])[] {
  const runs: HistoryEntry[][] = [];
  for (const entry of entries) {
    const [last] = runs.slice(-1);
    const [first] = last ?? [];
    if (last !== undefined && first !== undefined && saying(first) === saying(entry)) last.push(entry);
    else runs.push([entry]);
  }
  return runs;
}

function Alike(props: CommitListProps) {
  const [newest] = props.entries;
  const oldest = props.entries.at(-1);
  if (newest === undefined || oldest === undefined) return null;
  return (
    <li>
      <details>
        <summary>
          {figure(props.entries.length)} × <TogetherLead entries={props.entries} newest={newest} />{" "}
          <span class="soft small">
            {t(newest.time - oldest.time < 60 ? "commit-list.at" : "commit-list.to", {
              author: (
                <Name name={[...new Set(props.entries.map(({ author }) => author.name))].join(comma())} />
              ),
              from: <Time seconds={oldest.time} />,
              until: <Time seconds={newest.time} />,
            })}
          </span>
        </summary>
        <ol class="commits">
          {props.entries.map((entry) => (
            <Commit {...props} entry={entry} />
          ))}
        </ol>
      </details>
    </li>
  );
}

/** The heading of a commit: its message, or else its subject. */
function Lead({ entry: { message, subject, commit } }: { entry: HistoryEntry }) {
  return <Name name={message ?? (subject === "" ? commit.slice(0, 10) : subject)} />;
}

/** The heading of commits that are alike: their own, or what their counts are together where these differ. */
function TogetherLead(props: { entries: readonly HistoryEntry[]; newest: HistoryEntry }) {
  const { entries, newest } = props;
  if (newest.operation === saysOnly) return <>{t("operation.comment")}</>;
  const isSame = entries.every(({ subject }) => subject === newest.subject);
  const { what, counts } = countsInSubject(newest.subject) ?? {};
  if (isSame || newest.message !== undefined || what === undefined || counts === undefined)
    return <Lead entry={newest} />;
  const sums = Array.from(counts.keys(), (verb): [string, number] => [
    verb,
    entries.reduce((sum, { subject }) => sum + (countsInSubject(subject)?.counts.get(verb) ?? 0), 0),
  ]);
  const together = subjectWithCounts(what, Object.fromEntries(sums), "");
  return <>{t("commit-list.in_all", { together: <Name name={together} /> })}</>;
}

/** What a commit did to its one text, as a sentence with the name of its author. */
interface Told {
  readonly sentence: NameIn<"told">;
  readonly change: ShownChange;
}

/** The sentence about a commit of a single text; undefined where it says what it did itself, or did something else. */
function toldOf(entry: HistoryEntry, sourceCode: string | undefined): Told | undefined {
  const { message, operation = "", changes: [change, ...others] = [] } = entry;
  if (message !== undefined || change === undefined || others.length > 0 || change.member !== undefined)
    return undefined;
  if (!isOfOneText(entry) || !tellable.has(operation)) return undefined;
  const isSource = change.locale === sourceCode;
  const { before, after } = change;
  const verb = before === undefined ? "added" : after === undefined ? "removed" : "changed";
  if (isSource) return { sentence: `source-${verb}`, change };
  const decided = decisions[operation];
  return { sentence: decided ?? (verb === "added" ? "translated" : verb), change };
}

/** The operations that are told by what became of the text. */
const tellable: ReadonlySet<string> = new Set([
  "import",
  "sync",
  "import-translations",
  "remove-translations",
  "replace",
  "work",
  "confirm-stale",
  "reject",
]);

const decisions: Readonly<Partial<Record<string, "confirmed" | "rejected">>> = {
  "confirm-stale": "confirmed",
  reject: "rejected",
};

function Sentence({ told: { sentence, change }, author }: { told: Told; author: string }) {
  const { settings } = useHive();
  const locale = settings && localeNamed(settings, change.locale);
  return (
    <>
      {t(`told.${sentence}`, {
        who: <Name name={author} />,
        key: <Code name={change.key} />,
        language: locale === undefined ? change.locale : languageName(locale),
      })}
    </>
  );
}

function Commit(props: Omit<CommitListProps, "entries"> & { entry: HistoryEntry }) {
  const { entry, isOfKey = false, action } = props;
  const { commit, message, subject, author, time, ref, origin, changes = [] } = entry;
  const { hiveLink, lang, settings } = useHive();
  const href = hiveLink(["history", commit]);
  const told = isOfKey ? undefined : toldOf(entry, settings && codeOf(settings.sourceLocale));
  return (
    <li>
      <div class="heading">
        <a class="subject" href={href}>
          {told === undefined ? <Lead entry={entry} /> : <Sentence told={told} author={author.name} />}
        </a>
        <Facts
          items={[
            message !== undefined && <Name name={subject} />,
            told === undefined && <Name name={author.name} />,
            origin !== undefined && <OriginFact origin={origin} />,
            <Time seconds={time} />,
            <a href={href}>
              <code>{commit.slice(0, 10)}</code>
            </a>,
            ref !== undefined && <Reference reference={ref} isShort />,
          ]}
        />
      </div>
      {changes.slice(0, maxChanges).map((change) => (
        <div class="diff">
          {!isOfKey && <Key name={change.key} href={changeLink(hiveLink, change)} />}{" "}
          <Code
            name={change.locale}
            href={
              lang(change.locale) === undefined ? undefined : hiveLink(["strings"], { locale: change.locale })
            }
          />{" "}
          <span>
            <WordDiff before={change.before} after={change.after} lang={lang(change.locale)} />
          </span>
          {action?.(entry, change)}
        </div>
      ))}
      {changes.length > maxChanges && (
        <p class="soft">{t("commit-list.and_more_locales", { changes: changes.length - maxChanges })}</p>
      )}
    </li>
  );
}

/** A list of tags, with links to what changed since each. */
export function TagList({ tags }: { tags: readonly Tag[] }) {
  const { hiveLink } = useHive();
  return (
    <ul class="commits">
      {tags.map(({ name, commit, time, message, tagger }) => (
        <li>
          <div class="heading">
            <Name name={name} href={hiveLink(["history", commit])} class="subject" />
            <Facts
              items={[
                tagger !== undefined && <Name name={tagger.name} />,
                time !== undefined && <Time seconds={time} />,
                <a href={hiveLink(["compare", `${name}...main`])}>
                  {t("tag-list.what_changed_since")}
                  <span class="visually-hidden"> {name}</span>
                </a>,
              ]}
            />
          </div>
          {message !== undefined && message !== "" && (
            <p class="message">
              <Name name={message} />
            </p>
          )}
        </li>
      ))}
    </ul>
  );
}
