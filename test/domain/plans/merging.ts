import { planMerge, type MergePlan } from "../../../src/domain/plans/merge.ts";
import type { SideMoves } from "../../../src/domain/moves/alignment.ts";
import type { Side } from "../../../src/domain/sides.ts";
import { Settlement, type Taken } from "../../../src/domain/plans/settlement.ts";
import type { Sides } from "../../../src/domain/sides.ts";
import type { HiveContent } from "../../../src/domain/strings/hive-content.ts";
import { hiveOf, type HiveFixture } from "../../helpers/hive.ts";
import { emptyState, marked, written, type State } from "../../helpers/states.ts";

/** Merges of states, for the tests of merges. */
export interface Merged {
  readonly plan: MergePlan;
  readonly merged: State;
}

export const contentsOf = ({ base, ours, theirs }: Sides<State>) => ({
  base: marked(base),
  ours: marked(ours),
  theirs: marked(theirs),
});

export async function merging(
  base: State,
  ours: State,
  theirs: State,
  settled?: Side | Settlement,
  moves?: SideMoves,
): Promise<Merged> {
  const contents = { ...contentsOf({ base, ours, theirs }), moves };
  const plan = await planMerge(contents, settled instanceof Settlement ? settled : new Settlement(settled));
  return { plan, merged: written(ours, plan, plan.staleMarkers) };
}

export function textsOf({ hive }: State): string[] {
  const texts = [...hive.source].flatMap(([file, content]) =>
    Array.from(content.texts, ([key, text]) => JSON.stringify(["source", file, key, text])),
  );
  for (const [code, files] of hive.translations) {
    for (const [file, keys] of files) {
      for (const [key, text] of keys) texts.push(JSON.stringify([code, file, key, text]));
    }
  }
  return texts.toSorted();
}

interface Fixture extends HiveFixture {
  /** Locale code → file → key → the source text that the translation was made for. */
  readonly stale?: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, string>>>>>>;
}

export function stateOf({ stale = {}, ...fixture }: Fixture): State {
  const { translations } = hiveOf({ ...fixture, translations: stale });
  return { ...emptyState, hive: hiveOf(fixture), markers: translations };
}

/** One file with its French translations. */
export const file = (
  texts: unknown,
  fr: Readonly<Record<string, string>> = {},
  stale: Readonly<Record<string, string>> = {},
) =>
  stateOf({
    files: { "a.json": texts },
    translations: { fr: { "a.json": fr } },
    stale: { fr: { "a.json": stale } },
  });

/** Settles conflicts for a side, and about half of the strings by themselves. */
export function settledAtRandom(
  next: (below: number) => number,
  winner: Side,
  { source }: HiveContent,
): Settlement {
  const takes: readonly Taken[] = ["ours", "theirs", { text: "Own" }];
  const places = [...source].flatMap(([name, { texts }]) =>
    Array.from(texts.keys(), (key) => ({
      locale: emptyState.hive.settings.sourceLocale.code,
      file: name,
      key,
    })),
  );
  return new Settlement(
    winner,
    places.flatMap((place) => (next(2) === 0 ? [] : [{ ...place, take: takes[next(3)] ?? "ours" }])),
  );
}
