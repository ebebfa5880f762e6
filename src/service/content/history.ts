/** Shows the history of a Hive: its commits and the changes of each, key by key. */
import { toShownChange, type ShownChange } from "../../domain/strings/text-diff.ts";
import { slugOf, type HiveBranch } from "../../domain/commits/branch-name.ts";
import { pageOf, type OffsetLimit, type Page } from "../../domain/pagination.ts";
import {
  skepCommitter,
  type Author,
  parseCommitMessage,
  type CommitRecord,
} from "../../domain/commits/commit-message.ts";
import type { OriginKind } from "../../domain/commits/origin.ts";
import { failure, invalid, unlessFailed } from "../../domain/errors.ts";
import { localeNamed, unknownLocale, type HiveSettings } from "../../domain/hives/hive-settings.ts";
import { isStoredLocaleCode, type LocaleCode } from "../../domain/hives/locale.ts";
import { toContentInvalid, UnreadablePath } from "../../git/bare-repo.ts";
import type { FullCommit } from "../../git/objects/git-object.ts";
import type { Move } from "../../domain/move.ts";
import { isFileName, type Oid } from "../../domain/names.ts";
import { toRevision, toSeconds } from "../../domain/commits/revision.ts";
import { excerpt } from "../../domain/text.ts";
import type { Lookup, Resolved, RevisionStore } from "../../store/history/revision-store.ts";
import { headsAt, type Versioned } from "./queries.ts";
import { keyMeant } from "./shown-keys.ts";
import type { StorageBase } from "../storage.ts";

export interface HistoryEntry extends CommitRecord {
  readonly commit: Oid;
  /** In seconds since 1970. */
  readonly time: number;
  readonly author: Author;
  /** How it changed the key that the query names. */
  readonly changes?: readonly ShownChange[];
  readonly keyMoves?: readonly Move[];
}

export interface HistoryQuery extends OffsetLimit {
  /** A code as the caller gave it; for a removed locale, its canonical code. */
  readonly locale?: string;
  readonly file?: string;
  /** As it is, or as it is shown; see {@link keyMeant}. */
  readonly key?: string;
  readonly operation?: string;
  readonly origin?: OriginKind;
  readonly person?: string;
  /** ISO 8601, where a date means its beginning; or a revision, which does not have the commits. */
  readonly since?: string;
  /** ISO 8601, where a date means its end; or a revision, which has the commits. */
  readonly until?: string;
  readonly signal?: AbortSignal;
}

export interface ChangesPage extends Page<ShownChange> {
  readonly entry: HistoryEntry;
}

/**
 * The commits that a query finds among HEAD and its first parents, newest first.
 * @throws SkepError `invalid` on `since` or `until`; on `locale`, here or when the result is read, if the Hive neither has
 * the locale nor ever had texts of it.
 */
export async function listHistory(
  storage: StorageBase,
  branch: HiveBranch,
  { locale: code, file, key, operation, origin, person, since, until, signal, ...paging }: HistoryQuery,
): Promise<Versioned<Page<HistoryEntry>>> {
  const revisions = storage.hives.at(branch).revisions;
  const { head, main, settings } = await headOf(storage, branch);
  const locale = code === undefined ? undefined : toFolder(settings, code);
  const lookup = { tip: head, signal };
  const bounds: Bound[] = [];
  if (since !== undefined) bounds.push(await boundary(revisions, since, "since", lookup));
  if (until !== undefined) bounds.push(await boundary(revisions, until, "until", lookup));
  const sourceLocale = settings?.sourceLocale.code;
  const read = async (): Promise<Page<HistoryEntry>> => {
    if (code !== undefined && settings !== undefined && localeNamed(settings, code) === undefined) {
      // A removed locale has left commits. A locale without commits never existed, and is likely misspelt.
      const ever = await revisions.history.commits(head, { locale, sourceLocale }, signal);
      if (ever.length === 0) throw unknownLocale(settings, code);
    }
    if (file !== undefined && !isFileName(file)) return { entries: [], total: 0 };
    const meant = key && (await keyMeant(storage, branch, { file, key }));
    const filter = { locale, file, key: meant, sourceLocale };
    const commits = await revisions.history.commits(head, filter, signal);
    const found = commits.filter(
      (commit) =>
        bounds.every(({ holds }) => holds(commit)) &&
        (operation === undefined || commit.operation === operation) &&
        (origin === undefined || commit.origin === origin) &&
        (person === undefined || commit.person === person),
    );
    const { entries: page, total } = pageOf(found, paging);
    const entries = page.map(async ({ oid, changes, moves }) => {
      const entry = entryOf(oid, await revisions.history.readCommit(oid), true);
      if (changes === undefined) return entry;
      return Object.assign(entry, { changes: changes.map(toShownChange(settings)), keyMoves: moves });
    });
    return { entries: await Promise.all(entries), total };
  };
  const version = JSON.stringify([branch, head, main, ...bounds.map(({ commit }) => commit)]);
  return { ...headsAt(branch, head, main), version, read };
}

/**
 * The changes of one commit, key by key: the source locale first, then by locale and file.
 * @param text any form of a revision; a commit that a branch or a tag reaches.
 * @param signal ends it.
 * @throws SkepError `not-found` when there is no such commit; the signal's reason.
 */
export async function showCommit(
  storage: StorageBase,
  branch: HiveBranch,
  text: string,
  paging: OffsetLimit,
  signal?: AbortSignal,
): Promise<Versioned<ChangesPage>> {
  const revisions = storage.hives.at(branch).revisions;
  const { head, main, settings } = await headOf(storage, branch);
  const { commit } = await find(revisions, text, { tip: head, signal });
  const isTrusted = await revisions.isTrusted(commit, { tip: head, signal });
  const read = async (): Promise<ChangesPage> => {
    const changes = await revisions.history.changes(commit, settings?.sourceLocale.code, signal);
    const { entries, total } = pageOf(changes, paging);
    const entry = entryOf(commit, await revisions.history.readCommit(commit), isTrusted);
    return { entry, entries: entries.map(toShownChange(settings)), total };
  };
  // Locales are named by their codes at HEAD, and other branches decide whether a commit is trusted.
  return { commit, version: JSON.stringify([branch, commit, head, main, isTrusted]), read };
}

/**
 * The HEAD of a branch and its last first parents, newest first. Unlike {@link listHistory} this does not read the whole
 * history. It ends at a commit that cannot be read.
 */
export async function recentCommits(
  { hives }: StorageBase,
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
 * A commit among a branch's first parents, and its own first parent.
 * @throws SkepError `content-invalid` when it cannot be read.
 */
export async function entryAt(
  { hives }: StorageBase,
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

function find(revisions: RevisionStore, text: string, lookup: Lookup): Promise<Resolved> {
  const resolve = async (): Promise<Resolved> =>
    revisions.resolve(toRevision(text, "commit"), "commit", lookup);
  return unlessFailed(resolve(), ["invalid"], (cause) => {
    throw failure("not-found", cause.message, { cause, publicCode: "unknown_commit" });
  });
}

/**
 * HEAD, main's HEAD and its settings. A Hive with invalid content has a history, too, which tells when it became
 * invalid.
 */
async function headOf(
  { hives }: StorageBase,
  branch: HiveBranch,
): Promise<{ readonly head: Oid; readonly main: Oid; readonly settings: HiveSettings | undefined }> {
  const head = hives.at(branch).head();
  const main = hives.at(slugOf(branch)).head();
  return { head, main, settings: await hives.at(branch).revisions.settings(main) };
}

/** The canonical code of a locale that the Hive has, or may have had. */
function toFolder(settings: HiveSettings | undefined, text: string): LocaleCode {
  const present = settings && localeNamed(settings, text);
  if (present !== undefined) return present.code;
  if (isStoredLocaleCode(text)) return text;
  throw settings === undefined
    ? invalid("locale", `"${excerpt(text)}" is no locale's code`)
    : unknownLocale(settings, text);
}

interface Bound {
  /** Whether a commit is on the wanted side. */
  readonly holds: (commit: { readonly oid: Oid; readonly time: number }) => boolean;
  /** The commit that a revision names: a tag may be moved. */
  readonly commit?: Oid;
}

/**
 * A time, or a revision, from which on or up to which commits are wanted: since a revision are those that it does not have.
 * @throws SkepError `invalid` on the field when it is neither.
 */
async function boundary(
  revisions: RevisionStore,
  text: string,
  field: "since" | "until",
  lookup: Lookup,
): Promise<Bound> {
  const seconds = toSeconds(text);
  if (seconds !== undefined) {
    const { first, last } = seconds;
    return { holds: ({ time }) => (field === "since" ? time >= first : time <= last) };
  }
  const { commit } = await revisions.resolve(toRevision(text, field), field, lookup);
  const earlier = await revisions.graph.reachable([commit], "all", lookup.signal);
  return { holds: ({ oid }) => earlier.has(oid) === (field === "until"), commit };
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
