/** What requests are told when the system lets the server open no more files. */
import { isSystemError } from "../disk/disk.ts";
import { SkepError } from "../domain/errors.ts";
import type { Log } from "../log.ts";

/** In seconds: the requests under way close their files soon. */
const retryAfter = 1;
/** How often the cause is logged while requests fail. */
const silentMs = 60_000;

/** Takes the errors of the system's limit of open files out of all others. */
export class FileLimit {
  readonly #log: Log;
  #loggedAt = -Infinity;

  constructor(log: Log) {
    this.#log = log;
  }

  /** @returns SkepError `busy` for an error that this limit has caused, which is logged once a minute; else the error. */
  translate(error: unknown): unknown {
    for (let cause = error; cause instanceof Error; cause = cause.cause) {
      if (!isSystemError(cause, "EMFILE", "ENFILE")) continue;
      const now = performance.now();
      if (now - this.#loggedAt >= silentMs) {
        this.#loggedAt = now;
        this.#log.error(
          { error: cause.message },
          "too many open files, so requests are refused; start the server with a higher limit (ulimit -n, or LimitNOFILE of systemd)",
        );
      }
      const message = "The server has too many files open; try again soon.";
      return new SkepError("busy", message, { retryAfter }, { cause });
    }
    return error;
  }
}
