import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { chooseBranch, findAppBranch, isInGit } from "../../../src/client/repository/app-branch.ts";
import { git } from "../../helpers/process.ts";
import { realFolder } from "../../helpers/storage.ts";

let folder: string;

beforeEach(async () => {
  folder = realFolder();
  await git(folder, "init", "-q", "-b", "trunk");
});

const commit = () => git(folder, "commit", "-q", "--allow-empty", "-m", "x");

describe("the app's branch by git", () => {
  it("is what HEAD names, also before the first commit and below the root", async () => {
    expect(await findAppBranch(folder, {})).toEqual({ name: "trunk", main: undefined, isPull: false });
    await git(folder, "switch", "-q", "-c", "feature/login");
    const below = join(folder, ".git", "..", "a");
    expect((await findAppBranch(below, {})).name).toBe("feature/login");
  });

  it("is none where HEAD is detached", async () => {
    await commit();
    await git(folder, "checkout", "-q", "--detach");
    expect((await findAppBranch(folder, {})).name).toBeUndefined();
  });

  it("is that of a worktree, which has the default branch of its repository", async () => {
    await commit();
    const clone = join(realFolder(), "clone");
    await git(folder, "clone", "-q", folder, clone);
    await git(clone, "worktree", "add", "-q", "-b", "other", "../tree");
    expect(await findAppBranch(join(clone, "../tree"), {})).toEqual({
      name: "other",
      main: "trunk",
      isPull: false,
    });
  });

  it("is none where there is no repository, or what is no repository", async () => {
    const none = realFolder();
    expect([await findAppBranch(none, {}), await isInGit(none)]).toEqual([
      { name: undefined, main: undefined, isPull: false },
      false,
    ]);
    writeFileSync(join(none, ".git"), "gitdir: nowhere\n");
    expect((await findAppBranch(none, {})).name).toBeUndefined();
  });
});

describe("the app's branch by the variables of a CI system", () => {
  const github = { GITHUB_ACTIONS: "true", GITHUB_HEAD_REF: "" };
  it.each<[NodeJS.ProcessEnv, string | undefined, boolean]>([
    [{ ...github, GITHUB_REF: "refs/heads/feature/x" }, "feature/x", false],
    [{ ...github, GITHUB_REF: "refs/tags/v1" }, undefined, false],
    [{ ...github, GITHUB_REF: "refs/pull/3/merge", GITHUB_HEAD_REF: "a/b" }, "a/b", true],
    [{ GITLAB_CI: "true", CI_COMMIT_BRANCH: "x" }, "x", false],
    [{ GITLAB_CI: "true", CI_MERGE_REQUEST_SOURCE_BRANCH_NAME: "x" }, "x", true],
    [{ GITLAB_CI: "true", CI_COMMIT_TAG: "v1", CI_COMMIT_REF_NAME: "v1" }, undefined, false],
    [{ BITBUCKET_BUILD_NUMBER: "1", BITBUCKET_BRANCH: "x" }, "x", false],
    [{ CIRCLECI: "true", CIRCLE_BRANCH: "x" }, "x", false],
    [{ JENKINS_URL: "https://j", BRANCH_NAME: "PR-3", CHANGE_BRANCH: "x" }, "x", true],
    [{ JENKINS_URL: "https://j", GIT_BRANCH: "origin/x" }, "x", false],
    [{ TF_BUILD: "True", BUILD_SOURCEBRANCH: "refs/heads/x" }, "x", false],
    [{ TF_BUILD: "True", BUILD_SOURCEBRANCH: "refs/pull/1/merge" }, undefined, false],
    [
      {
        TF_BUILD: "True",
        BUILD_SOURCEBRANCH: "refs/pull/1/merge",
        SYSTEM_PULLREQUEST_SOURCEBRANCH: "refs/heads/x",
      },
      "x",
      true,
    ],
    [{ BUILDKITE: "true", BUILDKITE_BRANCH: "v1", BUILDKITE_TAG: "v1" }, undefined, false],
    [{ TRAVIS: "true", TRAVIS_BRANCH: "main", TRAVIS_PULL_REQUEST_BRANCH: "x" }, "x", true],
  ])("%j is %s", async (environment, name, isPull) => {
    expect(await findAppBranch(folder, environment)).toMatchObject({ name, isPull });
  });

  it("the default branch is what the CI system says", async () => {
    const event = join(folder, "event.json");
    writeFileSync(event, JSON.stringify({ repository: { default_branch: "develop" } }));
    expect((await findAppBranch(folder, { ...github, GITHUB_EVENT_PATH: event })).main).toBe("develop");
    writeFileSync(event, "no JSON");
    expect((await findAppBranch(folder, { ...github, GITHUB_EVENT_PATH: event })).main).toBeUndefined();
    expect((await findAppBranch(folder, { GITLAB_CI: "1", CI_DEFAULT_BRANCH: "d" })).main).toBe("d");
  });
});

describe("the branch of the Hive", () => {
  const on = (name: string, pull = false): NodeJS.ProcessEnv =>
    pull
      ? { GITLAB_CI: "1", CI_MERGE_REQUEST_SOURCE_BRANCH_NAME: name }
      : { GITLAB_CI: "1", CI_COMMIT_BRANCH: name };
  const warned: string[] = [];
  const choose = (given: string | undefined, environment: NodeJS.ProcessEnv, main?: string, isWrite = true) =>
    chooseBranch(realFolder(), environment, { given, main, isWrite, warn: (text) => warned.push(text) });

  it.each([
    [undefined, on("x"), undefined, undefined],
    ["main", on("x"), undefined, undefined],
    ["x", on("y"), undefined, "x"],
    ["develop", on("y"), "develop", undefined],
    ["auto", on("x"), undefined, "x"],
    ["auto", on("main"), undefined, undefined],
    ["auto", on("master"), undefined, undefined],
    ["auto", on("master"), "develop", "master"],
    ["auto", on("develop"), "develop", undefined],
    ["auto", { ...on("trunk"), CI_DEFAULT_BRANCH: "trunk" }, undefined, undefined],
  ] as const)("with --branch %s and %j, default %s, is %s", async (given, environment, main, expected) => {
    expect(await choose(given, environment, main)).toBe(expected);
  });

  it("is not guessed for a push where none is known, and is main for a read", async () => {
    await expect(choose("auto", {})).rejects.toMatchObject({ kind: "misuse" });
    expect(await choose("auto", {}, undefined, false)).toBeUndefined();
    expect(warned).toEqual([expect.stringContaining("this is about main")]);
  });

  it("is not main for a push from a fork's main, nor for a branch main that is not the default one", async () => {
    await expect(choose("auto", on("main", true))).rejects.toThrow("this pull request comes from a branch");
    expect(await choose("auto", on("main", true), undefined, false)).toBeUndefined();
    await expect(choose("auto", on("main"), "develop")).rejects.toThrow("is not its default branch");
  });
});
