/** Two machines on one folder. */
import { mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { claimForHost } from "../../src/disk/host-claim.ts";
import { eventually } from "../helpers/eventually.ts";
import { realFolder } from "../helpers/storage.ts";

const shared = { isShared: () => Promise.resolve(true), renewMs: 5 };

/** A storage in which a process of another machine was killed. */
function leftBehind(): { readonly folder: string; readonly path: string } {
  const folder = realFolder();
  mkdirSync(join(folder, "locks/hosts"), { recursive: true });
  const path = join(folder, "locks/hosts/elsewhere.1");
  writeFileSync(path, "elsewhere\n");
  return { folder, path };
}

describe("a storage that several machines can reach", () => {
  it("is refused to a second machine for as long as a process of the first runs", async () => {
    const folder = realFolder();
    const giveUp = await claimForHost(folder, { ...shared, host: "one" });
    const second = () => claimForHost(folder, { ...shared, host: "two" });
    await expect(second()).rejects.toThrow(/in use on another machine \(.+\).*--other-host allow$/);
    expect(readdirSync(join(folder, "locks/hosts"))).toHaveLength(1);
    await giveUp();
    await (
      await second()
    )();
    expect(readdirSync(join(folder, "locks/hosts"))).toEqual([]);
  });

  it("takes any number of processes of one machine", async () => {
    const folder = realFolder();
    const claims = [await claimForHost(folder, shared), await claimForHost(folder, shared)];
    expect(readdirSync(join(folder, "locks/hosts"))).toHaveLength(2);
    for (const giveUp of claims) await giveUp();
  });

  it("opens at once when the other machine's process ended long ago", async () => {
    const { folder, path } = leftBehind();
    utimesSync(path, 1, 1);
    const giveUp = await claimForHost(folder, shared);
    expect(readdirSync(join(folder, "locks/hosts"))).not.toContain("elsewhere.1");
    await giveUp();
  });

  it("opens when a file of another machine is new, and is not renewed any more", async () => {
    const { folder } = leftBehind();
    // A second passes at each look.
    let now = 0;
    const clock = (): number => (now += 1_000);
    const giveUp = await claimForHost(folder, { ...shared, staleMs: 30_000, clock });
    expect(now).toBeGreaterThan(30_000);
    expect(readdirSync(join(folder, "locks/hosts"))).not.toContain("elsewhere.1");
    await giveUp();
  });

  it("is lost by a process that another machine took for ended", async () => {
    const folder = realFolder();
    const lost = vi.fn<() => void>();
    const giveUp = await claimForHost(folder, { ...shared, lost });
    rmSync(join(folder, "locks/hosts"), { recursive: true });
    await eventually(() => expect(lost).toHaveBeenCalled());
    await giveUp();
  });
});

it("makes no files in a storage on a local disk", async () => {
  const folder = realFolder();
  await claimForHost(folder, { isShared: () => Promise.resolve(false) });
  expect(readdirSync(folder)).toEqual([]);
});
