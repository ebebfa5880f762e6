/** Undoes the translations that one origin (people, scripts or models) wrote and nobody has changed since. */
import { slugOf, type HiveBranch } from "../../domain/commits/branch-name.ts";
import { subjectWithCounts } from "../../domain/commits/commit-message.ts";
import type { OriginKind } from "../../domain/commits/origin.ts";
import { toRevision } from "../../domain/commits/revision.ts";
import { groupBy } from "../../domain/group-by.ts";
import type { LocaleCode } from "../../domain/hives/locale.ts";
import { AddressMap, type StringAddress } from "../../domain/move.ts";
import type { Oid } from "../../domain/names.ts";
import type { UndoCounts } from "../../domain/plans/undo.ts";
import { GivenReviews, reviewAt } from "../../domain/review/review.ts";
import { changeOf, translationAt } from "../../domain/strings/content-diff.ts";
import type { KeyChange } from "../../domain/strings/hive-content.ts";
import { translatedFromAt, updateStaleMarkers } from "../../domain/strings/stale.ts";
import { translatableTexts } from "../../domain/strings/string-file.ts";
import { contentWrites } from "../../domain/strings/translation-writes.ts";
import type { Snapshot } from "../../store/content/snapshot.ts";
import { blame } from "../../store/history/blame.ts";
import type { BlamedFile, BlamedText } from "../../store/history/blamed-file.ts";
import { orInvalid, type RevisionStore } from "../../store/history/revision-store.ts";
import type { CommitResult, WriteContext } from "../../store/hives/write-context.ts";
import { teamOf } from "../access.ts";
import type { ContentStorage } from "../storage.ts";

export interface OriginUndoRequest {
  readonly origin: OriginKind;
  /** A revision: only commits that it does not reach are undone. */
  readonly since: string;
  readonly signal?: AbortSignal;
}

/** A translation that an origin wrote or removed, with its text and address before that, and its present address. */
interface WrittenText extends BlamedText {
  readonly locale: LocaleCode;
  readonly present: StringAddress;
  readonly after: string | undefined;
  isWritten: boolean;
  /** Whether somebody else has changed it since. */
  isChanged: boolean;
}

/**
 * Restores, as one commit, the text that each translation had before an origin wrote it since a revision. Translations that
 * somebody else has changed since then stay, and are counted as skipped.
 * @throws SkepError `invalid` on `since` for an unknown revision; `content-invalid` when the history cannot be read.
 */
export async function undoOrigin(
  storage: ContentStorage,
  branch: HiveBranch,
  { origin, since, signal }: OriginUndoRequest,
  context: WriteContext,
): Promise<CommitResult<UndoCounts>> {
  await teamOf(storage, slugOf(branch), context);
  const hive = storage.hives.at(branch);
  const { revisions } = hive;
  const start = await revisions.resolveStart(toRevision(since, "since"), "since", {
    tip: hive.head(),
    signal,
  });
  // Before the locks are taken, because it may read the whole history.
  const written = await textsOf(revisions, await hive.snapshot(), { origin, since: start, signal });
  return storage.writer.commitUnderTeamLock(branch, context, "in-order", async (snapshot) => {
    const { content, markers } = await snapshot.state();
    const changed: { readonly change: KeyChange; readonly text: WrittenText }[] = [];
    let skipped = 0;
    for (const text of written) {
      const { locale, present, after, text: before } = text;
      const now = translationAt(content, locale, present.file, present.key);
      if (now === before) continue;
      const hasSource = translatableTexts(content.source.get(present.file)).has(present.key);
      if (text.isChanged || now !== after || !hasSource) skipped++;
      else {
        const change = changeOf(
          { key: present.key, before: now, after: before },
          { locale, file: present.file },
          "deleted",
        );
        changed.push({ change, text });
      }
    }
    const changes = changed.map(({ change }) => change);
    const count = (kind: KeyChange["change"]): number =>
      changes.filter(({ change }) => change === kind).length;
    const counts = {
      restored: count("created"),
      updated: count("updated"),
      deleted: count("deleted"),
      skipped,
    };
    if (changes.length === 0) return { result: counts };
    const writes = await contentWrites(content, new Map(), changes);
    const reviews = new GivenReviews();
    const madeFor = new Map<LocaleCode, AddressMap<string | undefined>>();
    for (const [from, some] of groupBy(changed, ({ text }) => text.from)) {
      const former =
        from && (await orInvalid("since", async () => (await hive.snapshotForDiff(from)).state()));
      for (const { change, text } of some) {
        const side = text.text === undefined ? undefined : former;
        reviews.set(change, side && reviewAt(side, change.locale, text.at));
        const texts = madeFor.get(change.locale) ?? new AddressMap<string | undefined>();
        madeFor.set(change.locale, texts.set(change, side && translatedFromAt(side, change.locale, text.at)));
      }
    }
    const staleMarkers = await updateStaleMarkers(
      content,
      markers,
      { changes, writes },
      (locale, file, key) => madeFor.get(locale)?.get({ file, key }),
    );
    const metadata = {
      subject: subjectWithCounts(`Undo texts of origin ${origin}`, counts, "no text changed"),
      operation: "undo",
      counts,
    };
    return { result: counts, change: { metadata, writes, values: staleMarkers }, changes, reviews };
  });
}

interface OriginRange extends Pick<OriginUndoRequest, "origin" | "signal"> {
  /** Undefined for the whole history. */
  readonly since: Oid | undefined;
}

/** The translations of a snapshot that an origin has written or removed since a commit. */
async function textsOf(
  { blamed }: RevisionStore,
  snapshot: Snapshot,
  { origin, since, signal }: OriginRange,
): Promise<readonly WrittenText[]> {
  const content = await snapshot.content("all");
  const { oid: tip } = snapshot.commit;
  const sourceLocale = content.settings.sourceLocale.code;
  const files = content.settings.targetLocales.flatMap(({ code: locale }) =>
    Array.from(content.source, ([file, source]): BlamedFile<WrittenText> => {
      const toText = (key: string): WrittenText => {
        const text = translationAt(content, locale, file, key);
        const at = { file, key };
        return { locale, present: at, at, text, after: text, from: tip, isWritten: false, isChanged: false };
      };
      const translations = content.translations.get(locale)?.get(file);
      function* entries(): Iterable<readonly [string, string | undefined]> {
        for (const key of translatableTexts(source).keys()) yield [key, translations?.get(key)];
      }
      return { locale, file, texts: { entries, toText, apart: new Set() } };
    }),
  );
  const written: WrittenText[] = [];
  const isSought = (kind: OriginKind | undefined): boolean => kind === origin;
  await blame(blamed, { tip, since, isSought, sourceLocale, signal }, files, (text, commit) => {
    const isTheirs = commit.origin === origin;
    if (isTheirs && !text.isWritten) written.push(text);
    if (isTheirs) text.isWritten = true;
    else if (!text.isWritten) text.isChanged = true;
    return isTheirs || !text.isWritten;
  });
  return written;
}
