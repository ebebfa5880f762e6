import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import nodeFs, { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { DurableFs } from "../../../src/disk/durable-fs.ts";
import { isSkepError } from "../../../src/domain/errors.ts";
import { toGitObject } from "../../../src/git/objects/git-object.ts";
import {
  explainFailure,
  inQuarantine,
  quarantinePath,
  unpackGit,
} from "../../../src/git/packs/quarantine.ts";
import { packObjects } from "../../helpers/git/packs.ts";
import { git } from "../../helpers/process.ts";
import { realFolder } from "../../helpers/storage.ts";

const signal = AbortSignal.timeout(60_000);

describe("a pack that git does not unpack", () => {
  it.each([
    ["fatal: write error: No space left on device\n", "disk-full"],
    ["fatal: unable to create 'objects/pack/tmp_pack_X': Disk quota exceeded\n", "disk-full"],
    ["fatal: sha1 file 'objects/pack/tmp_idx_X' write error. Out of diskspace\n", "disk-full"],
    ["fatal: write error: File too large\n", "disk-full"],
    [
      "error: unable to create temporary file: No space left on device\nfatal: cannot store pack file\n",
      "disk-full",
    ],
    ["fatal: read error: Input/output error\n", undefined],
    ["fatal: unable to create 'x': Read-only file system\n", undefined],
    ["fatal: Out of memory, malloc failed (tried to allocate 1 bytes)\n", undefined],
    ["fatal: pack signature mismatch\n", "malformed"],
    // A pack says so.
    [
      "error: object 1234: gitmodulesUrl: disallowed submodule url: fatal: No space left on device\nfatal: fsck error in packed object\n",
      "malformed",
    ],
  ])("is told apart by whose fault it is: %j", (stderr, code) => {
    const error = explainFailure({ code: 128, signal: null, stderr });
    expect(isSkepError(error) ? error.code : undefined).toBe(code);
  });

  it("is told apart by the signal that ended git", () => {
    const ended = { code: null, stderr: "" };
    expect(explainFailure({ ...ended, signal: "SIGXFSZ" })).toMatchObject({ code: "disk-full" });
    expect(isSkepError(explainFailure({ ...ended, signal: "SIGKILL" }))).toBe(false);
  });

  it("leaves nothing behind on a full disk", async (context) => {
    const folder = join(realFolder(), "small");
    mkdirSync(folder);
    const mount = spawnSync("mount", ["-t", "tmpfs", "-o", "size=300k", "tmpfs", folder]);
    context.skip(mount.status !== 0, "this user cannot mount a small disk");
    onTestFinished(() => void spawnSync("umount", [folder]));
    const gitdir = join(folder, "web.git");
    await git(folder, "init", "--quiet", "--bare", "--template=", gitdir);
    const bytes = packObjects([toGitObject("blob", randomBytes(400_000))]);
    const into = { fs: new DurableFs(nodeFs), gitdir, unpack: unpackGit };
    const pack = { bytes, bases: new Set<never>(), maxBaseBytes: 0, signal };
    const run = (): Promise<never> => Promise.reject(new Error("it was unpacked"));
    await expect(inQuarantine(into, pack, run)).rejects.toMatchObject({ code: "disk-full" });
    expect(existsSync(quarantinePath(gitdir))).toBe(false);
  });
});
