/** Memory of the process, given back while it has nothing to do. */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const run = promisify(execFile);
const heap = fileURLToPath(new URL("../../dist/commands/program/heap.js", import.meta.url));

/** How much of a hundred megabytes of garbage is there after some seconds of nothing. */
async function leftOfGarbage(isCollected: boolean): Promise<number> {
  const program = `
    import { collectWhenIdle } from ${JSON.stringify(heap)};
    if (${isCollected}) collectWhenIdle();
    let kept = Array.from({ length: 1_500_000 }, (_, i) => ({ text: "Text " + i }));
    kept = undefined;
    setTimeout(() => process.stdout.write(String(process.memoryUsage().heapTotal / 1e6)), 3_000);
  `;
  const { stdout } = await run(process.execPath, ["--input-type=module", "--eval", program]);
  return Number(stdout);
}

it("is less after a break, and would not be by itself", async () => {
  const [left, otherwise] = await Promise.all([leftOfGarbage(true), leftOfGarbage(false)]);
  expect(left).toBeLessThan(30);
  expect(otherwise).toBeGreaterThan(60);
}, 20_000);
