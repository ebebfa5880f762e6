/** Jobs as leases: a server renews the leases of its jobs, and writes a result only while it still has the lease. */
import { AsyncLocalStorage } from "node:async_hooks";
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { HeldLock } from "../../disk/held-lock.ts";
import { SkepError } from "../../domain/errors.ts";
import type { Jobs } from "../record/record.ts";
import type { Database } from "./database.ts";
import type { Sql } from "./session.ts";

const leaseMs = 15_000;
const renewEveryMs = 5_000;
/**
 * Longer than any lease. One that seems to last longer was taken, renewed or given back while the database's clock was ahead,
 * and is over: its holder would have renewed it by the clock as it is now.
 */
const maxLease = "10 minutes";
/** How often a server that waits for a lease looks whether it is free. */
const pollMs = 25;

/** The transaction that checks a lock. It locks the lease's row, so that no server takes the lease over before it ends. */
const transactions = new AsyncLocalStorage<Sql>();

/** Checks a lock, and keeps it from being lost until the transaction ends. @throws SkepError `lock-lost`. */
export function assertHeldIn(sql: Sql, lock: HeldLock): Promise<void> {
  return transactions.run(sql, () => lock.assertHeld());
}

export interface LeaseOptions {
  readonly leaseMs?: number;
  readonly renewEveryMs?: number;
  /** For how long a lease is renewed; without end by default. */
  readonly renewForMs?: number;
  /** How long another server's lease is waited for; it is not by default. */
  readonly waitMs?: number;
}

export class Leases implements Jobs {
  readonly #database: Database;
  readonly #holder = randomUUID();
  readonly #options: Required<LeaseOptions>;
  /** The jobs that this server does. */
  readonly #held = new Set<string>();

  constructor(database: Database, options: LeaseOptions = {}) {
    this.#database = database;
    this.#options = { leaseMs, renewEveryMs, renewForMs: Infinity, waitMs: 0, ...options };
  }

  async hold<T>(name: string, run: (lock: HeldLock) => Promise<T>): Promise<T> {
    const deadline = performance.now() + this.#options.waitMs;
    for (;;) {
      if (!this.#held.has(name)) {
        this.#held.add(name);
        try {
          const until = this.#end();
          const epoch = await this.#take(name);
          if (epoch !== undefined) return await this.#run(name, { epoch, until }, run);
        } finally {
          this.#held.delete(name);
        }
      }
      if (performance.now() >= deadline) throw taken(name);
      await this.#untilFree(name, deadline);
    }
  }

  /** Whether another server has a lease. The statement is sent at once, before the statements that follow. */
  isTaken(sql: Sql, name: string): Promise<boolean> {
    const rows = sql`
      SELECT 1 FROM job
      WHERE name = ${name} AND holder <> ${this.#holder} AND ${lasts(sql)}`.execute();
    const isTaken = rows.then(({ length }) => length > 0);
    // Another statement may fail first, and then nobody waits for this one.
    isTaken.catch(() => undefined);
    return isTaken;
  }

  /** Waits until nobody has a lease, without a connection or a lock meanwhile. */
  async #untilFree(name: string, deadline: number): Promise<void> {
    const isFree = async (): Promise<boolean> => {
      const rows = await this.#database.query(
        (sql) => sql`SELECT 1 FROM job WHERE name = ${name} AND ${lasts(sql)}`,
      );
      return rows.length === 0;
    };
    do await sleep(pollMs * (0.5 + Math.random()));
    while (performance.now() < deadline && !(await isFree()));
  }

  async #run<T>(
    name: string,
    { epoch, until }: { readonly epoch: string; readonly until: number },
    run: (lock: HeldLock) => Promise<T>,
  ): Promise<T> {
    let end = until;
    let isLost = false;
    const lastRenewal = performance.now() + this.#options.renewForMs;
    const lost = (): SkepError => new SkepError("lock-lost", "Another server does this job now.", { name });
    const renewing = setInterval(() => {
      if (performance.now() > lastRenewal) return clearInterval(renewing);
      const next = this.#end();
      this.#renew(name, epoch).then(
        (isHeld) => (end = isHeld ? next : 0),
        // The next renewal tries again; without an answer the lease ends by itself.
        () => undefined,
      );
    }, this.#options.renewEveryMs).unref();
    try {
      return await run({
        assertHeld: async () => {
          if (isLost || performance.now() >= end) throw lost();
          const sql = transactions.getStore();
          if (sql !== undefined && !(await this.#isHolder(sql, name, epoch))) throw lost();
        },
        advance: (change) => change(),
        lose: () => void (isLost = true),
      });
    } finally {
      clearInterval(renewing);
      await this.#release(name, epoch).catch(() => undefined);
    }
  }

  async #isHolder(sql: Sql, name: string, epoch: string): Promise<boolean> {
    const rows = await sql`
      SELECT 1 FROM job
      WHERE name = ${name} AND holder = ${this.#holder} AND epoch = ${epoch} AND ${lasts(sql)}
      FOR SHARE`;
    return rows.length === 1;
  }

  /** When a lease ends that is taken or renewed now. */
  #end(): number {
    return performance.now() + this.#options.leaseMs;
  }

  /** @returns undefined when another server has it. */
  #take(name: string): Promise<string | undefined> {
    const seconds = this.#options.leaseMs / 1_000;
    return this.#database.transaction(async (sql) => {
      const [row] = await sql<{ epoch: string }[]>`
        INSERT INTO job VALUES (${name}, ${this.#holder}, 1, clock_timestamp() + ${seconds} * INTERVAL '1 second')
        ON CONFLICT (name) DO UPDATE
          SET holder = excluded.holder, epoch = job.epoch + 1, until = excluded.until
          WHERE NOT (${lasts(sql)})
        RETURNING epoch`;
      return row?.epoch;
    });
  }

  /** @returns false when another server has taken it over. */
  #renew(name: string, epoch: string): Promise<boolean> {
    const seconds = this.#options.leaseMs / 1_000;
    return this.#database.transaction(async (sql) => {
      const { count } = await sql`
        UPDATE job SET until = clock_timestamp() + ${seconds} * INTERVAL '1 second'
        WHERE name = ${name} AND holder = ${this.#holder} AND epoch = ${epoch}`;
      return count === 1;
    });
  }

  async #release(name: string, epoch: string): Promise<void> {
    await this.#database.transaction(
      (sql) => sql`UPDATE job SET until = clock_timestamp()
        WHERE name = ${name} AND holder = ${this.#holder} AND epoch = ${epoch}`,
    );
  }
}

/** The condition that a lease is not over. */
function lasts(sql: Sql) {
  return sql`job.until > clock_timestamp() AND job.until < clock_timestamp() + ${maxLease}::interval`;
}

function taken(name: string): SkepError<"busy"> {
  return new SkepError("busy", `Another server does this job (${name}).`, { retryAfter: 5 });
}
