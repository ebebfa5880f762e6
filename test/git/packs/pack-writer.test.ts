import { join } from "node:path";
import { mkdtempSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { expect, it } from "vitest";
import { toCommit, toGitObject, toTag, toTree, type GitObject } from "../../../src/git/objects/git-object.ts";
import { packPieces } from "../../../src/git/packs/pack-writer.ts";
import { git } from "../../helpers/process.ts";
import { runs } from "../../helpers/runs.ts";

const person = { name: "Ada", email: "ada@example.com" };

/** A history of commits, each with the files given, and a tag of the last. */
function historyOf(commits: readonly (readonly Uint8Array[])[]): readonly GitObject[] {
  const objects: GitObject[] = [];
  const add = (object: GitObject): GitObject => {
    objects.push(object);
    return object;
  };
  let last: GitObject | undefined;
  for (const files of commits) {
    const entries = files.map((file, i) => {
      return { mode: "100644", name: `${i}.json`, oid: add(toGitObject("blob", file)).oid };
    });
    const { oid } = add(toTree(entries));
    const parents = last === undefined ? [] : [last.oid];
    const fields = { tree: oid, parents, author: person, committer: person, time: objects.length };
    last = add(toCommit({ ...fields, message: `Change\n` }));
  }
  if (last !== undefined)
    add(toTag({ commit: last.oid, name: "v1", tagger: person, time: 1, message: "x\n" }));
  return objects;
}

/** The objects that git finds in a pack of some, after it has checked them and all they name. */
async function unpacked(objects: readonly GitObject[]): Promise<readonly string[]> {
  const repo = mkdtempSync(join(tmpdir(), "skep-pack-"));
  await git(repo, "init", "-q", "--bare", ".");
  const path = join(repo, "objects/pack/pack-1.pack");
  await writeFile(path, packPieces(objects));
  await git(repo, "index-pack", "--strict", path);
  expect(await git(repo, "fsck", "--full", "--strict", "--no-dangling")).toBe("");
  const found = await git(repo, "cat-file", "--batch-all-objects", "--batch-check=%(objectname)");
  return found.split("\n").filter(Boolean);
}

const file = fc.oneof(
  fc.uint8Array({ maxLength: 300 }),
  // Sizes at which the header of an object, or the way it is compressed, changes.
  fc
    .constantFrom(0, 15, 16, 2_047, 2_048, 65_537, 131_072, 262_144, 700_000)
    .map((size) => randomBytes(size)),
);

it("is what git takes for a whole pack of just these objects", async () => {
  const histories = fc.array(fc.array(file, { maxLength: 5 }), { maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(histories, async (commits) => {
      const objects = historyOf(commits);
      const oids = [...new Set(objects.map(({ oid }) => oid))].toSorted();
      expect(await unpacked([...objects, ...objects.slice(0, 2)])).toEqual(oids);
    }),
    { numRuns: runs(12) },
  );
});
