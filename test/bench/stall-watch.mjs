/** Loaded into a server: tells its parent, whenever it asks, the longest pause of the event loop since it last did. */
import { monitorEventLoopDelay } from "node:perf_hooks";

const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
process.on("message", () => {
  process.send?.(delay.max / 1e6);
  delay.reset();
});
// Asking must not keep a server that is told to end.
process.channel?.unref();
