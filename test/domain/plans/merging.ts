import type { Move } from "../../../src/domain/move.ts";
import type { MergePlan } from "../../../src/domain/plans/merge.ts";
import type { Side } from "../../../src/domain/plans/merge-source.ts";
import { hiveOf, type HiveFixture } from "../../helpers/hive.ts";
import { emptyState, written, type State } from "../../helpers/states.ts";
import { planMerge } from "../../helpers/at-once.ts";

/** Merges of states, for the tests of merges. */
export interface Merged {
  readonly plan: MergePlan;
  readonly merged: State;
}

export const marked = ({ hive, markers }: State) => ({ content: hive, markers });

interface Moves {
  readonly inNow: readonly Move[];
  readonly inTo: readonly Move[];
}

export interface Sides {
  readonly base: State;
  readonly ours: State;
  readonly theirs: State;
}

export const contentsOf = ({ base, ours, theirs }: Sides) => ({
  base: marked(base),
  ours: marked(ours),
  theirs: marked(theirs),
});

export function merging(base: State, ours: State, theirs: State, winner?: Side, moves?: Moves): Merged {
  const contents = {
    base: marked(base),
    ours: marked(ours),
    theirs: marked(theirs),
    ...(moves && { moves }),
  };
  const plan = planMerge(contents, winner);
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
