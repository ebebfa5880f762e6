/** Lists, approves and rejects translations that wait for a review. */
import { randomUUID } from "node:crypto";
import { slugOf, type HiveBranch } from "../../domain/commits/branch-name.ts";
import { failure, invalid } from "../../domain/errors.ts";
import { targetLocale } from "../../domain/hives/hive-settings.ts";
import { codeOf, type Locale } from "../../domain/hives/locale.ts";
import { nameOf } from "../access.ts";
import { isFileName } from "../../domain/names.ts";
import { isIn, textState, visitTexts } from "../../domain/queries/text-states.ts";
import { PageCollector, type OffsetLimit, type Page } from "../../domain/pagination.ts";
import { expectedConflict } from "../../domain/plans/translation-import.ts";
import { changeOf } from "../../domain/strings/content-diff.ts";
import type { HiveContent } from "../../domain/strings/hive-content.ts";
import {
  GivenReviews,
  maxReasonLength,
  reviewAt,
  type WaitingTranslation,
} from "../../domain/review/review.ts";
import { planConfirmation, translatedFromAt, updateStaleMarkers } from "../../domain/strings/stale.ts";
import type { Texts } from "../../domain/strings/string-file.ts";
import { contentWrites } from "../../domain/strings/translation-writes.ts";
import { counted, textProblem } from "../../domain/text.ts";
import type { Snapshot } from "../../store/content/snapshot.ts";
import type { CommitResult, WriteContext } from "../../store/hives/write-context.ts";
import { atHead, type Versioned } from "../content/queries.ts";
import type { ContentStorage, StorageBase } from "../storage.ts";

export interface ReviewQuery extends OffsetLimit {
  /** A code as the caller gave it; all target locales when undefined. */
  readonly locale?: string;
}

export interface ReviewPage extends Page<WaitingTranslation> {
  readonly names: ReadonlyMap<string, string>;
}

/**
 * A page of a Hive's translations that wait for a review, locale by locale and in the order of the source.
 * @throws SkepError `invalid` on `locale` when the Hive does not have it or it is the source locale; `content-invalid` when
 * markers cannot be read.
 */
export async function listWaiting(
  storage: StorageBase,
  branch: HiveBranch,
  { locale: text, ...paging }: ReviewQuery,
): Promise<Versioned<ReviewPage>> {
  const snapshot = await storage.hives.at(branch).snapshot();
  const { settings } = snapshot;
  const locales =
    text === undefined ? settings.targetLocales : [targetLocale(settings, text, slugOf(branch))];
  const codes = locales.map(({ code }) => code);
  // Persons change their names, and a revoked token has none: no commit tells that. There is no version during a change.
  const people = storage.registry.version.current() ?? randomUUID();
  const version = [snapshot.version(codes), snapshot.values.review.version(codes), people].join(":");
  const read = async (): Promise<ReviewPage> => {
    const [content, reviews] = await Promise.all([
      snapshot.content(codes),
      snapshot.values.review.read(codes),
    ]);
    const list = new PageCollector<WaitingTranslation>(paging);
    for (const locale of locales) {
      await visitTexts(content, locale.code, { reviews }, (states, key, source, file) => {
        const review = isIn(states, textState.waiting) ? file.reviews.get(key) : undefined;
        if (review !== undefined) list.add(() => ({ locale, file: file.name, key, source, ...review }));
      });
    }
    const { page } = list;
    const ids = new Set(page.entries.map(({ by }) => by));
    const names = Array.from(ids, async (id) => [id, await nameOf(storage, id)] as const);
    return { ...page, names: new Map(await Promise.all(names)) };
  };
  return { ...atHead(branch, snapshot), version, read };
}

export interface ReviewRequest {
  /** A code as the caller gave it. */
  readonly locale: string;
  readonly file: string;
  readonly keys: readonly string[];
  /** The texts that have to be stored, as {@link expectedConflict} takes them; undefined to check nothing. */
  readonly expected?: ReadonlyMap<string, Texts>;
}

export interface ReviewCounts {
  readonly reviewed: number;
  /** Keys without a translation that waits. */
  readonly unknown: number;
}

/**
 * Approves waiting translations of a file, as one commit, and confirms the stale ones among them. Nothing is written when
 * none of the keys waits.
 * @throws SkepError as {@link waitingIn}; `forbidden` for the caller's own texts where the locale needs two people.
 */
export function approveTranslations(
  storage: ContentStorage,
  branch: HiveBranch,
  request: ReviewRequest,
  context: WriteContext,
): Promise<CommitResult<ReviewCounts>> {
  return storage.writer.commit(branch, context, async (snapshot) => {
    const { locale, content, waiting, counts } = await waitingIn(snapshot, branch, request);
    if (waiting.length === 0) return { result: counts };
    const own = context.metadata.person ?? context.metadata.token ?? context.metadata.author.name;
    if (locale.twoPeople === true && waiting.some(({ by }) => by === own)) {
      throw failure("forbidden", `${codeOf(locale)} needs two people: you cannot approve your own text.`, {
        publicCode: "own_text",
      });
    }
    const stale = await snapshot.values.stale.read([locale.code]);
    const keys = waiting.map(({ key }) => key);
    const { writes } = planConfirmation(content, stale, { locale: locale.code, file: request.file, keys });
    const metadata = {
      subject: `Approve ${counted(counts.reviewed, `${codeOf(locale)} translation`)}`,
      operation: "approve",
      counts: { approved: counts.reviewed, unknown: counts.unknown },
    };
    const reviews = reviewed(waiting, locale);
    return { result: counts, change: { metadata, values: writes }, reviews };
  });
}

/**
 * Rejects waiting translations of a file, as one commit with the reason as its message: puts their last approved texts
 * back, and removes translations that never were approved. Checks do not refuse a text that was approved before.
 * @throws SkepError as {@link waitingIn}; `invalid` on `reason`.
 */
export function rejectTranslations(
  storage: ContentStorage,
  branch: HiveBranch,
  { reason, ...request }: ReviewRequest & { readonly reason: string },
  context: WriteContext,
): Promise<CommitResult<ReviewCounts>> {
  const problem =
    textProblem(reason) ??
    (reason.trim() === "" ? "say why, for whoever wrote the text" : undefined) ??
    (reason.length > maxReasonLength ? `must be at most ${maxReasonLength} characters` : undefined);
  if (problem !== undefined) throw invalid("reason", problem);
  const because = { ...context, metadata: { ...context.metadata, message: reason } };
  return storage.writer.commit(branch, because, async (snapshot) => {
    const { locale, content, waiting, counts } = await waitingIn(snapshot, branch, request);
    if (waiting.length === 0) return { result: counts };
    const { code } = locale;
    const changes = waiting.map(({ file, key, text, approved }) =>
      changeOf({ key, before: text, after: approved }, { locale: code, file }, "cleared"),
    );
    // A rejected confirmation changes no text.
    const changedTexts = changes.filter(({ before, after }) => before !== after);
    const writes = await contentWrites(content, new Map(), changedTexts);
    const markers = await snapshot.values.stale.read([code]);
    const sources = new Map(waiting.map(({ key, approvedSource }) => [key, approvedSource]));
    const staleMarkers = await updateStaleMarkers(
      content,
      markers,
      { changes, writes },
      (_, file, key) => sources.get(key) ?? translatedFromAt({ content, markers }, code, { file, key }),
    );
    const metadata = {
      subject: `Reject ${counted(counts.reviewed, `${codeOf(locale)} translation`)}`,
      operation: "reject",
      counts: { rejected: counts.reviewed, unknown: counts.unknown },
    };
    const reviews = reviewed(waiting, locale);
    return { result: counts, change: { metadata, writes, values: staleMarkers }, reviews };
  });
}

function reviewed(waiting: readonly WaitingTranslation[], { code: locale }: Locale): GivenReviews {
  const reviews = new GivenReviews();
  for (const { file, key } of waiting) reviews.set({ locale, file, key }, undefined);
  return reviews;
}

interface Waiting {
  readonly locale: Locale;
  readonly content: HiveContent;
  readonly waiting: readonly WaitingTranslation[];
  readonly counts: ReviewCounts;
}

/**
 * The waiting translations among the keys of a request.
 * @throws SkepError `invalid` on `locale` when the Hive does not have it or it is the source locale; `text-conflict` when
 * they are not as expected.
 */
async function waitingIn(
  snapshot: Snapshot,
  branch: HiveBranch,
  { locale: text, file, keys, expected }: ReviewRequest,
): Promise<Waiting> {
  const locale = targetLocale(snapshot.settings, text, slugOf(branch));
  const [content, reviews] = await Promise.all([
    snapshot.content([locale.code]),
    snapshot.values.review.read([locale.code]),
  ]);
  const conflict = expected === undefined ? undefined : await expectedConflict(content, locale, expected);
  if (conflict !== undefined) throw conflict;
  const wanted = new Set(keys);
  const waiting = Array.from(wanted).flatMap((key): readonly WaitingTranslation[] => {
    if (!isFileName(file)) return [];
    const review = reviewAt({ content, reviews }, locale.code, { file, key });
    return review === undefined ? [] : [{ locale, file, key, source: "", ...review }];
  });
  const counts = { reviewed: waiting.length, unknown: wanted.size - waiting.length };
  return { locale, content, waiting, counts };
}
