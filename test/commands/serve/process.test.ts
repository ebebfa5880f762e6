/** What a server says of the place that it runs in, and how it ends. */
import { expect, it, onTestFinished, vi } from "vitest";
import { runUntilSignal, warnOfNetwork } from "../../../src/commands/serve/process.ts";

it("a server warns of a storage that other machines may change, and of no other", async () => {
  const warn = vi.fn<(fields: object, message: string) => void>();
  const folder = "/srv/skep";
  await warnOfNetwork({ folder, networkFileSystem: async () => undefined }, { warn });
  expect(warn).not.toHaveBeenCalled();
  await warnOfNetwork({ folder, networkFileSystem: async () => "NFS" }, { warn });
  expect(warn).toHaveBeenCalledWith(
    { storage: folder, file_system: "NFS" },
    expect.stringContaining("do not run skep on it on two machines"),
  );
});

function signals() {
  const handlers = new Map<string | symbol, () => void>();
  vi.spyOn(process, "on").mockImplementation((name, run) => {
    handlers.set(name, run);
    return process;
  });
  const exit = vi.spyOn(process, "exit").mockImplementation((code) => {
    throw new Error(`exit ${code}`);
  });
  vi.useFakeTimers();
  onTestFinished(() => {
    vi.restoreAllMocks();
    vi.useRealTimers();
  });
  const end = vi.fn<() => Promise<void>>(() => new Promise(() => {}));
  const endAtOnce = vi.fn<() => void>();
  const error = vi.fn<(fields: object, message: string) => void>();
  runUntilSignal({ info: () => {}, error }, { end, endAtOnce });
  return { send: (name: string) => handlers.get(name)?.(), exit, end, endAtOnce, error };
}

it.each(["SIGTERM", "SIGINT", "SIGHUP"])(
  "a server answers what was begun after %s, until the deadline",
  (signal) => {
    const { send, exit, end, endAtOnce, error } = signals();
    send(signal);
    send("SIGHUP");
    vi.advanceTimersByTime(54_000);
    expect([end, exit].map(({ mock }) => mock.calls.length)).toEqual([1, 0]);
    expect(() => vi.advanceTimersByTime(1_000)).toThrow("exit 1");
    expect(error).toHaveBeenCalledWith({}, "Skep did not end within 55 s and stops at once");
    expect(endAtOnce).toHaveBeenCalledOnce();
  },
);

it("a server ends at once at a second signal", () => {
  const { send, end } = signals();
  send("SIGHUP");
  expect(() => send("SIGTERM")).toThrow("exit 1");
  expect(end).toHaveBeenCalledOnce();
});
