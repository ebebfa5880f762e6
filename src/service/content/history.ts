/** The history of a Hive: its commits and what each changed, key by key. */
import { toShownChange, type ShownChange } from "../../domain/strings/text-diff.ts";
import { slugOf, type HiveBranch } from "../../domain/commits/branch-name.ts";
import type { OffsetLimit } from "../../domain/pagination.ts";
import { skepCommitter, type Author } from "../../domain/commits/commit-message.ts";
import type { OriginKind } from "../../domain/commits/origin.ts";
import { parseCommitMessage, type CommitRecord } from "../../domain/commits/commit-record.ts";
import { failure, invalid, isFailure } from "../../domain/errors.ts";
import { localeNamed, unknownLocale, type HiveSettings } from "../../domain/hives/hive-settings.ts";
import { isStoredLocaleCode, type LocaleCode } from "../../domain/hives/locale.ts";
import { toContentInvalid, UnreadablePath } from "../../git/bare-repo.ts";
import type { FullCommit } from "../../git/objects/git-object.ts";
import type { Move } from "../../domain/move.ts";
import { isFileName, type Oid } from "../../domain/names.ts";
import { toRevision, toSeconds, type Seconds } from "../../domain/commits/revision.ts";
import { excerpt } from "../../domain/text.ts";
import type { Lookup, Resolved, RevisionStore } from "../../store/history/revision-store.ts";
import { headsAt, type Versioned } from "./queries.ts";
import type { Storage } from "../storage.ts";

/** A commit as its history shows it. */
export interface HistoryEntry extends CommitRecord {
  readonly commit: Oid;
  /** In seconds since 1970. */
  readonly time: number;
  readonly author: Author;
  /** What it did to the key, where one was asked for. */
  readonly changes?: readonly ShownChange[];
  /** How it moved that key, if it did. */
  readonly keyMoves?: readonly Move[];
}

export interface HistoryQuery extends OffsetLimit {
  /** A code as the caller gave it; of a locale that is no more, the canonical one. */
  readonly locale?: string;
  readonly file?: string;
  readonly key?: string;
  readonly operation?: string;
  readonly origin?: OriginKind;
  /** The id of the person who made them. */
  readonly person?: string;
  /** ISO 8601; a date means its beginning. */
  readonly since?: string;
  /** ISO 8601; a date means its end. */
  readonly until?: string;
  /** Ends it. */
  readonly signal?: AbortSignal;
}

export interface HistoryPage {
  readonly entries: readonly HistoryEntry[];
  /** Of all that the query finds, on this page or not. */
  readonly total: number;
}

export interface ChangesPage {
  readonly entry: HistoryEntry;
  readonly changes: readonly ShownChange[];
  readonly total: number;
}

/**
 * The commits on the line of main that a query finds, newest first.
 * @throws SkepError `invalid` on `since` or `until`; on `locale` here or when it is read, where the Hive neither has
 * the locale nor ever had texts of it.
 */
export async function listHistory(
  storage: Storage,
  branch: HiveBranch,
  { locale: code, file, key, operation, origin, person, since, until, offset, limit, signal }: HistoryQuery,
): Promise<Versioned<HistoryPage>> {
  const revisions = storage.hives.at(branch).revisions;
  const { head, main, settings } = await headOf(storage, branch);
  const locale = code === undefined ? undefined : toFolder(settings, code);
  const from = since === undefined ? -Infinity : toTime(since, "since").first;
  const to = until === undefined ? Infinity : toTime(until, "until").last;
  const sourceLocale = settings?.sourceLocale.code;
  const read = async (): Promise<HistoryPage> => {
    if (code !== undefined && settings !== undefined && localeNamed(settings, code) === undefined) {
      // A locale that is no more has left commits; one that has none was never there, and is likely misspelt.
      const ever = await revisions.history.commits(head, { locale, sourceLocale }, signal);
      if (ever.length === 0) throw unknownLocale(settings, code);
    }
    if (file !== undefined && !isFileName(file)) return { entries: [], total: 0 };
    const commits = await revisions.history.commits(head, { locale, file, key, sourceLocale }, signal);
    const found = commits.filter(
      (commit) =>
        commit.time >= from &&
        commit.time <= to &&
        (operation === undefined || commit.operation === operation) &&
        (origin === undefined || commit.origin === origin) &&
        (person === undefined || commit.person === person),
    );
    const page = found.slice(offset, offset + limit);
    const entries = page.map(({ oid, changes, moves }) => {
      const ofKey = { changes: changes?.map(toShownChange(settings)), moves };
      return toEntry(revisions, oid, { isTrusted: true, ...ofKey });
    });
    return { entries: await Promise.all(entries), total: found.length };
  };
  return { ...headsAt(branch, head, main), version: JSON.stringify([branch, head, main]), read };
}

/**
 * What one commit changed, key by key: the source locale first, then by locale and file.
 * @param text any form of a revision; a commit that a branch or a tag reaches.
 * @param signal ends it.
 * @throws SkepError `not-found` when there is no such commit; the signal's reason.
 */
export async function showCommit(
  storage: Storage,
  branch: HiveBranch,
  text: string,
  { offset, limit }: OffsetLimit,
  signal?: AbortSignal,
): Promise<Versioned<ChangesPage>> {
  const revisions = storage.hives.at(branch).revisions;
  const { head, main, settings } = await headOf(storage, branch);
  const { commit } = await find(revisions, text, { tip: head, signal });
  const read = async (): Promise<ChangesPage> => {
    const changes = await revisions.history.changes(commit, settings?.sourceLocale.code, signal);
    const page = changes.slice(offset, offset + limit);
    return {
      entry: await toEntry(revisions, commit, {
        isTrusted: await revisions.isTrusted(commit, { tip: head, signal }),
      }),
      changes: page.map(toShownChange(settings)),
      total: changes.length,
    };
  };
  // Codes of locales are those of HEAD.
  return { commit, version: JSON.stringify([branch, commit, head, main]), read };
}

/**
 * The last commits on the line of a branch, newest first. Unlike {@link listHistory} this does not read the whole
 * history. It ends at a commit that cannot be read.
 */
export async function recentCommits(
  { hives }: Storage,
  branch: HiveBranch,
  limit: number,
): Promise<readonly HistoryEntry[]> {
  const revisions = hives.at(branch).revisions;
  const entries: HistoryEntry[] = [];
  try {
    for (let next: Oid | undefined = hives.at(branch).head(); next !== undefined && entries.length < limit;) {
      const commit: FullCommit = await revisions.history.readCommit(next);
      entries.push(entryOf(next, commit, true));
      [next] = commit.parents;
    }
  } catch (error) {
    if (!(error instanceof UnreadablePath)) throw error;
  }
  return entries;
}

/**
 * A commit on the line of a branch, and the one before it on that line.
 * @throws SkepError `content-invalid` when it cannot be read.
 */
export async function entryAt(
  { hives }: Storage,
  branch: HiveBranch,
  commit: Oid,
): Promise<HistoryEntry & { readonly previous: Oid | undefined }> {
  try {
    const read = await hives.at(branch).revisions.history.readCommit(commit);
    return { ...entryOf(commit, read, true), previous: read.parents[0] };
  } catch (error) {
    throw toContentInvalid(commit, error);
  }
}

async function find(revisions: RevisionStore, text: string, lookup: Lookup): Promise<Resolved> {
  try {
    return await revisions.resolve(toRevision(text, "commit"), "commit", lookup);
  } catch (cause) {
    if (!isFailure(cause, "invalid")) throw cause;
    throw failure("not-found", cause.message, { cause, publicCode: "unknown_commit" });
  }
}

/** HEAD, that of main and its settings; a Hive whose content is invalid has a history all the same, which tells since when. */
async function headOf(
  { hives }: Storage,
  branch: HiveBranch,
): Promise<{ readonly head: Oid; readonly main: Oid; readonly settings: HiveSettings | undefined }> {
  const head = hives.at(branch).head();
  const main = hives.at(slugOf(branch)).head();
  return { head, main, settings: await hives.at(branch).revisions.settings(main) };
}

/** The folder of a locale: of one that the Hive has, or may have had. */
function toFolder(settings: HiveSettings | undefined, text: string): LocaleCode {
  const present = settings && localeNamed(settings, text);
  if (present !== undefined) return present.code;
  if (isStoredLocaleCode(text)) return text;
  throw settings === undefined
    ? invalid("locale", `"${excerpt(text)}" is no locale's code`)
    : unknownLocale(settings, text);
}

function toTime(text: string, field: string): Seconds {
  const seconds = toSeconds(text);
  if (seconds === undefined) {
    throw invalid(
      field,
      `"${excerpt(text)}" is no ISO 8601 date or time such as 2026-03-01 or 2026-03-01T12:00:00Z`,
    );
  }
  return seconds;
}

async function toEntry(
  revisions: RevisionStore,
  commit: Oid,
  {
    isTrusted,
    changes,
    moves,
  }: {
    readonly isTrusted: boolean;
    readonly changes?: readonly ShownChange[];
    readonly moves?: readonly Move[];
  },
): Promise<HistoryEntry> {
  const entry = entryOf(commit, await revisions.history.readCommit(commit), isTrusted);
  if (changes === undefined) return entry;
  return { ...entry, changes, keyMoves: moves };
}

/** @param isTrusted see {@link RevisionStore.isTrusted}. */
function entryOf(
  commit: Oid,
  { author, committer, time, message }: FullCommit,
  isTrusted: boolean,
): HistoryEntry {
  const record = parseCommitMessage(message, isTrusted && committer.email === skepCommitter.email);
  return { commit, time, author, ...record };
}
