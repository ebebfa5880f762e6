/** Whether a server can do its work; checked at most once a second. */
import { setTimeout } from "node:timers/promises";
import { isFailure } from "../../domain/errors.ts";
import { describeError, type Log } from "../../log.ts";
import type { Storage } from "../storage.ts";

const goodForMs = 1_000;
/** A hanging disk must not make health checks hang. */
const answerWithinMs = 3_000;

type ReadyStorage = Pick<Storage, "probe" | "now"> &
  Partial<Pick<Storage, "refresh" | "probeRecord" | "recordProblem">>;

export class Readiness {
  readonly #storage: ReadyStorage;
  readonly #log: Log;
  readonly #timeoutMs: number;
  #checking: Promise<string | undefined> | undefined;
  /** The part that is being checked. */
  #part: "storage" | "database" = "storage";
  #isStopping = false;
  #last: { readonly problem: string | undefined; readonly at: number } | undefined;

  constructor(storage: ReadyStorage, log: Log, timeoutMs = answerWithinMs) {
    this.#storage = storage;
    this.#log = log;
    this.#timeoutMs = timeoutMs;
  }

  /** From now on the server is not ready, so that load balancers send their requests to others. */
  stop(): void {
    this.#isStopping = true;
  }

  /** The problem, in words that reveal nothing about the machine; undefined when the server is ready. */
  async problem(): Promise<string | undefined> {
    if (this.#isStopping) return "The server is stopping.";
    const last = this.#last;
    const age = last === undefined ? Infinity : this.#storage.now() - last.at;
    // A clock that was set back must not extend the validity of a result.
    if (last !== undefined && age >= 0 && age < goodForMs) return last.problem;
    this.#checking ??= this.#check().finally(() => (this.#checking = undefined));
    const ending = new AbortController();
    const timeout = setTimeout(this.#timeoutMs, undefined, { signal: ending.signal }).then(
      () =>
        (this.#part === "database" && this.#storage.recordProblem?.()) ||
        `The ${this.#part} does not answer.`,
      () => undefined,
    );
    try {
      return await Promise.race([this.#checking, timeout]);
    } finally {
      ending.abort();
    }
  }

  /** Never rejects. */
  async #check(): Promise<string | undefined> {
    let problem: string | undefined;
    let error: string | undefined;
    try {
      this.#part = "storage";
      await this.#storage.probe();
      this.#part = "database";
      await this.#storage.refresh?.([]);
      await this.#storage.probeRecord?.();
    } catch (caught) {
      problem = describeProblem(caught, this.#part);
      error = describeError(caught);
    }
    const isNew = problem !== undefined && this.#last?.problem !== problem;
    if (isNew) this.#log.error({ error }, `not ready: ${problem}`);
    this.#last = { problem, at: this.#storage.now() };
    return problem;
  }
}

function describeProblem(error: unknown, part: "storage" | "database"): string {
  if (isFailure(error, "busy")) return "A lock cannot be obtained.";
  if (isFailure(error, "disk-full")) return part === "database" ? error.message : "The disk is full.";
  if (isFailure(error, "storage-missing")) return error.message;
  if (isFailure(error, "record-unavailable")) return error.data.problem ?? "The database does not answer.";
  return "The storage cannot be written to.";
}
