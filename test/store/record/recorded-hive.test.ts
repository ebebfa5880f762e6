/** What Hives tell and ask of a record that is not their folder. */
import { beforeEach, describe, expect, it, vi } from "vitest";
import { failure, isFailure } from "../../../src/domain/errors.ts";
import { toHiveSlug, toTeamName, type Oid } from "../../../src/domain/names.ts";
import type { Tree } from "../../../src/git/objects/tree.ts";
import { updateTeam } from "../../../src/service/admin/teams.ts";
import { createBranch } from "../../../src/service/content/branches.ts";
import { importSource } from "../../../src/service/content/imports.ts";
import { createTag } from "../../../src/service/content/tags.ts";
import type { Storage } from "../../../src/service/storage.ts";
import { parseOverview } from "../../../src/store/content/hive-cache.ts";
import { Snapshot } from "../../../src/store/content/snapshot.ts";
import { folderRecord } from "../../../src/store/record/folder-record.ts";
import type {
  OverviewAtMain,
  RecordedOverview,
  RefMove,
  StorageRecord,
} from "../../../src/store/record/record.ts";
import { sourceFiles } from "../../helpers/hive.ts";
import { byCommand, makeHive, memoryStorage } from "../../helpers/storage.ts";

/** The objects of a tree. */
function named(tree: Tree): readonly Oid[] {
  const inner = Array.from(tree.entries.values(), (entry) =>
    entry.kind === "folder" ? named(entry.tree) : [entry.oid],
  );
  return [tree.oid, ...inner.flat()];
}

const web = toHiveSlug("web");
let storage: Storage;
let moves: RefMove[];
let record: StorageRecord;
let isBehind: boolean;
let recorded: OverviewAtMain | undefined;
/** Called before a move is made. */
let onMove: (move: RefMove) => void | Promise<void>;

beforeEach(async () => {
  moves = [];
  isBehind = false;
  recorded = undefined;
  onMove = () => {};
  storage = memoryStorage({
    record: (parts) => {
      const folder = folderRecord(parts);
      const overview = (): Promise<OverviewAtMain | undefined> => Promise.resolve(recorded);
      const move: typeof folder.repositories.move = async (moved, apply) => {
        moves.push(moved);
        await onMove(moved);
        await apply();
      };
      return (record = {
        ...folder,
        refresh: vi.fn<StorageRecord["refresh"]>(() => Promise.resolve()),
        repositories: { ...folder.repositories, move, isBehind: () => isBehind, overview },
      });
    },
  });
  await makeHive(storage, "web", { locales: ["fr"] });
});

function importFile(
  name: string,
  texts: Record<string, string>,
  branch: Parameters<typeof importSource>[1] = web,
) {
  const files = sourceFiles({ [name]: texts });
  return importSource(storage, branch, { files, mode: "import", conflictStrategy: "keep" }, byCommand);
}

describe("a commit", () => {
  it("gives the record all its objects, each after the objects that it names", async () => {
    const before = await storage.hives.at(web).snapshot();
    const { commit } = await importFile("deep/a.json", { a: "x" });
    const [{ objects = [], ...move } = expect.fail("nothing moved")] = moves;
    expect(move).toMatchObject({
      slug: web,
      name: "refs/heads/main",
      expected: before.commit.oid,
      next: commit,
    });
    expect(objects.at(-1)?.oid).toBe(commit);
    const repo = storage.hives.repo(web);
    const tree = await repo.readTree((await repo.readCommit(commit)).tree, before.tree);
    const told = new Set(objects.map(({ oid }) => oid));
    expect(told.has(tree.oid)).toBe(true);
    const known = new Set(named(before.tree));
    expect([...named(tree)].filter((oid) => !known.has(oid) && !told.has(oid))).toEqual([]);
  });

  it("gives the record the overview after it, and reads this only once", async () => {
    const overviews: (RecordedOverview | undefined)[] = [];
    onMove = async ({ overview }) => void overviews.push(await overview?.());
    const read = vi.spyOn(Snapshot, "read");
    const { commit } = await importFile("a.json", { a: "x", b: "" });
    const { settings } = await storage.hives.at(web).snapshot();
    expect(read.mock.calls.filter(([, { oid }]) => oid === commit)).toHaveLength(1);
    read.mockRestore();
    const [{ strings, overview } = expect.fail("nothing was told")] = overviews;
    expect(strings).toBe(2);
    const stored: object = JSON.parse(JSON.stringify(overview));
    expect(parseOverview(stored)).toEqual({ settings, stringCount: 2, translatableCount: 1 });
    expect(parseOverview({ ...stored, version: 0 })).toBeUndefined();
  });

  it("on a branch gives no overview of main", async () => {
    const { name: branch } = await createBranch(storage, web, { name: "fix" }, byCommand);
    await importFile("a.json", { a: "x" }, { slug: web, branch });
    expect(moves.map((move) => [move.name, move.overview, move.objects === undefined])).toEqual([
      ["refs/heads/fix", undefined, true],
      ["refs/heads/fix", undefined, false],
    ]);
  });

  it("carries the quota only where it adds strings", async () => {
    await makeHive(storage, "app", { locales: [] });
    await updateTeam(storage, toTeamName("acme"), { maxStrings: 3 });
    await importFile("a.json", { a: "x", b: "y" });
    await importFile("a.json", { a: "changed" });
    const [grows, stays] = moves.map(({ quota }) => quota);
    expect(grows).toMatchObject({ team: "acme", others: ["app"] });
    grows?.check(1);
    expect(() => grows?.check(2)).toThrow(expect.toSatisfy((error) => isFailure(error, "quota")));
    expect(stays).toBeUndefined();
  });
});

describe("a change whose ref another server has moved", () => {
  it.each<[string, () => Promise<unknown>]>([
    ["a commit", () => importFile("a.json", { a: "x" })],
    ["a tag", () => createTag(storage, web, { name: "v1" }, byCommand)],
    ["a branch", () => createBranch(storage, web, { name: "fix" }, byCommand)],
  ])("is made again on what the record has by then: %s", async (_, change) => {
    onMove = () => {
      if (moves.length > 2) return;
      expect(record.refresh).toHaveBeenCalledTimes(moves.length - 1);
      throw failure("head-moved", "It has moved.");
    };
    await change();
    expect(moves).toHaveLength(3);
    expect(record.refresh).toHaveBeenCalledTimes(2);
    expect(record.refresh).toHaveBeenLastCalledWith([web]);
  });

  it("is not tried for ever", async () => {
    onMove = () => {
      throw failure("head-moved", "It has moved.");
    };
    await expect(importFile("a.json", { a: "x" })).rejects.toSatisfy((error) => isFailure(error, "busy"));
    expect(moves).toHaveLength(50);
  });
});

describe("a Hive whose copy is older than the record", () => {
  /** Makes the record newer until the copy is refreshed. */
  async function fallBehind(): Promise<void> {
    const { overview } = await new Promise<RefMove>((resolve) => {
      onMove = resolve;
      void importFile("a.json", { a: "x" });
    });
    const head = storage.hives.at(web).head();
    const { overview: stored } = (await overview?.()) ?? expect.fail("nothing was told");
    recorded = { head, overview: stored };
    isBehind = true;
    vi.mocked(record.refresh).mockImplementation(() => {
      isBehind = false;
      return Promise.resolve();
    });
  }

  it.each<[string, () => Promise<unknown>]>([
    ["content", () => storage.hives.at(web).snapshot()],
    ["settings", () => storage.hives.at(web).settings()],
  ])("is refreshed before its %s is read", async (_, read) => {
    await fallBehind();
    await read();
    await read();
    expect(record.refresh).toHaveBeenCalledOnce();
    expect(record.refresh).toHaveBeenCalledWith([web]);
  });

  it("is listed by its recorded overview, and is refreshed only where none is recorded", async () => {
    await fallBehind();
    const hive = storage.hives.at(web);
    expect(await hive.overview()).toMatchObject({ head: recorded?.head, overview: { stringCount: 1 } });
    expect(record.refresh).not.toHaveBeenCalled();
    recorded = undefined;
    expect((await hive.overview()).head).toBe(hive.head());
    expect(record.refresh).toHaveBeenCalledOnce();
  });
});
