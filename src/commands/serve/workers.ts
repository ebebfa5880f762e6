/** Keeps a number of workers running: starts them, replaces those that end, and gives up when none can start. */
import type { Socket } from "node:net";
import type { ServerLog } from "../../observability/server-log.ts";
import type { ToSupervisor, ToWorker } from "./channel.ts";
import { beatMs } from "./watchdog.ts";

/** How a process ended: its exit code, or the signal that killed it. */
export interface Ending {
  readonly code: number | null;
  readonly signal: string | null;
}

export interface WorkerProcess {
  readonly pid: number | undefined;
  /** Sends a message. It is lost if the process has ended. */
  readonly send: (message: ToWorker, connection?: Socket) => void;
  readonly kill: () => void;
}

export interface WorkerListeners {
  readonly received: (message: ToSupervisor) => void;
  readonly ended: (ending: Ending) => void;
}

export interface WorkersOptions {
  readonly count: number;
  /** After how many milliseconds without a message a worker is killed; undefined for never. */
  readonly hangTimeout: number | undefined;
  readonly fork: (listeners: WorkerListeners) => WorkerProcess;
  /** The first message to the worker with a number. */
  readonly startMessage: (worker: number) => ToWorker;
  readonly log: Pick<ServerLog, "error" | "info">;
  /** Called when the replacement of a worker is prepared. */
  readonly replaced: (worker: number) => void;
  /** Called with all messages that are not about the start. */
  readonly received: (worker: number, message: ToSupervisor) => void;
  readonly ended: (worker: number) => void;
  /** Called when no worker is left and none can start. */
  readonly gaveUp: () => void;
  /** Runs a function later. @returns a function that cancels it. */
  readonly after?: (ms: number, run: () => void) => () => void;
  readonly now?: () => number;
}

/** A worker that ends earlier counts as failed, and its replacement waits. */
const shortLifeMs = 5_000;
const firstDelayMs = 250;
const maxDelayMs = 30_000;
/** If no worker is left, the server ends after this many consecutive failures of each slot. */
const maxFailures = 5;

/**
 * `logged`: after this many beats without a message from a worker, the silence is logged. `givenUp`: a killed worker may
 * not end, because it waits for a disk; this many beats after the kill, another process gets its slot. `starting`: how many
 * a worker has at least until it is ready, on however busy a machine. Beats are counted instead of time, because a machine
 * may sleep.
 */
const silentBeats = { logged: 5, givenUp: 5, starting: 15 };

/** A numbered slot, and the worker process that runs in it. */
interface WorkerSlot {
  readonly worker: number;
  process: WorkerProcess | undefined;
  state: "starting" | "serving" | "ended";
  startedAt: number;
  /** How many consecutive processes of this slot have failed. */
  failures: number;
  /** The reason that the current process gave for not starting. */
  problem: string | undefined;
  cancelRestart: () => void;
  /** The number of beats since the last message. */
  silence: number;
}

const afterTimeout = (ms: number, run: () => void): (() => void) => {
  const timer = setTimeout(run, ms);
  return () => clearTimeout(timer);
};

export class Workers {
  readonly #options: Required<WorkersOptions>;
  readonly #slots: readonly WorkerSlot[];
  /** Settles the first start; undefined afterwards. */
  #starting: { readonly resolve: () => void; readonly reject: (error: Error) => void } | undefined;
  /** The worker that does the background work. */
  #background: number | undefined;
  #stopping: { readonly resolve: (ended: boolean) => void } | undefined;
  #endedWell = true;

  constructor({ after = afterTimeout, now = Date.now, ...options }: WorkersOptions) {
    this.#options = { ...options, after, now };
    this.#slots = Array.from({ length: options.count }, (_, i) => ({
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
   * @throws Error with the message of the first worker that cannot start; the others are killed.
   */
  start(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#starting = { resolve, reject };
      for (const slot of this.#slots) this.#fork(slot);
    });
  }

  /** The numbers of the workers that are prepared and run. */
  get serving(): readonly number[] {
    return this.#slots.filter(({ state }) => state === "serving").map(({ worker }) => worker);
  }

  send(worker: number, message: ToWorker, connection?: Socket): void {
    this.#slots[worker - 1]?.process?.send(message, connection);
  }

  /** Ends all workers after their requests in flight. @returns whether all ended with exit code 0. */
  stop(): Promise<boolean> {
    return new Promise((resolve) => {
      this.#stopping = { resolve };
      for (const { cancelRestart, process } of this.#slots) {
        cancelRestart();
        process?.send({ kind: "stop" });
      }
      this.#resolveStop();
    });
  }

  kill(): void {
    this.#stopping ??= { resolve: () => {} };
    for (const { cancelRestart, process } of this.#slots) {
      cancelRestart();
      process?.kill();
    }
  }

  /** Detects workers that do not respond, and finally replaces them. To be called every {@link beatMs}. */
  beat(): void {
    const hanging = Math.ceil((this.#options.hangTimeout ?? Infinity) / beatMs);
    for (const slot of this.#slots) {
      const { worker, process, state } = slot;
      if (process === undefined) continue;
      const killed = state === "starting" ? Math.max(hanging, silentBeats.starting) : hanging;
      slot.silence++;
      const fields = { worker, pid: process.pid, seconds: (slot.silence * beatMs) / 1_000 };
      if (slot.silence === silentBeats.logged) this.#options.log.error(fields, "a worker does not respond");
      if (slot.silence === killed) process.kill();
      if (slot.silence === killed + silentBeats.givenUp) this.#end(slot, { code: null, signal: "no signal" });
      else process.send({ kind: "ping" });
    }
  }

  #fork(slot: WorkerSlot): void {
    slot.silence = 0;
    slot.state = "starting";
    slot.startedAt = this.#options.now();
    slot.problem = undefined;
    // A process that was given up may still send messages.
    const process: WorkerProcess = (slot.process = this.#options.fork({
      received: (message) => slot.process === process && this.#receive(slot, message),
      ended: (ending) => slot.process === process && this.#end(slot, ending),
    }));
  }

  #receive(slot: WorkerSlot, message: ToSupervisor): void {
    const { startMessage, received, log } = this.#options;
    if (slot.silence >= silentBeats.logged) log.info({ worker: slot.worker }, "a worker responds again");
    slot.silence = 0;
    if (message.kind === "ready") {
      // A stop message before this one would have been lost.
      slot.process?.send(this.#stopping === undefined ? startMessage(slot.worker) : { kind: "stop" });
    } else if (message.kind === "failed") slot.problem = message.message;
    else if (message.kind === "prepared") this.#beginServing(slot);
    else received(slot.worker, message);
  }

  #beginServing(slot: WorkerSlot): void {
    slot.state = "serving";
    if (this.#starting === undefined) {
      const { worker, process } = slot;
      const message = "a new worker replaced the one that ended";
      this.#options.log.info({ worker, pid: process?.pid }, message);
      this.#options.replaced(worker);
    } else if (this.serving.length === this.#slots.length) {
      this.#starting.resolve();
      this.#starting = undefined;
    }
    this.#appointBackground();
  }

  /** Chooses the worker for the background work. All workers must have started, so that none waits for this work. */
  #appointBackground(): void {
    if (this.#starting !== undefined || this.#background !== undefined) return;
    this.#background = this.serving[0];
    if (this.#background !== undefined) this.send(this.#background, { kind: "background" });
  }

  #end(slot: WorkerSlot, ending: Ending): void {
    const { worker, process, problem, startedAt } = slot;
    slot.state = "ended";
    slot.process = undefined;
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
    slot.failures = this.#options.now() - startedAt < shortLifeMs ? slot.failures + 1 : 0;
    if (this.#slots.every(({ state, failures }) => state === "ended" && failures >= maxFailures)) {
      this.kill();
      this.#options.gaveUp();
      return;
    }
    const delay = slot.failures === 0 ? 0 : firstDelayMs * 2 ** (slot.failures - 1);
    slot.cancelRestart = this.#options.after(Math.min(delay, maxDelayMs), () => this.#fork(slot));
  }

  #resolveStop(): void {
    if (this.#slots.every(({ process }) => process === undefined)) this.#stopping?.resolve(this.#endedWell);
  }
}
