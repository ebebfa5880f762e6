/** The markers of reviews that go with a change of a Hive, whoever makes it. */
import type { Move } from "../../domain/move.ts";
import { routesOf } from "../../domain/moves/moved-content.ts";
import { reviewWrites, type ReviewChange, type ReviewWrite } from "../../domain/review/review.ts";
import { inSlices } from "../../slices.ts";
import type { Snapshot } from "../content/snapshot.ts";
import type { HiveChange } from "./hive-commit.ts";
import type { WriteContext } from "./write-context.ts";

interface PlannedChange {
  readonly change: Pick<HiveChange<unknown>, "writes" | "review">;
  readonly moves: readonly Move[];
  readonly given: ReviewChange["given"];
  readonly confirmed: ReviewChange["confirmed"] | undefined;
}

/**
 * The files of markers that a planned change writes; see {@link reviewWrites}. Nothing is read where no text waits and no
 * text of the change has to.
 * @throws SkepError `content-invalid` when markers cannot be read.
 */
export async function reviewsOf(
  snapshot: Snapshot,
  { change: { writes = [], review }, moves, given, confirmed = [] }: PlannedChange,
  { caller, metadata }: Pick<WriteContext, "caller" | "metadata">,
): Promise<readonly ReviewWrite[]> {
  if (review !== undefined) return review;
  const { targetLocales } = snapshot.settings;
  const touched = new Set([...writes, ...confirmed].map(({ locale }) => locale));
  for (const code of given?.locales ?? []) touched.add(code);
  const codes = targetLocales.map(({ code }) => code).filter((code) => touched.has(code));
  const rule = caller.review ?? (metadata.origin?.kind === "model" ? "always" : "never");
  const by = metadata.person ?? metadata.token ?? metadata.author.name;
  const writer: ReviewChange["writer"] = ({ review: all }) =>
    rule === "always" || all === "all" ? by : undefined;
  const markers = await snapshot.review.read(codes);
  const isNothing = [...markers.values()].every(({ size }) => size === 0) && (given?.isEmpty ?? true);
  if (isNothing && !targetLocales.some((locale) => markers.has(locale.code) && writer(locale) !== undefined))
    return [];
  const content = await snapshot.content(codes);
  const routes = await inSlices(routesOf(content.source, moves));
  return reviewWrites(content, markers, { routes, writes, given, confirmed, writer });
}
