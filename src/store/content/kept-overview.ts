/**
 * The overview of a Hive, kept in its repository with the commit it is of, so that a count or a list of very many Hives
 * reads a small file of each and no pack.
 */
import { join } from "node:path";
import { z } from "zod";
import type { HiveSettings } from "../../domain/hives/hive-settings.ts";
import {
  isCustomCode,
  isStoredLocaleCode,
  type CustomCode,
  type LocaleCode,
} from "../../domain/hives/locale.ts";
import { isOid, type Oid } from "../../domain/names.ts";
import type { DurableFs } from "../../disk/durable-fs.ts";

/** What can be said of a Hive without its translations. */
export interface HiveOverview {
  readonly settings: HiveSettings;
  readonly stringCount: number;
  /** See {@link countTranslatable}. */
  readonly translatableCount: number;
}

const fileName = "skep-overview";
/** Raise it when anything is counted differently, or a Hive's settings have other members. */
const version = 1;
/** How long an overview that is in memory too is not written again, in milliseconds. */
const restMs = 60_000;

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
    }),
  }),
});

export class KeptOverview {
  readonly #fs: DurableFs;
  readonly #path: string;
  #restUntil = 0;

  constructor(fs: DurableFs, gitdir: string) {
    this.#fs = fs;
    this.#path = join(gitdir, fileName);
  }

  /** The overview at a commit; undefined when it was not kept, or cannot be read. */
  async read(commit: Oid): Promise<HiveOverview | undefined> {
    try {
      const kept = keptFile.parse(JSON.parse((await this.#fs.readText(this.#path)) ?? ""));
      return kept.commit === commit ? kept.overview : undefined;
    } catch {
      // It is read from the repository then.
      return undefined;
    }
  }

  /** Keeps the overview at a commit. It only saves work: when it cannot be written, all is well. */
  async write(commit: Oid, overview: HiveOverview): Promise<void> {
    this.#restUntil = performance.now() + restMs;
    try {
      await this.#fs.write(this.#path, `${JSON.stringify({ version, commit, overview })}\n`);
    } catch {
      // The next start counts again.
    }
  }

  /** The same for what is in memory: a Hive that is written to all the time does not have it written each time. */
  async writeSometimes(commit: Oid, overview: HiveOverview): Promise<void> {
    if (performance.now() >= this.#restUntil) await this.write(commit, overview);
  }
}
