/**
 * The audit log: `audit/YYYY-MM-DD.jsonl`, one line for each event. A line is durable before a change of rights is made or
 * a session is given out; if it cannot be written, neither happens.
 */
import { join } from "node:path";
import { z } from "zod";
import type { DurableFs } from "../../disk/durable-fs.ts";
import { auditFolder } from "../../disk/storage-folder.ts";
import {
  auditEvents,
  formatAuditEntry,
  RefusalLimit,
  signInMethods,
  type AuditEntry,
  type AuditEvent,
  type AuditQuery,
} from "../../domain/access/audit.ts";
import { networkOf } from "../../domain/access/network.ts";
import { groupBy } from "../../domain/group-by.ts";
import { jsonOrUndefined } from "../../domain/json.ts";
import { isTokenId } from "../../domain/names.ts";
import { folderLines } from "../record/folder-record.ts";
import type { LineFiles } from "../record/record.ts";
import { teamName, textThat, time } from "./fields.ts";

const fileName = /^(\d{4}-\d{2}-\d{2})\.jsonl$/;
const dayMs = 24 * 60 * 60 * 1000;
const auditDays = 400;
/** How many refusals are listed an hour, by each process. */
const refusalsPerAddress = 100;
const refusalsInAll = 2_000;

const facts = z.record(z.string(), z.unknown());
const entry: z.ZodType<AuditEntry> = z.object({
  time,
  event: z.enum(auditEvents),
  team: teamName.optional(),
  person: z.string().optional(),
  by: z
    .object({
      token: textThat(isTokenId).optional(),
      person: z.string().optional(),
      command: z.string().optional(),
    })
    .optional(),
  client: z.string().optional(),
  method: z.enum(signInMethods).optional(),
  reason: z.string().optional(),
  before: facts.optional(),
  after: facts.optional(),
  more: z.literal(true).optional(),
  failed: z.literal(true).optional(),
});

export class AuditLog {
  readonly #fs: DurableFs;
  readonly #lines: LineFiles;
  readonly #now: () => number;
  readonly #refusals = new RefusalLimit(refusalsPerAddress, refusalsInAll);
  /** Entries that the next write takes, and that write. */
  #waiting: AuditEntry[] = [];
  #next: Promise<void> | undefined;
  #last = Promise.resolve();
  /** The day of the last entry of this process. */
  #day = "";

  /** @param fs for {@link copyTo}. @param now gives the time in milliseconds since 1970. */
  constructor(fs: DurableFs, lines: LineFiles, now: () => number) {
    this.#fs = fs;
    this.#lines = lines;
    this.#now = now;
  }

  /**
   * Records an event; it is durable on return. Of many refusals of one address in an hour, only the first are listed.
   * @throws SkepError `disk-full`, `storage-missing`, or the system's error: the event was not recorded then, and its
   * change must not be made.
   */
  record(event: AuditEvent): Promise<void> {
    const now = this.#now();
    const counted =
      event.event === "sign_in_refused" ? this.#refusals.count(networkOf(event.client ?? ""), now) : "listed";
    if (counted === "left out") return Promise.resolve();
    const more = counted === "last" ? true : undefined;
    this.#waiting.push({ time: new Date(now).toISOString(), ...event, more });
    // Events that come during a write are written together by the next one.
    this.#next ??= this.#last.then(() => this.#write());
    this.#last = this.#next.catch(() => undefined);
    return this.#next;
  }

  /**
   * Records a change of rights, and then makes it. If the change fails, a second entry says so.
   * @param change makes the change.
   * @throws as {@link record}, and then nothing has changed; what the change throws.
   */
  async recordChange<T>(event: AuditEvent, change: () => Promise<T>): Promise<T> {
    await this.record(event);
    try {
      return await change();
    } catch (error) {
      // The change is not made either way; the error of the change says why.
      await this.record({ ...event, failed: true }).catch(() => undefined);
      throw error;
    }
  }

  async #write(): Promise<void> {
    this.#next = undefined;
    const entries = this.#waiting;
    this.#waiting = [];
    for (const [day, ofDay] of groupBy(entries, ({ time: at }) => at.slice(0, 10))) {
      await this.#lines.append(pathOf(day), ofDay.map(formatAuditEntry));
      const isNewDay = day !== this.#day;
      this.#day = day;
      // Files that cannot be removed now are removed with the next day, or by `skep maintain`.
      if (isNewDay) await this.prune().catch(() => undefined);
    }
  }

  /**
   * Entries, the newest first, and how many match in all. A line that cannot be read was cut off by a full disk, and is
   * left out.
   */
  async read(
    query: AuditQuery,
    signal?: AbortSignal,
  ): Promise<{ readonly entries: readonly AuditEntry[]; readonly total: number }> {
    const { since = "", until = "9", offset, limit } = query;
    const days = (await this.#days()).filter((day) => day >= since && day <= until).toReversed();
    const entries: AuditEntry[] = [];
    let total = 0;
    for (const day of days) {
      const ofDay: AuditEntry[] = [];
      for await (const line of this.#lines.read(pathOf(day))) {
        signal?.throwIfAborted();
        const found = parse(line, query);
        if (found !== undefined) ofDay.push(found);
      }
      const from = Math.max(0, offset - total);
      entries.push(...ofDay.toReversed().slice(from, from + limit - entries.length));
      total += ofDay.length;
    }
    return { entries, total };
  }

  /** Removes the files of days that are no longer kept. @returns how many. */
  async prune(): Promise<number> {
    const first = new Date(this.#now() - auditDays * dayMs).toISOString().slice(0, 10);
    const old = (await this.#days()).filter((day) => day < first);
    for (const day of old) await this.#lines.remove(pathOf(day));
    return old.length;
  }

  /** Adds all entries to the log of another storage, which keeps those that it has. */
  async copyTo(root: string): Promise<void> {
    const other = new AuditLog(this.#fs, folderLines(this.#fs, root), this.#now);
    for (const day of await this.#days()) {
      const [own, theirs] = [await this.#linesOf(day), await other.#linesOf(day)];
      const all = new Set([...own, ...theirs]);
      if (all.size === theirs.size) continue;
      // Lines begin with their time.
      const text = [...all].toSorted().map((line) => `${line}\n`);
      await this.#fs.makeFolder(join(root, auditFolder));
      await this.#fs.write(join(root, pathOf(day)), text.join(""));
    }
    await other.prune();
  }

  async #linesOf(day: string): Promise<ReadonlySet<string>> {
    const lines = new Set<string>();
    for await (const line of this.#lines.read(pathOf(day))) if (line !== "") lines.add(line);
    return lines;
  }

  /** The days with a file, the oldest first. */
  async #days(): Promise<readonly string[]> {
    const names = await this.#lines.list(auditFolder);
    return names.flatMap((name) => fileName.exec(name)?.[1] ?? []);
  }
}

function pathOf(day: string): string {
  return `${auditFolder}/${day}.jsonl`;
}

function parse(line: string, { team, event, person }: AuditQuery): AuditEntry | undefined {
  // Quotes inside of texts are escaped, so that this finds names and values alone.
  if (team !== undefined && !line.includes(`"team":"${team}"`)) return undefined;
  if (event !== undefined && !line.includes(`"event":"${event}"`)) return undefined;
  const { data } = entry.safeParse(jsonOrUndefined(line));
  if (data === undefined || (team !== undefined && data.team !== team)) return undefined;
  if (event !== undefined && data.event !== event) return undefined;
  return person === undefined || person === data.person || person === data.by?.person ? data : undefined;
}
