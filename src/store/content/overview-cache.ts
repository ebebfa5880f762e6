/**
 * The overview of a Hive at one commit, cached in a file of its repository, so that counts and lists over very many
 * Hives read a small file of each and no pack.
 */
import { join } from "node:path";
import { z } from "zod";
import { pluralModes, pushPolicies, type HiveSettings } from "../../domain/hives/hive-settings.ts";
import {
  isCustomCode,
  isStoredLocaleCode,
  type CustomCode,
  type LocaleCode,
} from "../../domain/hives/locale.ts";
import { isOid, type Oid } from "../../domain/names.ts";
import type { DurableFs } from "../../disk/durable-fs.ts";

/** Facts about a Hive that do not depend on its translations. */
export interface HiveOverview {
  readonly settings: HiveSettings;
  readonly stringCount: number;
  /** See {@link countTranslatable}. */
  readonly translatableCount: number;
}

const fileName = "skep-overview";
/** To be raised when anything is counted differently, or a Hive's settings get other members. */
const version = 3;

const count = z.number().int().nonnegative();
const locale = z.strictObject({
  code: z.custom<LocaleCode>((value) => typeof value === "string" && isStoredLocaleCode(value)),
  customCode: z
    .custom<CustomCode>((value) => typeof value === "string" && isCustomCode(value))
    .exactOptional(),
});
const keptFile = z.strictObject({
  version: z.literal(version),
  commit: z.custom<Oid>((value) => typeof value === "string" && isOid(value)),
  overview: z.strictObject({
    stringCount: count,
    translatableCount: count,
    settings: z.strictObject({
      name: z.string(),
      sourceLocale: locale,
      targetLocales: z.array(locale),
      maxDeletions: count.exactOptional(),
      plurals: z.enum(pluralModes).exactOptional(),
      push: z.enum(pushPolicies).exactOptional(),
    }),
  }),
});

export class OverviewCache {
  readonly #fs: DurableFs;
  readonly #path: string;
  /** The text that is to be written after the one that is being written. */
  #next: string | undefined;
  #isWriting = false;

  constructor(fs: DurableFs, gitdir: string) {
    this.#fs = fs;
    this.#path = join(gitdir, fileName);
  }

  /** The cached overview of a commit; undefined when there is none, or it cannot be read. */
  async read(commit: Oid): Promise<HiveOverview | undefined> {
    try {
      const kept = keptFile.parse(JSON.parse((await this.#fs.readText(this.#path)) ?? ""));
      return kept.commit === commit ? kept.overview : undefined;
    } catch {
      // The caller reads it from the repository.
      return undefined;
    }
  }

  /** Caches the overview of a commit. A failed write is ignored: it only costs time at the next start. */
  async write(commit: Oid, overview: HiveOverview): Promise<void> {
    this.#next = `${JSON.stringify({ version, commit, overview })}\n`;
    if (this.#isWriting) return;
    this.#isWriting = true;
    try {
      // One after the other, so that the last one stays. Of those that come meanwhile, only the last is written.
      for (let text = this.#take(); text !== undefined; text = this.#take()) {
        await this.#fs.writeCache(this.#path, text);
      }
    } catch {
      // The next start reads the repository.
    } finally {
      this.#isWriting = false;
    }
  }

  #take(): string | undefined {
    const text = this.#next;
    this.#next = undefined;
    return text;
  }
}
