/**
 * The audit log: `audit/YYYY-MM-DD.jsonl`, one line for each event. A line is durable before a change of rights is made or
 * a session is given out; if it cannot be written, neither happens.
 */
import { join } from "node:path";
import type { DurableFs } from "../../disk/durable-fs.ts";
import { auditFolder } from "../../disk/storage-folder.ts";
import {
  DayBudget,
  formatAuditEntry,
  HourLimit,
  isRefusable,
  storedEntry,
  type AuditEntry,
  type AuditEvent,
  type AuditQuery,
} from "../../domain/access/audit.ts";
import type { AuditEventName } from "../../domain/access/audit-events.ts";
import { networkOf } from "../../domain/access/network.ts";
import { SkepError } from "../../domain/errors.ts";
import { groupBy } from "../../domain/group-by.ts";
import { jsonOrUndefined } from "../../domain/json.ts";
import { folderLines } from "../record/folder-record.ts";
import type { LineFiles } from "../record/record.ts";

const fileName = /^(\d{4}-\d{2}-\d{2})\.jsonl$/;
const dayMs = 24 * 60 * 60 * 1000;
export interface AuditBounds {
  /** For how many days entries are kept. */
  readonly days: number;
  /** How many bytes of them are kept; the present day always is. */
  readonly bytes: number;
  /**
   * How many bytes the changes of one person or token may add in a day. What one adds in all the days that are kept leaves
   * room for the entries of others.
   */
  readonly ofActor: number;
  /** How many those of a team may. */
  readonly ofTeam: number;
}

const mebibyte = 1024 * 1024;
const kept: AuditBounds = { days: 400, bytes: 1024 * mebibyte, ofActor: 2 * mebibyte, ofTeam: 8 * mebibyte };
/** After how many written bytes a process looks for files that are no longer kept, beside each new day. */
const pruneAfterBytes = 64 * 1024 * 1024;
/** How many refusals are listed an hour, by each process. */
const refusalsPerAddress = 100;
const refusalsInAll = 2_000;
/** How many sign-ins, and how many ends of sessions, are listed of each person and token an hour, by each process. */
const sessionsPerActor = 100;

/** They change no rights, and somebody who may sign in could repeat them without end. */
const sessionEvents: ReadonlySet<AuditEventName> = new Set(["signed_in", "session_ended"]);

export class AuditLog {
  readonly #fs: DurableFs;
  readonly #lines: LineFiles;
  readonly #now: () => number;
  readonly #kept: AuditBounds;
  readonly #refusals = new HourLimit(refusalsPerAddress, refusalsInAll);
  readonly #sessions = new HourLimit(sessionsPerActor, Infinity);
  readonly #actors: DayBudget;
  readonly #teams: DayBudget;
  /** Entries that the next write takes, and that write. */
  #waiting: AuditEntry[] = [];
  #next: Promise<void> | undefined;
  #last = Promise.resolve();
  /** The day of the last entry of this process. */
  #day = "";
  /** How many bytes this process has written since it last removed files. */
  #written = 0;

  /**
   * @param fs for {@link copyTo}.
   * @param now gives the time in milliseconds since 1970.
   * @param bounds what is kept, as is usual if not given.
   */
  constructor(fs: DurableFs, lines: LineFiles, now: () => number, bounds: Partial<AuditBounds> = {}) {
    this.#fs = fs;
    this.#lines = lines;
    this.#now = now;
    this.#kept = { ...kept, ...bounds };
    this.#actors = new DayBudget(this.#kept.ofActor);
    this.#teams = new DayBudget(this.#kept.ofTeam);
  }

  /**
   * Records an event; it is durable on return. Of many refusals of one address in an hour, and of many sign-ins of one
   * person or token, only the first are listed.
   * @throws SkepError `disk-full`, `storage-missing`, or the system's error: the event was not recorded then, and its
   * change must not be made.
   */
  record(event: AuditEvent): Promise<void> {
    const now = this.#now();
    const counted = this.#count(event, now);
    if (counted === "left out") return Promise.resolve();
    const more = counted === "last" ? true : undefined;
    this.#waiting.push({ time: new Date(now).toISOString(), ...event, more });
    // Events that come during a write are written together by the next one.
    this.#next ??= this.#last.then(() => this.#write());
    this.#last = this.#next.catch(() => undefined);
    return this.#next;
  }

  #count(event: AuditEvent, now: number): "listed" | "last" | "left out" {
    if (event.event === "sign_in_refused") return this.#refusals.count(networkOf(event.client ?? ""), now);
    const { by: { token, person } = {} } = event;
    if (!sessionEvents.has(event.event) || (token === undefined && person === undefined)) return "listed";
    return this.#sessions.count(JSON.stringify([event.event, token, person]), now);
  }

  /**
   * Records a change of rights, and then makes it. If the change fails, a second entry says so.
   * @param change makes the change.
   * @throws SkepError `too-many-attempts` when its entry would be more than whoever makes it, or their team, may add to the
   * log now; as {@link record}. Nothing has changed then. What the change throws.
   */
  async recordChange<T>(event: AuditEvent, change: () => Promise<T>): Promise<T> {
    this.#spend(event);
    await this.record(event);
    try {
      return await change();
    } catch (error) {
      const failed = { ...event, failed: true } as const;
      this.#spend(failed);
      // The change is not made either way; the error of the change says why.
      await this.record(failed).catch(() => undefined);
      throw error;
    }
  }

  /** A change that the log had no room for would be one that nobody sees, so it is refused. */
  #spend(event: AuditEvent): void {
    const { by: { token, person } = {}, team, failed } = event;
    if (token === undefined && person === undefined) return;
    const now = this.#now();
    const bytes = Buffer.byteLength(formatAuditEntry({ time: new Date(now).toISOString(), ...event })) + 1;
    const [actor, ofTeam] = [JSON.stringify([token, person]), team ?? ""];
    const ms = Math.max(this.#actors.wait(actor, bytes, now), this.#teams.wait(ofTeam, bytes, now));
    if (ms > 0 && failed !== true && isRefusable(event)) {
      const minutes = Math.ceil(ms / 60_000);
      const message = `Too many changes for the audit log; try again in ${minutes} minute${minutes === 1 ? "" : "s"}.`;
      const retryAfter = Math.ceil(ms / 1000);
      throw new SkepError("too-many-attempts", message, { retryAfter }, { publicCode: "too_many_changes" });
    }
    this.#actors.spend(actor, bytes, now);
    this.#teams.spend(ofTeam, bytes, now);
  }

  async #write(): Promise<void> {
    this.#next = undefined;
    const entries = this.#waiting;
    this.#waiting = [];
    for (const [day, ofDay] of groupBy(entries, ({ time: at }) => at.slice(0, 10))) {
      const lines = ofDay.map(formatAuditEntry);
      await this.#lines.append(pathOf(day), lines);
      this.#written += lines.reduce((bytes, line) => bytes + line.length, 0);
      const isDue = day !== this.#day || this.#written >= Math.min(pruneAfterBytes, this.#kept.bytes);
      this.#day = day;
      if (!isDue) continue;
      this.#written = 0;
      // Files that cannot be removed now are removed with the next day, or by `skep server maintain`.
      await this.prune().catch(() => undefined);
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
      for await (const line of this.#lines.readBackwards(pathOf(day))) {
        signal?.throwIfAborted();
        const found = parse(line, query);
        if (found === undefined) continue;
        if (total >= offset && entries.length < limit) entries.push(found);
        total++;
      }
    }
    return { entries, total };
  }

  /**
   * Removes the files of days that are no longer kept: those that are too old, and the oldest of too many bytes.
   * @returns how many.
   */
  async prune(): Promise<number> {
    const first = dayAt(this.#now() - this.#kept.days * dayMs);
    const present = dayAt(this.#now());
    let bytes = 0;
    const old: string[] = [];
    for (const day of (await this.#days()).toReversed()) {
      bytes += await this.#lines.size(pathOf(day));
      if (day < first || (day < present && bytes > this.#kept.bytes)) old.push(day);
    }
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
    return names.flatMap((name) => fileName.exec(name)?.[1] ?? []).toSorted();
  }
}

/** @param at in milliseconds since 1970. */
function dayAt(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

function pathOf(day: string): string {
  return `${auditFolder}/${day}.jsonl`;
}

function parse(line: string, { team, event, person }: AuditQuery): AuditEntry | undefined {
  // Quotes inside of texts are escaped, so that this finds names and values alone.
  if (team !== undefined && !line.includes(`"team":"${team}"`)) return undefined;
  if (event !== undefined && !line.includes(`"event":"${event}"`)) return undefined;
  const { data } = storedEntry.safeParse(jsonOrUndefined(line));
  if (data === undefined || (team !== undefined && data.team !== team)) return undefined;
  if (event !== undefined && data.event !== event) return undefined;
  return person === undefined || person === data.person || person === data.by?.person ? data : undefined;
}
