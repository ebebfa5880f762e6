/** What happened in a Hive that persons are told of: the same for all of them, and kept for each state of the Hive. */
import { SizedCache } from "../../disk/memory-budget.ts";
import type { Locale, LocaleCode } from "../../domain/hives/locale.ts";
import type { StringAddress } from "../../domain/move.ts";
import type { HiveSlug, Oid } from "../../domain/names.ts";
import { noThread, type Comment } from "../../domain/notes/thread.ts";
import { LocalePlurals } from "../../domain/strings/plural-rules.ts";
import { translatableTexts } from "../../domain/strings/string-file.ts";
import { moduleCache } from "../../module-caches.ts";
import { isStepDone, pause } from "../../slices.ts";
import type { Snapshot } from "../../store/content/snapshot.ts";
import { itemOf, placed } from "../content/comment-lists.ts";
import type { StorageBase } from "../storage.ts";

export interface InboxHive {
  readonly slug: HiveSlug;
  readonly name: string;
}

interface EventBasis extends StringAddress {
  readonly hive: InboxHive;
  /** ISO 8601, UTC. */
  readonly at: string;
  /** The key under which the source strings have it: of another form, for a plural form that only translations have. */
  readonly item: string;
  /** The id of the person or token that did it; undefined where only the commit tells. */
  readonly by?: string;
}

/** A text of a person that somebody else has rejected or changed; undefined stands for none. */
interface TextEvent extends EventBasis {
  readonly kind: "rejected" | "changed";
  readonly locale: Locale;
  readonly commit: Oid;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** A comment on a string on which a person has commented before. */
interface AnswerEvent extends EventBasis {
  readonly kind: "answered";
  /** Undefined for all. */
  readonly locale?: Locale;
  /** The id of the comment in its Hive. */
  readonly comment: string;
  readonly text: string;
}

export type InboxEvent = TextEvent | AnswerEvent;

export interface HiveEvent {
  readonly event: InboxEvent;
  /** The persons, and the tokens, whom it concerns; never whoever did it. */
  readonly concerned: ReadonlySet<string>;
}

/** How many events of each kind a Hive has. */
const maxEvents = 2_000;
/** About how many bytes all that is kept may take, and how many characters of a text are. */
const maxBytes = 16_777_216;
const maxText = 1_000;

const kept = moduleCache(new SizedCache<readonly HiveEvent[]>(maxBytes));

/**
 * The events of a Hive at main since a day.
 * @param since a day, as `2026-01-31`.
 * @throws SkepError `content-invalid` when the Hive cannot be read.
 */
export async function hiveEvents(
  { hives }: StorageBase,
  slug: HiveSlug,
  since: string,
): Promise<readonly HiveEvent[]> {
  await hives.recorded(slug).catchUp();
  const hive = hives.at(slug);
  const name = JSON.stringify([slug, since, hive.head()]);
  const known = kept.get(name);
  if (known !== undefined) return known;
  const snapshot = await hive.snapshot();
  const { texts, isAll } = await hive.revisions.recent.replaced(
    snapshot.commit.oid,
    snapshot.settings.sourceLocale.code,
  );
  const about = { slug, name: snapshot.settings.name };
  const events: HiveEvent[] = [];
  for (const { time, writer, locale: code, ...text } of texts.slice(0, maxEvents)) {
    const at = new Date(time * 1000).toISOString();
    const locale = snapshot.settings.targetLocales.find((one) => one.code === code);
    const item = locale && itemIn(snapshot, locale.code, text);
    if (at < since || locale === undefined || item === undefined) continue;
    events.push({ event: { ...text, hive: about, at, item, locale }, concerned: new Set([writer]) });
  }
  for (const { file, key, comment, heard } of (await answersSince(snapshot, since)).slice(0, maxEvents)) {
    const { at, by } = comment;
    const { id, locale, text } = placed(snapshot.settings, { file, key }, comment);
    const concerned = new Set([...heard].filter((one) => one !== by));
    const answer = {
      kind: "answered",
      hive: about,
      at,
      by,
      file,
      key,
      item: key,
      locale,
      comment: id,
    } as const;
    events.push({ event: { ...answer, text: text.slice(0, maxText) }, concerned });
  }
  if (isAll && snapshot.commit.oid === hive.head()) kept.set(name, events, { size: sizeOf(events) });
  return events;
}

/** A comment after comments of others on its string. */
interface Answer extends StringAddress {
  readonly comment: Comment & { readonly at: string };
  /** Who had said something about the string before. */
  readonly heard: ReadonlySet<string>;
}

/** The answers since a time, the newest first. Notes that cannot be read have none. @param since ISO 8601, UTC. */
async function answersSince(
  { index: { source }, values }: Snapshot,
  since: string,
): Promise<readonly Answer[]> {
  const { files } = await values.notes.readable();
  const answers: Answer[] = [];
  for (const [file, strings] of source) {
    const here = files.get(file);
    if (here === undefined) continue;
    const texts = translatableTexts(strings);
    for (const [key, { thread = noThread }] of here) {
      if (isStepDone()) await pause();
      if (thread.length < 2 || !texts.has(key)) continue;
      const heard = new Set<string>();
      for (const { at, ...comment } of thread) {
        if (at !== undefined && at >= since && heard.size > 0)
          answers.push({ file, key, comment: { ...comment, at }, heard: new Set(heard) });
        if (comment.by !== undefined) heard.add(comment.by);
      }
    }
  }
  return answers.toSorted((one, other) => (one.comment.at < other.comment.at ? 1 : -1));
}

/** The key of the source string that a translation is of; undefined for one that is there no more. */
function itemIn(
  { index, settings }: Snapshot,
  locale: LocaleCode,
  { file, key }: StringAddress,
): string | undefined {
  const strings = index.source.get(file);
  if (strings === undefined || !new LocalePlurals(locale, settings).accepts(strings, key)) return undefined;
  return itemOf(settings, strings, key);
}

function sizeOf(events: readonly HiveEvent[]): number {
  return 500 + JSON.stringify(events.map(({ event }) => event)).length * 2;
}
