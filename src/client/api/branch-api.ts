/** The requests that the client makes about the branches of a Hive. */
import type { z } from "zod";
import type { ConflictStrategy } from "../../domain/plans/conflict-strategies.ts";
import {
  branch,
  branchChangePage,
  branchPage,
  deletedBranch,
  mergeResult,
  type Branch,
  type BranchChange,
  type DeletedBranch,
  type MergeResult,
} from "./branch-schemas.ts";
import type { ApiResponse } from "./http.ts";
import { writeHeaders, type WriteOptions } from "./write-options.ts";
import { HivePart } from "./hive-part.ts";

export interface MergeOptions extends WriteOptions {
  readonly onConflict: ConflictStrategy;
  readonly maxDeletions?: number;
  /** The message of the commit. */
  readonly message?: string;
}

/** The changes of a branch since it parted from main, with their numbers by locale and the number of conflicts. */
export type BranchChanges = Omit<z.output<typeof branchChangePage>, "data" | "meta"> & {
  readonly changes: readonly BranchChange[];
};

export class BranchApi extends HivePart {
  /** All branches besides main, by name. @throws ClientError, as every method does. */
  async list(): Promise<readonly Branch[]> {
    const branches: Branch[] = [];
    for await (const { data } of this.http.pages(this.path, () => ({}), branchPage))
      branches.push(...data.data);
    return branches;
  }

  /** @param from a revision; main if not given. */
  async create(name: string, from: string | undefined): Promise<Branch> {
    const request = { method: "POST", path: this.path, body: { name, from }, schema: branch } as const;
    return (await this.http.send(request)).data;
  }

  async delete(name: string): Promise<DeletedBranch> {
    const path = this.#at(name);
    return (await this.http.send({ method: "DELETE", path, schema: deletedBranch, hasCommit: false })).data;
  }

  async restore(name: string): Promise<Branch> {
    const path = this.#at(name, "/restore");
    return (await this.http.send({ method: "POST", path, body: {}, schema: branch })).data;
  }

  /** @param onlyConflicts leaves out changes that do not conflict with main. */
  async changes(name: string, onlyConflicts: boolean): Promise<BranchChanges> {
    const changes: BranchChange[] = [];
    let about: Omit<BranchChanges, "changes"> = { base: null, main: "", conflicts: 0, locales: {} };
    const query = () => ({ conflicts: onlyConflicts ? "true" : undefined });
    for await (const { data } of this.http.pages(this.#at(name, "/changes"), query, branchChangePage)) {
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
    return this.#merge(this.#at(name, "/merge"), options, { delete: deleteBranch });
  }

  /** Merges main into a branch. */
  update(name: string, options: MergeOptions): Promise<ApiResponse<MergeResult>> {
    return this.#merge(this.#at(name, "/update"), options);
  }

  #merge(
    path: string,
    { dryRun, ref, onConflict, maxDeletions, message }: MergeOptions,
    more: object = {},
  ): Promise<ApiResponse<MergeResult>> {
    return this.http.send({
      method: "POST",
      path,
      query: { dry_run: dryRun ? "true" : undefined, max_deletions: maxDeletions?.toString() },
      headers: { ...writeHeaders(dryRun, ref), "x-commit-message": toHeader(message) },
      body: { on_conflict: onConflict, ...more },
      schema: mergeResult,
    });
  }

  #at(name: string, below = ""): string {
    return `${this.path}/${encodeURIComponent(name)}${below}`;
  }
}

/** A header has one character per byte of UTF-8. */
function toHeader(text: string | undefined): string | undefined {
  return text === undefined ? undefined : Buffer.from(text.replaceAll(/\s+/g, " ").trim()).toString("latin1");
}
