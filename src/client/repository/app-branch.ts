/** Finds the branch of the app that a command runs on, for `--branch auto`. */
import { readFile, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { z } from "zod";
import { ClientError } from "../api/client-error.ts";

/** Where a CI system tells which branch it builds. A checkout of a CI system is often of a commit and not of a branch. */
interface CiSystem {
  /** The source branch of a pull request. */
  readonly pull?: string;
  /** The branch of another build; the first variable that is set counts. */
  readonly branch: readonly string[];
  /** Set in builds of a tag, which is on no branch. */
  readonly tag?: string;
  readonly main?: string;
}

/** By a variable that is set in each of their builds. */
const ciSystems: Readonly<Record<string, CiSystem>> = {
  GITHUB_ACTIONS: { pull: "GITHUB_HEAD_REF", branch: ["GITHUB_REF"] },
  GITLAB_CI: {
    pull: "CI_MERGE_REQUEST_SOURCE_BRANCH_NAME",
    branch: ["CI_COMMIT_BRANCH"],
    main: "CI_DEFAULT_BRANCH",
  },
  BITBUCKET_BUILD_NUMBER: { branch: ["BITBUCKET_BRANCH"], tag: "BITBUCKET_TAG" },
  CIRCLECI: { branch: ["CIRCLE_BRANCH"], tag: "CIRCLE_TAG" },
  JENKINS_URL: {
    pull: "CHANGE_BRANCH",
    branch: ["BRANCH_NAME", "GIT_LOCAL_BRANCH", "GIT_BRANCH"],
    tag: "TAG_NAME",
  },
  TF_BUILD: { pull: "SYSTEM_PULLREQUEST_SOURCEBRANCH", branch: ["BUILD_SOURCEBRANCH"] },
  BUILDKITE: {
    branch: ["BUILDKITE_BRANCH"],
    tag: "BUILDKITE_TAG",
    main: "BUILDKITE_PIPELINE_DEFAULT_BRANCH",
  },
  TRAVIS: { pull: "TRAVIS_PULL_REQUEST_BRANCH", branch: ["TRAVIS_BRANCH"], tag: "TRAVIS_TAG" },
  DRONE: {
    pull: "DRONE_SOURCE_BRANCH",
    branch: ["DRONE_BRANCH"],
    tag: "DRONE_TAG",
    main: "DRONE_REPO_BRANCH",
  },
  CI_PIPELINE_FORGE_URL: {
    pull: "CI_COMMIT_SOURCE_BRANCH",
    branch: ["CI_COMMIT_BRANCH"],
    tag: "CI_COMMIT_TAG",
    main: "CI_REPO_DEFAULT_BRANCH",
  },
  APPVEYOR: {
    pull: "APPVEYOR_PULL_REQUEST_HEAD_REPO_BRANCH",
    branch: ["APPVEYOR_REPO_BRANCH"],
    tag: "APPVEYOR_REPO_TAG_NAME",
  },
  SEMAPHORE: {
    pull: "SEMAPHORE_GIT_PR_BRANCH",
    branch: ["SEMAPHORE_GIT_BRANCH"],
    tag: "SEMAPHORE_GIT_TAG_NAME",
  },
  CIRRUS_CI: { branch: ["CIRRUS_BRANCH"], tag: "CIRRUS_TAG", main: "CIRRUS_DEFAULT_BRANCH" },
};

export interface AppBranch {
  /** Undefined where HEAD is a commit, as at a tag. */
  readonly name: string | undefined;
  /** The app's default branch, where the CI system or git tells it. */
  readonly main: string | undefined;
  /** Whether it is the source of a pull request, which may be a branch of a fork. */
  readonly isPull: boolean;
}

/** Finds the branch: from the CI system's variables, else from git's HEAD. */
export async function findAppBranch(folder: string, environment: NodeJS.ProcessEnv): Promise<AppBranch> {
  const valueOf = (...names: readonly (string | undefined)[]): string | undefined =>
    names.map((name = "") => environment[name]).find((value) => value !== undefined && value !== "");
  const gitFolder = await findGitFolder(folder);
  const [, ci] = Object.entries(ciSystems).find(([sign]) => valueOf(sign) !== undefined) ?? [];
  const main =
    valueOf(ci?.main) ??
    (await mainOfEvent(environment)) ??
    (gitFolder &&
      (await readRef(join(gitFolder.common, "refs/remotes/origin/HEAD"), /^refs\/remotes\/origin\//)));
  if (ci !== undefined) {
    const pull = valueOf(ci.pull);
    const branch = valueOf(ci.tag) === undefined ? valueOf(...ci.branch) : undefined;
    return { name: branchNamed(pull ?? branch), main, isPull: pull !== undefined };
  }
  const name = gitFolder && (await readRef(join(gitFolder.own, "HEAD"), /^refs\/heads\//));
  return { name, main, isPull: false };
}

/** The branch that a variable names; undefined for a tag and for the commit that a pull request would make. */
function branchNamed(text: string | undefined): string | undefined {
  const name = text?.replace(/^(?:refs\/heads|refs\/remotes\/origin|origin)\//, "");
  return name?.startsWith("refs/") === true ? undefined : name;
}

/** The file in which GitHub Actions describes the event that started a build. */
const githubEvent = z.object({ repository: z.object({ default_branch: z.string() }) });

async function mainOfEvent({ GITHUB_EVENT_PATH: path = "" }: NodeJS.ProcessEnv): Promise<string | undefined> {
  const text = path === "" ? undefined : await readIfAny(path);
  try {
    return githubEvent.parse(JSON.parse(text ?? "")).repository.default_branch;
  } catch {
    return undefined;
  }
}

/** Whether a folder is in a git repository. */
export async function isInGit(folder: string): Promise<boolean> {
  return (await findGitFolder(folder)) !== undefined;
}

/** The git folder of a worktree, and the folder that all worktrees of the repository share. */
interface GitFolder {
  readonly own: string;
  readonly common: string;
}

/** Looked for without git, which refuses folders of other users, as containers have them. */
async function findGitFolder(folder: string): Promise<GitFolder | undefined> {
  for (let at = resolve(folder); ; at = dirname(at)) {
    const path = join(at, ".git");
    const found = await stat(path).catch(() => undefined);
    if (found?.isDirectory() === true) return { own: path, common: path };
    // A worktree and a submodule have a file that names their folder.
    const [, named] = /^gitdir: (.+)\n?$/.exec((found && (await readIfAny(path))) ?? "") ?? [];
    if (named !== undefined) {
      const own = resolve(at, named);
      const common = (await readIfAny(join(own, "commondir")))?.trim();
      return { own, common: common === undefined ? own : resolve(own, common) };
    }
    if (dirname(at) === at) return undefined;
  }
}

/** The name that a symbolic reference leads to, without its beginning; undefined where it leads elsewhere. */
async function readRef(path: string, beginning: RegExp): Promise<string | undefined> {
  const [, target = ""] = /^ref: (.+)\n?$/.exec((await readIfAny(path)) ?? "") ?? [];
  // Repositories with another storage of references have `refs/heads/.invalid` in this file.
  return beginning.test(target) && !target.endsWith("/.invalid") ? target.replace(beginning, "") : undefined;
}

async function readIfAny(path: string): Promise<string | undefined> {
  return readFile(path, "utf8").catch(() => undefined);
}

/** How the branch of the Hive for a command is chosen. */
export interface BranchChoice {
  /** The flag or setting: a name, or `auto`; main if not given. */
  readonly given: string | undefined;
  /** The app's default branch, as the settings say. */
  readonly main: string | undefined;
  /** Whether the command changes the Hive. */
  readonly isWrite: boolean;
  /** Called with a notice for people. */
  readonly warn: (message: string) => void;
}

function misuse(problem: string): ClientError {
  return new ClientError("misuse", `--branch auto: ${problem}.`);
}

/**
 * The branch of the Hive for a command.
 * @returns undefined for main, which the app's default branch stands for.
 * @throws ClientError `misuse` where it is not plain which branch is meant.
 */
export async function chooseBranch(
  folder: string,
  environment: NodeJS.ProcessEnv,
  { given, main: setting, isWrite, warn }: BranchChoice,
): Promise<string | undefined> {
  if (given === undefined || given === "main") return undefined;
  if (given !== "auto") return given === setting ? undefined : given;
  const { name, main: known, isPull } = await findAppBranch(folder, environment);
  const main = setting ?? known;
  const isMain = main === undefined ? name === "main" || name === "master" : name === main;
  if (isMain && !(isPull && isWrite)) return undefined;
  const nowhere = "HEAD is on no branch, and no CI system names one";
  if (isMain)
    throw misuse(
      `this pull request comes from a branch called ${name}, as forks have it; give --branch with another name, or --branch main`,
    );
  if (name === "main")
    throw misuse(
      `the app's branch main is not its default branch, ${main}, for which main of the Hive stands; give --branch with another name`,
    );
  if (name === undefined && isWrite) throw misuse(`${nowhere}; give --branch with a name`);
  if (name === undefined) warn(`--branch auto: ${nowhere}; this is about main.`);
  return name;
}
