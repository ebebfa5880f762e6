/** What PostgreSQL's codes of errors mean for whoever waits: the message, and whether it is worth to try again. */
import postgres from "postgres";
import { failure, type SkepError } from "../../domain/errors.ts";

export interface DatabaseFault {
  /** For callers, for checks of health and for the log. It names no machine, user or database. */
  readonly problem: string;
  /** Whether it may be over in a moment, so that the statement is repeated until its time is over. */
  readonly passes: boolean;
}

const fullDisk = "53100";

/** By the code, or by its first two digits. */
const faults: ReadonlyMap<string, DatabaseFault> = new Map([
  ["25006", { problem: "The database can only be read.", passes: true }],
  ["28", { problem: "The database refuses the user of this server.", passes: false }],
  ["28P01", { problem: "The database refuses the password of this server.", passes: false }],
  ["3D", { problem: "The database server has no such database.", passes: false }],
  ["42501", { problem: "The database gives this server too few rights.", passes: false }],
  ["42P01", { problem: "The database has no tables of Skep.", passes: false }],
  ["53", { problem: "The database lacks resources.", passes: true }],
  [fullDisk, { problem: "The database has no room left on its disk.", passes: false }],
  ["53200", { problem: "The database has no memory left.", passes: true }],
  ["53300", { problem: "The database has no connection left for this server.", passes: true }],
  ["57P01", { problem: "The database is stopping.", passes: true }],
  ["57P02", { problem: "The database has crashed.", passes: true }],
  ["57P03", { problem: "The database is starting or stopping.", passes: true }],
]);

/** Whether PostgreSQL itself refused a statement; its code says why. */
export function isPostgresError(error: unknown): error is postgres.PostgresError {
  return error instanceof postgres.PostgresError;
}

/**
 * Codes for a server that ends, is no primary any more, or lacks connections, memory or disk space, and for a statement that
 * was cancelled or did not get a lock in time.
 */
const passing = /^(08|57P|53|57014$|58030$|25006$|55P03$)/;

/** Whether PostgreSQL refused a statement that it may take when it is asked again, on another connection. */
export function isPassing(error: unknown): boolean {
  return isPostgresError(error) && passing.test(error.code);
}

/** What an error, or one that caused it, means; undefined for errors of no database, and for those that say nothing more. */
export function faultOf(error: unknown): DatabaseFault | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (isPostgresError(cause)) return faults.get(cause.code) ?? faults.get(cause.code.slice(0, 2));
  }
  return undefined;
}

/** The error for a database whose disk is full, if an error says so. The transaction was rolled back. */
export function fullDiskOf(error: unknown): SkepError | undefined {
  if (!isPostgresError(error) || error.code !== fullDisk) return undefined;
  return failure("disk-full", faultOf(error)?.problem ?? "", { cause: error });
}
