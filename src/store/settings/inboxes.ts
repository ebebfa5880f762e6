/**
 * Up to when each person has seen what concerns them, and was mailed, `inboxes/<person>.json`. Nothing is lost with it but
 * what was new, so the file is no part of a backup, and is as an empty one where it cannot be read.
 */
import { z } from "zod";
import { jsonOrUndefined } from "../../domain/json.ts";
import type { PersonId } from "../../domain/names.ts";
import type { Documents } from "../record/record.ts";
import { count, time } from "./fields.ts";

const inboxFile = z.strictObject({
  format: z.literal(1),
  seen: time.optional(),
  /** The day of the last digest that was mailed by itself. */
  digest: z.iso.date().optional(),
  /** What waited when the last digest was made, by Hive. */
  told: z.record(z.string(), z.array(count).readonly()).optional(),
});

export type ToldCounts = Readonly<Record<string, readonly number[]>>;

/** Times in ISO 8601, UTC. */
export type InboxState = Readonly<Omit<z.infer<typeof inboxFile>, "format">>;

export class InboxStore {
  readonly #documents: Documents;

  constructor(documents: Documents) {
    this.#documents = documents;
  }

  async read(person: PersonId): Promise<InboxState> {
    return stateIn(await this.#documents.read(pathOf(person)));
  }

  /**
   * Changes the state of a person.
   * @param change gives the state after it; the same for none. It may run more than once.
   * @returns the state after it.
   * @throws SkepError `disk-full`, `busy`.
   */
  change(person: PersonId, change: (before: InboxState) => InboxState): Promise<InboxState> {
    return this.#documents.change(pathOf(person), async (stored) => {
      const before = stateIn(stored);
      const after = change(before);
      if (after === before) return [stored, before];
      return [`${JSON.stringify({ format: 1, ...after })}\n`, after];
    });
  }

  /** Forgets a person who was removed. @throws as {@link change}. */
  forget(person: PersonId): Promise<void> {
    return this.#documents.change(pathOf(person), () => Promise.resolve([undefined, undefined]));
  }
}

function pathOf(person: PersonId): string {
  return `inboxes/${person}.json`;
}

function stateIn(text: string | undefined): InboxState {
  const { data } = inboxFile.safeParse(text === undefined ? undefined : jsonOrUndefined(text));
  if (data === undefined) return {};
  const { format: _, ...state } = data;
  return state;
}
