/** Lists and confirms stale translations. */
import { slugOf, type HiveBranch } from "../../domain/commits/branch-name.ts";
import type { ChangeMetadata } from "../../domain/commits/commit-message.ts";
import { targetLocale } from "../../domain/hives/hive-settings.ts";
import { codeOf, type Locale } from "../../domain/hives/locale.ts";
import {
  planConfirmation,
  type ConfirmCounts,
  updateStaleMarkers,
  type ContentChange,
} from "../../domain/strings/stale.ts";
import type { StringAddress } from "../../domain/move.ts";
import { isIn, textState, visitTexts } from "../../domain/queries/text-states.ts";
import { PageCollector, type OffsetLimit, type Page } from "../../domain/pagination.ts";
import { counted } from "../../domain/text.ts";
import type { CommitResult, Planner, WriteContext } from "../../store/hives/write-context.ts";
import { atHead, type Versioned } from "./queries.ts";
import type { ContentStorage, StorageBase } from "../storage.ts";
import type { HiveContent } from "../../domain/strings/hive-content.ts";
import type { Snapshot } from "../../store/content/snapshot.ts";
import type { ValueWrite } from "../../domain/sidecars/sidecar.ts";

/** A translation that was made for another source text than the current one. */
export interface StaleTranslation extends StringAddress {
  readonly locale: Locale;
  /** The source text that it was made for. */
  readonly translatedFrom: string;
  readonly source: string;
  readonly translation: string;
}

export interface StaleQuery extends OffsetLimit {
  /** A code as the caller gave it; all target locales when undefined. */
  readonly locale?: string;
}

/**
 * A page of a Hive's stale translations, locale by locale and in the order of the source.
 * @throws SkepError `invalid` on `locale` when the Hive does not have it or it is the source locale;
 * `content-invalid` when stale markers cannot be read.
 */
export async function listStale(
  { hives }: StorageBase,
  branch: HiveBranch,
  { locale: text, ...paging }: StaleQuery,
): Promise<Versioned<Page<StaleTranslation>>> {
  const snapshot = await hives.at(branch).snapshot();
  const { settings } = snapshot;
  const locales =
    text === undefined ? settings.targetLocales : [targetLocale(settings, text, slugOf(branch))];
  const codes = locales.map(({ code }) => code);
  const read = async (): Promise<Page<StaleTranslation>> => {
    const [content, markers] = await Promise.all([
      snapshot.content(codes),
      snapshot.values.stale.read(codes),
    ]);
    const list = new PageCollector<StaleTranslation>(paging);
    for (const locale of locales) {
      await visitTexts(content, locale.code, { markers }, (states, key, source, file) => {
        if (!isIn(states, textState.stale)) return;
        const [translatedFrom, translation] = [file.staleMarkers.get(key), file.texts.get(key)];
        if (translatedFrom === undefined || translation === undefined) return;
        list.add(() => ({ locale, file: file.name, key, translatedFrom, source, translation }));
      });
    }
    return list.page;
  };
  const version = `${snapshot.version(codes)}:${snapshot.values.stale.version(codes)}`;
  return { ...atHead(branch, snapshot), version, read };
}

export interface ConfirmRequest {
  /** A code as the caller gave it. */
  readonly locale: string;
  readonly file: string;
  readonly keys: readonly string[];
}

/**
 * Confirms that stale translations of a file are right for the present source texts, as one commit. Nothing is written when
 * none of the keys has a stale translation.
 * @throws SkepError `invalid` on `locale` when the Hive does not have it or it is the source locale.
 */
export async function confirmStale(
  storage: ContentStorage,
  branch: HiveBranch,
  request: ConfirmRequest,
  context: WriteContext,
): Promise<CommitResult<ConfirmCounts>> {
  return storage.writer.commit(branch, context, planConfirmationIn(branch, request));
}

/** Plans a confirmation; see {@link confirmStale}. */
function planConfirmationIn(
  branch: HiveBranch,
  { locale: text, file, keys }: ConfirmRequest,
): Planner<ConfirmCounts> {
  return async (snapshot) => {
    const locale = targetLocale(snapshot.settings, text, slugOf(branch));
    const [content, stored] = await Promise.all([
      snapshot.content([locale.code]),
      snapshot.values.stale.read([locale.code]),
    ]);
    const wanted = { locale: locale.code, file, keys };
    const { counts, writes, confirmed } = planConfirmation(content, stored, wanted);
    if (writes.length === 0) return { result: counts };
    return {
      result: counts,
      change: { metadata: confirmMetadata(locale, counts), values: writes },
      confirmed,
    };
  };
}

function confirmMetadata(locale: Locale, { confirmed, unknown }: ConfirmCounts): ChangeMetadata {
  return {
    subject: `Confirm ${counted(confirmed, `stale ${codeOf(locale)} translation`)}`,
    operation: "confirm-stale",
    counts: { confirmed, unknown },
  };
}

/**
 * The stale markers that a change of keys writes beside its files; see {@link updateStaleMarkers}.
 * @param content of the snapshot, with the translations that may be changed.
 * @throws SkepError `content-invalid` when stale markers cannot be read.
 */
export async function staleMarkerWrites(
  { values }: Snapshot,
  content: HiveContent,
  change: ContentChange,
): Promise<readonly ValueWrite<string>[]> {
  if (change.changes.length === 0) return [];
  const stored = await values.stale.read([...content.translations.keys()]);
  return updateStaleMarkers(content, stored, change);
}
