/** Bounds the bytes of all request bodies that are in memory at once, and shares them between teams. */
import { SkepError } from "../../domain/errors.ts";
import type { TeamName } from "../../domain/names.ts";

/**
 * A team may never hold more than is left for the others: alone half of everything, beside one other team a third, and
 * so on. So the large bodies of one team leave room for the writes of another, however slowly they arrive.
 */
export class BodyBudget {
  readonly #limit: number;
  readonly #held = new Map<TeamName, number>();
  #used = 0;

  /** How many bytes are in memory. */
  get used(): number {
    return this.#used;
  }

  /** @param limit in bytes. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Opens the share of one request of a team, which takes bytes as they arrive. */
  open(team: TeamName): BodyShare {
    let held = 0;
    const add = (bytes: number): void => {
      const all = (this.#held.get(team) ?? 0) + bytes;
      if (all === 0) this.#held.delete(team);
      else this.#held.set(team, all);
      this.#used += bytes;
      held += bytes;
    };
    return {
      take: (bytes) => {
        if ((this.#held.get(team) ?? 0) + bytes > this.#limit - this.#used) {
          throw new SkepError("busy", "Too many large requests at once; try again soon.", { retryAfter: 2 });
        }
        add(bytes);
      },
      release: () => add(-held),
    };
  }
}

/** The share of the budget that one request holds. */
export interface BodyShare {
  /** @throws SkepError `busy` when its team would hold too much, or all requests together. */
  readonly take: (bytes: number) => void;
  readonly release: () => void;
}

/** For small bodies of callers without a team. */
export const noShare: BodyShare = { take: () => {}, release: () => {} };
