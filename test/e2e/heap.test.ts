/** Memory of the process, given back while it has nothing to do. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";

const heap = fileURLToPath(new URL("../../src/commands/program/heap.ts", import.meta.url));

interface Idle {
  /** Fulfilled when the process has made a hundred megabytes of garbage, and has had nothing to do since then. */
  readonly made: Promise<unknown>;
  /** The heap, when half of it was given back or the break was ended. */
  readonly left: Promise<number>;
  readonly endBreak: () => void;
}

/** A process of its own that makes garbage and takes a break. */
function startIdle(isCollected: boolean): Idle {
  const program = `
    import { collectWhenIdle } from ${JSON.stringify(heap)};
    const size = () => process.memoryUsage().heapTotal;
    if (${isCollected}) collectWhenIdle();
    let kept = Array.from({ length: 1_500_000 }, (_, i) => ({ text: "Text " + i }));
    const most = size();
    kept = undefined;
    process.stderr.write("made");
    const end = () => {
      process.stdout.write(String(size()));
      clearInterval(timer);
      process.stdin.destroy();
    };
    const timer = setInterval(() => size() < most / 2 && end(), 50);
    process.stdin.resume().once("end", end);
  `;
  const child = spawn(process.execPath, ["--import=tsx", "--input-type=module", "--eval", program]);
  onTestFinished(() => void child.kill("SIGKILL"));
  return {
    made: once(child.stderr, "data"),
    left: text(child.stdout).then(Number),
    endBreak: () => void child.stdin.end(),
  };
}

it("memory is given back in a break, and would not be by itself", async () => {
  const otherwise = startIdle(false);
  await otherwise.made;
  const left = await startIdle(true).left;
  // Its break began earlier, and ends later.
  otherwise.endBreak();
  expect(left).toBeLessThan((await otherwise.left) / 2);
});
