/** Finds the origins that last wrote the present texts of a locale, starting from the result for an earlier commit. */
import { setTimeout as wait } from "node:timers/promises";
import { Semaphore } from "../../disk/semaphore.ts";
import { boundedCache } from "../../bounded-cache.ts";
import { groupBy } from "../../domain/group-by.ts";
import type { OriginKind } from "../../domain/commits/origin.ts";
import type { LocaleCode } from "../../domain/hives/locale.ts";
import type { StringAddress } from "../../domain/move.ts";
import type { FileName, Oid } from "../../domain/names.ts";
import { noTexts, type Texts } from "../../domain/strings/string-file.ts";
import { blame, type BlameSource } from "./blame.ts";
import { isWhole, type BlamedFile, type BlamedText } from "./blamed-file.ts";

/** How many results are kept, each for one locale at one commit. */
const maxKept = 64;
/** About how many bytes one text takes in memory. */
const bytesOfText = 64;

/** The origins of texts, by file and key, where their writers named one. */
export type Origins = ReadonlyMap<FileName, ReadonlyMap<string, OriginKind>>;

/** The texts of one locale at a commit. */
export interface OriginQuery {
  readonly tip: Oid;
  readonly locale: LocaleCode;
  readonly sourceLocale: LocaleCode;
  readonly files: ReadonlyMap<FileName, Texts>;
  readonly signal?: AbortSignal;
}

interface PresentText extends BlamedText {
  readonly present: StringAddress;
}

interface Kept {
  readonly locales: string;
  readonly tip: Oid;
  /** Of the commit. */
  readonly origin: OriginKind | undefined;
  readonly origins: Origins;
}

export class TextOrigins {
  readonly #source: BlameSource;
  readonly #kept = boundedCache<string, Kept>(maxKept);
  /** The searches that {@link soon} has begun, by locale. */
  readonly #running = new Map<
    LocaleCode,
    { readonly tip: Oid; readonly origins: Promise<Origins | undefined> }
  >();
  readonly #semaphore = new Semaphore(1);

  constructor(source: BlameSource) {
    this.#source = source;
  }

  /** About the memory that the results take; shared parts are counted for each. */
  get bytes(): number {
    let texts = 0;
    for (const { origins } of this.#kept.values()) for (const { size } of origins.values()) texts += size;
    return texts * bytesOfText;
  }

  evict(): void {
    this.#kept.clear();
  }

  /**
   * As {@link at}, but with a time limit. A search that takes longer goes on, one locale after the other, and the next call
   * gets its result.
   * @param ms the time limit in milliseconds.
   * @returns undefined where it takes longer, or fails.
   */
  async soon(query: Omit<OriginQuery, "signal">, ms: number): Promise<Origins | undefined> {
    const { locale, tip } = query;
    let running = this.#running.get(locale);
    if (running === undefined) {
      const origins = this.#semaphore
        .run(() => this.at(query))
        .catch(() => undefined)
        .finally(() => this.#running.delete(locale));
      running = { tip, origins };
      this.#running.set(locale, running);
    }
    if (running.tip !== tip) return undefined;
    const waiting = new AbortController();
    const late = wait(ms, undefined, { signal: waiting.signal }).catch(() => undefined);
    const origins = await Promise.race([running.origins, late]);
    waiting.abort();
    return origins;
  }

  /** @throws as {@link blame}. */
  async at({ tip, locale, sourceLocale, files, signal }: OriginQuery): Promise<Origins> {
    const locales = JSON.stringify([locale, sourceLocale]);
    const known = await this.#earlier(locales, tip, signal);
    if (known?.tip === tip) return known.origins;
    const origins = new Map<FileName, Map<string, OriginKind>>();
    const same = new Map<FileName, ReadonlyMap<string, OriginKind>>();
    const again: StringAddress[] = [];
    const set = ({ file, key }: StringAddress, origin: OriginKind | undefined): void => {
      if (origin === undefined) return;
      const keys = origins.get(file) ?? new Map<string, OriginKind>();
      origins.set(file, keys.set(key, origin));
    };
    const textsIn = (file: FileName): Texts => files.get(file) ?? noTexts;
    const toText = (at: StringAddress): PresentText => {
      return { present: at, at, text: textsIn(at.file).get(at.key), from: tip };
    };
    const follow = (from: Oid, all: Iterable<BlamedFile<PresentText>>, below?: Kept) => {
      // Commits below the known ones may have origins, too.
      const isSought = (origin: OriginKind | undefined): boolean =>
        below !== undefined || origin !== undefined;
      const range = { tip: from, since: below?.tip, isSought, sourceLocale, signal };
      return blame(this.#source, range, all, ({ present }, { origin, parents: [parent] }) => {
        // Commits of one origin are compared as one, also below the known ones.
        if (below !== undefined && parent === below.tip && origin === below.origin) again.push(present);
        else set(present, origin);
        return false;
      });
    };
    const take = ({ texts, file }: BlamedFile<PresentText>, from: Origins): void => {
      const kept = from.get(file);
      if (isWhole(texts)) {
        const isSame = texts.apart.size === 0 && kept !== undefined && hasAllOf(textsIn(file), kept);
        if (isSame) same.set(file, kept);
        else
          for (const [key] of texts.entries()) if (!texts.apart.has(key)) set({ file, key }, kept?.get(key));
        return;
      }
      for (const { present, at, text, restored = { text } } of texts) {
        if (restored.text === text) set(present, from.get(at.file)?.get(at.key));
        else again.push(present);
      }
    };
    const whole = Array.from(files.keys(), (file): BlamedFile<PresentText> => {
      const one = (key: string): PresentText => toText({ file, key });
      return { locale, file, texts: { entries: () => textsIn(file), toText: one, apart: new Set() } };
    });
    for (const [left, some] of await follow(tip, whole, known)) {
      if (known === undefined) continue;
      // A merge can bring back a text that is older than the commit that is known.
      if (left === known.tip) for (const file of some) take(file, known.origins);
      else await follow(left, some);
    }
    const rest = groupBy(again, ({ file }) => file);
    const anew = Array.from(rest, ([file, some]) => ({ locale, file, texts: some.map(toText) }));
    if (anew.length > 0) await follow(tip, anew);
    const origin = (await this.#source.graph.firstParents(tip, signal)).at(-1)?.origin;
    const found = { locales, tip, origin, origins: new Map([...same, ...origins]) };
    this.#kept.set(JSON.stringify([locales, tip]), found);
    return found.origins;
  }

  /** The result for the commit itself, or for the newest of its first parents that has one. */
  async #earlier(locales: string, tip: Oid, signal: AbortSignal | undefined): Promise<Kept | undefined> {
    const firstParents = await this.#source.graph.firstParents(tip, signal);
    const kept = new Map(
      Array.from(this.#kept.values()).flatMap((one) => (one.locales === locales ? [[one.tip, one]] : [])),
    );
    const newest = firstParents.findLast(({ oid }) => kept.has(oid));
    return newest && kept.get(newest.oid);
  }
}

/** Whether some keys are still there: removed texts are not followed. */
function hasAllOf(texts: Texts, keys: ReadonlyMap<string, unknown>): boolean {
  for (const key of keys.keys()) if (!texts.has(key)) return false;
  return true;
}
