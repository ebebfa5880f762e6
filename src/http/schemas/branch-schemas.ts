/** The requests and responses of branches. */
import { z } from "zod";
import { maxBranchNameBytes } from "../../domain/commits/branch-name.ts";
import { author, refPattern } from "./history-schemas.ts";
import { asRevision, commitName } from "./schemas.ts";
import { count, named, pageOf, text } from "./objects.ts";

export const branchBody = named("NewBranch", {
  name: text.meta({
    minLength: 1,
    maxLength: maxBranchNameBytes,
    pattern: refPattern,
    description:
      "A name that git accepts and every file system can store, at most 200 bytes, and that does not look like a commit or a date.",
  }),
  from: text.meta(asRevision).nullish().meta({
    description: "The revision at which the branch begins, as `?at=` takes it; `main` if not given.",
  }),
});

export const branchResponse = named("Branch", {
  name: z.string(),
  commit: commitName.meta({ description: "The commit that the branch is at." }),
  base: commitName.nullable().meta({
    description: "The last commit that the branch and `main` have in common; `null` if there is none.",
  }),
  ahead: count.meta({ description: "The number of commits that only the branch has." }),
  behind: count.meta({ description: "The number of commits that only `main` has." }),
  changed_keys: z.record(z.string(), count).meta({
    description: "How many texts differ from `base`, by locale; locales without differences are left out.",
  }),
  time: z.iso.datetime().meta({ description: "The time of the last commit." }),
  author: author.meta({ description: "The author of the last commit." }),
});
export type BranchResponse = z.infer<typeof branchResponse>;

export const branchesResponse = pageOf("BranchPage", branchResponse);

export const branchDeletedResponse = named("DeletedBranch", {
  name: z.string(),
  expires: z.iso.datetime().meta({ description: "Until when the branch can be restored." }),
});
