import { describe, expect, it } from "vitest";
import { composeMoves, type Move, type StringAddress } from "../../../src/domain/move.ts";
import { fileNamed } from "../../helpers/hive.ts";
import { written } from "../../helpers/states.ts";
import { planMerge, readPushedContent } from "../../helpers/at-once.ts";
import { numbers, runs } from "../../helpers/runs.ts";
import { marked, stateOf } from "../plans/merging.ts";

/** A source string with its French translation, which was made for a source text. */
interface ModelString {
  readonly address: StringAddress;
  readonly source: string;
  readonly french?: { readonly text: string; readonly translatedFrom: string } | undefined;
}

/** A Hive as its strings, by numbers that they keep when they are moved. */
type Model = ReadonlyMap<number, ModelString>;
type Next = (below: number) => number;

const files = ["a.json", "b.json", "c.json"].map(fileNamed);
const nameOf = ({ file, key }: StringAddress): string => `${file} ${key}`;

/** Files of a model, by file and key. */
function textsBy<T>(entries: readonly (readonly [StringAddress, T])[]): Record<string, Record<string, T>> {
  const found: Record<string, Record<string, T>> = {};
  for (const [{ file, key }, text] of entries) found[file] = { ...found[file], [key]: text };
  return found;
}

function contentOf(model: Model, addressOf = ({ address }: ModelString) => address) {
  const strings = [...model.values()];
  const translated = strings.flatMap((one) => (one.french ? [{ at: addressOf(one), ...one }] : []));
  const french = translated.map(({ at, french: some }) => [at, some?.text ?? ""] as const);
  const stale = translated.flatMap(({ at, source, french: some }) =>
    some === undefined || some.translatedFrom === source ? [] : [[at, some.translatedFrom] as const],
  );
  return stateOf({
    files: textsBy(strings.map(({ address, source }) => [address, source] as const)),
    translations: { fr: textsBy(french) },
    stale: { fr: textsBy(stale) },
  });
}

type State = ReturnType<typeof stateOf>;

/** Address, source text, translation and what it was made for. */
function rowsOf({ hive, markers }: Pick<State, "hive" | "markers">): string[] {
  const [french] = hive.translations.values();
  const [stale] = markers.values();
  return [...hive.source].flatMap(([file, { texts }]) =>
    Array.from(texts, ([key, source]) => {
      const text = french?.get(file)?.get(key);
      const translatedFrom = text === undefined ? undefined : (stale?.get(file)?.get(key) ?? source);
      return [file, key, source, text, translatedFrom].join(" ");
    }),
  );
}

class History {
  readonly models: Model[] = [new Map()];
  /** The moves that made each model. */
  readonly moves: (readonly Move[])[] = [[]];
  readonly #next: Next;
  #count = 0;

  constructor(next: Next) {
    this.#next = next;
  }

  get now(): Model {
    return this.models.at(-1) ?? new Map();
  }

  add(model: Model, moves: readonly Move[]): void {
    this.models.push(model);
    this.moves.push(moves);
  }

  /** A model after some requests, or some edits of files: new texts and new keys are all different. */
  changed(
    start: Model,
    steps: number,
    isPush: boolean,
  ): { readonly model: Model; readonly moves: readonly Move[] } {
    const model = new Map(start);
    let moves: readonly Move[] = [];
    const touched = new Set<number>();
    const move = (ids: readonly number[], addressOf: (one: ModelString) => StringAddress): void => {
      const made: Move[] = [];
      for (const id of ids) {
        const one = model.get(id);
        if (one === undefined) continue;
        const to = addressOf(one);
        made.push({ from: one.address, to });
        model.set(id, { ...one, address: to });
      }
      moves = composeMoves(moves, made);
    };
    for (let step = 0; step < steps; step++) {
      // A push that moves a string and edits its text has deleted it and made another one.
      const ids = [...model.keys()].filter((id) => !isPush || !touched.has(id));
      const id = ids[this.#next(ids.length)] ?? -1;
      const one = model.get(id);
      const [kind, fresh] = [this.#next(9), ++this.#count];
      const file = files[this.#next(files.length)] ?? fileNamed("a.json");
      if (one === undefined || kind <= 1) {
        const address = { file, key: `k${fresh}` };
        model.set(fresh, { address, source: `s${fresh}` });
        touched.add(fresh);
      } else if (kind <= 3) {
        model.set(id, { ...one, french: { text: `t${fresh}`, translatedFrom: one.source } });
      } else if (kind === 4) {
        touched.add(id);
        model.set(id, { ...one, source: `s${fresh}` });
      } else if (kind === 5) model.delete(id);
      else if (kind === 6) model.set(id, { ...one, french: undefined });
      else if (kind === 7) {
        touched.add(id);
        move([id], () => ({ file, key: `k${fresh}` }));
      } else {
        const renamed = [...model].filter(([, { address }]) => address.file === one.address.file);
        if (renamed.some(([own]) => touched.has(own))) continue;
        const to = fileNamed(`f${fresh}.json`);
        for (const [own] of renamed) touched.add(own);
        move(
          renamed.map(([own]) => own),
          ({ address: { key } }) => ({ file: to, key }),
        );
      }
    }
    for (const [id, one] of isPush ? model : []) {
      // A translation that comes in a push is taken to be of the source text that the push leaves.
      if (one.french === undefined || one.french === start.get(id)?.french) continue;
      model.set(id, { ...one, french: { ...one.french, translatedFrom: one.source } });
    }
    return { model, moves };
  }
}

/** What each part of each string becomes; undefined where both sides changed it, or one deleted what the other changed. */
function mergedPlainly(base: Model, ours: Model, theirs: Model): Model | undefined {
  const merged = new Map<number, ModelString>();
  let isConflict = false;
  const pick = <T>(before: T, here: T, there: T): T => {
    const [old, mine, other] = [before, here, there].map((one) => JSON.stringify(one));
    isConflict ||= old !== mine && old !== other && mine !== other;
    return old === mine ? there : here;
  };
  for (const id of new Set([...base.keys(), ...ours.keys(), ...theirs.keys()])) {
    const [before, here, there] = [base.get(id), ours.get(id), theirs.get(id)];
    if (before === undefined || here === undefined || there === undefined) {
      const left = here ?? there;
      if (before === undefined && left !== undefined) merged.set(id, left);
      if (before === undefined || left === undefined) continue;
      // Who deletes a string has not seen texts that have come since; a push may not move what is there no more.
      const hasNew = left.french !== undefined && left.french.text !== before.french?.text;
      const isMoved = here === undefined && nameOf(left.address) !== nameOf(before.address);
      isConflict ||= left.source !== before.source || hasNew || isMoved;
    } else {
      merged.set(id, {
        address: pick(before.address, here.address, there.address),
        source: pick(before.source, here.source, there.source),
        french: pick(before.french, here.french, there.french),
      });
    }
  }
  return isConflict ? undefined : merged;
}

function modelRows(model: Model): string[] {
  return Array.from(model.values(), ({ address, source, french }) =>
    [nameOf(address), source, french?.text, french?.translatedFrom].join(" "),
  );
}

/** A push of a model that was made from an earlier one: what Skep makes of main, or undefined for a refusal. */
function pushed(
  { models, moves: made }: History,
  start: number,
  theirs: Model,
  carries: boolean,
): { readonly rows: string[]; readonly moves: readonly Move[] } | undefined {
  const base = contentOf(models[start] ?? new Map());
  // Who renames a key, or a source file, may leave the translations where they are.
  const addresses = new Map(
    [...theirs].flatMap(([id, { address }]) => {
      const before = models[start]?.get(id)?.address;
      return before === undefined ? [] : [[nameOf(address), before] as const];
    }),
  );
  const former = contentOf(theirs, ({ address }) =>
    carries ? address : (addresses.get(nameOf(address)) ?? address),
  );
  const { hive } = former;
  const { theirs: content, moves: inTo } = readPushedContent(marked(base), hive);
  const ours = contentOf(models.at(-1) ?? new Map());
  const inNow = made.slice(start + 1).reduce(composeMoves, []);
  const plan = planMerge(
    { base: marked(base), ours: marked(ours), theirs: content, moves: { inNow, inTo } },
    undefined,
  );
  if (plan.conflicts.length + plan.orphaned.length > 0) return undefined;
  return { rows: rowsOf(written(ours, plan, plan.staleMarkers)), moves: plan.moves };
}

describe("pushes between other writes", () => {
  it("move what they have renamed, and lose no text", () => {
    const seed = Math.floor(Math.random() * 2 ** 31);
    const counts = { accepted: 0, refused: 0 };
    for (let i = 0; i < runs(100); i++) {
      const next = numbers(seed + i);
      const history = new History(next);
      const first = history.changed(history.now, 12, false);
      history.add(first.model, []);
      for (let step = 0; step < 6; step++) {
        if (next(2) === 0) {
          const { model, moves } = history.changed(history.now, 1 + next(3), false);
          history.add(model, moves);
          continue;
        }
        const start = Math.max(1, history.models.length - 1 - next(4));
        const base = history.models[start] ?? new Map();
        const { model } = history.changed(base, 1 + next(4), true);
        const expected = mergedPlainly(base, history.now, model);
        const result = pushed(history, start, model, next(2) === 0);
        counts[result === undefined ? "refused" : "accepted"]++;
        expect({ seed: seed + i, rows: result?.rows.toSorted() }).toEqual({
          seed: seed + i,
          rows: expected && modelRows(expected).toSorted(),
        });
        if (expected !== undefined && result !== undefined) history.add(expected, result.moves);
      }
    }
    expect(counts.accepted).toBeGreaterThan(counts.refused);
    expect(counts.refused).toBeGreaterThan(0);
  });
});
