/** The history of keys: random histories with merges beside a plain model, and the results that are kept beside new ones. */
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import type { Oid } from "../../../src/domain/names.ts";
import type { LocaleCode } from "../../../src/domain/hives/locale.ts";
import { textAt } from "../../../src/domain/strings/text-diff.ts";
import type { BareRepo } from "../../../src/git/bare-repo.ts";
import { CommitGraph } from "../../../src/store/history/commit-graph.ts";
import type { HistorySource } from "../../../src/store/history/commit-reader.ts";
import { FileVersions } from "../../../src/store/history/key-changes.ts";
import { History, type HistoryFilter } from "../../../src/store/history/history.ts";
import { RecordedMoves } from "../../../src/store/history/recorded-moves.ts";
import { runs } from "../../helpers/runs.ts";
import {
  addCommit,
  emptyRepo,
  file,
  files,
  locales,
  path,
  sourceLocale,
  step,
  type Commit,
  type Content,
} from "./text-history.ts";

const keys = ["a", "b.c", "d.0", "none"];

const question = fc.record({
  tip: fc.nat(),
  locale: fc.option(fc.constantFrom(...locales), { nil: undefined }),
  file: fc.option(fc.constantFrom(...files), { nil: undefined, freq: 3 }),
  key: fc.option(fc.constantFrom(...keys), { nil: undefined, freq: 5 }),
  /** Whether what is kept is dropped before. */
  isEvicted: fc.boolean(),
});

function historyOf(repo: BareRepo): History {
  const source = { repo, stream: async () => undefined };
  const graph = new CommitGraph(source, 0);
  return new History(
    source,
    graph,
    new RecordedMoves(repo, graph, async () => new Map()),
    new FileVersions(repo),
  );
}

/** The commits that change what a filter selects, without moves, newest first. */
function expected(
  commits: readonly Commit[],
  tip: number,
  { locale: code, file: name, key }: HistoryFilter,
): readonly { readonly oid: Oid; readonly changes: readonly unknown[] | undefined }[] {
  const found = [];
  for (let at: number | undefined = tip; at !== undefined;) {
    const { oid, parents, content }: Commit = commits[at] ?? expect.fail("no commit");
    const before: Content = commits[parents[0] ?? -1]?.content ?? {};
    const changes: unknown[] = [];
    let isTouched = false;
    for (const one of code === undefined ? locales : [code]) {
      for (const other of name === undefined ? files : [name]) {
        const [was, is] = [before[path(one, other)], content[path(one, other)]];
        isTouched ||= was !== is;
        const [old, now] = [was, is].map((value) => key && textIn(value, key, one));
        if (key !== undefined && old !== now)
          changes.push({ locale: one, file: other, key, before: old, after: now });
      }
    }
    if (key === undefined ? isTouched : changes.length > 0)
      found.push({ oid, changes: key === undefined ? undefined : changes });
    [at] = parents;
  }
  return found;
}

function textIn(value: string | undefined, key: string, code: LocaleCode): string | undefined {
  if (value === undefined || value === "{") return undefined;
  const found = textAt(JSON.parse(value), key);
  return found === "" && code !== sourceLocale ? undefined : found;
}

function evict(history: History): void {
  for (const cache of history.caches) cache.evict();
}

describe("the history of keys", () => {
  it("equals a plain model's, whatever was asked before and whatever commits came since", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(step, fc.array(question, { maxLength: 4 })), { minLength: 1, maxLength: 14 }),
        async (steps) => {
          const repo = await emptyRepo();
          const kept = historyOf(repo);
          const commits: Commit[] = [];
          for (const [made, questions] of steps) {
            await addCommit(repo, commits, made);
            for (const { tip, isEvicted, ...filter } of questions) {
              const at = tip % commits.length;
              const { oid } = commits[at] ?? expect.fail("no commit");
              if (isEvicted && tip % 3 === 0) evict(kept);
              const isAll = Object.values(filter).every((value) => value === undefined);
              const asked = { ...filter, sourceLocale };
              const found = await kept.commits(oid, asked);
              expect(found).toEqual(await historyOf(repo).commits(oid, asked));
              if (isAll || found.some(({ moves }) => moves !== undefined)) continue;
              const hasMoves = (await kept.commits(oid, {})).some(({ moved = 0 }) => moved > 0);
              if (hasMoves && filter.key !== undefined) continue;
              expect(found.map((one) => ({ oid: one.oid, changes: one.changes }))).toEqual(
                expected(commits, at, filter),
              );
            }
          }
          evict(kept);
          expect(kept.caches.map(({ bytes }) => bytes)).toEqual(kept.caches.map(() => 0));
        },
      ),
      { numRuns: runs(20) },
    );
  });

  it("reads neither git nor a file's versions again for another key", async () => {
    const repo = await emptyRepo();
    const commits: Commit[] = [];
    for (let n = 0; n < 40; n++) {
      const value = JSON.stringify({ a: `text ${n % 7}`, b: "same", c: n === 30 ? "x" : "y" });
      await addCommit(repo, commits, { changes: [[sourceLocale, files[0] ?? file("x"), value]] });
    }
    const asked: string[] = [];
    const stream: HistorySource["stream"] = async (_, [command = ""]) => void asked.push(command);
    const graph = new CommitGraph({ repo, stream });
    const history = new History(
      { repo, stream },
      graph,
      new RecordedMoves(repo, graph, async () => new Map()),
      new FileVersions(repo),
    );
    const count = async (key: string): Promise<number> => {
      asked.length = 0;
      const tip = commits.at(-1)?.oid ?? expect.fail("no commit");
      return (await history.commits(tip, { file: files[0], key, sourceLocale })).length;
    };
    const read = vi.spyOn(repo, "readBlob");
    expect(await count("a")).toBe(40);
    expect(asked).toEqual(["rev-list", "diff-tree"]);
    expect(read.mock.calls.length).toBeLessThan(60);
    read.mockClear();
    expect(await count("b")).toBe(1);
    expect(await count("c")).toBe(3);
    expect([asked, read.mock.calls.length]).toEqual([[], 0]);
    // A new commit is read alone.
    await addCommit(repo, commits, { changes: [[sourceLocale, files[0] ?? file("x"), '{"a":"z"}']] });
    expect(await count("b")).toBe(2);
    expect([asked, read.mock.calls.length]).toEqual([[], 1]);
    evict(history);
    expect(await count("b")).toBe(2);
  });
});
