/** `skep translate`: takes work from the queue, gives it to a command, and sends the answers back. */
import type { HiveApi } from "../api/hive-api.ts";
import { ClientError } from "../api/client-error.ts";
import type { Work, WorkItem } from "../api/work-api.ts";
import { addressOf } from "../texts.ts";
import { readAnswers } from "./answers.ts";
import type { FilterRun } from "./run-filter.ts";

export interface TranslateOptions {
  readonly locale: string;
  readonly sourceLocale: string;
  /** The states of strings that are worked on. */
  readonly want: readonly string[];
  readonly batch: number;
  /** How many strings are worked on at most. */
  readonly maxItems: number;
  readonly model: string;
  readonly claimSeconds: number;
}

export interface TranslateContext {
  readonly run: (lines: readonly string[]) => Promise<FilterRun>;
  readonly warn: (message: string) => void;
  readonly progress: (message: string) => void;
}

/** A string whose answers were refused, with the reason for the last one. */
export type RefusedString = Pick<WorkItem, "file" | "key"> & { readonly message: string };

export interface TranslateReport {
  /** How many answers have each status. */
  readonly counts: Readonly<Partial<Record<string, number>>>;
  readonly refused: readonly RefusedString[];
  /** The strings that the command did not answer. */
  readonly unanswered: readonly Pick<WorkItem, "file" | "key">[];
  /** How many strings are left; undefined where that is not known. */
  readonly left: number | undefined;
  /** Why it ended before all was done, where the command failed. */
  readonly failure: string | undefined;
}

/**
 * Works until nothing is left, the budget is used up, or the command fails. Its answers up to then are saved, and all other
 * strings are given back.
 * @throws ClientError when the server refuses a request.
 */
export async function translate(
  hive: HiveApi,
  options: TranslateOptions,
  context: TranslateContext,
): Promise<TranslateReport> {
  return new Translating(hive, options, context).run();
}

/** A string that is not done yet, with the refusal of its last answer. */
interface Open {
  readonly item: WorkItem;
  readonly refused: Readonly<Record<string, unknown>> | undefined;
}

class Translating {
  readonly #hive: HiveApi;
  readonly #options: TranslateOptions;
  readonly #context: TranslateContext;
  readonly #counts = new Map<string, number>();
  readonly #refused: RefusedString[] = [];
  readonly #unanswered: Pick<WorkItem, "file" | "key">[] = [];
  /** The strings that were worked on, with their texts then. */
  readonly #seen = new Set<string>();
  readonly #claims = new Set<string>();
  #left: number | undefined;
  #failure: string | undefined;

  constructor(hive: HiveApi, options: TranslateOptions, context: TranslateContext) {
    this.#hive = hive;
    this.#options = options;
    this.#context = context;
  }

  async run(): Promise<TranslateReport> {
    try {
      while (this.#failure === undefined && this.#seen.size < this.#options.maxItems) {
        const work = await this.#next();
        if (work === undefined || work.claim === null) break;
        this.#claims.add(work.claim);
        // A string that was refused or not answered may come again, once its claim has ended.
        const fresh = work.items.filter((item) => !this.#seen.has(seenOf(item)));
        if (fresh.length === 0) break;
        for (const item of fresh) this.#seen.add(seenOf(item));
        this.#left = work.left;
        await this.#workOn(fresh, work.claim, work.style);
      }
    } finally {
      // Not earlier: strings without an answer would come again.
      for (const claim of this.#claims) await this.#release(claim);
    }
    return {
      counts: Object.fromEntries(this.#counts),
      refused: this.#refused,
      unanswered: this.#unanswered,
      left: this.#left,
      failure: this.#failure,
    };
  }

  async #release(claim: string): Promise<void> {
    try {
      await this.#hive.work.release(claim);
    } catch (error) {
      if (!(error instanceof ClientError)) throw error;
      this.#context.warn(`${error.message} Claimed strings are free again when their time is over.`);
    }
  }

  async #next(): Promise<Work | undefined> {
    const { locale, want, batch, maxItems, claimSeconds } = this.#options;
    const most = Math.min(batch, maxItems - this.#seen.size);
    try {
      return await this.#hive.work.next({ locale, want, max_items: most, claim_seconds: claimSeconds });
    } catch (error) {
      const isFull = error instanceof ClientError && error.code === "limit_reached";
      if (!isFull || this.#seen.size === 0) throw error;
      this.#context.warn("You have claimed as many strings as you may: too many are without an answer.");
      return undefined;
    }
  }

  /** Gives strings to the command, and those that are refused once more with the reasons. */
  async #workOn(items: readonly WorkItem[], claim: string, style: string): Promise<void> {
    const { locale, sourceLocale, model } = this.#options;
    const origin = { kind: "model", name: model };
    let open: readonly Open[] = items.map((item) => ({ item, refused: undefined }));
    for (let run = 1; run <= 2 && open.length > 0 && this.#failure === undefined; run++) {
      this.#tell();
      const { lines, failure } = await this.#context.run(
        open.map(({ item, refused }) =>
          JSON.stringify({ locale, source_locale: sourceLocale, style, ...item, refused }),
        ),
      );
      this.#failure = failure;
      const openItems = open.map(({ item }) => item);
      const answers = readAnswers(lines, openItems, this.#context.warn);
      const answered = openItems.flatMap(({ file, key, expected }) => {
        const answer = answers.get(addressOf({ file, key }));
        return answer === undefined ? [] : [{ file, key, expected, ...answer }];
      });
      const done = { locale, claim, origin, items: answered };
      const results = answered.length === 0 ? [] : await this.#hive.work.done(done);
      const byId = new Map(results.map((result) => [addressOf(result), result]));
      open = open.flatMap(({ item, refused }): Open[] => {
        const result = byId.get(addressOf(item));
        if (result?.status === "refused") {
          const { file: _, key: __, status: ___, ...reasons } = result;
          return [{ item, refused: { ...reasons, ...answers.get(addressOf(item)) } }];
        }
        if (result === undefined && refused !== undefined) return [{ item, refused }];
        if (result === undefined) this.#unanswered.push({ file: item.file, key: item.key });
        else this.#counts.set(result.status, (this.#counts.get(result.status) ?? 0) + 1);
        return [];
      });
    }
    for (const { item, refused } of open)
      this.#refused.push({ file: item.file, key: item.key, message: reasonOf(refused) });
  }

  #tell(): void {
    const saved = this.#counts.get("saved") ?? 0;
    const left = this.#left === undefined ? "" : `, ${this.#left} left after these`;
    this.#context.progress(`${this.#options.locale}: ${saved} of ${this.#seen.size} strings saved${left}`);
  }
}

function seenOf(item: WorkItem): string {
  return JSON.stringify([item.file, item.key, item.expected]);
}

function reasonOf(refused: Open["refused"]): string {
  const message = refused?.["message"] ?? refused?.["code"];
  return typeof message === "string" ? message : "refused";
}
