/** Two kinds of values that the product does not have: what a new kind needs is its declaration. */
import { afterAll, beforeAll } from "vitest";
import { sidecars } from "../../../src/domain/plans/sidecars.ts";
import type { HiveBranch } from "../../../src/domain/commits/branch-name.ts";
import type { StringAddress } from "../../../src/domain/move.ts";
import type { LocaleValues, Sidecar } from "../../../src/domain/sidecars/sidecar.ts";
import type { Storage } from "../../../src/service/storage.ts";
import { operator } from "../../../src/store/hives/write-context.ts";
import { commandAuthor } from "../../../src/domain/commits/commit-message.ts";

function toText(stored: unknown): string {
  if (typeof stored !== "string") throw new TypeError("must be a text");
  return stored;
}

/** Who likes a translation, as long as it is the same. */
export const votesKind: Sidecar<{ readonly text: string; readonly by: string }> = {
  folder: "votes",
  by: "translation",
  words: ["vote", "for another text"],
  countsByText: true,
  isOptional: false,
  parse(stored) {
    const [text, by, ...others] = Array.isArray(stored) ? stored.map(toText) : [];
    if (text === undefined || by === undefined || others.length > 0) throw new TypeError("must be a vote");
    return { text, by };
  },
  toJson: ({ text, by }) => [text, by],
  isSame: (one, other) => one.text === other.text && one.by === other.by,
  counts: (vote, { source, text }) => source !== undefined && vote.text === text,
};

/** Who knows a string. */
export const ownersKind: Sidecar<string> = {
  folder: "owners",
  by: "string",
  words: ["owner", "of no string"],
  countsByText: false,
  isOptional: true,
  parse: toText,
  toJson: (owner) => owner,
  isSame: (one, other) => one === other,
  counts: (_, { source }) => source !== undefined,
};

/** Adds them to the product's own, which nothing else may do, for the tests of a file. */
export function useMoreKinds(): void {
  const change = (...[at, remove, ...add]: Parameters<Sidecar<unknown>[]["splice"]>): void =>
    void Reflect.apply(Array.prototype.splice, sidecars, [at, remove, ...add]);
  beforeAll(() => change(sidecars.length, 0, votesKind, ownersKind));
  afterAll(() => change(sidecars.indexOf(votesKind), 2));
}

/** Sets the value of a string or its French translation, or removes it, as one commit. */
export async function putValue<V>(
  { writer }: Pick<Storage, "writer">,
  branch: HiveBranch,
  kind: Sidecar<V>,
  { file, key }: StringAddress,
  value: V | undefined,
): Promise<void> {
  const change = (now: LocaleValues<V>): LocaleValues<V> =>
    new Map(
      Array.from(now, ([locale, files]) => {
        const values = new Map(files.get(file));
        if (value === undefined) values.delete(key);
        else values.set(key, value);
        return [locale, new Map(files).set(file, values)];
      }),
    );
  const metadata = { subject: `Change ${kind.folder}`, operation: "test" };
  const context = { metadata: { author: commandAuthor }, caller: operator };
  await writer.commit(branch, context, () => ({
    result: undefined,
    change: { metadata },
    values: [{ kind, change }],
  }));
}
