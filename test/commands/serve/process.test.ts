/** What a server says of the place that it runs in. */
import { expect, it, vi } from "vitest";
import { warnOfNetwork } from "../../../src/commands/serve/process.ts";

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
