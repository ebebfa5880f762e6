/**
 * Loaded into a server: tells its parent, whenever it asks, the longest pause of the event loop since it last did. On Linux
 * that is the processor time of the main thread in one turn of the loop, which does not depend on what else a machine does.
 */
import { openSync, readSync } from "node:fs";

const stat =
  process.platform === "linux" ? openSync(`/proc/self/task/${process.pid}/schedstat`, "r") : undefined;
const buffer = Buffer.alloc(64);

function now() {
  if (stat === undefined) return performance.now();
  const length = readSync(stat, buffer, 0, buffer.length, 0);
  return Number(buffer.toString("latin1", 0, length).split(" ")[0]) / 1e6;
}

let longest = 0;
let last = now();
function turn() {
  const at = now();
  longest = Math.max(longest, at - last);
  last = at;
  setTimeout(turn, 0).unref();
}
turn();

process.on("message", () => {
  process.send?.(longest);
  longest = 0;
});
// Asking must not keep a server that is told to end.
process.channel?.unref();
