import { expect, it } from "vitest";
import { findCommitRef } from "../../../src/client/repository/commit-ref.ts";
import { git } from "../../helpers/process.ts";
import { realFolder } from "../../helpers/storage.ts";

const sha = "a".repeat(40);

it("the app's commit is git's HEAD", async () => {
  const folder = realFolder();
  await git(folder, "init", "-q");
  await git(folder, "commit", "-q", "--allow-empty", "-m", "x");
  const head = (await git(folder, "rev-parse", "HEAD")).trim();
  expect(await findCommitRef(folder, { GITHUB_SHA: sha })).toBe(head);
});

it("the app's commit is what the CI system names, where git knows none", async () => {
  const folder = realFolder();
  await git(folder, "init", "-q");
  expect(await findCommitRef(folder, { CI_COMMIT_SHA: sha })).toBe(sha);
  expect(await findCommitRef(folder, { GIT_COMMIT: "\r\nX-Evil: 1", CIRCLE_SHA1: sha })).toBe(sha);
  expect(await findCommitRef(folder, {})).toBeUndefined();
  expect(await findCommitRef("/nonexistent", {})).toBeUndefined();
});
