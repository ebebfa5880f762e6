/** What is read of a Hive after a start: only what is asked, from loose objects or packs, and never past what is broken. */
import { execFileSync } from "node:child_process";
import nodeFs, { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { toHiveSlug } from "../../../src/domain/names.ts";
import { openStorage, type Storage } from "../../../src/service/storage.ts";
import { CatFile } from "../../../src/git/process/cat-file.ts";
import { harness, makeHive, makeToken, realFolder } from "../../helpers/storage.ts";

const web = toHiveSlug("web");
const exported = (locale: string): string => `/api/hives/web/export?locale=${locale}`;

async function filled(): Promise<{ folder: string; gitdir: string; token: string }> {
  const folder = realFolder();
  const storage = openStorage({ folder, disk: nodeFs });
  await makeHive(storage, "web", { locales: ["fr", "de"] });
  const token = await makeToken(storage);
  const { post, fill } = harness(storage, token);
  await post({ "app.php": { a: { b: "B", c: "C" } } });
  for (const code of ["fr", "de"]) {
    const files = { "app.php": { "a.b": `${code} b`, "a.c": `${code} c` } };
    expect((await fill(code, files)).json.created).toBe(2);
  }
  return { folder, gitdir: storage.hives.folderOf(web), token };
}

function git(gitdir: string, ...args: readonly string[]): string {
  return execFileSync("git", ["--git-dir", gitdir, ...args], { encoding: "utf8" }).trim();
}

/** A storage as after a start, and the objects that its Hive was asked for from packs. */
function restarted(folder: string): { storage: Storage; read: string[] } {
  const read: string[] = [];
  const packReader = (gitdir: string) => {
    const reader = new CatFile(gitdir);
    return {
      read: (oid: Parameters<typeof reader.read>[0]) => (read.push(oid), reader.read(oid)),
      get isOpen() {
        return reader.isOpen;
      },
      release: () => reader.release(),
    };
  };
  return { storage: openStorage({ folder, disk: nodeFs, git: { packReader } }), read };
}

/** Waits until the overview at HEAD is cached. @returns its file. */
async function keptOverview(gitdir: string): Promise<string> {
  const path = join(gitdir, "skep-cache");
  const head = git(gitdir, "rev-parse", "main");
  await expect.poll(() => existsSync(path) && readFileSync(path, "utf8")).toContain(head);
  return path;
}

describe("after a start", () => {
  it.each([true, false])(
    "after a start, an export of one locale reads no other, once all were checked (packed: %s)",
    async (packed) => {
      const { folder, gitdir, token } = await filled();
      if (packed) git(gitdir, "gc", "-q");
      const first = restarted(folder);
      expect((await harness(first.storage, token).call("GET", exported("de"))).status).toBe(200);
      const { storage, read } = restarted(folder);
      const reply = await harness(storage, token).call("GET", exported("de"));
      expect(JSON.parse(reply.json.files["app.json"])).toEqual({ "a.b": "de b", "a.c": "de c" });
      const french = git(gitdir, "rev-parse", "main:locales/fr/app.php.json");
      expect(read.includes(french)).toBe(false);
      expect(read.includes(git(gitdir, "rev-parse", "main:locales/de/app.php.json"))).toBe(packed);
      expect(first.read.includes(french)).toBe(packed);
    },
  );

  it("after a start, a broken translation stops the whole Hive, also where another locale is asked for", async () => {
    const { folder, gitdir, token } = await filled();
    const index = { ...process.env, GIT_INDEX_FILE: join(folder, "index") };
    const run = (...args: readonly string[]): string =>
      execFileSync("git", ["--git-dir", gitdir, ...args], {
        encoding: "utf8",
        env: index,
      }).trim();
    writeFileSync(join(folder, "broken"), "no JSON");
    const blob = run("hash-object", "-w", join(folder, "broken"));
    run("read-tree", "main");
    run("update-index", "--add", "--cacheinfo", `100644,${blob},locales/fr/app.php.json`);
    const tree = run("write-tree");
    const who = ["-c", "user.name=x", "-c", "user.email=x@example.org"];
    run("update-ref", "refs/heads/main", run(...who, "commit-tree", tree, "-p", "main", "-m", "broken"));
    for (let i = 0; i < 2; i++) {
      const { storage } = restarted(folder);
      const reply = await harness(storage, token).call("GET", exported("de"));
      expect([reply.status, reply.json.message]).toEqual([
        503,
        expect.stringMatching(/^Hive content at [0-9a-f]{40} is invalid: locales\/fr\/app\.php\.json$/),
      ]);
    }
  });

  it("after a start, checked folders are known by their names: without the cache all are checked again", async () => {
    const { folder, gitdir, token } = await filled();
    const note = join(gitdir, "skep-cache");
    const checked = (): unknown => JSON.parse(readFileSync(note, "utf8")).checked;
    await harness(restarted(folder).storage, token).call("GET", exported("de"));
    const folders = checked();
    expect(folders).toHaveLength(2);
    rmSync(note);
    await harness(restarted(folder).storage, token).call("GET", exported("de"));
    expect(checked()).toEqual(folders);
  });
});

describe("the overview of a Hive", () => {
  it("is read from no pack if it is cached for HEAD, and is the same", async () => {
    const { folder, gitdir } = await filled();
    rmSync(await keptOverview(gitdir));
    git(gitdir, "gc", "-q");
    const first = restarted(folder);
    const told = await first.storage.hives.at(web).overview();
    expect(first.read).not.toEqual([]);
    expect(told.overview).toMatchObject({ stringCount: 2, settings: { sourceLocale: { code: "en" } } });
    const second = restarted(folder);
    expect(await second.storage.hives.at(web).overview()).toEqual(told);
    expect(second.read).toEqual([]);
  });

  it("is kept at each commit, so that the first list after a start reads no pack", async () => {
    const { folder, gitdir } = await filled();
    await keptOverview(gitdir);
    git(gitdir, "gc", "-q");
    const { storage, read } = restarted(folder);
    expect((await storage.hives.at(web).overview()).overview).toMatchObject({ stringCount: 2 });
    expect(read).toEqual([]);
  });

  it("is kept from its creation on, though it never had an import", async () => {
    const folder = realFolder();
    const created = openStorage({ folder, disk: nodeFs });
    await makeHive(created, "web", { locales: ["fr"] });
    const expected = await created.hives.at(web).snapshot();
    const opened: string[] = [];
    const readFile = (path: string) => (opened.push(path), nodeFs.promises.readFile(path));
    const disk = { ...nodeFs, promises: { ...nodeFs.promises, readFile } };
    const { overview } = await openStorage({ folder, disk }).hives.at(web).overview();
    const commit = expected.commit.oid;
    expect(overview).toEqual({ commit, settings: expected.settings, stringCount: 0, translatableCount: 0 });
    expect(opened).toEqual([join(folder, "hives/web.git/skep-cache")]);
  });

  it("is read again when HEAD has moved, or the cache cannot be read", async () => {
    const { folder, gitdir, token } = await filled();
    await restarted(folder).storage.hives.at(web).overview();
    const { post } = harness(openStorage({ folder, disk: nodeFs }), token);
    await post({ "new.php": { d: "D" } });
    expect(await restarted(folder).storage.hives.countStrings([web])).toBe(3);
    const kept = join(gitdir, "skep-cache");
    for (const damaged of [
      "",
      "{",
      readFileSync(kept, "utf8").replace('"stringCount":3', '"stringCount":-1'),
    ]) {
      writeFileSync(kept, damaged);
      expect(await restarted(folder).storage.hives.countStrings([web])).toBe(3);
      expect(readFileSync(kept, "utf8")).toContain('"stringCount":3');
    }
  });

  it("in memory is cached, too", async () => {
    const { folder, gitdir } = await filled();
    rmSync(await keptOverview(gitdir));
    const { storage } = restarted(folder);
    await storage.hives.at(web).snapshot();
    await storage.hives.at(web).overview();
    await keptOverview(gitdir);
    git(gitdir, "gc", "-q");
    const after = restarted(folder);
    expect(await after.storage.hives.countStrings([web])).toBe(2);
    expect(after.read).toEqual([]);
  });
});

describe("git cat-file", () => {
  it("gives objects of any size and kind, and undefined for what is not there", async () => {
    const { gitdir } = await filled();
    const big = Buffer.alloc(300_000, "line\n");
    const oid = execFileSync("git", ["--git-dir", gitdir, "hash-object", "-w", "--stdin"], { input: big })
      .toString()
      .trim();
    const reader = new CatFile(gitdir);
    const main = git(gitdir, "rev-parse", "main");
    const names = [oid, main, "0".repeat(40), git(gitdir, "rev-parse", "main^{tree}"), oid];
    const found = await Promise.all(
      names.map((name) => reader.read(name as Parameters<typeof reader.read>[0])),
    );
    expect(found.map((one) => one?.type)).toEqual(["blob", "commit", undefined, "tree", "blob"]);
    expect(Buffer.compare(found[0]?.content ?? big.subarray(1), big)).toBe(0);
    expect(Buffer.from(found[1]?.content ?? []).toString()).toContain("author ");
  });
});
