/** Finds the app's commit that a push is made from. It is recorded in the history of the Hive. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";

/** The variables in which CI systems name the commit that they build. */
const variables = [
  "GITHUB_SHA",
  "CI_COMMIT_SHA",
  "BITBUCKET_COMMIT",
  "CIRCLE_SHA1",
  "BUILDKITE_COMMIT",
  "BUILD_SOURCEVERSION",
  "DRONE_COMMIT_SHA",
  "GIT_COMMIT",
  "TRAVIS_COMMIT",
];
const commitPattern = /^[0-9a-f]{7,64}$/;
const gitTimeoutMs = 5_000;

/** @returns the commit at the app's HEAD, or the one that the CI system names; undefined where neither is known. */
export async function findCommitRef(
  folder: string,
  environment: NodeJS.ProcessEnv,
): Promise<string | undefined> {
  const named = variables.map((name) => environment[name]);
  return [await gitHead(folder), ...named].find(
    (commit) => commit !== undefined && commitPattern.test(commit),
  );
}

/** Not every app is in git, and git is not installed everywhere: without it there is no commit to name. */
async function gitHead(folder: string): Promise<string | undefined> {
  try {
    const args = ["rev-parse", "--verify", "--quiet", "HEAD"];
    const { stdout } = await promisify(execFile)("git", args, { cwd: folder, timeout: gitTimeoutMs });
    return stdout.trim();
  } catch {
    return undefined;
  }
}
