/** Takes back the translations that people, scripts or models wrote, as far as they still are as these left them. */
import { branchNameOf, slugOf, type HiveBranch } from "../../domain/commits/branch-name.ts";
import { subjectWithCounts } from "../../domain/commits/commit-message.ts";
import type { OriginKind } from "../../domain/commits/origin.ts";
import { toRevision } from "../../domain/commits/revision.ts";
import { invalid } from "../../domain/errors.ts";
import type { LocaleCode } from "../../domain/hives/locale.ts";
import { AddressMap, type StringAddress } from "../../domain/move.ts";
import type { Oid } from "../../domain/names.ts";
import type { UndoCounts } from "../../domain/plans/undo.ts";
import { GivenReviews, markerAt } from "../../domain/review/review.ts";
import { changeOf, translationAt } from "../../domain/strings/content-diff.ts";
import type { KeyChange, TextAddress } from "../../domain/strings/hive-content.ts";
import { translatedFromAt, updateStaleMarkers, type MarkedContent } from "../../domain/strings/stale.ts";
import { translatableTexts } from "../../domain/strings/string-file.ts";
import { translationWrites } from "../../domain/strings/translation-writes.ts";
import { inSlices } from "../../slices.ts";
import type { StoredChange } from "../../store/history/history.ts";
import type { RevisionStore } from "../../store/history/revision-store.ts";
import { orInvalid } from "../../store/history/revision-store.ts";
import { readMarked } from "../content/stale-markers.ts";
import { commitUnderTeamLock, type CommitResult, type WriteContext } from "../write-context.ts";
import { teamOf } from "../owners.ts";
import type { Storage } from "../storage.ts";

export interface OriginUndoRequest {
  readonly origin: OriginKind;
  /** A revision: only what was written after it. */
  readonly since: string;
  /** Ends the reading of the history. */
  readonly signal?: AbortSignal;
}

/** A text that an origin wrote last, or removed. */
interface Written {
  /** What there was before the origin began to write it. */
  readonly before: string | undefined;
  /** The commit that had that, and the string's name there. */
  readonly from: Oid | undefined;
  readonly at: StringAddress;
  readonly after: string | undefined;
  /** Whether somebody else has changed it since. */
  readonly isChanged: boolean;
}

type WrittenTexts = ReadonlyMap<LocaleCode, AddressMap<Written>>;

/**
 * Gives each translation that an origin has written since a revision the text back that it had before, as one commit. What
 * has been changed since then stays, and is counted as skipped.
 * @throws SkepError `invalid` on `since` for a revision that is not on the branch; `content-invalid` when the history
 * cannot be read.
 */
export async function undoOrigin(
  storage: Storage,
  branch: HiveBranch,
  { origin, since, signal }: OriginUndoRequest,
  context: WriteContext,
): Promise<CommitResult<UndoCounts>> {
  await teamOf(storage, slugOf(branch), context);
  const { revisions } = storage.hives.at(branch);
  const head = storage.hives.at(branch).head();
  const { commit } = await revisions.resolve(toRevision(since, "since"), "since", { tip: head, signal });
  const { settings } = await storage.hives.at(branch).snapshot();
  // The whole history may have to be read: not under the locks.
  const start = { tip: head, since: commit, origin, sourceLocale: settings.sourceLocale.code };
  const written = await textsOf(revisions, start, branch, signal);
  return commitUnderTeamLock(storage, branch, context, "in-order", async (snapshot) => {
    const ours = await readMarked(snapshot);
    const { content, markers } = ours;
    const former = new Map<Oid, MarkedContent>();
    const changes: KeyChange[] = [];
    const origins = new Map<KeyChange, { readonly side: MarkedContent; readonly at: StringAddress }>();
    let skipped = 0;
    for (const { code: locale } of content.settings.targetLocales) {
      const texts = written.get(locale) ?? new AddressMap<Written>();
      for (const file of texts.files) {
        for (const [key, one] of texts.of(file)) {
          const now = translationAt(content, locale, file, key);
          const hasSource = translatableTexts(content.source.get(file)).has(key);
          if (now === one.before) continue;
          if (one.isChanged || now !== one.after || !hasSource) {
            skipped++;
            continue;
          }
          const change = changeOf({ key, before: now, after: one.before }, { locale, file }, "deleted");
          changes.push(change);
          if (one.before === undefined || one.from === undefined) continue;
          const { from, at } = one;
          const side =
            former.get(from) ??
            (await orInvalid("since", async () =>
              readMarked(await revisions.snapshotAt(from, "since", snapshot)),
            ));
          former.set(from, side);
          origins.set(change, { side, at });
        }
      }
    }
    const count = (kind: KeyChange["change"]): number =>
      changes.filter(({ change }) => change === kind).length;
    const counts = {
      restored: count("created"),
      updated: count("updated"),
      deleted: count("deleted"),
      skipped,
    };
    if (changes.length === 0) return { result: counts };
    const writes = await inSlices(translationWrites(content, new Map(), changes));
    const reviews = new GivenReviews();
    const madeFor = new Map<LocaleCode, AddressMap<string | undefined>>();
    for (const change of changes) {
      const { side, at } = origins.get(change) ?? {};
      const isKnown = side !== undefined && at !== undefined;
      reviews.set(change, isKnown ? markerAt(side, change.locale, at) : undefined);
      const texts = madeFor.get(change.locale) ?? new AddressMap<string | undefined>();
      madeFor.set(
        change.locale,
        texts.set(change, isKnown ? translatedFromAt(side, change.locale, at) : undefined),
      );
    }
    const staleMarkers = await inSlices(
      updateStaleMarkers(content, markers, { changes, writes }, (locale, file, key) =>
        madeFor.get(locale)?.get({ file, key }),
      ),
    );
    const metadata = {
      subject: subjectWithCounts(`Undo texts of origin ${origin}`, counts, "no text changed"),
      operation: "undo",
      counts: {
        Restored: counts.restored,
        Updated: counts.updated,
        Deleted: counts.deleted,
        Skipped: skipped,
      },
    };
    return { result: counts, change: { metadata, writes, staleMarkers }, changes, reviews };
  });
}

interface HistoryRange {
  readonly tip: Oid;
  readonly since: Oid;
  readonly origin: OriginKind;
  readonly sourceLocale: LocaleCode;
}

/**
 * What an origin has written along the first parents of a tip, under the names that the strings have there.
 * @throws SkepError `invalid` on `since` for a commit that is not among them.
 */
async function textsOf(
  { graph, history, moves }: RevisionStore,
  { tip, since, origin, sourceLocale }: HistoryRange,
  branch: HiveBranch,
  signal: AbortSignal | undefined,
): Promise<WrittenTexts> {
  const line = await graph.firstParents(tip, signal);
  const start = line.findIndex(({ oid }) => oid === since);
  if (start === -1)
    throw invalid("since", `is not on the branch ${branchNameOf(branch)} of ${slugOf(branch)}`, {
      publicCode: "unknown_revision",
    });
  let written = new Map<LocaleCode, AddressMap<Written>>();
  const later = line.slice(start + 1);
  const first = later.findIndex((commit) => commit.origin === origin);
  for (const commit of first === -1 ? [] : later.slice(first)) {
    signal?.throwIfAborted();
    const moved = await moves.of(commit);
    if (moved.length > 0) written = withMoves(written, moved);
    const from = commit.parents[0];
    const [came, left] = [new AddressMap<StringAddress>(), new AddressMap<true>()];
    for (const move of moved) came.set(move.to, move.from);
    for (const move of moved) left.set(move.from, true);
    const changes = await history.changes(commit.oid, sourceLocale, signal);
    const before = new Map(changes.map((change) => [placeOf(change), change.before]));
    for (const change of changes) {
      const { locale, after } = change;
      if (locale === sourceLocale || (left.has(change) && !came.has(change))) continue;
      const at = came.get(change) ?? { file: change.file, key: change.key };
      const was = came.has(change) ? before.get(placeOf({ ...at, locale })) : change.before;
      if (was === after) continue;
      const texts = written.get(locale) ?? new AddressMap<Written>();
      written.set(locale, texts);
      const known = texts.get(change);
      if (commit.origin !== origin) {
        if (known !== undefined) texts.set(change, { ...known, isChanged: known.after !== after });
      } else if (known !== undefined && !known.isChanged && known.after === was) {
        texts.set(change, { ...known, after });
      } else texts.set(change, { before: was, from, at, after, isChanged: false });
    }
  }
  return written;
}

function placeOf({ locale, file, key }: TextAddress | StoredChange): string {
  return JSON.stringify([locale, file, key]);
}

function withMoves(
  written: WrittenTexts,
  moves: readonly { readonly from: StringAddress; readonly to: StringAddress }[],
): Map<LocaleCode, AddressMap<Written>> {
  const after = new Map<LocaleCode, AddressMap<Written>>();
  for (const [locale, texts] of written) {
    const moved = new AddressMap<Written>();
    const gone = new AddressMap<true>();
    for (const { from, to } of moves) gone.set(from, true).set(to, true);
    for (const file of texts.files) {
      for (const [key, one] of texts.of(file)) if (!gone.has({ file, key })) moved.set({ file, key }, one);
    }
    for (const { from, to } of moves) {
      const one = texts.get(from);
      if (one !== undefined) moved.set(to, one);
    }
    after.set(locale, moved);
  }
  return after;
}
