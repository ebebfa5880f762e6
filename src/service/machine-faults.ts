/** What requests are told when the machine or the database lacks something, and what the log says of it. */
import { open } from "node:fs/promises";
import { devNull } from "node:os";
import { isSystemError } from "../disk/disk.ts";
import { diskFull, isDiskFull } from "../disk/durable-fs.ts";
import { isFailure, isSkepError, SkepError } from "../domain/errors.ts";
import { describeError, type Log } from "../log.ts";

/** In seconds: the requests under way close their files soon. */
const retryAfter = 1;
/** How often each cause is logged while requests fail. */
const silentMs = 60_000;

interface Fault {
  /** What is logged; each text once a minute. */
  readonly text: string;
  readonly cause: unknown;
  /** What the request is told. */
  readonly error: SkepError;
}

/** Takes the errors that a machine or a database causes by what it lacks out of all others. */
export class MachineFaults {
  readonly #log: Log;
  readonly #loggedAt = new Map<string, number>();

  constructor(log: Log) {
    this.#log = log;
  }

  /**
   * @returns SkepError `busy` where the system opens no more files, `disk-full` where a disk is full; else the error. The
   * cause is logged once a minute, and so is what a database says that does nothing for requests.
   */
  translate(error: unknown): unknown {
    const fault = faultIn(error);
    if (fault === undefined) return error;
    const now = performance.now();
    if (now - (this.#loggedAt.get(fault.text) ?? -Infinity) >= silentMs) {
      this.#loggedAt.set(fault.text, now);
      this.#log.error({ error: describeError(fault.cause) }, fault.text);
    }
    return fault.error;
  }

  /**
   * Looks whether the system still opens files. Without one, no connection is accepted, and no request says so.
   * @param openFile opens a file.
   */
  async check(openFile: () => Promise<{ close(): Promise<void> }> = () => open(devNull)): Promise<void> {
    try {
      await (await openFile()).close();
    } catch (error) {
      this.translate(error);
    }
  }
}

function faultIn(error: unknown): Fault | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (isSystemError(cause, "EMFILE", "ENFILE")) {
      const text =
        "too many open files, so requests are refused; start the server with a higher limit (ulimit -n, or LimitNOFILE of systemd)";
      const message = "The server has too many files open; try again soon.";
      return { text, cause, error: new SkepError("busy", message, { retryAfter }, { cause }) };
    }
  }
  if (isFailure(error, "disk-full")) return { text: `a disk is full: ${error.message}`, cause: error, error };
  if (isFailure(error, "record-unavailable") && error.data.problem !== undefined) {
    return { text: `the database does nothing for requests: ${error.data.problem}`, cause: error, error };
  }
  if (isSkepError(error)) return undefined;
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (!isDiskFull(cause)) continue;
    const full = diskFull(cause);
    return { text: `a disk is full: ${full.message}`, cause: error, error: full };
  }
  return undefined;
}
