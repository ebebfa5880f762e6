/** What every record promises of the repositories of Hives. */
import nodeFs from "node:fs";
import { beforeEach, describe, expect, it } from "vitest";
import type { HeldLock } from "../../../src/disk/held-lock.ts";
import { lockLost } from "../../../src/disk/locks/lock-file.ts";
import { toBranchName } from "../../../src/domain/commits/branch-name.ts";
import { toTagName } from "../../../src/domain/commits/ref-name.ts";
import { isFailure } from "../../../src/domain/errors.ts";
import { toHiveSlug, toTeamName, type Oid } from "../../../src/domain/names.ts";
import { updateTeam } from "../../../src/service/admin/teams.ts";
import { createBranch, deleteBranch } from "../../../src/service/content/branches.ts";
import { importSource } from "../../../src/service/content/imports.ts";
import { createTag } from "../../../src/service/content/tags.ts";
import { openStorage, type Storage, type StorageOptions } from "../../../src/service/storage.ts";
import { sourceFiles } from "../hive.ts";
import { commitOutside } from "../outside.ts";
import { git } from "../process.ts";
import { byCommand, makeHive } from "../storage.ts";

const web = toHiveSlug("web");
const acme = toTeamName("acme");
const fix = toBranchName("fix");
const released = toTagName("released");
const held: HeldLock = { assertHeld: () => Promise.resolve(), advance: (change) => change(), lose: () => {} };
const lost: HeldLock = {
  ...held,
  assertHeld: () => Promise.reject(lockLost("team-acme", "It was taken over.")),
};
const made = { ...byCommand.metadata, subject: "Create the Hive", operation: "create-hive" };

function importFile(storage: Storage, file: string, texts: Record<string, string>, slug = web) {
  const request = {
    files: sourceFiles({ [file]: texts }),
    mode: "import" as const,
    conflictStrategy: "keep" as const,
  };
  return importSource(storage, slug, request, byCommand);
}

async function expectFailure(result: Promise<unknown>, ...codes: Parameters<typeof isFailure>[1][]) {
  const error = await result.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!codes.some((code) => isFailure(error, code))) expect(error).toBe(`one of ${codes.join(", ")}`);
}

/**
 * @param make makes an empty record, and gives what opens it: each time as a server of its own does. Nothing else may
 * refresh what is opened.
 */
export function describeRepositories(name: string, make: () => Promise<() => StorageOptions>): void {
  describe(`of ${name}`, () => {
    let here: Storage;
    let there: Storage;
    let disk: (storage: Storage) => StorageOptions["disk"];

    beforeEach(async () => {
      const open = await make();
      const [one, other] = [open(), open()];
      [here, there] = [openStorage(one), openStorage(other)];
      disk = (storage) => (storage === here ? one : other).disk;
      await makeHive(here, "web", { locales: ["fr"] });
      await there.hives.recorded(web).refresh();
    });

    const headOf = (storage: Storage): Oid => storage.hives.at(web).head();

    async function headsAfterRefresh(): Promise<readonly Oid[]> {
      for (const storage of [here, there]) await storage.hives.recorded(web).refresh();
      return [headOf(here), headOf(there)];
    }

    /** Makes a commit that no ref reaches. */
    const written = (storage: Storage, text: string): Promise<Oid> =>
      commitOutside(
        { storage, disk: disk(storage), slug: web },
        { files: { "notes/more.txt": text }, isMoved: false },
      );

    const main = (storage: Storage) => storage.hives.repo(web).main;

    it("a ref moves where it is as expected, and nowhere else", async () => {
      const expected = headOf(here);
      const [next, other] = [await written(here, "one"), await written(there, "other")];
      await main(here).update({ expected, next, lock: held });
      await expectFailure(main(there).update({ expected, next: other, lock: held }), "head-moved");
      expect(await headsAfterRefresh()).toEqual([next, next]);
      const last = await written(there, "last");
      await main(there).update({ expected: next, next: last, lock: held });
      expect(await headsAfterRefresh()).toEqual([last, last]);
    });

    it("a ref stays as it was where a lock was lost", async () => {
      const expected = headOf(here);
      const next = await written(here, "one");
      await expectFailure(main(here).update({ expected, next, lock: lost }), "lock-lost");
      expect(await headsAfterRefresh()).toEqual([expected, expected]);
    });

    it("a ref that cannot be moved in the folder is the same for all afterwards, and goes on moving", async () => {
      const expected = headOf(here);
      const next = await written(here, "one");
      const move = { gitdir: here.hives.folderOf(web), name: "refs/heads/main", expected, next };
      const full = (): Promise<void> => Promise.reject(new Error("the disk is full"));
      const ended = here.hives.recorded(web).move(move, full, held);
      await ended.catch((error: unknown) => expect(String(error)).toContain("the disk is full"));
      const [one, other] = await headsAfterRefresh();
      expect([expected, next]).toContain(one);
      expect(other).toBe(one);
      for (const [i, storage] of [here, there].entries()) {
        await storage.hives.recorded(web).refresh();
        await importFile(storage, `${i}.json`, { a: "x" });
      }
      const [end] = await headsAfterRefresh();
      expect((await there.hives.at(web).snapshot()).index.stringCount).toBe(2);
      expect(headOf(there)).toBe(end);
    });

    it("objects are there for all: those of commits, and those that nobody told of", async () => {
      await importFile(here, "a.json", { a: "x", b: "y" });
      await here.hives.repo(web).main.update({ expected: headOf(here), next: await written(here, "pushed") });
      await createBranch(here, web, { name: fix }, byCommand);
      await importFile(here, "b.json", { c: "z" });
      await createTag(here, web, { name: released }, byCommand);
      await there.hives.recorded(web).refresh();
      const repo = there.hives.repo(web);
      const tips = [...(await repo.branches.list()).values()];
      const seen = new Set<Oid>();
      for (const tip of tips) {
        for (
          let next: Oid | undefined = tip;
          next !== undefined;
          [next] = (await repo.readCommit(next)).parents
        ) {
          seen.add(next);
          await repo.readTree((await repo.readCommit(next)).tree);
        }
      }
      // Creation, two imports, and what was pushed.
      expect(seen.size).toBe(4);
      expect((await (await there.hives.at(web).snapshot()).content("all")).source.size).toBe(2);
      if (disk(there) === nodeFs)
        expect(await git(there.hives.folderOf(web), "fsck", "--full", "--strict", "--no-dangling")).toBe("");
    });

    it("branches and tags are made, found and deleted by all", async () => {
      const next = headOf(here);
      await here.hives.at(web).branches.create(fix, { next, lock: held }, 9);
      await here.hives.repo(web).tags.create(released, { next, lock: held }, 9);
      // Whoever has not heard of it cannot make another, and learns of it when trying.
      const again = there.hives.at(web).branches.create(fix, { next, lock: held }, 9);
      await expectFailure(again, "conflict", "head-moved");
      await there.hives.recorded(web).refresh();
      expect((await there.hives.at(web).branches.list()).get(fix)).toBe(next);
      expect(there.hives.repo(web).tags.ref(released).find()).toBe(next);
      const now = Date.UTC(2026, 0);
      const options = { now, limit: 9, lock: held };
      await expectFailure(
        there.hives.at(web).branches.delete(fix, await written(there, "x"), options),
        "head-moved",
      );
      await there.hives.at(web).branches.delete(fix, next, options);
      await here.hives.recorded(web).refresh();
      const { branches } = here.hives.at(web);
      expect([...(await branches.list()).keys()]).toEqual(["main"]);
      expect(await branches.deleted()).toEqual([{ name: fix, commit: next, deleted: now }]);
      await branches.forgetDeleted({ now: Infinity, lock: held });
      await there.hives.recorded(web).refresh();
      expect(await there.hives.at(web).branches.deleted()).toEqual([]);
    });

    it("changes at the same time are all made, on top of each other", async () => {
      const files = Array.from({ length: 5 }, (_, i) =>
        [here, there].map((storage, j) => ({ storage, file: `${i}${j}.json` })),
      );
      await Promise.all(files.flat().map(({ storage, file }) => importFile(storage, file, { [file]: "x" })));
      await headsAfterRefresh();
      for (const storage of [here, there])
        expect((await storage.hives.at(web).snapshot()).index.stringCount).toBe(10);
    });

    it("a name that two want at the same time is given once", async () => {
      const both = [here, there].map((storage) => createTag(storage, web, { name: released }, byCommand));
      const ended = await Promise.allSettled(both);
      expect(ended.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
      for (const one of ended)
        if (one.status === "rejected") expect(isFailure(one.reason, "conflict")).toBe(true);
    });

    it("a branch that moves while it is deleted is deleted as it is then", async () => {
      await createBranch(here, web, { name: fix }, byCommand);
      const before = await here.hives.at({ slug: web, branch: fix }).snapshot();
      await there.hives.recorded(web).refresh();
      const next = await written(here, "one");
      await here.hives.at(web).branches.ref(fix).update({ expected: before.commit.oid, next, lock: held });
      await deleteBranch(there, web, fix, byCommand);
      await here.hives.recorded(web).refresh();
      expect(await here.hives.at(web).branches.deleted()).toMatchObject([{ name: fix, commit: next }]);
    });

    it("a quota is kept, whoever writes at the same time, and strings are counted for all", async () => {
      const app = toHiveSlug("app");
      await makeHive(here, "app", { locales: [] });
      await updateTeam(here, acme, { maxStrings: 10 });
      for (const slug of [web, app]) await there.hives.recorded(slug).refresh();
      const writes = [here, there].flatMap((storage) =>
        [web, app].flatMap((slug) =>
          [1, 2].map((n) => {
            const file = `${storage === here ? "here" : "there"}${n}.json`;
            return importFile(storage, file, { a: "x", b: "y", c: "z" }, slug);
          }),
        ),
      );
      const refused = (await Promise.allSettled(writes)).flatMap((one) =>
        one.status === "rejected" ? [one.reason] : [],
      );
      expect(refused.map((error) => isFailure(error, "quota"))).toEqual(Array(5).fill(true));
      for (const storage of [here, there]) expect(await storage.hives.countStrings([web, app])).toBe(9);
    });

    it("a deleted Hive is in the trash for all, comes back with all it had, and leaves for good", async () => {
      await importFile(here, "a.json", { a: "x", b: "y" });
      const head = headOf(here);
      const note = { team: acme, published: { file: "web.yaml", text: "channels: {}\n" } };
      await there.hives.recorded(web).refresh();
      await there.trash.noteHive(web, note, held);
      expect(await here.trash.notedHives()).toEqual([web]);
      const id = await there.lifecycle.setAside(web, held, 1_700_000_000_000);
      if (id === undefined) throw new Error("nothing was put into the trash");
      expect(await there.lifecycle.setAside(web, held)).toBeUndefined();
      await here.hives.recorded(web).refresh();
      expect(here.hives.repo(web).main.exists()).toBe(false);
      for (const storage of [here, there]) {
        const { entries, foreign } = await storage.trash.read();
        expect(entries).toEqual([{ id, slug: web, deleted: 1_700_000_000_000, team: acme, note }]);
        expect([await storage.lifecycle.countTrashed(id), foreign]).toEqual([2, []]);
      }
      await here.lifecycle.restore({ id, slug: web }, acme, held);
      expect(await headsAfterRefresh()).toEqual([head, head]);
      expect([(await here.trash.read()).entries, await here.trash.notedHives()]).toEqual([[], [web]]);
      await importFile(there, "b.json", { c: "z" });
      const again = await there.lifecycle.setAside(web, held, 1_700_000_000_000);
      const { entries } = await here.trash.read();
      expect(entries.map((entry) => entry.id)).toEqual([again]);
      if (again !== undefined) await here.trash.repositories.remove(again);
      for (const storage of [here, there]) expect((await storage.trash.read()).entries).toEqual([]);
    });

    it("what is deleted at the same time under one slug is kept apart, and can get a note and another time", async () => {
      const settings = (await here.hives.at(web).settings()).settings;
      const first = await here.lifecycle.setAside(web, held, 5_000);
      await here.lifecycle.create({ slug: web, team: acme }, { settings, metadata: made }, held);
      const second = await here.lifecycle.setAside(web, held, 5_000);
      const { entries } = await there.trash.read();
      expect(entries.map(({ id, deleted }) => [id, deleted])).toEqual([
        [first, 5_000],
        [second, 5_001],
      ]);
      await there.record.refresh([]);
      if (second !== undefined) await there.trash.note(second, { team: acme }, held);
      expect((await here.trash.read()).entries.map(({ team }) => team)).toEqual([undefined, acme]);
      if (first !== undefined) await here.trash.repositories.date(first, 5_001);
      const dated = (await there.trash.read()).entries;
      expect(dated.map(({ deleted, team }) => [deleted, team])).toEqual([
        [5_001, acme],
        [5_002, undefined],
      ]);
      const [, last] = dated;
      if (last === undefined) throw new Error("one is lost");
      await there.hives.recorded(web).refresh();
      await there.lifecycle.restore(last, acme, held);
      expect((await there.hives.at(web).settings()).settings).toEqual(settings);
    });

    it("a repository stays in its place, or out of it, where a lock was lost", async () => {
      const { settings } = await here.hives.at(web).settings();
      const app = toHiveSlug("app");
      await makeHive(here, "app");
      const id = await here.lifecycle.setAside(app, held);
      if (id === undefined) throw new Error("nothing was put into the trash");
      const note = { team: acme };
      const attempts: readonly (() => Promise<unknown>)[] = [
        () => here.trash.noteHive(web, note, lost),
        () => here.trash.note(id, note, lost),
        () => here.lifecycle.setAside(web, lost),
        () => here.lifecycle.restore({ id, slug: app }, acme, lost),
        () =>
          here.lifecycle.create({ slug: toHiveSlug("new"), team: acme }, { settings, metadata: made }, lost),
      ];
      for (const attempt of attempts) await expectFailure(attempt(), "lock-lost");
      for (const slug of [web, app, toHiveSlug("new")]) await here.hives.recorded(slug).refresh();
      const there = [web, app, toHiveSlug("new")].map((slug) => here.hives.repo(slug).main.exists());
      expect(there).toEqual([true, false, false]);
      expect(await here.trash.notedHives()).toEqual([]);
      expect((await here.trash.read()).entries.map(({ id: found, team }) => [found, team])).toEqual([
        [id, undefined],
      ]);
    });

    it("a repository that is taken back is in the trash as before, wherever it was meanwhile", async () => {
      const id = await here.lifecycle.setAside(web, held, 1_700_000_000_000);
      if (id === undefined) throw new Error("nothing was put into the trash");
      const takeBack = await here.lifecycle.restore({ id, slug: web }, acme, held);
      expect(await takeBack(held)).toBe(id);
      await here.hives.recorded(web).refresh();
      expect(here.hives.repo(web).main.exists()).toBe(false);
      const takeBackLater = await here.lifecycle.restore({ id, slug: web }, acme, held);
      await there.record.refresh([web]);
      const moved = await there.lifecycle.setAside(web, held, 1_800_000_000_000);
      await here.record.refresh([web]);
      const last = await takeBackLater(held);
      // A folder does not know the repository, and need not: processes of one machine wait for the lock.
      expect([moved, undefined]).toContain(last);
      expect((await here.trash.read()).entries.map((entry) => entry.id)).toEqual([moved]);
    });

    it("a repository that no team has gives way to a new one, and is in the trash", async () => {
      const { settings } = await here.hives.at(web).settings();
      const left = { slug: toHiveSlug("left"), team: acme };
      await here.lifecycle.create(left, { settings, metadata: made }, held);
      await there.hives.recorded(left.slug).refresh();
      await there.lifecycle.create(left, { settings: { ...settings, name: "Other" }, metadata: made }, held);
      await here.hives.recorded(left.slug).refresh();
      expect((await here.hives.at(left.slug).settings()).settings.name).toBe("Other");
      expect((await here.trash.read()).entries.map(({ slug }) => slug)).toEqual([left.slug]);
    });
  });
}
