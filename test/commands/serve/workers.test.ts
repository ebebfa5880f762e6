/** How workers are kept running, with processes that the tests control. */
import { expect, it } from "vitest";
import type { ToSupervisor, ToWorker } from "../../../src/commands/serve/channel.ts";
import { Workers, type Ending, type WorkerListeners } from "../../../src/commands/serve/workers.ts";

interface Process extends WorkerListeners {
  readonly messages: string[];
  isKilled: boolean;
}

const killed: Ending = { code: null, signal: "SIGKILL" };

function setUp(count: number, hangTimeout: number | undefined = 30_000) {
  const processes: Process[] = [];
  const timers: { readonly ms: number; readonly run: () => void }[] = [];
  const logged: string[] = [];
  const notified: { gaveUp: number; replaced: number[] } = { gaveUp: 0, replaced: [] };
  let now = 0;
  const workers = new Workers({
    count,
    hangTimeout,
    fork: (listeners) => {
      const process: Process = { ...listeners, messages: [], isKilled: false };
      processes.push(process);
      return {
        pid: processes.length,
        send: (message: ToWorker) => void process.messages.push(message.kind),
        kill: () => (process.isKilled = true),
      };
    },
    startMessage: (worker) => ({ kind: "start", worker, texts: {} }),
    log: { error: (_, message) => logged.push(message), info: (_, message) => logged.push(message) },
    received: () => {},
    replaced: (worker) => notified.replaced.push(worker),
    ended: () => {},
    gaveUp: () => notified.gaveUp++,
    after: (ms, run) => {
      timers.push({ ms, run });
      return () => void timers.splice(0);
    },
    now: () => now,
  });
  const last = (): Process => {
    const process = processes.at(-1);
    if (process === undefined) throw new Error("no process");
    return process;
  };
  /** Runs the next timer. @returns how long it waited. */
  const wait = (): number | undefined => {
    const timer = timers.shift();
    timer?.run();
    return timer?.ms;
  };
  const pass = (ms: number): void => void (now += ms);
  return { workers, processes, last, wait, pass, timers, logged, notified };
}

const say = ({ received }: Process, ...kinds: ("ready" | "prepared")[]): void => {
  for (const kind of kinds) received({ kind } satisfies ToSupervisor);
};

async function started(count: number, ...hangTimeout: [(number | undefined)?]) {
  const all = setUp(count, ...hangTimeout);
  const starting = all.workers.start();
  for (const process of all.processes) say(process, "ready", "prepared");
  await starting;
  return all;
}

it("workers have started when all are prepared, and one of them does the background work", async () => {
  const { workers, processes } = setUp(2);
  let hasStarted = false;
  const starting = workers.start().then(() => (hasStarted = true));
  const [one, two] = processes;
  if (one === undefined || two === undefined) throw new Error("there are two");
  expect(one.messages).toEqual([]);
  say(one, "ready", "prepared");
  await Promise.resolve();
  expect([hasStarted, workers.serving]).toEqual([false, [1]]);
  say(two, "ready", "prepared");
  await starting;
  expect([one.messages, two.messages]).toEqual([["start", "background"], ["start"]]);
});

it("if one worker cannot start, all are killed, and its message is the error", async () => {
  const { workers, processes } = setUp(3);
  const starting = workers.start();
  processes[1]?.received({ kind: "failed", message: "no memory" });
  processes[1]?.ended({ code: 1, signal: null });
  await expect(starting).rejects.toThrow(/^no memory$/);
  expect(processes.map(({ isKilled }) => isKilled)).toEqual([true, false, true]);
  const [first] = processes;
  first?.ended(killed);
  expect(processes).toHaveLength(3);
});

it("workers that die late are replaced at once, and another worker takes over the background work", async () => {
  const { workers, processes, last, wait, pass, notified } = await started(2);
  pass(60_000);
  processes[0]?.ended(killed);
  expect(workers.serving).toEqual([2]);
  expect(processes[1]?.messages).toEqual(["start", "background"]);
  expect(wait()).toBe(0);
  say(last(), "ready", "prepared");
  expect([workers.serving, notified.replaced]).toEqual([[1, 2], [1]]);
  expect(last().messages).toEqual(["start"]);
  // The worker that does the background work cleans up after the others.
  pass(60_000);
  last().ended(killed);
  expect(processes[1]?.messages.at(-1)).toBe("tidy");
});

it("replacements of workers that die at once wait longer and longer, and the server gives up when no worker is left", async () => {
  const { processes, last, wait, notified } = await started(2);
  processes[0]?.ended(killed);
  const waits = [wait(), ...Array.from({ length: 9 }, () => (last().ended(killed), wait()))];
  expect(waits).toEqual([250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
  // The other worker still runs.
  expect(notified.gaveUp).toBe(0);
  last().ended(killed);
  processes[1]?.ended(killed);
  for (let i = 0; i < 20 && notified.gaveUp === 0; i++) {
    wait();
    last().ended(killed);
  }
  expect(notified.gaveUp).toBe(1);
});

it("a worker that lived long is replaced without a wait, whatever happened before", async () => {
  const { last, wait, pass } = await started(1);
  last().ended(killed);
  expect(wait()).toBe(250);
  pass(60_000);
  last().ended(killed);
  expect(wait()).toBe(0);
});

it("stopped workers are not replaced, and stop() returns whether all ended with exit code 0", async () => {
  for (const code of [0, 1]) {
    const { workers, processes, timers, last, pass } = await started(2);
    pass(60_000);
    processes[0]?.ended(killed);
    timers.shift()?.run();
    const stopping = workers.stop();
    // A worker that was not ready has not received the message.
    say(last(), "ready");
    expect([last().messages, processes[1]?.messages.at(-1)]).toEqual([["stop", "stop"], "stop"]);
    last().ended({ code: 0, signal: null });
    processes[1]?.ended({ code, signal: null });
    expect(await stopping).toBe(code === 0);
    expect([processes.length, timers.length]).toEqual([3, 0]);
  }
});

it("a worker that does not respond is named, killed and replaced, whatever it did before", async () => {
  const { workers, processes, logged } = await started(2);
  const beat = (times: number): void => {
    for (let i = 0; i < times; i++) {
      workers.beat();
      processes[1]?.received({ kind: "pong" });
    }
  };
  beat(4);
  expect([processes[0]?.messages.at(-1), logged]).toEqual(["ping", []]);
  beat(1);
  expect(logged).toEqual(["a worker does not respond"]);
  processes[0]?.received({ kind: "taken" });
  beat(4);
  expect(logged).toEqual(["a worker does not respond", "a worker responds again"]);
  beat(10);
  expect(processes.map(({ isKilled }) => isKilled)).toEqual([false, false]);
  beat(1);
  expect(processes.map(({ isKilled }) => isKilled)).toEqual([true, false]);
});

it("a worker that does not respond is killed as early as the settings say", async () => {
  const { workers, processes } = await started(1, 3_000);
  workers.beat();
  expect(processes[0]?.isKilled).toBe(false);
  workers.beat();
  expect(processes[0]?.isKilled).toBe(true);
});

it("a worker that cannot be killed loses its slot, and its messages are ignored", async () => {
  const { workers, processes, pass, wait, last } = await started(2);
  const [stuck, other] = processes;
  pass(60_000);
  for (let i = 0; i < 20; i++) {
    workers.beat();
    other?.received({ kind: "pong" });
  }
  expect(workers.serving).toEqual([2]);
  expect(other?.messages).toContain("background");
  wait();
  say(last(), "ready", "prepared");
  expect(workers.serving).toEqual([1, 2]);
  stuck?.ended(killed);
  expect([workers.serving, processes.length]).toEqual([[1, 2], 3]);
});

it("stop() ends although one worker does not respond", async () => {
  const { workers, processes } = await started(2);
  const stopping = workers.stop();
  processes[1]?.ended({ code: 0, signal: null });
  for (let i = 0; i < 20; i++) workers.beat();
  expect([await stopping, processes[0]?.isKilled]).toEqual([false, true]);
});

it("a worker that does not become ready is killed, too, but not as early", async () => {
  const { workers, processes } = setUp(1, 1_000);
  const starting = workers.start();
  for (let i = 0; i < 14; i++) workers.beat();
  expect(processes[0]?.isKilled).toBe(false);
  workers.beat();
  expect(processes[0]?.isKilled).toBe(true);
  processes[0]?.ended(killed);
  await expect(starting).rejects.toThrow("a worker ended by SIGKILL before it was prepared");
});
