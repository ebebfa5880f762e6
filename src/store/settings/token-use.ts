/** On which day each token was used last, so that unused ones can be found and revoked. */
import { z } from "zod";
import { isTokenId, type TokenId } from "../../domain/names.ts";
import type { Documents } from "../record/record.ts";
import { VolatileFiles } from "./volatile-files.ts";

/** How long a first use of the day may wait to be written, together with others. */
const delayMs = 60_000;
const usesFile = z
  .record(z.string(), z.iso.date())
  .transform(
    (days): LastUses =>
      new Map(
        Object.entries(days).flatMap(([id, day]): [TokenId, string][] => (isTokenId(id) ? [[id, day]] : [])),
      ),
  );

/** Days as `2026-01-31`, in UTC. */
export type LastUses = ReadonlyMap<TokenId, string>;

/**
 * The file lies beside the settings and is no part of a backup. A request only notes the day in memory; all that was
 * noted is written at most once a minute, and for each token once a day. A kill loses what was not yet written.
 */
export class TokenUse {
  readonly #files: VolatileFiles<"token-use", LastUses>;
  /** What this process has seen, whether it is written or not. */
  readonly #seen = new Map<TokenId, string>();
  #unwritten: NodeJS.Timeout | undefined;

  constructor(documents: Documents) {
    this.#files = new VolatileFiles(documents, {
      pathOf: (name) => `${name}.json`,
      schema: usesFile,
      empty: new Map(),
      toJson: Object.fromEntries,
    });
  }

  /** Notes that a token was used. @param now in milliseconds since 1970. */
  note(id: TokenId, now: number): void {
    const day = new Date(now).toISOString().slice(0, 10);
    if (this.#seen.get(id) === day) return;
    this.#seen.set(id, day);
    this.#unwritten ??= setTimeout(() => {
      // A day that cannot be written now is written with the next.
      this.write().catch(() => undefined);
    }, delayMs).unref();
  }

  async read(): Promise<LastUses> {
    return withLater(await this.#files.read("token-use"), this.#seen);
  }

  /** Writes what was noted; without that, nothing. @throws SkepError `disk-full`, `busy`. */
  async write(): Promise<void> {
    if (this.#unwritten === undefined) return;
    clearTimeout(this.#unwritten);
    this.#unwritten = undefined;
    await this.#files.update("token-use", (before) => withLater(before, this.#seen));
  }
}

function withLater(stored: LastUses, seen: LastUses): LastUses {
  const uses = new Map(stored);
  for (const [id, day] of seen) if (day > (uses.get(id) ?? "")) uses.set(id, day);
  return uses;
}
