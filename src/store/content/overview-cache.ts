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
import { CacheFile } from "../../disk/cache-file.ts";
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
  customCode: z.custom<CustomCode>((value) => typeof value === "string" && isCustomCode(value)).optional(),
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
      maxDeletions: count.optional(),
      plurals: z.enum(pluralModes).optional(),
      push: z.enum(pushPolicies).optional(),
    }),
  }),
});

export class OverviewCache {
  readonly #file: CacheFile;
  /** The commit whose overview this process wrote last. */
  #written: Oid | undefined;

  constructor(fs: DurableFs, gitdir: string) {
    this.#file = new CacheFile(fs, join(gitdir, fileName));
  }

  /** The cached overview of a commit; undefined when there is none, or it cannot be read. */
  async read(commit: Oid): Promise<HiveOverview | undefined> {
    const kept = await this.#file.read((value) => keptFile.parse(value));
    return kept?.commit === commit ? kept.overview : undefined;
  }

  /** Caches the overview of a commit, once. */
  async write(commit: Oid, overview: HiveOverview): Promise<void> {
    if (commit === this.#written) return;
    this.#written = commit;
    await this.#file.write(() => `${JSON.stringify({ version, commit, overview })}\n`);
  }
}
