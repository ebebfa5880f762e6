/** Finds the app's commit that a push is made from. It is recorded in the history of the Hive. */
import { tryGit } from "./run-git.ts";

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
/** @returns the commit at the app's HEAD, or the one that the CI system names; undefined where neither is known. */
export async function findCommitRef(
  folder: string,
  environment: NodeJS.ProcessEnv,
): Promise<string | undefined> {
  const named = variables.map((name) => environment[name]);
  return [(await tryGit(folder, ["rev-parse", "--verify", "--quiet", "HEAD"]))?.trim(), ...named].find(
    (commit) => commit !== undefined && commitPattern.test(commit),
  );
}
