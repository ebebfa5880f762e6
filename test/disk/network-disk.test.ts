/** File systems that other machines share. */
import { describe, expect, it } from "vitest";
import { networkFileSystem } from "../../src/disk/host-claim.ts";
import { realFolder } from "../helpers/storage.ts";

const of = (type: number) => networkFileSystem("/srv/skep", async () => ({ type }));

describe.runIf(process.platform === "linux")("a storage on a file system of the network", () => {
  it.each([
    [0x6969, "NFS"],
    [0x517b, "SMB"],
    [0xfe534d42, "SMB"],
    [0xfe534d42 | 0, "SMB"],
    [0x01021997, "9p"],
    [0x65735546, "FUSE"],
    [0x00c36400, "Ceph"],
  ])("is found by the number of the system: %i is %s", async (type, name) => {
    expect(await of(type)).toMatch(new RegExp(`^${name}`));
  });

  it.each([
    ["ext4", 0xef53],
    ["XFS", 0x58465342],
    ["Btrfs", 0x9123683e],
    ["ZFS", 0x2fc12fc1],
    ["tmpfs", 0x01021994],
    ["overlay", 0x794c7630],
  ])("is not one of this machine: %s", async (_, type) => {
    expect(await of(type)).toBeUndefined();
  });

  it("is not a folder that cannot be looked at, or one of the tests", async () => {
    expect(await networkFileSystem("/nonexistent")).toBeUndefined();
    expect(await networkFileSystem(realFolder())).toBeUndefined();
  });
});
