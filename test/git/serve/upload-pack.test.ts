import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { beforeEach, describe, expect, it } from "vitest";
import { flushPacket, toPacket } from "../../../src/git/serve/pkt-line.ts";
import { openLocalStorage } from "../../../src/service/storage.ts";
import { readVisibleRefs } from "../../../src/git/refs/reachable.ts";
import { makeUploadPack, RefAdvertisementCache } from "../../../src/git/serve/upload-pack.ts";
import { makeHive, realFolder } from "../../helpers/storage.ts";

const asked = ["peel\n", "symrefs\n", "ref-prefix HEAD\n", "ref-prefix refs/\n"];
const lsRefs = Buffer.concat([
  toPacket("command=ls-refs\n"),
  Buffer.from("0001"),
  ...asked.map(toPacket),
  flushPacket,
]);

let repo: string;

beforeEach(async () => {
  const folder = realFolder();
  await makeHive(openLocalStorage(folder), "web");
  repo = join(folder, "hives", "web.git");
});

function git(...args: readonly string[]): string {
  const who = ["-c", "user.name=Somebody", "-c", "user.email=somebody@example.org"];
  const all = ["-c", "safe.directory=*", ...who, "--git-dir", repo, ...args];
  return execFileSync("git", all, { encoding: "utf8" }).trim();
}

function commit(): void {
  const made = git("commit-tree", "-m", "More", "-p", "main", "main^{tree}");
  git("update-ref", "refs/heads/main", made);
}

async function read(stream: Readable | undefined): Promise<string> {
  return (await buffer(stream ?? Readable.from([]))).toString("latin1");
}

describe("an answer of git about refs", () => {
  const changes: readonly (readonly [string, () => void])[] = [
    ["a commit", commit],
    ["a tag", () => void git("tag", "-m", "One", "v1", "main")],
    ["a tag in a folder", () => void git("tag", "-m", "One", "releases/1", "main")],
    ["a light tag", () => void git("tag", "light", "main")],
    ["packed references", () => void git("pack-refs", "--all")],
    ["a commit after packing", commit],
    ["a tag that moved", () => void git("tag", "-f", "light", "main~1")],
    ["a tag that was removed", () => void git("tag", "-d", "v1")],
    ["a branch", () => void git("update-ref", "refs/heads/feature/x", "main~1")],
    ["a branch that moved", () => void git("update-ref", "refs/heads/feature/x", "main")],
    ["a branch that was removed", () => void git("update-ref", "-d", "refs/heads/feature/x")],
    [
      "a tag that stands for a hidden branch",
      () => void git("symbolic-ref", "refs/tags/now", "refs/skep/deleted/1/side"),
    ],
    ["a HEAD elsewhere", () => void git("symbolic-ref", "HEAD", "refs/heads/side")],
  ];

  it("a cached answer about refs equals git's current answer, whoever changed the refs and how", async () => {
    const remembering = makeUploadPack();
    const { signal } = new AbortController();
    git("update-ref", "refs/heads/side", "main");
    git("update-ref", "refs/skep/deleted/1/side", "main");
    const seen = new Set<string>();
    for (const [what, change] of changes) {
      change();
      for (const body of [undefined, lsRefs]) {
        const request = { version: 2, signal, body } as const;
        const expected = await read(await makeUploadPack()(repo, request));
        // Before the change was seen, and when it is known.
        for (let time = 0; time < 2; time++) {
          expect(await read(await remembering(repo, request)), what).toBe(expected);
        }
        if (body !== undefined) seen.add(expected);
      }
    }
    // Packing alone changes nothing that is shown, and a branch that is removed leaves all as it was before.
    expect(seen.size).toBeGreaterThan(changes.length - 4);
  });

  it("git is asked once about refs, and again after any change", async () => {
    const answers = new RefAdvertisementCache();
    let starts = 0;
    const ask = () => Promise.resolve(Readable.from([Buffer.from(`answer ${++starts}`)]));
    const answer = async () => read(await answers.getOrRun(repo, lsRefs, ask));
    expect([await answer(), await answer()]).toEqual(["answer 1", "answer 1"]);
    commit();
    expect([await answer(), await answer()]).toEqual(["answer 2", "answer 2"]);
    expect(await read(await answers.getOrRun(repo, Buffer.from("another"), ask))).toBe("answer 3");
  });

  it("an answer about refs is not cached when a ref moved meanwhile, when git fails, and without git", async () => {
    const answers = new RefAdvertisementCache();
    const moving = () => {
      commit();
      return Promise.resolve(Readable.from([Buffer.from("of before")]));
    };
    expect(await read(await answers.getOrRun(repo, lsRefs, moving))).toBe("of before");
    const failing = () => Promise.reject(new Error("git ended"));
    await expect(answers.getOrRun(repo, lsRefs, failing)).rejects.toThrow("git ended");
    expect(await answers.getOrRun(repo, lsRefs, () => Promise.resolve(undefined))).toBeUndefined();
    const later = () => Promise.resolve(Readable.from([Buffer.from("of now")]));
    expect(await read(await answers.getOrRun(repo, lsRefs, later))).toBe("of now");
  });
});

describe("the visible refs", () => {
  it("are the targets of branches and tags, as git lists them", async () => {
    git("tag", "-m", "One", "v1", "main");
    git("pack-refs", "--all");
    git("tag", "-m", "Two", "releases/2", "main");
    commit();
    const hidden = git("commit-tree", "-m", "Hidden", "main^{tree}");
    git("update-ref", "refs/skep/deleted/1/side", hidden);
    git("update-ref", "refs/heads/feature/x", git("commit-tree", "-m", "Shown", "main^{tree}"));
    const listed = git("for-each-ref", "--format=%(objectname)", "refs/heads", "refs/tags").split("\n");
    expect([...((await readVisibleRefs(repo))?.tips ?? [])].toSorted()).toEqual(
      [...new Set(listed)].toSorted(),
    );
  });

  it.each<[string, () => void]>([
    [
      "many",
      () => {
        for (let n = 0; n < 70; n++) git("update-ref", `refs/tags/v${n}`, "main");
      },
    ],
    [
      "many and packed",
      () => {
        writeFileSync(
          join(repo, "packed-refs"),
          `${git("rev-parse", "main")} refs/tags/${"v".repeat(200)}\n`.repeat(100),
        );
      },
    ],
    ["a tag that does not hold an object's name", () => writeFileSync(join(repo, "refs/tags/odd"), "odd\n")],
  ])("are left to git if they are %s", async (_, change) => {
    expect((await readVisibleRefs(repo))?.state).toContain(
      readFileSync(join(repo, "refs/heads/main"), "utf8").trim(),
    );
    change();
    expect(await readVisibleRefs(repo)).toBeUndefined();
  });
});
