/** The requests and responses of branches. */
import { z } from "zod";
import { maxBranchNameBytes } from "../../domain/commits/branch-name.ts";
import { author } from "./history-schemas.ts";
import { asRevision, commitName, count, pageMeta } from "./schemas.ts";

/** Which characters a branch may have, and which not as its first. */
const branchPattern =
  '^[^\\u0000-\\u0020\\u007f~^:?*\\[\\\\"<>|.-][^\\u0000-\\u0020\\u007f~^:?*\\[\\\\"<>|]*$';

export const branchBody = z
  .object(
    {
      name: z.string("must be text").meta({
        minLength: 1,
        maxLength: maxBranchNameBytes,
        pattern: branchPattern,
        description:
          "A name that git accepts and every file system can store, at most 200 bytes, and that does not look like a commit or a date.",
      }),
      from: z.string("must be text").meta(asRevision).nullish().meta({
        description: "The revision at which the branch begins, as `?at=` takes it; `main` if not given.",
      }),
    },
    "must be a JSON object",
  )
  .meta({ id: "NewBranch" });

export const branchResponse = z
  .object({
    name: z.string(),
    commit: commitName.meta({ description: "The commit that the branch is at." }),
    base: commitName.nullable().meta({
      description: "The last commit that the branch and `main` have in common; `null` if there is none.",
    }),
    ahead: count.meta({ description: "The number of commits that only the branch has." }),
    behind: count.meta({ description: "The number of commits that only `main` has." }),
    changed_keys: z.record(z.string(), count).meta({
      description:
        "How many texts differ from those at `base`, by locale; locales in which none differs are left out.",
    }),
    time: z.iso.datetime().meta({ description: "The time of the last commit." }),
    author: author.meta({ description: "The author of the last commit." }),
  })
  .meta({ id: "Branch" });
export type BranchResponse = z.infer<typeof branchResponse>;

export const branchesResponse = z
  .object({ data: z.array(branchResponse), meta: pageMeta })
  .meta({ id: "BranchPage" });

export const branchDeletedResponse = z
  .object({
    name: z.string(),
    expires: z.iso.datetime().meta({ description: "Until when the branch can be restored." }),
  })
  .meta({ id: "DeletedBranch" });
