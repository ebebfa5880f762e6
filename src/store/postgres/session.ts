/** One connection to a database. It never reconnects by itself: a transaction must not go on in another connection. */
import type { Socket } from "node:net";
import postgres from "postgres";
import { isSkepError, messageOf } from "../../domain/errors.ts";
import { faultOf, isPassing, isPostgresError } from "./faults.ts";
import { connectMs, connectTo, nameOf, refused, silence, type Address, type Host } from "./address.ts";

/** The number of Skep's advisory locks; `skep` in ASCII. */
export const skepLock = 0x736b6570;

/** Runs statements on one connection. */
export type Sql = postgres.Sql;

/** The newest history of the database that was seen; a machine with an older one was a primary before. */
export interface SeenHistory {
  readonly system: string;
  readonly timeline: number;
}

/** The machine is no primary; another machine of the address may be. */
class WrongMachine extends Error {}

/** A refused password, a missing database, too few rights, or a file that cannot be read. */
function isRefusal(error: unknown): boolean {
  return isSkepError(error) || (isPostgresError(error) && /^(28|3D|42)/.test(error.code));
}

const undefinedFunction = "42883";
const invalidPrivilege = "42501";

/** Sent on each connection, so that waits for locks, and transactions whose client is gone, end by themselves. */
const settings = `
  SET lock_timeout = '5s';
  SET idle_in_transaction_session_timeout = '15s';
`;

type Notified = (text: string) => void;

export class Session {
  readonly host: Host;
  readonly sql: Sql;
  /** When it was opened, on the clock of `performance.now()`. */
  readonly opened = performance.now();
  /** The history of the database; undefined where the database does not tell it. */
  history: SeenHistory | undefined;
  readonly #socket: Socket;
  /** Warnings of the server since the last {@link takeWarnings}. */
  readonly #warnings: string[];

  private constructor(host: Host, sql: Sql, socket: Socket, warnings: string[]) {
    this.host = host;
    this.sql = sql;
    this.#socket = socket;
    this.#warnings = warnings;
    // Otherwise statements that were not sent yet would wait for another connection.
    socket.once("close", () => this.end());
  }

  /**
   * Connects to the primary. All machines are asked, and the one with the newest history is taken: a primary that stood
   * still says that it can be written to until it learns that another machine has taken over.
   * @param notified see {@link Session.open}.
   * @throws Error whose message says why there is no primary; a PostgresError if every machine refuses.
   */
  static async find(address: Address, seen: SeenHistory | undefined, notified?: Notified): Promise<Session> {
    const opening = address.hosts.map((host) => Session.open(address, host, seen, notified));
    const outcomes = await Promise.allSettled(opening);
    const [newest, ...others] = outcomes
      .flatMap((outcome) => (outcome.status === "fulfilled" ? outcome.value : []))
      .toSorted((a, b) => (b.history?.timeline ?? 0) - (a.history?.timeline ?? 0));
    for (const other of others) other.end();
    if (newest !== undefined) return newest;
    const problems: unknown[] = outcomes.flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
    // A standby that is behind may refuse what the primary knows by now.
    if (problems.every(isRefusal)) throw problems[0];
    // Such as that it is starting, or has no connection left. Only the primary decides what is refused.
    const cause = problems.find((one) => faultOf(one)?.passes === true);
    throw new Error(problems.map(messageOf).join("; "), { cause });
  }

  /**
   * Connects to a machine that can be written to.
   * @param seen a machine with an older history is refused.
   * @param notified is called with the text of each notification (`LISTEN`) on this connection.
   * @throws Error whose message names the machine and the fault.
   */
  static async open(
    address: Address,
    host: Host,
    seen: SeenHistory | undefined,
    notified: Notified = () => {},
  ): Promise<Session> {
    const until = performance.now() + connectMs;
    const socket = await connectTo(host, await address.ca(), until);
    const warnings: string[] = [];
    let isTaken = false;
    const options = {
      host: host.host,
      port: host.port,
      user: address.user,
      database: address.database,
      password: await address.password(),
      connection: { application_name: "skep" },
      max: 1,
      max_lifetime: null,
      fetch_types: false,
      ssl: false,
      onnotice: ({ severity, message }: postgres.Notice) => {
        if (severity === "WARNING") warnings.push(message ?? "");
      },
      onnotify: (_channel: string, text: string) => notified(text),
      socket: () => {
        if (isTaken) throw new Error("the connection has ended");
        isTaken = true;
        return socket;
      },
    };
    const sql = postgres(options);
    const session = new Session(host, sql, socket, warnings);
    let late: Error | undefined;
    // A machine that stands still accepts connections, and never answers.
    const timer = setTimeout(() => {
      late = new Error(`${nameOf(host)}: ${silence}`);
      session.end();
    }, until - performance.now());
    try {
      await session.#begin(seen);
      return session;
    } catch (error) {
      session.end();
      throw late ?? error;
    } finally {
      clearTimeout(timer);
    }
  }

  async #begin(seen: SeenHistory | undefined): Promise<void> {
    const name = nameOf(this.host);
    const [state] = await this.sql<{ standby: boolean; read_only: string; durable: string }[]>`
      SELECT pg_is_in_recovery() AS standby, current_setting('transaction_read_only') AS read_only,
        current_setting('synchronous_commit') AS durable`;
    if (state === undefined || state.standby || state.read_only === "on") {
      throw new WrongMachine(`${name}: it can only be read from`);
    }
    this.history = await this.#readHistory();
    if (this.isOutdated(seen)) {
      throw new WrongMachine(`${name}: it was the primary before another one took over`);
    }
    const durable = ["on", "remote_apply"].includes(state.durable) ? "" : "SET synchronous_commit = on;";
    await this.sql.unsafe(settings + durable);
  }

  /** @returns undefined where the database has no function for it, or the user may not call it. */
  async #readHistory(): Promise<SeenHistory | undefined> {
    try {
      const [row] = await this.sql<{ system: string; timeline: string }[]>`
        SELECT system_identifier::text AS system, left(pg_walfile_name(pg_current_wal_lsn()), 8) AS timeline
        FROM pg_control_system()`;
      return row && { system: row.system, timeline: Number.parseInt(row.timeline, 16) };
    } catch (error) {
      if (isPostgresError(error) && [undefinedFunction, invalidPrivilege].includes(error.code))
        return undefined;
      throw error;
    }
  }

  /** Whether the machine has an older history than one that was seen: another machine has taken over from it. */
  isOutdated(seen: SeenHistory | undefined): boolean {
    if (seen === undefined || this.history === undefined) return false;
    return this.history.system === seen.system && this.history.timeline < seen.timeline;
  }

  /** Whether the connection is over: nothing more can be sent. */
  get isEnded(): boolean {
    return this.#socket.destroyed;
  }

  /** The warnings since the last call. */
  takeWarnings(): readonly string[] {
    return this.#warnings.splice(0);
  }

  /** Ends the connection at once; what was sent and not answered fails. */
  end(): void {
    this.#socket.destroy();
    this.sql.end({ timeout: 0 }).catch(() => undefined);
  }
}

/** The error, in a line for people, when a database refuses the user or lacks a name; undefined for all other errors. */
export function refusalOf(error: unknown, { user, database }: Address): Error | undefined {
  if (!isPostgresError(error)) return undefined;
  const why = new Map([
    ["28", `refuses the user "${user}"`],
    ["3D", `has no database "${database}"`],
    ["42501", `gives the user "${user}" too few rights`],
    ["42P01", "has no tables of Skep, or the user may not see them"],
  ]);
  const reason = why.get(error.code) ?? why.get(error.code.slice(0, 2));
  if (reason === undefined) return undefined;
  return refused(`The database server ${reason}: ${error.message}.`, error);
}

/** An array of texts as PostgreSQL reads it. */
export function textArray(texts: readonly string[]): string {
  return `{${texts.map((text) => `"${text.replace(/["\\]/g, "\\$&")}"`).join(",")}}`;
}

/** The transaction may have been committed, or may still be. */
export class OutcomeUnknown extends Error {
  constructor(cause: unknown) {
    super("the outcome of a transaction is unknown", { cause });
  }
}

/**
 * Runs statements in a transaction. COMMIT is a message of its own, sent when all statements were answered.
 * @throws OutcomeUnknown; what the statements throw.
 */
export async function commit(session: Session, run: (sql: Sql) => Promise<void>): Promise<void> {
  const { sql } = session;
  // Whatever the database's default is: a statement after a lock has to see what was committed before it.
  const begun = sql.unsafe("BEGIN ISOLATION LEVEL READ COMMITTED").execute();
  begun.catch(() => undefined);
  try {
    await run(sql);
    await begun;
  } catch (error) {
    await rollBack(session);
    throw error;
  }
  session.takeWarnings();
  try {
    const { command } = await sql.unsafe("COMMIT");
    if (command !== "COMMIT") throw new Error(`COMMIT was answered by ${command}`);
  } catch (error) {
    // The server says that it did not commit, unless it was told to end meanwhile.
    if (isPostgresError(error) && !isPassing(error)) throw error;
    session.end();
    throw new OutcomeUnknown(error);
  }
  const warnings = session.takeWarnings();
  if (warnings.length === 0) return;
  // Such as when the wait for the standby was cancelled: it is committed here, and a failover may still lose it.
  session.end();
  throw new OutcomeUnknown(new Error(warnings.join("; ")));
}

/** Ends a transaction without its changes; the connection ends where that is impossible. */
export async function rollBack(session: Session): Promise<void> {
  if (session.isEnded) return;
  try {
    await session.sql.unsafe("ROLLBACK");
  } catch {
    session.end();
  }
}
