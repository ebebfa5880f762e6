/** Branches: create, list, delete and restore them. */
import { toTimestamp } from "../../domain/text.ts";
import {
  createBranch,
  deleteBranch,
  listBranches,
  restoreBranch,
  showBranch,
  type Branch,
} from "../../service/content/branches.ts";
import { withExample } from "../openapi/route-docs.ts";
import { hiveRead, hiveWrite, type HiveRoute } from "../pipeline/route.ts";
import { converted } from "../responses/respond.ts";
import {
  branchBody,
  branchDeletedResponse,
  branchesResponse,
  branchResponse,
  type BranchResponse,
} from "../schemas/branch-schemas.ts";
import { metaExample, toMeta, toOffsetLimit } from "../schemas/page.ts";
import { pageQuery } from "../schemas/schemas.ts";
import { withoutNulls } from "../../domain/record.ts";

function toBranch({ base, changedKeys, time, ...branch }: Branch): BranchResponse {
  return {
    ...branch,
    base: base ?? null,
    changed_keys: Object.fromEntries(changedKeys),
    time: toTimestamp(time),
  };
}

const path = "/api/hives/:slug/branches";

const baseExample = "9f8e7d6c5b4a39281706f5e4d3c2b1a098765432";
const branchExample: BranchResponse = {
  name: "feature/login",
  commit: "1b2c3d4e5f60718293a4b5c6d7e8f90123456789",
  base: baseExample,
  ahead: 2,
  behind: 1,
  changed_keys: { en: 3, fr: 1 },
  time: "2026-01-31T09:30:00Z",
  author: { name: "CI", email: "4fQ2xZ@tokens.skep.invalid" },
};

export const branchRoutes: readonly HiveRoute[] = [
  hiveRead({
    id: "listBranches",
    path,
    group: "Branches",
    summary: "List branches",
    description: "Sorted by name. `main` is not listed.",
    query: pageQuery,
    response: withExample(branchesResponse, { data: [branchExample], meta: metaExample }),
    isSlow: () => true,
    async handler({ storage, hive, query, signal }) {
      const page = await listBranches(storage, hive.slug, { ...toOffsetLimit(query), signal });
      return converted(page, ({ branches, total }) => ({
        data: branches.map(toBranch),
        meta: toMeta(query, total),
      }));
    },
  }),
  hiveWrite({
    id: "createBranch",
    method: "POST",
    path,
    ability: "write",
    group: "Branches",
    summary: "Create a branch",
    description:
      "Takes the same time for a Hive of any size. Every branch has the settings of `main`, such as its locales.",
    body: withExample(branchBody, { name: "feature/login", from: "main" }),
    status: 201,
    response: withExample(branchResponse, {
      ...branchExample,
      commit: baseExample,
      ahead: 0,
      behind: 0,
      changed_keys: {},
    }),
    errors: ["conflict", "quota"],
    async handler({ storage, hive, body, context }) {
      const branch = await createBranch(storage, hive.slug, withoutNulls(body), context);
      return { result: toBranch(branch), commit: branch.commit };
    },
  }),
  hiveRead({
    id: "getBranch",
    path: `${path}/:branch`,
    group: "Branches",
    summary: "Get a branch",
    response: withExample(branchResponse, branchExample),
    isSlow: () => true,
    async handler({ storage, hive, param, signal }) {
      return converted(showBranch(storage, hive.slug, param("branch"), signal), toBranch);
    },
  }),
  hiveWrite({
    id: "deleteBranch",
    method: "DELETE",
    path: `${path}/:branch`,
    ability: "write",
    hasCommit: false,
    group: "Branches",
    summary: "Delete a branch",
    description:
      "The branch can be restored until `expires`. Of all deleted branches, the Hive keeps as many as it may have branches. `main` cannot be deleted. `If-Match` is about the HEAD of the branch.",
    response: withExample(branchDeletedResponse, {
      name: "feature/login",
      expires: "2026-03-02T09:30:00.000Z",
    }),
    async handler({ storage, hive, param, context }) {
      const name = param("branch");
      const expires = await deleteBranch(storage, hive.slug, name, context);
      return { result: { name, expires: new Date(expires).toISOString() } };
    },
  }),
  hiveWrite({
    id: "restoreBranch",
    method: "POST",
    path: `${path}/:branch/restore`,
    ability: "write",
    group: "Branches",
    summary: "Restore a deleted branch",
    description: "Of several deleted branches of that name, the one that was deleted last is restored.",
    status: 201,
    response: withExample(branchResponse, branchExample),
    errors: ["conflict", "quota"],
    async handler({ storage, hive, param, context }) {
      const branch = await restoreBranch(storage, hive.slug, param("branch"), context);
      return { result: toBranch(branch), commit: branch.commit };
    },
  }),
];
