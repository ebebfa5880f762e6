/** Keeps a number of workers running: starts them, replaces those that end, and gives up when none can start. */
import type { Socket } from "node:net";
import type { ServerLog } from "../../observability/server-log.ts";
import type { ToPrimary, ToWorker } from "./channel.ts";
import { beatMs } from "./watchdog.ts";

/** How a process ended: its exit code, or the signal that killed it. */
export interface Ending {
  readonly code: number | null;
  readonly signal: string | null;
}

/** A worker's process. */
export interface WorkerProcess {
  readonly pid: number | undefined;
  /** Sends a message; one to a process that has ended is lost. */
  readonly send: (message: ToWorker, connection?: Socket) => void;
  /** Kills it at once. */
  readonly kill: () => void;
}

export interface WorkerListeners {
  readonly received: (message: ToPrimary) => void;
  /** Called once. */
  readonly ended: (ending: Ending) => void;
}

export interface WorkersOptions {
  readonly count: number;
  /** After how many milliseconds without a message a worker is killed; undefined for never. */
  readonly hangTimeout: number | undefined;
  /** Starts a process. */
  readonly fork: (listeners: WorkerListeners) => WorkerProcess;
  /** What the worker of a number is told first. */
  readonly startMessage: (worker: number) => ToWorker;
  readonly log: Pick<ServerLog, "error" | "info">;
  /** Called when a worker that takes the place of another one is prepared. */
  readonly replaced: (worker: number) => void;
  /** Called with all messages that are not about the start. */
  readonly received: (worker: number, message: ToPrimary) => void;
  /** Called when a worker has ended. */
  readonly ended: (worker: number) => void;
  /** Called when no worker is left and none can start. */
  readonly gaveUp: () => void;
  /** Runs a function later. @returns a function that cancels it. */
  readonly after?: (ms: number, run: () => void) => () => void;
  /** The time in milliseconds. */
  readonly now?: () => number;
}

/** A worker that ends earlier has failed to run, and the next one waits. */
const shortLifeMs = 5_000;
const firstDelayMs = 250;
const maxDelayMs = 30_000;
/** After how many short lives in a row of each worker the server ends, if none is left. */
const maxFailures = 5;

/**
 * After how many beats without a message from a worker that is logged; and how many after its killing its place is given
 * to another process, though the kill did not end it, because it waits for a disk. Beats are counted, and not the time:
 * a machine may sleep.
 */
const silentBeats = { logged: 5, givenUp: 5 };

/** One place for a worker, and the process in it. */
interface Place {
  readonly worker: number;
  process: WorkerProcess | undefined;
  state: "starting" | "serving" | "ended";
  startedAt: number;
  /** How many of its processes in a row lived a short time only. */
  failures: number;
  /** Why the present one could not start, as it said itself. */
  problem: string | undefined;
  cancelRestart: () => void;
  /** The beats since its last message. */
  silence: number;
}

const afterTimeout = (ms: number, run: () => void): (() => void) => {
  const timer = setTimeout(run, ms);
  return () => clearTimeout(timer);
};

export class Workers {
  readonly #options: Required<WorkersOptions>;
  readonly #places: readonly Place[];
  /** How the first start ends; undefined once it has. */
  #starting: { readonly resolve: () => void; readonly reject: (error: Error) => void } | undefined;
  /** The worker that does the background work. */
  #background: number | undefined;
  #stopping: { readonly resolve: (ended: boolean) => void } | undefined;
  #endedWell = true;

  constructor({ after = afterTimeout, now = Date.now, ...options }: WorkersOptions) {
    this.#options = { ...options, after, now };
    this.#places = Array.from({ length: options.count }, (_, i) => ({
      worker: i + 1,
      process: undefined,
      state: "ended" as const,
      startedAt: 0,
      failures: 0,
      problem: undefined,
      cancelRestart: () => {},
      silence: 0,
    }));
  }

  /**
   * Starts all workers, and resolves when all are prepared.
   * @throws Error with what the first one says that cannot start; the others are killed.
   */
  start(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#starting = { resolve, reject };
      for (const place of this.#places) this.#fork(place);
    });
  }

  /** The numbers of the workers that are prepared and run. */
  get serving(): readonly number[] {
    return this.#places.filter(({ state }) => state === "serving").map(({ worker }) => worker);
  }

  /** Sends a message to a worker, with a connection. */
  send(worker: number, message: ToWorker, connection?: Socket): void {
    this.#places[worker - 1]?.process?.send(message, connection);
  }

  /** Has all workers answer their requests in flight and end. @returns whether all of them ended well. */
  stop(): Promise<boolean> {
    return new Promise((resolve) => {
      this.#stopping = { resolve };
      for (const { cancelRestart, process } of this.#places) {
        cancelRestart();
        process?.send({ kind: "stop" });
      }
      this.#resolveStop();
    });
  }

  /** Kills all workers; none is replaced. */
  kill(): void {
    this.#stopping ??= { resolve: () => {} };
    for (const { cancelRestart, process } of this.#places) {
      cancelRestart();
      process?.kill();
    }
  }

  /** Finds out which workers do not respond, and replaces them in the end. To be called every {@link beatMs}. */
  beat(): void {
    const killed = Math.ceil((this.#options.hangTimeout ?? Infinity) / beatMs);
    for (const place of this.#places) {
      const { worker, process } = place;
      if (process === undefined) continue;
      place.silence++;
      const fields = { worker, pid: process.pid, seconds: (place.silence * beatMs) / 1_000 };
      if (place.silence === silentBeats.logged) this.#options.log.error(fields, "a worker does not respond");
      if (place.silence === killed) process.kill();
      if (place.silence === killed + silentBeats.givenUp)
        this.#end(place, { code: null, signal: "no signal" });
      else process.send({ kind: "ping" });
    }
  }

  #fork(place: Place): void {
    place.silence = 0;
    place.state = "starting";
    place.startedAt = this.#options.now();
    place.problem = undefined;
    // A process that was given up may still be heard of.
    const process: WorkerProcess = (place.process = this.#options.fork({
      received: (message) => place.process === process && this.#receive(place, message),
      ended: (ending) => place.process === process && this.#end(place, ending),
    }));
  }

  #receive(place: Place, message: ToPrimary): void {
    const { startMessage, received, log } = this.#options;
    if (place.silence >= silentBeats.logged) log.info({ worker: place.worker }, "a worker responds again");
    place.silence = 0;
    if (message.kind === "ready") {
      // Told to stop before, it would not have heard it.
      place.process?.send(this.#stopping === undefined ? startMessage(place.worker) : { kind: "stop" });
    } else if (message.kind === "failed") place.problem = message.message;
    else if (message.kind === "prepared") this.#beginServing(place);
    else received(place.worker, message);
  }

  #beginServing(place: Place): void {
    place.state = "serving";
    if (this.#starting === undefined) {
      const { worker, process } = place;
      const message = "a new worker took the place of the one that ended";
      this.#options.log.info({ worker, pid: process?.pid }, message);
      this.#options.replaced(worker);
    } else if (this.serving.length === this.#places.length) {
      this.#starting.resolve();
      this.#starting = undefined;
    }
    this.#appointBackground();
  }

  /** Has one worker do the background work, once it can; the others have to have started, so that they do not wait. */
  #appointBackground(): void {
    if (this.#starting !== undefined || this.#background !== undefined) return;
    this.#background = this.serving[0];
    if (this.#background !== undefined) this.send(this.#background, { kind: "background" });
  }

  #end(place: Place, ending: Ending): void {
    const { worker, process, problem, startedAt } = place;
    place.state = "ended";
    place.process = undefined;
    this.#options.ended(worker);
    if (this.#stopping !== undefined) {
      this.#endedWell &&= ending.code === 0;
      this.#resolveStop();
      return;
    }
    const how = ending.signal === null ? `with ${ending.code}` : `by ${ending.signal}`;
    if (this.#starting !== undefined) {
      this.#starting.reject(new Error(problem ?? `a worker ended ${how} before it was prepared`));
      this.kill();
      return;
    }
    this.#options.log.error({ worker, pid: process?.pid, error: problem }, `a worker ended ${how}`);
    if (this.#background !== worker && this.#background !== undefined) {
      this.send(this.#background, { kind: "tidy" });
    } else {
      this.#background = undefined;
      this.#appointBackground();
    }
    place.failures = this.#options.now() - startedAt < shortLifeMs ? place.failures + 1 : 0;
    if (this.#places.every(({ state, failures }) => state === "ended" && failures >= maxFailures)) {
      this.kill();
      this.#options.gaveUp();
      return;
    }
    const delay = place.failures === 0 ? 0 : firstDelayMs * 2 ** (place.failures - 1);
    place.cancelRestart = this.#options.after(Math.min(delay, maxDelayMs), () => this.#fork(place));
  }

  #resolveStop(): void {
    if (this.#places.every(({ process }) => process === undefined)) this.#stopping?.resolve(this.#endedWell);
  }
}
