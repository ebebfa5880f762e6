/** A database: a few connections, and transactions whose outcome is known. */
import { randomBytes, randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { Semaphore } from "../../disk/semaphore.ts";
import { isFailure, isSkepError, SkepError } from "../../domain/errors.ts";
import { parseAddress, type Address, type DatabaseOptions, type Host } from "./address.ts";
import { faultOf, fullDiskOf, isPassing, isPostgresError } from "./faults.ts";
import {
  commit,
  OutcomeUnknown,
  refusalOf,
  rollBack,
  Session,
  type SeenHistory,
  type Sql,
} from "./session.ts";

/** How long an operation may take with all its retries. */
const deadlineMs = 5_000;
const retryEveryMs = 50;
/** After this time without an answer that takes none, another connection is tried; with a longer deadline, later. */
const hangsAfterMs = 700;
const defaultConnections = 10;
/** How much room a disk has to have again. */
const roomBytes = 64 * 1024;
/** Codes of conflicts between transactions: the same transaction may succeed when it is run again. */
const conflicts = new Set(["40001", "40P01"]);
/** Says whether a transaction was committed. It first waits until the transaction is over. */
export type Settle = (sql: Sql, id: string) => Promise<boolean>;

export interface TransactionOptions {
  /** Finds out by a transaction's id whether it was committed; looks for a row of the table `outcome` by default. */
  readonly settle?: Settle;
  readonly withinMs?: number;
  /** For how long of this it is tried again while the database does not answer at all; always if not given. */
  readonly awayMs?: number;
}

export class Database {
  readonly #address: Address;
  readonly #places: Semaphore;
  readonly #idle: Session[] = [];
  readonly #open = new Set<Session>();
  /** How long an operation may take if nothing else is said, in milliseconds. */
  readonly withinMs: number;
  readonly #hangsAfterMs: number;
  readonly #sawHistory: (history: SeenHistory) => void;
  #seen: SeenHistory | undefined;
  /** Where connections are opened; undefined while it may be another machine than before. */
  #primary: Host | undefined;
  #finding: Promise<unknown> | undefined;
  /** When the primary answered last. */
  #answered = 0;
  #isClosed = false;
  #isFull = false;
  /** The last error by which the database said why it does nothing, and when. */
  #lastFault: { readonly error: unknown; readonly at: number } | undefined;

  /**
   * @param seen the newest history of the database that was seen before.
   * @param sawHistory is told of a newer one, or of another database's.
   * @throws SkepError `malformed` for a wrong address.
   */
  constructor(
    options: DatabaseOptions,
    seen?: SeenHistory,
    sawHistory: (history: SeenHistory) => void = () => {},
  ) {
    this.#address = parseAddress(options);
    this.#places = new Semaphore(options.connections ?? defaultConnections);
    this.withinMs = options.withinMs ?? deadlineMs;
    this.#hangsAfterMs = hangsAfterMs * Math.max(1, this.withinMs / deadlineMs);
    this.#seen = seen;
    this.#sawHistory = sawHistory;
  }

  /**
   * Runs statements that change nothing, each in a transaction of its own.
   * @throws SkepError `record-unavailable`.
   */
  query<T>(run: (sql: Sql) => Promise<T>, withinMs = this.withinMs): Promise<T> {
    return this.#run(withinMs, ({ sql }) => run(sql));
  }

  /**
   * Runs statements that take no time. A connection from before that does not answer is one that the network has forgotten.
   * @throws as {@link query}.
   */
  ask<T>(run: (sql: Sql) => Promise<T>, withinMs: number): Promise<T> {
    return this.#run(withinMs, ({ sql }) => run(sql), { silenceMs: this.#hangsAfterMs });
  }

  /** Runs statements that see the database as it was at one moment. @throws as {@link query}. */
  snapshot<T>(run: (sql: Sql) => Promise<T>, withinMs = this.withinMs): Promise<T> {
    return this.#run(withinMs, async (session) => {
      await session.sql.unsafe("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
      try {
        return await run(session.sql);
      } finally {
        await rollBack(session);
      }
    });
  }

  /**
   * Changes the database by one transaction.
   * @param run gets an id that is new in each run. It is run again after a conflict or a lost connection, so all that it
   * does besides its statements must bear repetition.
   * @throws SkepError `record-unavailable`, also when the outcome remains unknown; any error of `run`, and then nothing has
   * changed.
   */
  async transaction<T>(
    run: (sql: Sql, id: string) => Promise<T>,
    { settle, withinMs = this.withinMs, awayMs }: TransactionOptions = {},
  ): Promise<T> {
    const deadline = performance.now() + withinMs;
    const left = (): number => deadline - performance.now();
    let last: unknown;
    for (;;) {
      const id = randomUUID();
      let result: { readonly value: T } | undefined;
      const noted = async (sql: Sql): Promise<void> => {
        result = { value: await run(sql, id) };
        if (settle === undefined) await sql`INSERT INTO outcome (id, made) VALUES (${id}, true)`;
      };
      try {
        await this.#run(left(), (session) => commit(session, noted), { awayMs });
        this.#lastFault = undefined;
        if (result !== undefined) return result.value;
      } catch (error) {
        if (isPostgresError(error) && conflicts.has(error.code) && left() > 0) {
          await sleep(Math.random() * retryEveryMs);
          continue;
        }
        if (!(error instanceof OutcomeUnknown)) throw error;
        last = error;
        if ((await this.#settled(id, settle ?? settleByRow, left, awayMs)) && result !== undefined)
          return result.value;
      }
      if (left() <= 0) throw unavailable(this.#reasonFor(last));
    }
  }

  /** Whether a transaction was committed; its answer is as durable as a commit. */
  async #settled(id: string, settle: Settle, left: () => number, awayMs?: number): Promise<boolean> {
    for (;;) {
      let wasMade = false;
      const settling = async (sql: Sql): Promise<void> => {
        wasMade = await settle(sql, id);
      };
      try {
        await this.#run(left(), (session) => commit(session, settling), { awayMs });
        return wasMade;
      } catch (error) {
        if (!(error instanceof OutcomeUnknown)) throw error;
      }
    }
  }

  /**
   * Finds out whether a full disk has room again: for a usual change, as a small one may fit into what is left of a page.
   * Nothing is stored.
   * @throws SkepError `disk-full`, `record-unavailable`.
   */
  async probeRoom(): Promise<void> {
    const isRoom = new Error("there is room again");
    const text = randomBytes(roomBytes).toString("base64");
    try {
      await this.transaction(async (sql, id) => {
        await sql`INSERT INTO live VALUES (${`probe/${id}`}, ${id}, ${text})`;
        throw isRoom;
      });
    } catch (error) {
      if (error !== isRoom) throw error;
    }
    this.#isFull = false;
  }

  /** Opens a connection that is used for nothing else. @param notified see {@link Session.open}. */
  connect(notified: (text: string) => void): Promise<Session> {
    return this.#connect(notified);
  }

  /** Whether its disk was full, and no {@link probeRoom} has found room since. */
  get isFull(): boolean {
    return this.#isFull;
  }

  /** Why it does nothing, as far as it has said so lately: a moment ago, and since then nothing was changed. */
  get problem(): string | undefined {
    return faultOf(this.#reasonFor(undefined))?.problem;
  }

  /** How many connections there are. */
  get connections(): number {
    return this.#open.size;
  }

  /** Ends all connections. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const session of this.#open) session.end();
    this.#open.clear();
  }

  #note(error: unknown): void {
    if (faultOf(error) !== undefined) this.#lastFault = { error, at: performance.now() };
  }

  /** Why the database does not answer: what it has said just now, where the error of the last attempt does not say it. */
  #reasonFor(last: unknown): unknown {
    const known = this.#lastFault;
    if (known === undefined || faultOf(last) !== undefined) return last;
    return performance.now() - known.at <= 2 * this.withinMs ? known.error : last;
  }

  /** Runs a function with a connection, and again with another one as long as connections fail. */
  #run<T>(
    withinMs: number,
    run: (session: Session) => Promise<T>,
    { silenceMs = Infinity, awayMs = Infinity }: { silenceMs?: number; awayMs?: number | undefined } = {},
  ): Promise<T> {
    const began = performance.now();
    const deadline = began + withinMs;
    let last: unknown;
    const tries = async (): Promise<T> => {
      while (performance.now() < deadline && !this.#isClosed) {
        try {
          return await this.#tryOnce(deadline, run, silenceMs);
        } catch (error) {
          if (!(error instanceof ConnectionFailed)) throw error;
          last = error.cause;
          if (performance.now() - Math.max(began, this.#answered) > awayMs) break;
          await sleep(retryEveryMs);
        }
      }
      throw unavailable(this.#reasonFor(last));
    };
    // The time limit holds also while all connections are in use.
    return inTime(this.#places.run(tries), withinMs, () => this.#reasonFor(last));
  }

  async #tryOnce<T>(deadline: number, run: (session: Session) => Promise<T>, silenceMs: number): Promise<T> {
    const session = await this.#take();
    const isNew = performance.now() - session.opened < silenceMs;
    let isOver = false;
    // An answer that has arrived meanwhile is read first.
    const end = (): unknown => setImmediate(() => isOver || session.end());
    const timer = setTimeout(end, Math.min(deadline - performance.now(), isNew ? Infinity : silenceMs));
    try {
      // The caller waits no longer.
      if (performance.now() >= deadline) throw new ConnectionFailed();
      const result = await run(session);
      // A later primary was found meanwhile: what the earlier one answered may be lost.
      if (session.isEnded && session.isOutdated(this.#seen)) throw new Error("it is no primary any more");
      this.#answered = performance.now();
      return result;
    } catch (error) {
      this.#note(error);
      if (isSkepError(error) || error instanceof ConnectionFailed) throw error;
      if (isPassing(error) && faultOf(error)?.passes !== false) session.end();
      if (session.isEnded) this.#forgetPrimary();
      if (error instanceof OutcomeUnknown) throw error;
      if (session.isEnded) throw new ConnectionFailed("", { cause: error });
      const full = fullDiskOf(error);
      this.#isFull ||= full !== undefined;
      throw refusalOf(error, this.#address) ?? full ?? error;
    } finally {
      isOver = true;
      clearTimeout(timer);
      if (session.isEnded || this.#isClosed || session.host !== this.#primary) this.#drop(session);
      else this.#idle.push(session);
    }
  }

  /** The primary may be another machine by now: all machines are asked again, and idle connections are dropped. */
  #forgetPrimary(): void {
    this.#primary = undefined;
    for (const idle of this.#idle.splice(0)) this.#drop(idle);
  }

  async #take(): Promise<Session> {
    // A process that polls pauses for so long only when it stood still itself: another machine may have taken over.
    if (performance.now() - this.#answered > this.withinMs) this.#forgetPrimary();
    if (this.#primary === undefined) {
      this.#finding ??= this.#find().finally(() => (this.#finding = undefined));
      await this.#finding;
    }
    for (let idle = this.#idle.pop(); idle !== undefined; idle = this.#idle.pop()) {
      if (!idle.isEnded) return idle;
      this.#drop(idle);
    }
    return this.#connect();
  }

  /** Connects to the primary. While that hangs, it is tried again: the database may be back, and never answer the first. */
  async #find(): Promise<void> {
    const until = performance.now() + this.withinMs;
    const finding: Promise<unknown>[] = [];
    for (let found: unknown; found === undefined && performance.now() < until;) {
      finding.push(this.#connect().then((session) => this.#idle.push(session)));
      found = await Promise.race([
        Promise.any(finding),
        sleep(this.#hangsAfterMs, undefined, { ref: false }),
      ]).catch(({ errors }: AggregateError) => Promise.reject(errors.at(-1)));
    }
  }

  /** @throws SkepError for a fault that an operator has to repair; ConnectionFailed. */
  async #connect(notified?: (text: string) => void): Promise<Session> {
    const primary = this.#primary;
    try {
      const session =
        primary === undefined
          ? await Session.find(this.#address, this.#seen, notified)
          : await Session.open(this.#address, primary, this.#seen, notified);
      return this.#opened(session);
    } catch (error) {
      this.#note(error);
      if (isSkepError(error)) throw error;
      if (primary !== undefined) this.#forgetPrimary();
      const refusal = primary === undefined ? refusalOf(error, this.#address) : undefined;
      throw refusal ?? new ConnectionFailed("", { cause: error });
    }
  }

  /** Counts a new connection. @throws SkepError `record-unavailable` when all were ended while it was made. */
  #opened(session: Session): Session {
    const { history, host } = session;
    const isOutdated = session.isOutdated(this.#seen);
    if (this.#isClosed || isOutdated) session.end();
    if (this.#isClosed) throw unavailable();
    if (isOutdated) throw new Error("it is no primary any more");
    this.#open.add(session);
    this.#primary = host;
    this.#answered = performance.now();
    if (history !== undefined && JSON.stringify(history) !== JSON.stringify(this.#seen)) {
      this.#seen = history;
      for (const other of this.#open) if (other.isOutdated(history)) other.end();
      this.#sawHistory(history);
    }
    return session;
  }

  #drop(session: Session): void {
    session.end();
    this.#open.delete(session);
  }
}

class ConnectionFailed extends Error {}

/** Waits no longer than that. @throws SkepError `record-unavailable`. */
export function inTime<T>(running: Promise<T>, withinMs: number, why = (): unknown => undefined): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(unavailable(why())), Math.max(0, withinMs) + retryEveryMs);
    running.finally(() => clearTimeout(late)).then(resolve, reject);
  });
}

/** In how many seconds a database that does not answer may be back. */
const soon = 1;

/** Whether an error says that the database does not answer: an operator need not repair anything. */
export function isDatabaseAway(error: unknown): error is SkepError<"record-unavailable"> {
  return isFailure(error, "record-unavailable") && error.data.retryAfter === soon;
}

/** The error for a database that does not answer. */
function unavailable(cause?: unknown): SkepError<"record-unavailable"> {
  const problem = faultOf(cause)?.problem;
  const why = cause instanceof Error && cause.message !== "" ? ` (${cause.message})` : "";
  const message = `The database does not answer; try again soon${why}.`;
  return new SkepError("record-unavailable", message, { retryAfter: soon, problem }, { cause });
}

/**
 * Inserts the row of the transaction, unless the transaction has done so itself; the insert waits while the transaction
 * is open. A row that exists is changed, because only a commit that has changed something waits for the standby.
 */
const settleByRow: Settle = async (sql, id) => {
  await sql`
    INSERT INTO outcome (id, made) VALUES (${id}, false)
    ON CONFLICT (id) DO UPDATE SET at = clock_timestamp()`;
  const [row] = await sql<{ made: boolean }[]>`SELECT made FROM outcome WHERE id = ${id}`;
  return row?.made === true;
};
