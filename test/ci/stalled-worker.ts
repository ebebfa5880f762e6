/**
 * Ends a worker of Vitest that stands still. Vitest ends a test that waits for too long by a timer, which never comes where a
 * loop gives no other task a turn: the run would stand still with it. The file that such a worker runs counts as not ended.
 */
import { Worker } from "node:worker_threads";
import { beforeEach } from "vitest";

/** Milliseconds without a turn of the event loop and without a new test: longer than any test may take. */
const limit = Number(process.env.SKEP_TEST_STALLED ?? 300_000);
const guarded = Symbol.for("skep: this worker is watched");

// Test files of one worker run the setup each.
const known: unknown = Reflect.get(globalThis, guarded);
const turns = known instanceof Int32Array ? known : new Int32Array(new SharedArrayBuffer(4));
// Tests that wait for nothing follow each other without a turn.
beforeEach(() => void Atomics.add(turns, 0, 1));

if (known === undefined) {
  Reflect.set(globalThis, guarded, turns);
  const interval = Math.ceil(limit / 5);
  setInterval(() => Atomics.add(turns, 0, 1), interval).unref();
  const watch = `
    const { workerData: { turns, limit } } = require("node:worker_threads");
    let [last, since] = [-1, performance.now()];
    setInterval(() => {
      const now = Atomics.load(turns, 0);
      if (now !== last) [last, since] = [now, performance.now()];
      else if (performance.now() - since > limit) process.kill(process.pid, "SIGKILL");
    }, ${interval});`;
  new Worker(watch, { eval: true, execArgv: [], workerData: { turns, limit } }).unref();
}
