/** What a transaction checks before it may be committed: quotas, and that the settings are those that its caller has read. */
import type { LockScope } from "../../disk/held-lock.ts";
import type { QuotaClaim } from "../record/record.ts";
import { skepLock, textArray, type Sql } from "./session.ts";

/**
 * Checks a change that adds strings to a team. Such changes of one team wait for each other until they are committed.
 * @throws what the check throws.
 */
export async function checkQuota(sql: Sql, { team, others, check }: QuotaClaim): Promise<void> {
  await sql`INSERT INTO team VALUES (${team}) ON CONFLICT (name) DO NOTHING`;
  await sql`SELECT name FROM team WHERE name = ${team} FOR UPDATE`;
  const [row] = await sql<{ sum: number }[]>`
    SELECT COALESCE(sum(strings), 0)::float8 AS sum FROM repository
    WHERE slug = ANY(${textArray(others)}::text[]) AND trash IS NULL`;
  check(row?.sum ?? 0);
}

/** The version of the settings that somebody has read, and the number of its last change. */
interface ReadSettings {
  readonly version: string;
  readonly serial: number;
}

/**
 * The advisory lock of the settings' version: writes share it, a change of the settings has it alone. Locks of the row would
 * let writes that come later overtake a change that waits, which then starves; these are given in the order of requests.
 */
const versionLock = [skepLock, 1] as const;

/**
 * The settings that concern their team, token or Hive alone: nobody reads them whose scope does not name them. They change
 * often, and no write is planned again for those of others.
 */
const ownSettings = /^(?:teams|tokens|mirrors|channels|webhooks|engines|sessions)\//;

/**
 * Finds whether settings have changed that the holder of a lock reads, and keeps these until the transaction ends. The
 * statements are sent at once, before those that follow.
 * @param since the settings that the holder has read.
 */
export function haveChanged(sql: Sql, since: ReadSettings, scope: LockScope | undefined): Promise<boolean> {
  const [lock, part] = versionLock;
  const locking = sql`SELECT pg_advisory_xact_lock_shared(${lock}, ${part})`.execute();
  // A statement of its own: it has to see what was committed while the lock was waited for.
  const reading = (
    scope === undefined
      ? sql<{ changed: boolean }[]>`SELECT access_version <> ${since.version} AS changed FROM meta`
      : sql<{ changed: boolean }[]>`
          SELECT EXISTS (
            SELECT 1 FROM document
            WHERE serial > ${since.serial} AND (path = ANY(${textArray(scope)}::text[]) OR path !~ ${ownSettings.source})
          ) AS changed`
  ).execute();
  const read = Promise.all([locking, reading]).then(([, [row]]) => row?.changed !== false);
  // Another statement may fail first, and then nobody waits for it.
  read.catch(() => undefined);
  return read;
}

/** Counts the changes of settings that this process has made or knows of: while they stay, what was read is current. */
export class SettingsChanges {
  #all = 0;
  /** Of settings that everybody reads. */
  #shared = 0;
  readonly #own = new Map<string, number>();

  add(paths: readonly string[] | "all"): void {
    this.#all++;
    for (const path of paths === "all" ? [""] : paths) {
      if (ownSettings.test(path)) this.#own.set(path, this.#all);
      else this.#shared++;
    }
  }

  /** See {@link StorageRecord.version}. */
  versionOf(scope: LockScope | undefined): string {
    return scope === undefined
      ? String(this.#all)
      : [this.#shared, ...scope.map((path) => this.#own.get(path) ?? 0)].join(" ");
  }
}

/** Replaces the version of the settings. @returns the number of this change; undefined if the version is another one. */
export async function renewVersion(sql: Sql, expected: string, version: string): Promise<number | undefined> {
  const [lock, part] = versionLock;
  await sql`SELECT pg_advisory_xact_lock(${lock}, ${part})`;
  const [meta] = await sql<{ serial: number }[]>`
    UPDATE meta SET access_version = ${version}, access_serial = access_serial + 1
    WHERE access_version = ${expected} RETURNING access_serial::float8 AS serial`;
  return meta?.serial;
}
