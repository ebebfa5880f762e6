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
import type { Versioned } from "../../service/content/queries.ts";
import { withExample } from "../openapi/route-docs.ts";
import type { HiveRoute, HiveRequest, WriteRequest } from "../pipeline/route.ts";
import { rendered } from "../responses/respond-read.ts";
import { respondJson, toJson } from "../responses/respond.ts";
import {
  branchBody,
  branchDeletedResponse,
  branchesResponse,
  branchResponse,
  type BranchDeletedResponse,
  type BranchesResponse,
  type BranchResponse,
} from "../schemas/branch-schemas.ts";
import { toMeta, toOffsetLimit } from "../schemas/page.ts";
import { check, pageQuery } from "../schemas/schemas.ts";

async function list({ storage, hive, query, signal }: HiveRequest): Promise<Versioned<Uint8Array>> {
  const asked = check(pageQuery, query, "query");
  const found = await listBranches(storage, hive.slug, { ...toOffsetLimit(asked), signal });
  return rendered(found, ["branches", hive.slug, asked], ({ branches, total }) => {
    const response: BranchesResponse = { data: branches.map(toBranch), meta: toMeta(asked, total) };
    return toJson(response);
  });
}

async function show({ storage, hive, param, signal }: HiveRequest): Promise<Versioned<Uint8Array>> {
  const found = showBranch(storage, hive.slug, param("branch"), signal);
  return rendered(found, ["branch", hive.slug], (branch) => toJson(toBranch(branch)));
}

async function create({ storage, hive, readJson, context }: WriteRequest): Promise<Response> {
  const { name, from } = check(branchBody, await readJson(), "body");
  const branch = await createBranch(storage, hive.slug, { name, from: from ?? undefined }, context);
  return respondJson(toBranch(branch), { status: 201, commit: branch.commit });
}

async function remove({ storage, hive, param, context }: WriteRequest): Promise<Response> {
  const name = param("branch");
  const expires = await deleteBranch(storage, hive.slug, name, context);
  const response: BranchDeletedResponse = { name, expires: new Date(expires).toISOString() };
  return respondJson(response);
}

async function restore({ storage, hive, param, context }: WriteRequest): Promise<Response> {
  const branch = await restoreBranch(storage, hive.slug, param("branch"), context);
  return respondJson(toBranch(branch), { status: 201, commit: branch.commit });
}

function toBranch(branch: Branch): BranchResponse {
  const { name, commit, base, ahead, behind, changedKeys, time, author } = branch;
  return {
    name,
    commit,
    base: base ?? null,
    ahead,
    behind,
    changed_keys: Object.fromEntries(changedKeys),
    time: toTimestamp(time),
    author,
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
  {
    kind: "hive-read",
    method: "GET",
    path,
    ability: "read",
    handler: list,
    isSlow: () => true,
    docs: {
      id: "listBranches",
      group: "Branches",
      summary: "List branches",
      description: "Sorted by name. `main` is not listed.",
      query: pageQuery,
      response: withExample(branchesResponse, {
        data: [branchExample],
        meta: { current_page: 1, last_page: 1, per_page: 100, total: 1 },
      }),
    },
  },
  {
    kind: "hive-write",
    method: "POST",
    path,
    ability: "write",
    handler: create,
    docs: {
      id: "createBranch",
      group: "Branches",
      summary: "Create a branch",
      description:
        "Takes the same time for a Hive of any size. The settings of the Hive, such as its locales, are those of `main` on every branch.",
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
    },
  },
  {
    kind: "hive-read",
    method: "GET",
    path: `${path}/:branch`,
    ability: "read",
    handler: show,
    isSlow: () => true,
    docs: {
      id: "getBranch",
      group: "Branches",
      summary: "Get a branch",
      response: withExample(branchResponse, branchExample),
    },
  },
  {
    kind: "hive-write",
    method: "DELETE",
    path: `${path}/:branch`,
    ability: "write",
    handler: remove,
    docs: {
      id: "deleteBranch",
      hasCommit: false,
      group: "Branches",
      summary: "Delete a branch",
      description:
        "The branch can be restored until `expires`. Of all deleted branches, the Hive keeps as many as it may have branches. `main` cannot be deleted. `If-Match` is about the HEAD of the branch.",
      response: withExample(branchDeletedResponse, {
        name: "feature/login",
        expires: "2026-03-02T09:30:00.000Z",
      }),
    },
  },
  {
    kind: "hive-write",
    method: "POST",
    path: `${path}/:branch/restore`,
    ability: "write",
    handler: restore,
    docs: {
      id: "restoreBranch",
      group: "Branches",
      summary: "Restore a deleted branch",
      description: "Of several deleted branches of that name, the one that was deleted last is restored.",
      status: 201,
      response: withExample(branchResponse, branchExample),
      errors: ["conflict", "quota"],
    },
  },
];
