/** Every object that a repository's refs reach is read once, and each that cannot be read is named with its place. */
import { spawnSync } from "node:child_process";
import nodeFs, { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { DurableFs } from "../../../src/disk/durable-fs.ts";
import { toHiveSlug, type Oid } from "../../../src/domain/names.ts";
import { BareRepo } from "../../../src/git/bare-repo.ts";
import { CatFile } from "../../../src/git/process/cat-file.ts";
import { openLocalStorage } from "../../../src/service/storage.ts";
import { checkObjects } from "../../../src/store/verify/object-check.ts";
import { git } from "../../helpers/process.ts";
import { harness, makeHive, makeToken, realFolder } from "../../helpers/storage.ts";

const fs = new DurableFs(nodeFs);
let repo: string;

beforeEach(async () => {
  const storage = openLocalStorage(realFolder());
  await makeHive(storage, "web", { locales: ["fr"] });
  repo = storage.hives.folderOf(toHiveSlug("web"));
  const { post } = harness(storage, await makeToken(storage));
  for (let n = 0; n < 3; n++) {
    const files = Object.fromEntries(Array.from({ length: 4 }, (_, i) => [`f${i}.php`, { a: `${n} ${i}` }]));
    expect((await post(files)).status).toBe(200);
  }
});

const asked: Oid[] = [];

async function problems(reader: "git" | "own" = "git"): Promise<readonly string[]> {
  asked.length = 0;
  const cat = new CatFile(repo);
  const read = (oid: Oid) => (asked.push(oid), cat.read(oid));
  const packs = reader === "own" ? undefined : { read, isOpen: false, release: () => cat.release() };
  const found = await checkObjects(new BareRepo(fs, repo, packs, { asksPacksFirst: true }));
  return found.map(({ problem }) => problem);
}

const name = async (revision: string): Promise<string> => (await git(repo, "rev-parse", revision)).trim();

function spoil(oid: string): void {
  const path = join(repo, "objects", oid.slice(0, 2), oid.slice(2));
  rmSync(path);
  writeFileSync(path, "garbage");
}

describe("the check of objects", () => {
  it("asks once for each object that a ref reaches, and for no other", async () => {
    await git(repo, "gc", "-q");
    expect(await problems()).toEqual([]);
    const reached = (await git(repo, "rev-list", "--objects", "--no-object-names", "--all"))
      .trim()
      .split("\n");
    expect(asked.toSorted()).toEqual(reached.toSorted());
  });

  it.each(["git", "own"] as const)(
    "names every damaged one of a commit by its path (reader: %s)",
    async (reader) => {
      for (const path of ["f1.php.json", "f3.php.json"]) spoil(await name(`main~1:locales/en/${path}`));
      spoil(await name("main~2^{tree}"));
      const [second, third] = [await name("main~1"), await name("main~2")];
      const found = (await problems(reader)).filter((problem) => !problem.startsWith("object "));
      expect(found.toSorted()).toEqual(
        [
          `at commit ${second}: cannot read locales/en/f1.php.json`,
          `at commit ${second}: cannot read locales/en/f3.php.json`,
          `at commit ${third}: cannot read /`,
        ].toSorted(),
      );
    },
  );

  it("names what is damaged in a pack, and reads all else", async () => {
    const oid = await name("main~2:locales/en/f2.php.json");
    await git(repo, "repack", "-adq", "--depth=0");
    const folder = join(repo, "objects/pack");
    const pack = readdirSync(folder).find((file) => file.endsWith(".pack")) ?? "";
    const listed = await git(repo, "verify-pack", "-v", join(folder, pack));
    const [, size = "", offset = ""] =
      new RegExp(`^${oid} blob +[0-9]+ ([0-9]+) ([0-9]+)`, "m").exec(listed) ?? [];
    const bytes = nodeFs.readFileSync(join(folder, pack));
    bytes.fill(0xff, Number(offset) + 1, Number(offset) + Number(size));
    rmSync(join(folder, pack));
    writeFileSync(join(folder, pack), bytes);
    expect(await problems()).toEqual([
      `at commit ${await name("main~2")}: cannot read locales/en/f2.php.json`,
    ]);
  });

  it("names what is neither a file nor a folder, and a commit that is missing", async () => {
    const lines = ["commit refs/heads/main", "committer S <s@example.org> 1900000000 +0000", "data 2", "go"];
    const change = ["from refs/heads/main^0", "M 120000 inline locales/en/link", "data 3", "a/b", ""];
    const { status } = spawnSync("git", ["-C", repo, "fast-import", "--quiet"], {
      input: [...lines, ...change].join("\n"),
    });
    expect(status).toBe(0);
    const missing = await name("main~2");
    rmSync(join(repo, "objects", missing.slice(0, 2), missing.slice(2)));
    expect((await problems()).toSorted()).toEqual(
      [
        `at commit ${await name("main")}: cannot read locales/en/link`,
        `at commit ${missing}: cannot read the commit`,
      ].toSorted(),
    );
  });
});
