/** A Hive as its strings, which keep their identity when they are moved: a plain model for merges. */
import { composeMoves, isSameAddress, type Move, type StringAddress } from "../../../src/domain/move.ts";
import { fileNamed } from "../../helpers/hive.ts";
import { stateOf } from "./merging.ts";

/** A source string with its French translation, which was made for a source text. */
export interface ModelString {
  readonly address: StringAddress;
  readonly source: string;
  readonly french?: { readonly text: string; readonly translatedFrom: string } | undefined;
}

/** A Hive as its strings, by numbers that they keep when they are moved. */
export type Model = ReadonlyMap<number, ModelString>;
type Next = (below: number) => number;

const files = ["a.json", "b.json", "c.json"].map(fileNamed);
export const nameOf = ({ file, key }: StringAddress): string => `${file} ${key}`;

/** Files of a model, by file and key. */
function textsBy<T>(entries: readonly (readonly [StringAddress, T])[]): Record<string, Record<string, T>> {
  const found: Record<string, Record<string, T>> = {};
  for (const [{ file, key }, text] of entries) found[file] = { ...found[file], [key]: text };
  return found;
}

export function contentOf(model: Model, addressOf = ({ address }: ModelString) => address) {
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
export function rowsOf({ hive, markers }: Pick<State, "hive" | "markers">): string[] {
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

export class History {
  readonly models: Model[] = [new Map()];
  /** The moves that made each model. */
  readonly moves: (readonly Move[])[] = [[]];
  readonly #next: Next;
  readonly #texts: number;
  readonly #keys: number;
  #count = 0;

  /**
   * @param limits how many different texts the source strings have, and how many keys each file has, so that strings come to
   * where others were, or are on the other side.
   */
  constructor(next: Next, { texts = Infinity, keys = Infinity }: { texts?: number; keys?: number } = {}) {
    this.#next = next;
    this.#texts = texts;
    this.#keys = keys;
  }

  get now(): Model {
    return this.models.at(-1) ?? new Map();
  }

  add(model: Model, moves: readonly Move[]): void {
    this.models.push(model);
    this.moves.push(moves);
  }

  /** A model after some requests, or some edits of files. New translations and new keys are all different. */
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
      const [kind, fresh] = [this.#next(isPush ? 9 : 10), ++this.#count];
      const text = `s${this.#texts === Infinity ? fresh : this.#next(this.#texts)}`;
      const file = files[this.#next(files.length)] ?? fileNamed("a.json");
      const address = { file, key: `k${this.#keys === Infinity ? fresh : this.#next(this.#keys)}` };
      const isTaken = [...model.values()].some((other) => isSameAddress(other.address, address));
      if (one === undefined || kind <= 1) {
        if (isTaken) continue;
        model.set(fresh, { address, source: text });
        touched.add(fresh);
      } else if (kind <= 3) {
        model.set(id, { ...one, french: { text: `t${fresh}`, translatedFrom: one.source } });
      } else if (kind === 4) {
        touched.add(id);
        model.set(id, { ...one, source: text });
      } else if (kind === 5) model.delete(id);
      else if (kind === 6) model.set(id, { ...one, french: undefined });
      else if (kind === 7) {
        if (isTaken) continue;
        touched.add(id);
        move([id], () => address);
      } else if (kind === 9) {
        const [other = id] = ids.slice(this.#next(ids.length));
        const there = (model.get(other) ?? one).address;
        if (other !== id) move([id, other], (own) => (own === one ? there : one.address));
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
export function mergedPlainly(base: Model, ours: Model, theirs: Model): Model | undefined {
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

export function modelRows(model: Model): string[] {
  return Array.from(model.values(), ({ address, source, french }) =>
    [nameOf(address), source, french?.text, french?.translatedFrom].join(" "),
  );
}
