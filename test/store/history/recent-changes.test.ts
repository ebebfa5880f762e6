/** The translations that others replaced in the last commits. */
import { describe, expect, it, vi } from "vitest";
import type { BareRepo } from "../../../src/git/bare-repo.ts";
import { CommitGraph } from "../../../src/store/history/commit-graph.ts";
import { FileVersions } from "../../../src/store/history/key-changes.ts";
import { RecentChanges } from "../../../src/store/history/recent-changes.ts";
import { RecordedMoves } from "../../../src/store/history/recorded-moves.ts";
import { addCommit, emptyRepo, files, locales, sourceLocale, type Commit } from "./text-history.ts";

const [x = expect.fail(), y = expect.fail()] = files;
const [, target = expect.fail()] = locales;
const unlimited = { commits: 100, read: 1_000_000, files: 10, ofCommit: 100, texts: 1_000 };

function recentOf(repo: BareRepo, limits: Partial<typeof unlimited> = {}): RecentChanges {
  const source = { repo, stream: async () => undefined };
  const graph = new CommitGraph(source, 0);
  const moves = new RecordedMoves(repo, graph, async () => new Map());
  return new RecentChanges({ source, graph, moves }, new FileVersions(repo), { ...unlimited, ...limits });
}

/** Two persons who change a text in turn, after anna wrote it. */
async function inTurn(times: number) {
  const repo = await emptyRepo();
  const commits: Commit[] = [];
  await addCommit(repo, commits, { changes: [[sourceLocale, x, '{"a":"A"}']], person: "dev" });
  for (let i = 0; i <= times; i++) {
    const person = i % 2 === 0 ? "anna" : "ben";
    await addCommit(repo, commits, { changes: [[target, x, `{"a":"${i}"}`]], person });
  }
  return { repo, commits, tip: commits.at(-1)?.oid ?? expect.fail("no commit") };
}

const texts = async (recent: RecentChanges, tip: Commit["oid"]) => {
  const { texts: found, isAll } = await recent.replaced(tip, sourceLocale);
  return [found.map(({ writer, before, after }) => `${writer} ${before} ${after}`), isAll];
};

describe("replaced translations", () => {
  it("are found, and each commit is compared once", async () => {
    const { repo, commits, tip } = await inTurn(2);
    const recent = recentOf(repo);
    expect(await texts(recent, tip)).toEqual([["ben 1 2", "anna 0 1"], true]);
    await addCommit(repo, commits, { changes: [[target, x, '{"a":"3"}']], person: "ben" });
    const read = vi.spyOn(repo, "readBlob");
    const next = commits.at(-1)?.oid ?? expect.fail();
    expect(await texts(recent, next)).toEqual([["anna 2 3", "ben 1 2", "anna 0 1"], true]);
    expect(read.mock.calls.length).toBeLessThanOrEqual(2);
  });

  it("are found piece by piece where there is much to read, the newest first", async () => {
    const { repo, tip } = await inTurn(4);
    const recent = recentOf(repo, { read: 1 });
    const found: unknown[] = [];
    for (;;) {
      const [some, isAll] = await texts(recent, tip);
      found.push(some);
      if (isAll === true) break;
    }
    const all = ["ben 3 4", "anna 2 3", "ben 1 2", "anna 0 1"];
    // Each search reads one commit more; the oldest one replaces nothing.
    expect(found).toEqual([0, 1, 2, 3, 4].map((count) => all.slice(0, count)));
  });

  it.each([
    ["commits", { commits: 3 }, ["ben 3 4", "anna 2 3"]],
    ["texts", { texts: 3 }, ["ben 3 4", "anna 2 3"]],
  ])("are those of the last %s", async (_, limits, expected) => {
    const { repo, tip } = await inTurn(4);
    expect(await texts(recentOf(repo, limits), tip)).toEqual([expected, true]);
  });

  it("are as many of one commit as are kept", async () => {
    const repo = await emptyRepo();
    const commits: Commit[] = [];
    const both = (text: string): string => JSON.stringify({ a: text, b: text });
    for (const [person, text] of [
      ["anna", "1"],
      ["ben", "2"],
    ] as const)
      await addCommit(repo, commits, {
        changes: [
          [target, x, both(text)],
          [target, y, both(text)],
        ],
        person,
      });
    const tip = commits.at(-1)?.oid ?? expect.fail();
    expect((await texts(recentOf(repo), tip))[0]).toHaveLength(4);
    expect((await texts(recentOf(repo, { ofCommit: 1 }), tip))[0]).toHaveLength(1);
    expect((await texts(recentOf(repo, { files: 1 }), tip))[0]).toHaveLength(2);
  });

  it("do not count that went with their strings, nor source texts, nor empty ones", async () => {
    const repo = await emptyRepo();
    const commits: Commit[] = [];
    const add = (person: string, source: object, translated: object) =>
      addCommit(repo, commits, {
        changes: [
          [sourceLocale, x, JSON.stringify(source)],
          [target, x, JSON.stringify(translated)],
        ],
        person,
      });
    await add("anna", { a: "A", b: "B", c: "C" }, { a: "1", b: "2", c: "" });
    await add("ben", { a: "A!", c: "C" }, { c: "3" });
    const tip = commits.at(-1)?.oid ?? expect.fail();
    expect((await texts(recentOf(repo), tip))[0]).toEqual(["anna 1 undefined"]);
  });
});
