/**
 * Stale texts of machines that nobody has looked at, because they did not wait for a review: with the rule `never`, a text
 * counts as approved as soon as it is written. What somebody has approved or confirmed leaves no mark at the text itself, so
 * the commit that wrote it tells.
 */
import { branchNameOf, slugOf, type HiveBranch } from "../../domain/commits/branch-name.ts";
import type { Locale } from "../../domain/hives/locale.ts";
import { AddressMap, type StringAddress } from "../../domain/move.ts";
import { waitingFor } from "../../domain/sidecars/review.ts";
import { valueAt } from "../../domain/sidecars/sidecar.ts";
import { formerSource } from "../../domain/sidecars/stale.ts";
import { reviewAt } from "../../domain/review/review.ts";
import { translationAt } from "../../domain/strings/content-diff.ts";
import { translatableTexts } from "../../domain/strings/string-file.ts";
import { pause } from "../../slices.ts";
import type { Snapshot } from "../../store/content/snapshot.ts";
import type { Origins } from "../../store/history/text-origins.ts";
import type { DeliveryStorage } from "../storage.ts";

interface AskedTexts {
  readonly locale: Locale;
  /** Of the snapshot's texts in the locale. */
  readonly origins: Origins;
  readonly signal: AbortSignal | undefined;
}

/**
 * The stale texts of a snapshot that a machine has written, and that nobody has approved, confirmed or changed since.
 * @throws SkepError `content-invalid`; the signal's reason.
 */
export async function unreviewedTexts(
  storage: DeliveryStorage,
  branch: HiveBranch,
  snapshot: Snapshot,
  { locale, origins, signal }: AskedTexts,
): Promise<AddressMap<true>> {
  const { code } = locale;
  const content = await snapshot.content([code]);
  const [stale, reviews] = [
    await snapshot.values.stale.read([code]),
    await snapshot.values.review.read([code]),
  ];
  const found = new AddressMap<true>();
  for (const [file, markers] of stale.get(code) ?? []) {
    await pause(signal);
    const sources = translatableTexts(content.source.get(file));
    for (const [key, marker] of markers) {
      const at = { file, key };
      const text = translationAt(content, code, file, key);
      const isMachines = origins.get(file)?.get(key) === "model";
      const isStale = formerSource(marker, sources.get(key)) !== undefined;
      if (text === undefined || !isMachines || !isStale) continue;
      if (waitingFor(valueAt(reviews, code, at), text) !== undefined) continue;
      const name = JSON.stringify([slugOf(branch), branchNameOf(branch), code, file, key, text]);
      const known = storage.unreviewed.get(name);
      const madeFor =
        known ?? (await sourceOfUnreviewed(storage, branch, snapshot, { ...at, text, locale, signal }));
      storage.unreviewed.set(name, madeFor);
      // Whoever confirms a text has it made for another source text than it was written for.
      if (madeFor.source === marker) found.set(at, true);
    }
  }
  return found;
}

/** The source text that a text was written for; undefined where it has waited for a review, or that is not known. */
interface WrittenFor {
  readonly source: string | undefined;
}

async function sourceOfUnreviewed(
  storage: DeliveryStorage,
  branch: HiveBranch,
  { commit, settings }: Snapshot,
  {
    file,
    key,
    text,
    locale: { code },
    signal,
  }: StringAddress & Omit<AskedTexts, "origins"> & { readonly text: string },
): Promise<WrittenFor> {
  const hive = storage.hives.at(branch);
  const filter = { locale: code, file, key, sourceLocale: settings.sourceLocale.code };
  const commits = await hive.revisions.history.commits(commit.oid, filter, signal);
  const written = commits.find(({ moves }) => moves === undefined);
  const change = written?.changes?.find(({ locale, after }) => locale === code && after === text);
  // A merge or an undo brings what others have decided about.
  if (written?.origin !== "model" || change === undefined) return { source: undefined };
  const then = await hive.snapshotAt(written.oid, "at");
  const content = await then.content([code]);
  const was = { content, reviews: await then.values.review.read([code]) };
  if (reviewAt(was, code, change) !== undefined) return { source: undefined };
  return { source: translatableTexts(content.source.get(change.file)).get(change.key) };
}
