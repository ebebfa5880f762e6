/** The requests that the client makes about the history of a Hive. */
import { z } from "zod";
import { HivePart } from "./hive-part.ts";
import type { WriteOptions } from "./write-options.ts";

const text = z.string().nullable();

const keyChange = z.looseObject({
  locale: z.string(),
  file: z.string(),
  key: z.string(),
  before: text,
  after: text,
});
/** What a commit did to one key. */
export type KeyChange = z.output<typeof keyChange>;

const commitEntry = z.looseObject({
  commit: z.string(),
  time: z.string(),
  author: z.looseObject({ name: z.string(), email: z.string() }),
  subject: z.string(),
  message: text,
  ref: text,
  origin: z.looseObject({ kind: z.string(), name: text, prompt: text }).nullable(),
  changes: z.array(keyChange).optional(),
});
/** A commit as the API has it. */
export type CommitEntry = z.output<typeof commitEntry>;

const meta = z.object({ last_page: z.number(), total: z.number() });
const commitPage = z.object({ data: z.array(commitEntry), meta });
const changePage = z.object({ commit: commitEntry, data: z.array(keyChange), meta });

const count = z.number();
const undone = z.looseObject({
  restored: count,
  updated: count,
  deleted: count,
  skipped: count,
  moved: count.optional(),
  confirmations: count.optional(),
  approvals: count.optional(),
});
/** What an undo did, or would do. */
export type Undone = z.output<typeof undone>;

export class HistoryApi extends HivePart {
  /**
   * The newest commits that a filter finds, and how many it finds.
   * @param filter parameters of the API, such as `key`.
   * @throws ClientError, as every method does.
   */
  async list(
    filter: Readonly<Record<string, string | undefined>>,
    limit: number,
  ): Promise<{ readonly commits: readonly CommitEntry[]; readonly total: number }> {
    const commits: CommitEntry[] = [];
    let total = 0;
    const query = () => ({ ...filter, branch: this.branch });
    const length = Math.max(limit, 1);
    for await (const { data } of this.http.pages(`${this.path}/history`, query, commitPage, { length })) {
      ({ total } = data.meta);
      commits.push(...data.data);
      if (commits.length >= limit) break;
    }
    return { commits: commits.slice(0, limit), total };
  }

  /** A commit with all its changes. @param revision one that the API knows, or `HEAD`. */
  async show(
    revision: string,
  ): Promise<{ readonly commit: CommitEntry; readonly data: readonly KeyChange[] }> {
    const name = revision === "HEAD" ? await this.#head() : revision;
    const path = `${this.path}/history/${encodeURIComponent(name)}`;
    const changes: KeyChange[] = [];
    let commit: CommitEntry | undefined;
    for await (const { data } of this.http.pages(path, () => ({ branch: this.branch }), changePage)) {
      ({ commit } = data);
      changes.push(...data.data);
    }
    if (commit === undefined) throw new Error("a list has one page at least");
    return { commit, data: changes };
  }

  /**
   * Takes a commit back, or the translations of an origin.
   * @param request as the API has it; its commit may be `HEAD`.
   */
  async undo(
    { commit, ...request }: Readonly<Record<string, string | undefined>>,
    options: Partial<WriteOptions>,
  ): Promise<Undone> {
    const body = { ...request, commit: commit === "HEAD" ? await this.#head() : commit };
    return (await this.write("POST", "/undo", options, { body, schema: undone })).data;
  }

  async #head(): Promise<string> {
    const query = { branch: this.branch, per_page: "1" };
    const { data } = await this.request("GET", "/history", { query, schema: commitPage });
    return data.data[0]?.commit ?? "main";
  }
}
