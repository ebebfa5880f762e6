import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it, vi } from "vitest";
import { withTimeout } from "../src/deadline.ts";
import { eventually } from "./helpers/eventually.ts";

it("a time limit holds, though garbage is collected meanwhile", async () => {
  setFlagsFromString("--expose-gc");
  const collect: () => void = runInNewContext("gc");
  const fired = vi.fn<() => void>();
  withTimeout(new AbortController().signal, 50).addEventListener("abort", fired);
  for (let i = 0; i < 3; i++) {
    await setImmediate();
    collect();
  }
  await eventually(() => expect(fired).toHaveBeenCalledOnce());
});

it("a time limit ends early with the signal that it is added to", () => {
  const caller = new AbortController();
  const signal = withTimeout(caller.signal, 60_000);
  caller.abort("gone");
  expect([signal.aborted, signal.reason]).toEqual([true, "gone"]);
});
