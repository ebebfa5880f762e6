/** The start and the end of a server's process. */
import fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { defaults } from "../../../src/config/settings.ts";
import { settingsFormat } from "../../../src/store/settings/stored-settings.ts";
import { realFolder } from "../../helpers/storage.ts";
import { runUntilSignal, startStorage, warnOfNetwork } from "../../../src/commands/serve/process.ts";

it("a server warns only of a storage that other machines may change", async () => {
  const warn = vi.fn<(fields: object, message: string) => void>();
  const folder = "/srv/skep";
  await warnOfNetwork({ folder, networkFileSystem: async () => undefined }, { warn });
  expect(warn).not.toHaveBeenCalled();
  await warnOfNetwork({ folder, networkFileSystem: async () => "NFS" }, { warn });
  expect(warn).toHaveBeenCalledWith(
    { storage: folder, file_system: "NFS" },
    expect.stringContaining("another machine sees its changes late"),
  );
});

describe("a start", () => {
  async function started(folder: string): Promise<readonly string[]> {
    const said: string[] = [];
    const say = (_: object, message: string): void => void said.push(message);
    const log = {
      isPretty: false,
      logsDebug: false,
      flush: () => {},
      debug: say,
      info: say,
      warn: say,
      error: say,
    };
    await startStorage({ ...defaults, storage: folder }, log);
    return said.map((line) => line.replaceAll(folder, "FOLDER"));
  }

  it("closes a folder that other users can enter, and says so once", async () => {
    const folder = realFolder();
    fs.chmodSync(folder, 0o755);
    const problem = "every user of this machine can enter the storage folder";
    expect(await started(folder)).toEqual([
      "started a storage in FOLDER",
      `${problem}; closed it to other users`,
    ]);
    expect(fs.statSync(folder).mode & 0o777).toBe(0o750);
    expect(await started(folder)).toEqual([]);
  });

  it("says how to close a folder that belongs to somebody else", async () => {
    const folder = realFolder();
    fs.chmodSync(folder, 0o755);
    const denied = Object.assign(new Error("EPERM"), { code: "EPERM" });
    vi.spyOn(fs.promises, "chmod").mockRejectedValue(denied);
    expect((await started(folder)).at(-1)).toMatch(/; to close it to them: chmod o= FOLDER$/);
  });

  it("migrates settings of earlier versions, and says where the old files are", async () => {
    const folder = realFolder();
    fs.mkdirSync(join(folder, "teams"));
    fs.writeFileSync(join(folder, "teams/acme.yaml"), "name: acme\nhives: []\n");
    const kept = `they are kept in FOLDER/before-format-${settingsFormat}`;
    const rewrote = `rewrote 1 settings file of an earlier version; ${kept}`;
    expect(await started(folder)).toEqual([rewrote]);
    expect(await started(folder)).toEqual([]);
  });
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
  const end = vi.fn<(drainMs: number) => Promise<void>>(() => new Promise(() => {}));
  const error = vi.fn<(fields: object, message: string) => void>();
  runUntilSignal({ info: () => {}, error }, { drainDelay: 5_000 }, end);
  return { send: (name: string) => handlers.get(name)?.(), exit, end, error };
}

it.each([
  ["SIGTERM", 5_000],
  ["SIGINT", 0],
  ["SIGHUP", 0],
])(
  "after %s, a server answers for %i ms as before, and then finishes its requests until the deadline",
  (signal, drainMs) => {
    const { send, exit, end, error } = signals();
    send(signal);
    send("SIGHUP");
    vi.advanceTimersByTime(54_000 + drainMs);
    expect(end.mock.calls).toEqual([[drainMs]]);
    expect(exit).not.toHaveBeenCalled();
    expect(() => vi.advanceTimersByTime(1_000)).toThrow("exit 1");
    expect(error).toHaveBeenCalledWith(
      {},
      `Skep did not end within ${55 + drainMs / 1_000} s and stops at once`,
    );
  },
);

it("a second signal ends a server at once", () => {
  const { send, end } = signals();
  send("SIGHUP");
  expect(() => send("SIGTERM")).toThrow("exit 1");
  expect(end).toHaveBeenCalledOnce();
});
