/** The requests that the client makes about the branches of a Hive. */
import type { z } from "zod";
import type { ConflictStrategy } from "../../domain/plans/conflict-strategies.ts";
import {
  branch,
  branchChangePage,
  deletedBranch,
  mergeResult,
  type Branch,
  type BranchChange,
  type DeletedBranch,
  type MergeResult,
} from "./branch-schemas.ts";
import { ClientError } from "./client-error.ts";
import type { ApiResponse } from "./http.ts";
import { toHeader, type WriteOptions } from "./write-options.ts";
import { HivePart } from "./hive-part.ts";

export interface MergeOptions extends WriteOptions {
  readonly onConflict: ConflictStrategy;
  /** What is taken in conflicts, each for itself, as the API has it. */
  readonly resolutions?: readonly unknown[];
  readonly maxDeletions?: number;
  readonly message?: string;
}

/** The changes of a branch since it parted from main, with their numbers by locale and the number of conflicts. */
export type BranchChanges = Omit<z.output<typeof branchChangePage>, "data" | "meta"> & {
  readonly changes: readonly BranchChange[];
};

export class BranchApi extends HivePart {
  /** All branches besides main, by name. @throws ClientError, as every method does. */
  list(): Promise<readonly Branch[]> {
    return this.all("", {}, branch);
  }

  show(name: string): Promise<Branch> {
    return this.data("GET", at(name), { schema: branch });
  }

  /** Whether there is a branch; undefined where the token cannot read that. */
  async has(name: string): Promise<boolean | undefined> {
    try {
      await this.request("GET", at(name), { schema: branch });
      return true;
    } catch (error) {
      if (!(error instanceof ClientError)) throw error;
      if (error.code === "unknown_branch") return false;
      if (error.code === "missing_ability") return undefined;
      throw error;
    }
  }

  /** @param from a revision; main if not given. */
  create(name: string, from?: string): Promise<Branch> {
    return this.data("POST", "", { body: { name, from }, schema: branch });
  }

  /** Makes a branch from main, unless there is one of that name. */
  async ensure(name: string): Promise<void> {
    try {
      await this.create(name);
    } catch (error) {
      // A retry finds the branch that it made, or one that somebody else made. Another one whose name is too similar is an error.
      if (!(error instanceof ClientError) || error.code !== "branch_exists") throw error;
      if ((await this.has(name)) === false) throw error;
    }
  }

  delete(name: string): Promise<DeletedBranch> {
    return this.data("DELETE", at(name), { schema: deletedBranch, hasCommit: false });
  }

  restore(name: string): Promise<Branch> {
    return this.data("POST", `${at(name)}/restore`, { body: {}, schema: branch });
  }

  /** @param onlyConflicts leaves out changes that do not conflict with main. */
  async changes(name: string, onlyConflicts: boolean): Promise<BranchChanges> {
    const changes: BranchChange[] = [];
    let about: Omit<BranchChanges, "changes"> = { base: null, main: "", conflicts: 0, locales: {} };
    const query = () => ({ conflicts: onlyConflicts ? "true" : undefined });
    const path = `${this.path}${at(name)}/changes`;
    for await (const { data } of this.http.pages(path, query, branchChangePage)) {
      const { data: some, meta: _, ...rest } = data;
      changes.push(...some);
      about = rest;
    }
    return { ...about, changes };
  }

  /** Merges a branch into main. @param deleteBranch whether it is deleted then. */
  merge(
    name: string,
    { deleteBranch, ...options }: MergeOptions & { readonly deleteBranch: boolean },
  ): Promise<ApiResponse<MergeResult>> {
    return this.#merge(`${at(name)}/merge`, options, { delete: deleteBranch });
  }

  update(name: string, options: MergeOptions): Promise<ApiResponse<MergeResult>> {
    return this.#merge(`${at(name)}/update`, options);
  }

  #merge(below: string, options: MergeOptions, more: object = {}): Promise<ApiResponse<MergeResult>> {
    const { onConflict, resolutions, maxDeletions, message } = options;
    return this.write("POST", below, options, {
      query: { max_deletions: maxDeletions?.toString() },
      headers: { "x-commit-message": toHeader(message) },
      body: { on_conflict: onConflict, resolutions, ...more },
      schema: mergeResult,
    });
  }
}

function at(name: string): string {
  return `/${encodeURIComponent(name)}`;
}
