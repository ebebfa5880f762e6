/** The requests that the client makes about the branches of a Hive. */
import type { z } from "zod";
import type { ConflictStrategy } from "../../domain/plans/conflict-strategies.ts";
import { once } from "../../on-demand.ts";
import type { Read } from "./as-read.ts";
import { ClientError } from "./client-error.ts";
import type { ApiResponse } from "./http.ts";
import type { WriteOptions } from "./write-options.ts";
import { HivePart } from "./hive-part.ts";

/** The declared requests, and a branch as the client reads it: an older server does not count what it changed. */
const declared = once(async () => {
  const { branches } = await import("../../api/content/branches.ts");
  const branch = branches.operations.getBranch.response.omit({ changed_keys: true });
  return { ...branches.operations, branch };
});
type Declared = Awaited<ReturnType<typeof declared>>;
type Answer<Id extends "deleteBranch" | "listBranchChanges" | "mergeBranch" | "updateBranch"> = Read<
  z.output<Declared[Id]["response"]>
>;

export type Branch = Read<z.output<Declared["branch"]>>;
export type DeletedBranch = Answer<"deleteBranch">;
export type BranchChange = Answer<"listBranchChanges">["data"][number];
export type MergeResult = Answer<"mergeBranch">;

export interface MergeOptions extends WriteOptions {
  readonly onConflict: ConflictStrategy;
  /** What is taken in conflicts, each for itself, as the API has it. */
  readonly resolutions?: readonly unknown[];
  readonly maxDeletions?: number;
  readonly message?: string;
}

/** The changes of a branch since it parted from main, with their numbers by locale and the number of conflicts. */
export type BranchChanges = Omit<Answer<"listBranchChanges">, "data" | "meta"> & {
  readonly changes: readonly BranchChange[];
};

export class BranchApi extends HivePart {
  /** All branches besides main, by name. @throws ClientError, as every method does. */
  async list(): Promise<readonly Branch[]> {
    const { listBranches, branch } = await declared();
    return (await this.callAll(listBranches, branch)).data;
  }

  async show(name: string): Promise<Branch> {
    const { getBranch, branch } = await declared();
    return (await this.call({ ...getBranch, response: branch }, { params: { branch: name } })).data;
  }

  /** Whether there is a branch; undefined where the token cannot read that. */
  async has(name: string): Promise<boolean | undefined> {
    try {
      await this.show(name);
      return true;
    } catch (error) {
      if (!(error instanceof ClientError)) throw error;
      if (error.code === "unknown_branch") return false;
      if (error.code === "missing_ability") return undefined;
      throw error;
    }
  }

  /** @param from a revision; main if not given. */
  async create(name: string, from?: string): Promise<Branch> {
    const { createBranch, branch } = await declared();
    return (await this.call({ ...createBranch, response: branch }, { body: { name, from } })).data;
  }

  /** Makes a branch from main, unless there is one of that name. */
  async ensure(name: string): Promise<void> {
    try {
      await this.create(name);
    } catch (error) {
      // A retry finds the branch that it made, or one that somebody else made. Another one whose name is too similar is
      // an error.
      if (!(error instanceof ClientError) || error.code !== "branch_exists") throw error;
      if ((await this.has(name)) === false) throw error;
    }
  }

  async delete(name: string): Promise<DeletedBranch> {
    const { deleteBranch } = await declared();
    return (await this.call(deleteBranch, { params: { branch: name } })).data;
  }

  async restore(name: string): Promise<Branch> {
    const { restoreBranch, branch } = await declared();
    return (await this.call({ ...restoreBranch, response: branch }, { params: { branch: name } })).data;
  }

  /** @param onlyConflicts leaves out changes that do not conflict with main. */
  async changes(name: string, onlyConflicts: boolean): Promise<BranchChanges> {
    const { listBranchChanges } = await declared();
    const changes: BranchChange[] = [];
    let about: Omit<BranchChanges, "changes"> = { base: null, main: "", conflicts: 0, locales: {} };
    const query = { conflicts: onlyConflicts ? "true" : undefined };
    for await (const { data } of this.callPages(listBranchChanges, { params: { branch: name }, query })) {
      const { data: some, meta: _, ...rest } = data;
      changes.push(...some);
      about = rest;
    }
    return { ...about, changes };
  }

  /** Merges a branch into main. @param deleteBranch whether it is deleted then. */
  async merge(
    name: string,
    { deleteBranch, ...options }: MergeOptions & { readonly deleteBranch: boolean },
  ): Promise<ApiResponse<MergeResult>> {
    const { mergeBranch } = await declared();
    const request = merging(name, options);
    return this.call(mergeBranch, { ...request, body: { ...request.body, delete: deleteBranch } });
  }

  async update(name: string, options: MergeOptions): Promise<ApiResponse<MergeResult>> {
    const { updateBranch } = await declared();
    return this.call(updateBranch, merging(name, options));
  }
}

function merging(name: string, { onConflict, resolutions, maxDeletions, ...options }: MergeOptions) {
  return {
    ...options,
    params: { branch: name },
    query: { max_deletions: maxDeletions?.toString() },
    body: { on_conflict: onConflict, resolutions },
  };
}
