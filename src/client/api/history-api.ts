/** The requests that the client makes about the history of a Hive. */
import { z } from "zod";
import { once } from "../../on-demand.ts";
import type { Read } from "./as-read.ts";
import { HivePart } from "./hive-part.ts";
import type { StringAddress } from "./schemas.ts";
import type { WriteOptions } from "./write-options.ts";

/**
 * The declared requests, and a commit and an undo as the client reads them. Reports print all that a server says of them; an
 * older one says less of whoever made a commit, and how.
 */
const declared = once(async () => {
  const { history } = await import("../../api/content/history.ts");
  const { listHistory, getCommit, undoCommit } = history.operations;
  const change = getCommit.response.shape.data.element.loose();
  const said = { operation: true, token: true, person: true, strategy: true, counts: true } as const;
  const commit = getCommit.response.shape.commit
    .partial(said)
    .extend({ changes: z.array(change).optional() })
    .loose();
  const undone = undoCommit.response.loose();
  return {
    listHistory: { ...listHistory, response: listHistory.response.extend({ data: z.array(commit) }) },
    getCommit: { ...getCommit, response: getCommit.response.extend({ commit, data: z.array(change) }) },
    undoCommit: { ...undoCommit, response: undone },
    change,
    commit,
    undone,
  };
});
type Declared = Awaited<ReturnType<typeof declared>>;

/** What a commit did to one key. */
export type KeyChange = Read<z.output<Declared["change"]>>;
/** A commit as the API has it. */
export type CommitEntry = Read<z.output<Declared["commit"]>>;
/** What an undo did, or would do. */
export type Undone = Read<z.output<Declared["undone"]>>;

type UndoRequest = z.input<NonNullable<Declared["undoCommit"]["body"]>["schema"]>;

/** How many pages of the history are searched. */
const maxPages = 20;

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
    const { listHistory } = await declared();
    const commits: CommitEntry[] = [];
    let total = 0;
    const pages = this.callPages(listHistory, { query: filter, length: Math.max(limit, 1) });
    for await (const { data } of pages) {
      ({ total } = data.meta);
      commits.push(...data.data);
      if (commits.length >= limit) break;
    }
    return { commits: commits.slice(0, limit), total };
  }

  /** The commits of the app that syncs were made from, the last sync first. */
  async *syncedRefs(): AsyncGenerator<string> {
    const { listHistory } = await declared();
    let pages = 0;
    for await (const { data } of this.callPages(listHistory, { query: { operation: "sync" } })) {
      for (const { ref } of data.data) if (ref !== null) yield ref;
      if (++pages === maxPages) return;
    }
  }

  /** Whether a string ever had a text in a locale. */
  async hasHad(
    { code, canonical }: { readonly code: string; readonly canonical: string },
    { file, key }: StringAddress,
    wanted: string,
  ): Promise<boolean> {
    const { listHistory } = await declared();
    for await (const { data } of this.callPages(listHistory, { query: { locale: code, file, key } })) {
      const changes = data.data.flatMap((entry) => entry.changes ?? []);
      const own = changes.filter(({ locale }) => locale === code || locale === canonical);
      if (own.some(({ before, after }) => before === wanted || after === wanted)) return true;
    }
    return false;
  }

  /** A commit with all its changes. @param revision one that the API knows, or `HEAD`. */
  async show(
    revision: string,
  ): Promise<{ readonly commit: CommitEntry; readonly data: readonly KeyChange[] }> {
    const { getCommit } = await declared();
    const params = { commit: revision === "HEAD" ? await this.#head() : revision };
    const changes: KeyChange[] = [];
    let commit: CommitEntry | undefined;
    for await (const { data } of this.callPages(getCommit, { params })) {
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
  async undo({ commit, ...request }: UndoRequest, options: Partial<WriteOptions>): Promise<Undone> {
    const { undoCommit } = await declared();
    const body = { ...request, commit: commit === "HEAD" ? await this.#head() : commit };
    return (await this.call(undoCommit, { ...options, body })).data;
  }

  async #head(): Promise<string> {
    const { commits } = await this.list({}, 1);
    return commits[0]?.commit ?? "main";
  }
}
