/** Names of branches, and a Hive at one of them. */
import { failure, invalid, type SkepError } from "../errors.ts";
import { fileNameProblem, type Branded, type HiveSlug } from "../names.ts";
import { excerpt } from "../text.ts";
import { isRefName, otherMeaning } from "./ref-name.ts";

/** A name that git accepts below `refs/heads`; safe as a path, since no part of it begins with a dot. */
export type BranchName = Branded<string, "BranchName">;

export const maxBranchNameBytes = 200;

export function isBranchName(text: string): text is BranchName {
  return isRefName(text, maxBranchNameBytes) && text !== "HEAD";
}

export const mainBranch = branchNamed("main");

function branchNamed(text: string): BranchName {
  if (!isBranchName(text)) throw new Error(`${text} is not the name of a branch`);
  return text;
}

/**
 * Parses the name of a new branch: git must accept it, every system must be able to store it as a file, and it must not
 * look like a commit or a date.
 * @throws SkepError `invalid` on the field.
 */
export function toBranchName(text: string, field = "name"): BranchName {
  const isLong = Buffer.byteLength(text) > maxBranchNameBytes;
  const problem =
    (isLong ? `must be at most ${maxBranchNameBytes} bytes` : undefined) ??
    fileNameProblem(text) ??
    otherMeaning(text) ??
    (/^head$/i.test(text) ? "must not be HEAD" : undefined);
  if (problem !== undefined) throw invalid(field, problem);
  if (!isBranchName(text))
    throw invalid(field, "must be a name that git accepts for a branch, such as feature/login");
  return text;
}

/** The error for a branch that a Hive does not have: `not-found`. */
export function unknownBranch(name: string): SkepError {
  return failure("not-found", `This Hive has no branch "${excerpt(name)}".`, {
    publicCode: "unknown_branch",
  });
}

/** A Hive at one of its branches; the slug alone means its branch main. */
export type HiveBranch = HiveSlug | NamedBranch;

export interface NamedBranch {
  readonly slug: HiveSlug;
  readonly branch: BranchName;
}

/** Whether it is the branch main. */
export function isMain(branch: HiveBranch): branch is HiveSlug {
  return typeof branch === "string";
}

export function slugOf(branch: HiveBranch): HiveSlug {
  return isMain(branch) ? branch : branch.slug;
}

export function branchNameOf(branch: HiveBranch): BranchName {
  return isMain(branch) ? mainBranch : branch.branch;
}
