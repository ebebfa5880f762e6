/** Memory of the process, given back while it has nothing to do. */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const run = promisify(execFile);
const heap = fileURLToPath(new URL("../../dist/commands/program/heap.js", import.meta.url));

/** The heap after a hundred megabytes of garbage and a break: until half of it is given back, or of three seconds. */
async function heapAfterGarbage(isCollected: boolean): Promise<number> {
  const program = `
    import { collectWhenIdle } from ${JSON.stringify(heap)};
    const size = () => process.memoryUsage().heapTotal;
    if (${isCollected}) collectWhenIdle();
    let kept = Array.from({ length: 1_500_000 }, (_, i) => ({ text: "Text " + i }));
    const most = size();
    kept = undefined;
    const timer = setInterval(() => {
      if (size() < most / 2 || (!${isCollected} && performance.now() > 3_000)) {
        clearInterval(timer);
        process.stdout.write(String(size()));
      }
    }, 50);
  `;
  const { stdout } = await run(process.execPath, ["--input-type=module", "--eval", program]);
  return Number(stdout);
}

it("memory is given back in a break, and would not be by itself", async () => {
  const [left, otherwise] = await Promise.all([heapAfterGarbage(true), heapAfterGarbage(false)]);
  expect(left).toBeLessThan(otherwise / 2);
});
