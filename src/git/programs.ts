/** All that Skep has the installed git do. */
import { unpackGit, type UnpackGit } from "./packs/quarantine.ts";
import { CatFile, type PackReader } from "./process/cat-file.ts";
import { gitPush, type PushGit } from "./process/git-push.ts";
import { streamGit, type StreamGit } from "./process/git-stream.ts";
import { runGit, type RunGit } from "./process/installed-git.ts";
import { makeUploadPack, type UploadPack } from "./serve/upload-pack.ts";

export interface GitPrograms {
  readonly run: RunGit;
  readonly stream: StreamGit;
  readonly push: PushGit;
  readonly uploadPack: UploadPack;
  readonly unpack: UnpackGit;
  /** Makes a reader of packs; isomorphic-git reads them if undefined. */
  readonly packReader?: (gitdir: string) => PackReader;
}

const nothing = (): Promise<undefined> => Promise.resolve(undefined);

/** A machine without git, and disks that git cannot see: what needs git is off. */
export const noGit: GitPrograms = {
  run: nothing,
  stream: nothing,
  push: () => Promise.resolve({ kind: "no-git", error: "git is not installed" }),
  uploadPack: nothing,
  unpack: nothing,
};

/** The git of this machine, if it has one. */
export function installedGit(): GitPrograms {
  return {
    run: runGit,
    stream: streamGit,
    push: gitPush(),
    uploadPack: makeUploadPack(),
    unpack: unpackGit,
    packReader: (gitdir) => new CatFile(gitdir),
  };
}
