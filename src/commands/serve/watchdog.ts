/** Ends a process that hangs, so that its service manager restarts it. */
import { Worker } from "node:worker_threads";
import type { ServeConfig } from "../../config/settings.ts";
import { describeError } from "../../log.ts";
import type { ServerLog } from "../../observability/server-log.ts";
import { codeEnding, ownFile } from "../../own-files.ts";
import type { WatchdogData } from "./watchdog-thread.ts";

const beatMs = 2_000;

/** Watches this thread from another thread, as long as the process runs. */
export function startWatchdog({ hangTimeout, logLevel }: ServeConfig, log: ServerLog): void {
  if (hangTimeout === undefined) return;
  const data: WatchdogData = {
    beats: new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)),
    beatMs: Math.min(beatMs, hangTimeout / 4),
    hangMs: hangTimeout,
    format: logLevel === "silent" ? "none" : log.isPretty ? "text" : "json",
  };
  setInterval(() => Atomics.add(data.beats, 0, 1), data.beatMs).unref();
  const resourceLimits = { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 1 };
  new Worker(ownFile(`commands/serve/watchdog-thread${codeEnding}`), { workerData: data, resourceLimits })
    .on("error", (error) => log.error({ error: describeError(error) }, "nothing watches whether Skep hangs"))
    .unref();
}
