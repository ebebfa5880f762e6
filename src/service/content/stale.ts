/** Stale translations: which they are, and those that are good all the same. */
import { slugOf, type HiveBranch } from "../../domain/commits/branch-name.ts";
import type { ChangeMetadata } from "../../domain/commits/commit-message.ts";
import { targetLocale } from "../../domain/hives/hive-settings.ts";
import { codeOf, type Locale } from "../../domain/hives/locale.ts";
import {
  planConfirmation,
  staleOf,
  type ConfirmCounts,
  type StaleTranslation,
} from "../../domain/strings/stale.ts";
import type { OffsetLimit } from "../../domain/pagination.ts";
import { counted } from "../../domain/text.ts";
import { inSlices } from "../../slices.ts";
import type { CommitResult, Planner, WriteContext } from "../write-context.ts";
import { atHead, type Versioned } from "./queries.ts";
import type { Storage } from "../storage.ts";

export interface StaleQuery extends OffsetLimit {
  /** A code as the caller gave it; all target locales when undefined. */
  readonly locale?: string;
}

export interface StalePage {
  readonly translations: readonly StaleTranslation[];
  /** Of all that the query finds, on this page or not. */
  readonly total: number;
}

/**
 * A part of a Hive's stale translations, locale by locale and in the order of the source.
 * @throws SkepError `invalid` on `locale` when the Hive does not have it or it is the source locale;
 * `content-invalid` when stale markers cannot be read.
 */
export async function listStale(
  { hives }: Storage,
  branch: HiveBranch,
  { offset, limit, locale: text }: StaleQuery,
): Promise<Versioned<StalePage>> {
  const snapshot = await hives.at(branch).snapshot();
  const { settings } = snapshot;
  const locales =
    text === undefined ? settings.targetLocales : [targetLocale(settings, text, slugOf(branch))];
  const codes = locales.map(({ code }) => code);
  const read = async (): Promise<StalePage> => {
    const [content, staleMarkers] = await Promise.all([
      snapshot.content(codes),
      snapshot.staleMarkers.read(codes),
    ]);
    const all: StaleTranslation[] = [];
    for (const locale of locales) {
      for (const one of await inSlices(staleOf(content, staleMarkers, locale))) all.push(one);
    }
    return { translations: all.slice(offset, offset + limit), total: all.length };
  };
  const version = `${snapshot.version(codes)}:${snapshot.staleMarkers.version(codes)}`;
  return { ...atHead(branch, snapshot), version, read };
}

export interface ConfirmRequest {
  /** A code as the caller gave it. */
  readonly locale: string;
  readonly file: string;
  readonly keys: readonly string[];
}

/**
 * Confirms that stale translations of a file are good for the present source texts, as one commit; nothing is written
 * when none of the keys has a stale translation.
 * @throws SkepError `invalid` on `locale` when the Hive does not have it or it is the source locale.
 */
export async function confirmStale(
  storage: Storage,
  branch: HiveBranch,
  request: ConfirmRequest,
  context: WriteContext,
): Promise<CommitResult<ConfirmCounts>> {
  return storage.writer.commit(branch, context, planConfirmationIn(branch, request));
}

/** Plans a confirmation; see {@link confirmStale}. */
export function planConfirmationIn(
  branch: HiveBranch,
  { locale: text, file, keys }: ConfirmRequest,
): Planner<ConfirmCounts> {
  return async (snapshot) => {
    const locale = targetLocale(snapshot.settings, text, slugOf(branch));
    const [content, stored] = await Promise.all([
      snapshot.content([locale.code]),
      snapshot.staleMarkers.read([locale.code]),
    ]);
    const wanted = { locale: locale.code, file, keys };
    const { counts, writes, confirmed } = planConfirmation(content, stored, wanted);
    if (writes.length === 0) return { result: counts };
    return {
      result: counts,
      change: { metadata: confirmMetadata(locale, counts), staleMarkers: writes },
      confirmed,
    };
  };
}

function confirmMetadata(locale: Locale, { confirmed, unknown }: ConfirmCounts): ChangeMetadata {
  return {
    subject: `Confirm ${counted(confirmed, `stale ${codeOf(locale)} translation`)}`,
    operation: "confirm-stale",
    counts: { Confirmed: confirmed, Unknown: unknown },
  };
}
