/** The thread that ends the process if the main thread hangs. */
import { write } from "node:fs";
import type { Debugger } from "node:inspector";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import { workerData } from "node:worker_threads";

export interface WatchdogData {
  /** A counter in shared memory that the main thread increments. */
  readonly beats: Int32Array;
  /** The interval of these increments. */
  readonly beatMs: number;
  /** For how long the counter may stay the same. */
  readonly hangMs: number;
  readonly format: "json" | "text" | "none";
}

/** The exit code of a process that was ended because it hangs. */
const hungExitCode = 70;
/**
 * How long the main thread may take to report its stack, and stderr to accept the line: long enough for a machine that is
 * so busy that the thread seemed to hang.
 */
const answerMs = 10_000;
const stderr = 2;

function isWatchdogData(data: unknown): data is WatchdogData {
  return typeof data === "object" && data !== null && "beats" in data && "hangMs" in data;
}

if (isWatchdogData(workerData)) watch(workerData);

function watch(data: WatchdogData): void {
  const { beats, beatMs, hangMs } = data;
  let last = 0;
  let silence = 0;
  // Beats are counted instead of time, because a machine may sleep.
  const timer = setInterval(() => {
    const beat = Atomics.load(beats, 0);
    silence = beat === last ? silence + beatMs : 0;
    last = beat;
    if (silence < hangMs) return;
    clearInterval(timer);
    void endProcess(data);
  }, beatMs);
}

async function endProcess({ hangMs, format }: WatchdogData): Promise<void> {
  const paused = await Promise.race([pauseMainThread().catch(() => undefined), wait(answerMs)]);
  const message = `Skep has not responded for ${hangMs / 1_000} s, and ends`;
  const stack = paused?.stack ?? "    in a call of the system, or in native code";
  const fields = { level: "error", time: new Date(), stack, message };
  const line = format === "json" ? JSON.stringify(fields) : `${message}\n${stack}`;
  const written = format === "none" ? undefined : promisify(write)(stderr, `${line}\n`).catch(() => {});
  await Promise.race([written, wait(answerMs)]);
  if (paused !== undefined) {
    paused.exit(hungExitCode);
    await wait(answerMs);
  }
  process.kill(process.pid, "SIGKILL");
}

interface Paused {
  /** The call stack of the main thread, the innermost function first. */
  readonly stack: string;
  readonly exit: (code: number) => void;
}

/** Pauses the main thread like a debugger, which also interrupts a loop. A thread in native code does not pause. */
async function pauseMainThread(): Promise<Paused> {
  const { Session } = await import("node:inspector");
  const session = new Session();
  session.connectToMainThread();
  const urls = new Map<string, string>();
  session.on("Debugger.scriptParsed", ({ params: { scriptId, url } }) => void urls.set(scriptId, url));
  const frames = new Promise<readonly Debugger.CallFrame[]>((resolve) => {
    session.once("Debugger.paused", ({ params }) => resolve(params.callFrames));
  });
  session.post("Debugger.enable");
  session.post("Debugger.pause");
  const callFrames = await frames;
  const stack = callFrames.map(({ functionName, location: { scriptId, lineNumber } }) => {
    return `    at ${functionName || "<anonymous>"} (${urls.get(scriptId) ?? ""}:${lineNumber + 1})`;
  });
  const [inner] = callFrames;
  return {
    stack: stack.slice(0, 20).join("\n"),
    exit: (code) => {
      const expression = `globalThis.process.exit(${code})`;
      session.post("Debugger.evaluateOnCallFrame", { callFrameId: inner?.callFrameId ?? "", expression });
    },
  };
}
